"""Values of a skill: what they say of themselves."""

from gateway.skill.model import Problem, printable


def test_what_a_terminal_could_act_on_is_shown_as_an_escape() -> None:
    """[ours] Keys come from anybody who may write to the bucket."""
    assert printable("a\x1b[2Jb\nc\u202ed caf\u00e9 \ud800") == "a\\x1b[2Jb\\nc\\u202ed caf\u00e9 \\ud800"


def test_a_problem_is_one_line_whatever_its_key_holds() -> None:
    """[ours: keys come from anybody, and a newline in one would forge a log line]"""
    assert (
        str(Problem("a/b\nERROR all is lost", "code", "says so", 3, 4))
        == "a/b\\nERROR all is lost/SKILL.md:3:4: says so [code]"
    )
