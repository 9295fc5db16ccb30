"""Lines in files: whole, each once, whoever else writes, renames, or is killed."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.audit.sinks import FileSink, StreamSink

WRITER = """
import sys
from gateway.audit.sinks import FileSink
path, name, count, max_bytes, keep = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
sink = FileSink(path, max_bytes, keep)
print(flush=True)
sys.stdin.readline()
for start in range(0, count, 7):
    sink.write([b'{"by":"%s","n":%d,"pad":"%s"}\\n' % (name.encode(), n, b"x" * 90) for n in range(start, start + 7)])
"""


def writer(path: Path, name: str, count: int, max_bytes: int = 0, keep: int = 1) -> "subprocess.Popen[bytes]":
    """Another process that writes to `path`, once it is told to."""
    arguments = [sys.executable, "-c", WRITER, str(path), name, str(count), str(max_bytes), str(keep)]
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"\n"
    return process


def start(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    process.stdin.write(b"\n")
    process.stdin.flush()


def all_lines(path: Path) -> list[bytes]:
    """Lines of the file and of those before it, the oldest first."""
    before = sorted(path.parent.glob(f"{path.name}.*"), key=lambda one: -int(one.suffix[1:]))
    return [line for one in (*before, path) for line in one.read_bytes().splitlines(keepends=True)]


def test_a_file_that_has_grown_is_set_aside_and_so_many_are_kept(tmp_path: Path) -> None:
    """[ours] A line is never split over two files; one that is longer than a file has one of its own."""
    path = tmp_path / "audit"
    sink = FileSink(str(path), 10, 2)
    for line in (b"1234\n", b"56\n", b"789\n", b"a long line\n", b"b\n", b"c\n"):
        sink.write([line])
    sink.close()
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {
        "audit.2": b"789\n",
        "audit.1": b"a long line\n",
        "audit": b"b\nc\n",
    }


def test_workers_that_share_a_file_lose_nothing(tmp_path: Path) -> None:
    """[ours] Each sets it aside when it has grown, and the others go on in the new one."""
    path = tmp_path / "audit"
    processes = [writer(path, name, 1400, max_bytes=20_000, keep=1000) for name in ("a", "b", "c")]
    for process in processes:
        start(process)
    for process in processes:
        process.communicate(timeout=30)
        assert process.returncode == 0
    lines = [json.loads(line) for line in all_lines(path)]
    for name in ("a", "b", "c"):
        assert [line["n"] for line in lines if line["by"] == name] == list(range(1400))
    files = list(tmp_path.iterdir())
    assert len(files) > 10
    assert all(one.stat().st_size <= 20_000 for one in files)


def test_a_file_that_is_renamed_or_removed_from_outside_is_begun_again(tmp_path: Path) -> None:
    """[ours] As logrotate does."""
    path = tmp_path / "audit"
    sink = FileSink(str(path), 0, 1)
    sink.write([b"1\n"])
    path.rename(tmp_path / "elsewhere")
    sink.write([b"2\n"])
    path.unlink()
    sink.write([b"3\n"])
    sink.close()
    assert ((tmp_path / "elsewhere").read_bytes(), path.read_bytes()) == (b"1\n", b"3\n")


def test_half_a_line_of_who_was_killed_stays_alone(tmp_path: Path) -> None:
    """[ours]"""
    path = tmp_path / "audit"
    path.write_bytes(b'{"a":1}\n{"b"')
    sink = FileSink(str(path), 0, 1)
    sink.write([b'{"c":1}\n'])
    sink.close()
    assert path.read_bytes() == b'{"a":1}\n{"b"\n{"c":1}\n'


def test_who_is_killed_holds_up_nobody_and_leaves_whole_lines(tmp_path: Path) -> None:
    """[flock(2)] A lock ends with who holds it."""
    path = tmp_path / "audit"
    process = writer(path, "a", 10_000_000)
    start(process)
    while not path.stat().st_size:
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    sink = FileSink(str(path), 0, 1)
    sink.write([b'{"n":"last"}\n'])
    sink.close()
    *written, last = [json.loads(line)["n"] for line in all_lines(path)]
    assert (written, last) == (list(range(len(written))), "last")


def test_a_disk_that_is_full_leaves_no_half_line(tmp_path: Path) -> None:
    """[ours] What was there before stays, and there is room again for who comes later."""
    path = tmp_path / "audit"
    sink = FileSink(str(path), 0, 1)
    sink.write([b"x" * 99 + b"\n"])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            sink.write([b"y" * 99 + b"\n"])
        assert path.stat().st_size == 100
        sink.write([b"z\n"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    sink.close()
    assert path.read_bytes() == b"x" * 99 + b"\nz\n"


def test_lines_go_into_a_pipe_in_pieces_that_nobody_else_splits() -> None:
    """[POSIX write: PIPE_BUF] All of them, a long one by itself."""
    lines = [b"a" * 3000 + b"\n", b"b" * 3000 + b"\n", b"c" * 9000 + b"\n", b"d\n", b"e\n"]
    reading, writing = os.pipe()
    try:
        StreamSink(writing).write(lines)
    finally:
        os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == b"".join(lines)
