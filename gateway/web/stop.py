"""Closing streams as soon as the process is told to stop.

uvicorn waits for open connections before it ends the app's lifespan, and a stream that nobody closes
would hold it up for the whole grace period. So what closes them goes in front of its signal handlers.
"""

import asyncio
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def on_stop(close: Callable[[], object]) -> Generator[None]:
    """Call `close` on this loop when SIGTERM or SIGINT comes, and then do what would have been done.

    Outside of the main thread nothing is heard of signals, and nothing is done.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(close)
        then = before[signal.Signals(number)]
        if callable(then):
            then(number, frame)

    chained = [number for number, handler in before.items() if callable(handler)]
    for number in chained:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in chained:
            if signal.getsignal(number) is handle:
                signal.signal(number, before[number])
