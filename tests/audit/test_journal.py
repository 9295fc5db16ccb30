"""The journal: everything once and in order, and nobody waits for it."""

import json
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event

import pytest

from gateway.audit.journal import Journal, open_journal
from gateway.errors import SettingsError
from tests.audit.kept import ListSink, event


class Stuck(ListSink):
    """Takes nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.has_begun, self.may_go = Event(), Event()

    def write(self, lines: Sequence[bytes]) -> None:
        self.has_begun.set()
        self.may_go.wait()
        super().write(lines)


def numbers(lines: Sequence[bytes]) -> list[int]:
    return [json.loads(line)["items"] for line in lines]


def test_what_was_recorded_is_written_once_and_in_order() -> None:
    """[ours] What waits at the end too."""
    sink = ListSink()
    journal = Journal(sink)
    for number in range(1000):
        journal.record(event(number))
    journal.close()
    assert numbers(sink.lines) == list(range(1000))
    assert (journal.dropped, sink.is_closed) == (0, True)


def test_what_comes_faster_than_it_is_written_is_dropped_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    """[ours] Whoever records never waits."""
    sink = Stuck()
    journal = Journal(sink, max_waiting=10)
    journal.record(event(0))
    assert sink.has_begun.wait(10)
    for number in range(1, 21):
        journal.record(event(number))
    assert journal.dropped == 10
    sink.may_go.set()
    journal.close()
    assert numbers(sink.lines) == list(range(11))
    assert [record.getMessage() for record in caplog.records] == ["audit: 10 events were dropped, 10 since the start"]


def test_a_sink_that_fails_is_told_once_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    """[ours] A disk that is full: requests go on, what could not be written is counted."""
    caplog.set_level(logging.WARNING)
    sink = ListSink(error=OSError(28, "No space left on device"))
    journal = Journal(sink, now=lambda: 0.0)
    journal.record(event(0))
    until(lambda: len(caplog.records) == 2)  # or the next one would be counted with it
    journal.record(event(1))
    until(lambda: journal.dropped == 2)
    sink.error = None
    journal.record(event(2))
    until(lambda: sink.lines != [])
    journal.close()
    assert numbers(sink.lines) == [2]
    assert [record.getMessage() for record in caplog.records] == [
        "audit: events cannot be written and are dropped: [Errno 28] No space left on device",
        "audit: 1 events were dropped, 1 since the start",
        "audit: events are written again",
        "audit: 1 events were dropped, 2 since the start",  # at the end: a minute had not passed
    ]


def test_a_close_does_not_wait_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    """[ours]"""
    sink = Stuck()
    journal = Journal(sink)
    journal.record(event(0))
    assert sink.has_begun.wait(10)
    journal.record(event(1))
    journal.close(within_s=0.05)
    assert "given up with about 1 events" in caplog.text
    journal.record(event(2))
    assert journal.dropped == 1
    sink.may_go.set()


def test_no_target_is_no_journal() -> None:
    """[ours]"""
    with open_journal("", 0, 1) as journal:
        assert journal is None


def test_a_journal_writes_to_its_file_and_goes_on_in_it(tmp_path: Path) -> None:
    """[ours] A restart appends."""
    path = tmp_path / "audit.jsonl"
    for number in range(2):
        with open_journal(str(path), 0, 1) as journal:
            assert journal is not None
            journal.record(event(number))
    assert numbers(path.read_bytes().splitlines()) == [0, 1]
    assert path.stat().st_mode & 0o007 == 0


def test_a_dash_is_the_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """[ours]"""
    with open_journal("-", 0, 1) as journal:
        assert journal is not None
        journal.record(event(5))
    assert numbers(capfdbinary.readouterr().out.splitlines()) == [5]


@pytest.mark.parametrize("name", ["", "missing/audit.jsonl", "\x00"])
def test_a_file_that_cannot_be_opened_stops_the_start(tmp_path: Path, name: str) -> None:
    """[ours] A folder, a folder that is missing, a name that none can have."""
    with pytest.raises(SettingsError, match=r"^GATEWAY_AUDIT is .*, which cannot be written: ") as refused:
        open_journal(f"{tmp_path}/{name}", 0, 1).__enter__()
    assert refused.value.reason == "bad_setting"


def test_what_is_no_file_is_refused() -> None:
    """[ours] It could not be set aside."""
    with pytest.raises(SettingsError, match="it is no regular file"):
        open_journal("/dev/null", 0, 1).__enter__()


def until(holds: object) -> None:
    """Wait for what another thread does; fails after ten seconds."""
    assert callable(holds)
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end
        Event().wait(0.005)
