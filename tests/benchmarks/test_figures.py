"""The arithmetic that the benchmarks' table rests on."""

import pytest

from benchmarks.figures import is_met, median, percentile, ratio


@pytest.mark.parametrize(("values", "middle"), [([3.0], 3.0), ([9.0, 1.0, 2.0], 2.0), ([4.0, 1.0, 3.0, 2.0], 2.5)])
def test_the_median_is_the_middle_of_the_sorted_values(values: list[float], middle: float) -> None:
    """[ours]"""
    assert median(values) == middle


@pytest.mark.parametrize(("percent", "value"), [(0, 1), (50, 5), (91, 10), (95, 10), (99, 10), (100, 10)])
def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed(percent: float, value: float) -> None:
    """[ours: nearest rank]"""
    assert percentile([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], percent) == value


def test_nothing_measured_has_no_median_and_no_percentile() -> None:
    """[ours] An empty round must not pass for a fast one."""
    with pytest.raises(ValueError, match="no values"):
        median([])
    with pytest.raises(ValueError, match="no values"):
        percentile([], 50)


def test_a_ratio_needs_both_sides() -> None:
    """[ours]"""
    assert ratio(1.0, 4.0) == 0.25
    assert [ratio(None, 1.0), ratio(1.0, None), ratio(1.0, 0.0)] == [None, None, None]


@pytest.mark.parametrize(
    ("value", "target", "met"),
    [(0.5, "<= 0.5", True), (0.51, "<= 0.5", False), (50.0, ">= 50", True), (49.9, ">= 50", False)],
)
def test_a_target_is_met_on_its_bound_and_not_past_it(value: float, target: str, met: bool) -> None:
    """[ours]"""
    assert is_met(value, target) is met


def test_what_was_not_measured_or_has_no_target_is_neither_met_nor_missed() -> None:
    """[ours]"""
    assert [is_met(None, "<= 2"), is_met(1.0, "")] == [None, None]
