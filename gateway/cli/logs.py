"""Lines of the log: for people, or one JSON object each for whoever collects them. Both name the request they are of.

Whatever is logged stays on its line. Source: RFC 3339 (time), JSON Lines.
"""

import json
import logging
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Literal

from gateway.audit.request import current_request_id
from gateway.skill.model import printable
from gateway.tracing.spans import current_trace_id

Format = Literal["text", "json"]

_OF_PROBLEMS = ("gateway.tree", "gateway.memory.problems")


def log_to_stderr(level: str, form: Format = "text") -> None:
    """Our own lines from `level` on; of the libraries only warnings, whose finer lines may show headers."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("gateway").setLevel(level.upper())
    logging.captureWarnings(True)
    if level != "debug":
        logging.getLogger("uvicorn.error").addFilter(_last_line_of_traceback)


@contextmanager
def problems_left_to_the_result() -> Generator[None]:
    """No log lines of what is refused, for a command whose result says the same."""
    loggers = [logging.getLogger(name) for name in _OF_PROBLEMS]
    before = [one.level for one in loggers]
    for one in loggers:
        one.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for one, level in zip(loggers, before, strict=True):
            one.setLevel(level)


class TextLines(logging.Formatter):
    """Time, level, logger and message, and the request's id at the end."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name is logging's
        # What somebody asked for is in it as they wrote it: U+2028 begins a line, U+202E turns one round.
        line = super().formatMessage(record)
        if record.name != "uvicorn.error":  # whose tracebacks are texts of many lines, and of nobody's making
            line = printable(line)
        return f"{line} [{name}]" if (name := current_request_id()) else line


class JsonLines(logging.Formatter):
    """One object a line; what is not known is left out."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC)
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        more = {
            "request": current_request_id(),
            "trace": current_trace_id(),
            "exception": self.formatException(record.exc_info) if record.exc_info else "",
        }
        # ASCII alone, so that lone surrogates do no harm and no odd line end is one.
        return json.dumps(told | {name: value for name, value in more.items() if value})


def _last_line_of_traceback(record: logging.LogRecord) -> bool:
    """Of an app that failed to start uvicorn logs the whole traceback as text; its last line says it all."""
    text = record.getMessage().rstrip()
    if text.startswith("Traceback "):
        record.msg, record.args = text.splitlines()[-1], ()
    return True
