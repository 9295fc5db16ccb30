"""Going on within a page that was already served in part: what of it is still to come. Pure.

A store lists by the bytes of the key (S3) or by path segment (SeaweedFS), and says nowhere which.
Source: S3 ListObjectsV2.
"""

from collections.abc import Sequence
from typing import TypeVar

from gateway.tree.keys import Segments

PlaceT = TypeVar("PlaceT")


def skip_passed(places: Sequence[tuple[Segments, PlaceT]], passed: Segments) -> list[tuple[Segments, PlaceT]]:
    """What follows the group `passed` in the page that it reaches into.

    When its keys went meanwhile, the page's own order tells what came before it. A page may fit both
    orders, or none: then what either of them puts behind stays, or everything, because a skill shown
    twice is better than a skill lost.
    """
    depth = len(passed)
    under = [index for index, (segments, _) in enumerate(places) if segments[:depth] == passed]
    if under:
        return list(places[under[-1] + 1 :])
    keys = [segments for segments, _ in places]
    fitting = [order for order in (_byte_order, _segment_order) if keys == sorted(keys, key=order)]
    if not fitting:
        return list(places)
    return [place for place in places if any(order(place[0]) > order((*passed, "")) for order in fitting)]


def _byte_order(segments: Segments) -> bytes:
    return "/".join(segments).encode("utf-8", "surrogatepass")


def _segment_order(segments: Segments) -> bytes:
    return "\0".join(segments).encode("utf-8", "surrogatepass")
