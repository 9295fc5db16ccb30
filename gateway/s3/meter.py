"""Port: who counts the calls to the store."""

from typing import Protocol


class CallMeter(Protocol):
    """Told of calls while they are made. `operation` is S3's own name; nothing here may raise or wait."""

    def called(self, operation: str, outcome: str, duration_s: float) -> None:
        """A call ended, retries and body included; `outcome` is `ok`, `cancelled` or the reason of an error."""
        ...

    def answered(self, operation: str, status: int) -> None:
        """One HTTP answer came; a call that is tried again has several."""
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

    def moved(self, operation: str, received_bytes: int = 0, sent_bytes: int = 0) -> None:
        pass
