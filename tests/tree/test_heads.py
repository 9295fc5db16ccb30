"""Heads of skills: a `SKILL.md` that takes long to read holds nobody else up."""

import pytest

from gateway.local.memory import MemoryStore
from gateway.provider import Page
from gateway.skill.model import SkillPath
from tests.loops import counted_turns
from tests.tree.trees import ANYONE, provider_of, skill_md

NESTED = "\n".join(f"k{number}: {'[' * 50}{']' * 50}" for number in range(520))
HOSTILE = f"---\nname: slow\ndescription: Slow.\n{NESTED}\n---\n".encode()
LATE = f"---\nname: slow\ndescription: Slow.\n{'# a comment' * 400}\n{NESTED}\n---\n".encode()


@pytest.mark.parametrize("slow", [HOSTILE, LATE], ids=["hostile", "late"])
async def test_frontmatter_that_takes_long_lets_the_loop_have_its_turn(slow: bytes) -> None:
    """[ours: the loop is not held up]"""
    provider = provider_of(MemoryStore({"fast/SKILL.md": skill_md("fast"), "slow/SKILL.md": slow}))
    async with counted_turns() as turns:
        page = await provider.list(Page(50), ANYONE)
    assert "fast" in [entry.path for entry in page.entries]
    assert turns.count >= 5
    assert await provider.get(SkillPath("fast"), ANYONE) is not None
