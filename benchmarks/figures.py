"""Arithmetic on measurements; pure."""

import math
from collections.abc import Sequence


def median(values: Sequence[float]) -> float:
    """The middle one, the mean of the two middle ones of an even number. ValueError for none."""
    if not values:
        raise ValueError("no values, so no median")
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def percentile(values: Sequence[float], percent: float) -> float:
    """Nearest rank: the smallest value that at least `percent` of them do not exceed. ValueError for none."""
    if not values:
        raise ValueError("no values, so no percentile")
    rank = math.ceil(percent / 100 * len(values))
    return sorted(values)[max(rank, 1) - 1]


def ratio(part: float | None, whole: float | None) -> float | None:
    """`part / whole`; None when either was not measured or the whole is nothing."""
    if part is None or not whole:
        return None
    return part / whole


def is_met(value: float | None, target: str) -> bool | None:
    """Whether a ratio keeps a target such as `<= 0.5` or `>= 50`; None without a value or a target."""
    if value is None or not target:
        return None
    sign, _, bound = target.partition(" ")
    return value <= float(bound) if sign == "<=" else value >= float(bound)
