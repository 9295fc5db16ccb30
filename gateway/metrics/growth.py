"""How much counts grew that are kept elsewhere: what a counter of Prometheus is to be raised by."""

from collections import Counter


class Growth:
    """The counts as they were when they were last looked at, each under a name of its own."""

    def __init__(self) -> None:
        self._seen = Counter[tuple[str, ...]]()

    def of(self, name: tuple[str, ...], count: int) -> int:
        """How much a count grew since it was looked at, 0 or more for one that only grows."""
        more, self._seen[name] = count - self._seen[name], count
        return more
