"""The last lines of the log that somebody should know of, for `/statusz`."""

import logging
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime

from gateway.web.status import ErrorSeen

KEPT = 50
_MAX_CHARACTERS = 500


class RecentErrors(logging.Handler):
    """Warnings and errors of the gateway's own loggers, as their lines are: those hold nothing secret."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.seen: deque[ErrorSeen] = deque(maxlen=KEPT)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            detail = record.getMessage()[:_MAX_CHARACTERS]
        except Exception:
            self.handleError(record)
            return
        self.seen.append(ErrorSeen(datetime.fromtimestamp(record.created, UTC), record.levelname.lower(), detail))

    @contextmanager
    def listening(self) -> Generator[None]:
        """Keep what is logged in the block."""
        logger = logging.getLogger("gateway")
        logger.addHandler(self)
        try:
            yield
        finally:
            logger.removeHandler(self)
