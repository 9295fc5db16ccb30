"""What reading one listing of 1,000 keys costs: CPU of the whole page, and the longest the event loop stands still.

Usage: python -m benchmarks.listing_parse [KEYS [ROUNDS]]

The body is as S3 writes it, with the fields that nobody needs (date, owner, storage class). CPU is this
process's own time. One slice is one step of the parser: what runs between two turns of the event loop.
"""

import statistics
import sys
from time import process_time

from gateway.objects import ListPage
from gateway.s3.listing import listing_steps

OWNER = "75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a"


def listing(keys: int) -> bytes:
    """A truncated page of `keys` keys."""
    rows = "".join(
        f"<Contents><Key>skills/team-{number // 50:03}/skill-{number:05}/references/guide-{number}.md</Key>"
        f"<LastModified>2026-03-01T12:00:00.000Z</LastModified><ETag>&quot;{number:032x}&quot;</ETag>"
        f"<Size>{number * 7}</Size><Owner><ID>{OWNER}</ID><DisplayName>platform</DisplayName></Owner>"
        "<StorageClass>STANDARD</StorageClass></Contents>"
        for number in range(keys)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        f"<Name>bucket</Name><Prefix>skills/</Prefix><KeyCount>{keys}</KeyCount><MaxKeys>{keys}</MaxKeys>"
        "<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
        f"<NextContinuationToken>token</NextContinuationToken>{rows}</ListBucketResult>"
    ).encode()


def read(body: bytes) -> tuple[ListPage, list[float]]:
    """The page, and the CPU of each slice in milliseconds."""
    steps, slices_ms = listing_steps(body), list[float]()
    while True:
        started = process_time()
        try:
            next(steps)
        except StopIteration as end:
            slices_ms.append((process_time() - started) * 1e3)
            return end.value, slices_ms
        slices_ms.append((process_time() - started) * 1e3)


def main(keys: int = 1000, rounds: int = 20) -> None:
    body = listing(keys)
    assert len(read(body)[0].objects) == keys
    runs = [read(body)[1] for _ in range(rounds)]
    pages_ms, longest_ms = [sum(run) for run in runs], [max(run) for run in runs]
    print(f"{keys} keys, {len(body)} bytes, {len(runs[0])} slices, {rounds} rounds; CPU in milliseconds")
    for name, figures in (("page", pages_ms), ("longest slice", longest_ms)):
        print(f"{name:14} min {min(figures):6.2f}  median {statistics.median(figures):6.2f}  max {max(figures):6.2f}")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3]))
