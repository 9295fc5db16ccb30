"""What is going on, on stderr; stdout is for the table."""

import sys
import time

_BEGUN = time.monotonic()


def say(text: str) -> None:
    minutes, seconds = divmod(int(time.monotonic() - _BEGUN), 60)
    print(f"[{minutes:2}:{seconds:02}] {text}", file=sys.stderr, flush=True)
