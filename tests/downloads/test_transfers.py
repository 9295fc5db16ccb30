"""Archives on their way to a client, over real sockets: broken off, given up, and never whole in memory."""

import asyncio
import io
import json
import logging
import socket
import tracemalloc
import zipfile
from collections.abc import Sequence
from threading import Event

import httpx
import pytest

from gateway.audit.journal import Journal
from gateway.errors import ContentChanged, StoreUnavailable
from gateway.local.memory import MemoryStore
from gateway.objects import ObjectKey, ObjectSlice
from gateway.skill.model import SkillEntry, SkillFile, SkillPath, digest_of
from tests.audit.kept import ListSink, kept
from tests.downloads.gateways import Told, app_of, contents_of, listening, told
from tests.protocol.providers import TEXT, skill_md, static_entry
from tests.serving import serving
from tests.stores import MemoryBucket


class _Waited(ListSink):
    """Tells another thread that something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.is_written = Event()

    def write(self, lines: Sequence[bytes]) -> None:
        super().write(lines)
        self.is_written.set()


FILES = {f"{name}.txt": name.encode() * 600_000 for name in "bcde"}
MIB = 1024 * 1024


def received(url: str) -> tuple[httpx.Response, bytes]:
    """The head of an answer and the part of its body that came. Fails when all of it came."""
    parts: list[bytes] = []
    with httpx.stream("GET", url) as answer, pytest.raises(httpx.RemoteProtocolError):
        parts.extend(answer.iter_raw())
    return answer, b"".join(parts)


@pytest.mark.parametrize("fault", ["changed", "down", "surprise"])
def test_a_store_that_fails_under_way_breaks_the_connection(fault: str, caplog: pytest.LogCaptureFixture) -> None:
    """[RFC 9112 section 8] What came is no archive, the log says so, and so does the audit."""

    async def read(name: str) -> bytes:
        if name == "d.txt":
            if fault == "changed":
                return b"D" * len(FILES[name])
            raise StoreUnavailable("down") if fault == "down" else ValueError("surprise")
        return {"SKILL.md": skill_md("a"), **FILES}[name]

    with (
        kept() as audit,
        caplog.at_level(logging.ERROR),
        listening(app_of(told(FILES, read=read), audit.journal)) as url,
    ):
        answer, data = received(f"{url}/skills/a.zip")
    assert answer.status_code == 200
    assert 0 < len(data) < int(answer.headers["content-length"])
    assert not zipfile.is_zipfile(io.BytesIO(data))
    reason = {"changed": "content_changed", "down": "store_unavailable", "surprise": "internal"}[fault]
    assert [(line["result"], "digest" in line) for line in audit.told] == [(reason, False)]
    assert [record.message for record in caplog.records if "broken off after" in record.message] != []


class _Republished(MemoryStore):
    """Another `c.txt` is uploaded when `b.txt` is read, once it is `armed`."""

    is_armed = False

    async def get(self, key: ObjectKey, *, max_bytes: int, if_match: str = "") -> ObjectSlice:
        if self.is_armed and key == "a/b.txt":
            self.store("a/c.txt", b"C" * len(FILES["c.txt"]))
        return await super().get(key, max_bytes=max_bytes, if_match=if_match)


def test_an_upload_into_a_tree_under_way_breaks_the_connection() -> None:
    """[ours] No archive has files of two moments; who asks again gets the new one."""
    bucket = MemoryBucket()
    store = bucket.store = _Republished({"a/SKILL.md": skill_md("a"), **{f"a/{name}": FILES[name] for name in FILES}})
    with serving(bucket, downloads=True, freshness_s=0, content_cache_bytes=0) as endpoint:
        url = endpoint.removesuffix("/mcp") + "/skills/a.zip"
        before = contents_of(httpx.get(url).content)
        store.is_armed = True
        _, data = received(url)
        after = contents_of(httpx.get(url).content)
    assert not zipfile.is_zipfile(io.BytesIO(data))
    assert {name for name in before if before[name] != after[name]} == {"a/c.txt"}


@pytest.mark.parametrize(
    ("error", "status"),
    [(StoreUnavailable("down"), 503), (ContentChanged("a.txt"), 503), (ValueError("surprise"), 500)],
)
def test_a_store_that_fails_at_once_is_told_properly(error: Exception, status: int) -> None:
    """[RFC 9110 section 15.6] Nothing of the cause is told."""

    async def read(name: str) -> bytes:
        raise error

    with listening(app_of(told(FILES, read=read))) as url:
        answer = httpx.get(f"{url}/skills/a.zip")
    assert (answer.status_code, str(error) in answer.text) == (status, False)


def test_nothing_more_is_read_for_a_client_that_has_gone() -> None:
    """[ASGI 3.0, http.disconnect] Neither what is under way when it goes, nor what comes after."""
    stopped: list[str] = []
    is_stopped = Event()

    async def read(name: str) -> bytes:
        if name in ("SKILL.md", "b.txt"):
            return {"SKILL.md": skill_md("a"), **FILES}[name]
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append(name)
            is_stopped.set()
            raise
        raise AssertionError

    provider = told(FILES, read=read)
    with kept() as audit, listening(app_of(provider, audit.journal)) as url:
        with httpx.stream("GET", f"{url}/skills/a.zip") as answer:
            next(answer.iter_raw())
        assert is_stopped.wait(20)  # while the server goes on
    assert "c.txt" in stopped
    assert set(provider.reads) <= {"SKILL.md", "b.txt", *stopped} != {"SKILL.md", *FILES}
    assert [line["result"] for line in audit.told] == ["cancelled"]


def test_a_client_that_takes_nothing_is_let_go() -> None:
    """[ours] Its place is somebody else's."""
    files = {"b.txt": b"b" * (8 * MIB), "c.txt": b"c" * (8 * MIB)}
    sink = _Waited()
    journal = Journal(sink)
    with listening(app_of(told(files), journal, timeout_s=0.5)) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as idle:
            idle.sendall(f"GET /skills/a.zip HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            assert sink.is_written.wait(20)
    journal.close()
    (line,) = map(json.loads, sink.lines)
    assert (line["result"], 0 < line["bytes"] < 16 * MIB) == ("timeout", True)


def test_a_skill_of_50_mb_is_never_whole_in_memory() -> None:
    """[ours] Fifty files of a MiB, made when they are read; a client that keeps nothing."""
    entry = _large(50, MIB)

    async def read(name: str) -> bytes:
        return skill_md("a") if name == "SKILL.md" else _filled(name, MIB)

    with listening(app_of(Told((entry,), files=read))) as url, httpx.stream("GET", f"{url}/skills/a.zip") as answer:
        pieces, received_bytes = answer.iter_raw(), 0
        next(pieces)
        tracemalloc.start()
        try:
            for piece in pieces:
                received_bytes += len(piece)
            _, peak_bytes = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert received_bytes > 45 * MIB
    assert peak_bytes < 3 * MIB


def _large(count: int, size: int) -> SkillEntry:
    entry = static_entry("a")
    assert entry.files is not None
    names = [f"{number:03}.txt" for number in range(count)]
    files = (SkillFile(name, size, digest_of(_filled(name, size)), TEXT) for name in names)
    return SkillEntry(SkillPath("a"), entry.frontmatter, (*entry.files, *files))


def _filled(name: str, size: int) -> bytes:
    return (name.encode() * (size // len(name) + 1))[:size]
