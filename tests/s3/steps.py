"""Reading a listing to its end, without a loop to yield to."""

from gateway.objects import ListPage
from gateway.s3.listing import STEP_BYTES, STEP_KEYS, listing_steps


def run(body: bytes, step_bytes: int = STEP_BYTES, step_keys: int = STEP_KEYS) -> tuple[ListPage, int]:
    """The page, and in how many steps it was read."""
    steps, count = listing_steps(body, step_bytes, step_keys), 1
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value, count
        count += 1


def read_listing(body: bytes) -> ListPage:
    return run(body)[0]
