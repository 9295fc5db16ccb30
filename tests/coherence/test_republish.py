"""Skills are written over while fifty strict hosts read them, on every real store.

Nothing that a host verified is half a file, and no host has to begin again more than twice: an entry that
does not fit the bytes is resolved by a fresh one. [SEP-2640 integrity] [ours]
"""

import asyncio
from threading import Event, Thread

import aiohttp

from tests.coherence.readers import Book, Publisher, Reader
from tests.protocol.host import ERAS
from tests.serving import serving
from tests.stores import S3Bucket

READERS = 50
LASTS_S = 30.0
SKILLS = 12
PAUSE_S = 0.1


async def test_whatever_is_written_over_no_host_verifies_half_of_it_nor_begins_again_more_than_twice(
    s3_bucket: S3Bucket,
) -> None:
    publisher, stopped, book = Publisher(s3_bucket, SKILLS), Event(), Book()
    for number in range(SKILLS):
        publisher.publish(number)
    writing = Thread(target=publisher.publish_until, args=(stopped, PAUSE_S, book), name="publisher")
    # Windows of one second and little memory: entries and contents come from the store as often as from memory.
    with serving(s3_bucket, freshness_s=1, content_cache_bytes=16_384) as url:
        writing.start()
        try:
            await asyncio.wait_for(read(url, stopped, book), 6 * LASTS_S)
        finally:
            stopped.set()
            writing.join()
    assert book.verified > READERS


async def read(url: str, stopped: Event, book: Book) -> None:
    """Fifty readers of both eras until they have met changes, and each has ended its last skill."""
    async with (
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=READERS)) as http,
        asyncio.TaskGroup() as all_,
    ):
        for number in range(READERS):
            all_.create_task(Reader(http, url, ERAS[number % 2], book).read_until(stopped, number))
        all_.create_task(_stop(stopped, book))


async def _stop(stopped: Event, book: Book) -> None:
    """After the time of the test, or later on a busy machine: when the readers have seen enough."""
    await asyncio.sleep(LASTS_S)
    while len(book.versions) < 2 * SKILLS or not max(book.loops, default=0):  # noqa: ASYNC110 - another thread writes
        await asyncio.sleep(PAUSE_S)
    stopped.set()
