"""Port: who counts the calls to the store."""

from typing import Literal, Protocol

Again = Literal["throttled", "error", "unanswered", "body"]
"""Why a request is sent again: the answer asks for fewer, is another error, never came, or its body broke."""
Silence = Literal["no_connection", "tls", "timeout", "closed", "other", "deadline"]
"""How a request ended without an answer: no connection, none under TLS, none in time, a connection that was closed,
anything else, or the deadline of the whole call passed."""


class CallMeter(Protocol):
    """Told of calls while they are made. `operation` is S3's own name; nothing here may raise or wait."""

    def called(self, operation: str, outcome: str, duration_s: float) -> None:
        """A call ended, retries and body included; `outcome` is `ok`, `cancelled` or the reason of an error."""
        ...

    def answered(self, operation: str, status: int) -> None:
        """One HTTP answer came; a call that is tried again has several."""
        ...

    def unanswered(self, operation: str, outcome: Silence) -> None:
        """A request ended without an answer; one that is tried again may still be answered."""
        ...

    def throttled(self, operation: str) -> None:
        """An answer asked for fewer requests: SlowDown, or any 503."""
        ...

    def retried(self, operation: str, cause: Again) -> None:
        """A request is sent again, by botocore or for a body that broke.

        aiohttp asks a second time by itself where a connection was closed before it answered, which nobody sees.
        """
        ...

    def moved(self, operation: str, received_bytes: int = 0, sent_bytes: int = 0) -> None:
        """Bytes of bodies went by."""
        ...


class NoMeter:
    """For a store whose calls nobody counts."""

    def called(self, operation: str, outcome: str, duration_s: float) -> None:
        pass

    def answered(self, operation: str, status: int) -> None:
        pass

    def unanswered(self, operation: str, outcome: Silence) -> None:
        pass

    def throttled(self, operation: str) -> None:
        pass

    def retried(self, operation: str, cause: Again) -> None:
        pass

    def moved(self, operation: str, received_bytes: int = 0, sent_bytes: int = 0) -> None:
        pass
