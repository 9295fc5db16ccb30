"""Problems: told once, kept while they last."""

from gateway.memory.problems import Problems
from gateway.skill.model import Problem
from tests.tree.trees import Clock

BAD = Problem("acme/bad", "no_frontmatter", "the first line is not '---'")
NESTED = Problem("acme/bad/inner", "unknown_field", "has a field nobody knows")
OTHER = Problem("acme/bad-too", "no_frontmatter", "the first line is not '---'")


def test_a_problem_is_told_once_for_as_long_as_it_stays_the_same() -> None:
    """[ours] Every look at a tree finds it again."""
    told: list[Problem] = []
    problems = Problems(told.append, Clock())
    changed = Problem(BAD.where, BAD.code, "the first line is '--'")
    for problem in (BAD, BAD, changed, changed, BAD):
        problems.report(problem)
    assert told == [BAD, changed, BAD]
    assert problems.all() == (BAD,)


def test_a_problem_ends_when_its_place_was_looked_at_without_it() -> None:
    """[ours] Also one further down; not one beside it whose name begins alike."""
    problems = Problems(None, Clock(), unseen=("found_by_chance",))
    chance = Problem("acme/bad/a.txt", "found_by_chance", "is odd")
    for problem in (BAD, NESTED, OTHER, chance):
        problems.report(problem)
    problems.looked_at("acme/bad", (NESTED,))
    assert problems.all() == (OTHER, chance, NESTED)
    problems.forget()
    assert problems.all() == ()


def test_a_problem_that_nobody_meets_for_an_hour_is_forgotten() -> None:
    """[ours] What it lay in may be gone, and then no look ever comes back to it."""
    clock = Clock()
    problems = Problems(None, clock, kept_s=3600)
    problems.report(BAD)
    clock.now_s += 3000
    problems.report(BAD)
    problems.report(OTHER)
    clock.now_s += 3000
    problems.report(OTHER)
    assert problems.all() == (BAD, OTHER)
    clock.now_s += 700
    assert problems.all() == (OTHER,)
