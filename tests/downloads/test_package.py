"""What an archive of a skill is known by, and that a large one holds nobody up."""

from gateway.downloads.package import package_beside, package_of
from tests.loops import counted_turns
from tests.protocol.providers import static_entry

LARGE = static_entry("acme/large", {f"data/{number:05}.txt": b"x" for number in range(10_000)})


async def test_a_package_of_many_files_lets_the_loop_have_its_turn() -> None:
    """[ours: the loop is not held up]"""
    async with counted_turns() as turns:
        package = await package_beside(LARGE, "large", 100)
    assert turns.count >= 5
    assert package == package_of(LARGE, "large", 100)
