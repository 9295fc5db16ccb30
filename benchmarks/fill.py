"""Many small objects into a local store, each with its SHA-256: about 1 ms each instead of the 3 ms of an SDK.

Source: AWS General Reference, "Signature Version 4 signing process"; S3 API reference, PutObject
(`x-amz-checksum-sha256`).
"""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from hmac import digest
from urllib.parse import urlsplit

import aiohttp

from gateway.local.seaweedfs import LocalServer

AT_ONCE = 16
_REGION = "us-east-1"


def put_headers(server: LocalServer, path: str, data: bytes, now: datetime) -> dict[str, str]:
    """Headers of a signed PUT of `path`, which needs no escaping."""
    moment, day = f"{now:%Y%m%dT%H%M%SZ}", f"{now:%Y%m%d}"
    scope = f"{day}/{_REGION}/s3/aws4_request"
    content = sha256(data)
    headers = {
        "host": urlsplit(server.url).netloc,
        "x-amz-checksum-sha256": b64encode(content.digest()).decode(),
        "x-amz-content-sha256": content.hexdigest(),
        "x-amz-date": moment,
    }
    names = ";".join(headers)
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
    request = f"PUT\n{path}\n\n{lines}\n{names}\n{content.hexdigest()}"
    to_sign = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{sha256(request.encode()).hexdigest()}"
    signature = digest(_signing_key(server.secret_key, day), to_sign.encode(), "sha256").hex()
    credential = f"Credential={server.access_key}/{scope}"
    headers["authorization"] = f"AWS4-HMAC-SHA256 {credential}, SignedHeaders={names}, Signature={signature}"
    return headers


def _signing_key(secret_key: str, day: str) -> bytes:
    key = f"AWS4{secret_key}".encode()
    for part in (day, _REGION, "s3", "aws4_request"):
        key = digest(key, part.encode(), "sha256")
    return key


def fill(server: LocalServer, bucket: str, objects: Iterable[tuple[str, bytes]], done: Callable[[int], object]) -> None:
    """Put every object, some at once; `done` is called with the number so far. Raises OSError on a refusal."""
    asyncio.run(_fill(server, bucket, iter(objects), done))


async def _fill(
    server: LocalServer, bucket: str, objects: Iterator[tuple[str, bytes]], done: Callable[[int], object]
) -> None:
    count = 0

    async def work(session: aiohttp.ClientSession) -> None:
        nonlocal count
        for key, data in objects:
            path = f"/{bucket}/{key}"
            headers = put_headers(server, path, data, datetime.now(UTC))
            async with session.put(server.url + path, data=data, headers=headers) as answer:
                if answer.status != 200:
                    raise OSError(f"PUT {path}: {answer.status} {(await answer.read())[:300]!r}")
            count += 1
            done(count)

    connector = aiohttp.TCPConnector(limit=AT_ONCE)
    async with (
        aiohttp.ClientSession(connector=connector, skip_auto_headers=("Content-Type",)) as session,
        asyncio.TaskGroup() as group,
    ):
        for _ in range(AT_ONCE):
            group.create_task(work(session))
