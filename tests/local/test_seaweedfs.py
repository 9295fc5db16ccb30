"""SeaweedFS as a server of our own: how it starts, what it keeps, what it leaves."""

import stat
import sys
from pathlib import Path

import pytest

from gateway.errors import SettingsError, StoreUnavailable
from gateway.local.process import free_ports, running
from gateway.local.seaweedfs import LocalServer, find_program, seaweedfs
from gateway.local.signing import signed_status
from gateway.objects import ObjectKey
from gateway.s3 import S3Options, open_store

KEY = ObjectKey("a/b")


def options(server: LocalServer) -> S3Options:
    return S3Options("demo", server.url, access_key=server.access_key, secret_key=server.secret_key)


async def test_objects_and_credentials_outlive_a_restart_on_another_port(tmp_path: Path) -> None:
    """[ours: the demo]"""
    data = tmp_path / ("deep" * 30)  # longer than the path of a Unix socket may be
    (port,) = free_ports(1)
    with seaweedfs(data, port, bucket="demo") as first:
        assert first.url == f"http://127.0.0.1:{port}"
        async with open_store(options(first)) as store:
            await store.put(KEY, b"kept")
    with seaweedfs(data, bucket="demo") as second:
        assert (second.access_key, second.secret_key) == (first.access_key, first.secret_key)
        async with open_store(options(second)) as store:
            assert (await store.get(KEY, max_bytes=9)).data == b"kept"
    assert signed_status(second.url, second.access_key, second.secret_key) is None
    assert stat.S_IMODE((data / "credentials.json").stat().st_mode) == 0o600
    assert second.secret_key not in repr(second)


def test_a_missing_program_says_what_to_install() -> None:
    """[ours]"""
    with pytest.raises(SettingsError, match=r"install skills-gateway\[demo\]"):
        find_program("no-such-program", "install skills-gateway[demo]")


def test_a_server_that_ends_early_shows_the_end_of_its_log(tmp_path: Path) -> None:
    """[ours]"""
    argv = [sys.executable, "-c", "import sys; sys.exit('address already in use')"]
    with (
        pytest.raises(StoreUnavailable, match=r"ended at once with status 1:\naddress already in use"),
        running(argv, env={}, cwd=tmp_path, log=tmp_path / "log", is_ready=lambda: False),
    ):
        pytest.fail("it cannot be ready")


def test_a_server_that_is_never_ready_is_stopped(tmp_path: Path) -> None:
    """[ours]"""
    argv = [sys.executable, "-c", "import os, time; print(os.getpid(), flush=True); time.sleep(600)"]
    log = tmp_path / "log"
    with (
        pytest.raises(StoreUnavailable, match="did not answer within 1 s"),
        running(argv, env={}, cwd=tmp_path, log=log, is_ready=lambda: False, ready_within_s=1),
    ):
        pytest.fail("it cannot be ready")
    assert not Path(f"/proc/{int(log.read_text())}").exists()
