"""What a shelf counts of those who look for something on it."""

from gateway.memory.shelves import Fill, Lookups, Shelf, fill_of, new_memory


def test_a_look_is_a_hit_or_a_miss_and_a_warm_one_that_finds_nothing_is_neither() -> None:
    """[ours] Whoever finds nothing warm looks again, and would be counted twice."""
    memory = new_memory(10_000)
    numbers: Shelf[str, int] = Shelf(memory, "number", lambda _: 1)
    Shelf[str, int](memory, "other", lambda _: 1)
    numbers.put("one", 1)
    assert [numbers.find("one"), numbers.find("two"), numbers.find("two")][1:] == [None, None]
    assert [numbers.find_warm("one"), numbers.find_warm("two")][1:] == [None]
    assert numbers.get("two") is None
    fill = fill_of("entries", memory)
    assert fill == Fill("entries", 401, 10_000, (Lookups("number", hits=2, misses=2), Lookups("other")))
    numbers.find("one")
    assert fill.lookups[0].hits == 2
