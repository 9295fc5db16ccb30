"""The table of the library's contract names a test for every row, and each of them exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("CONTRACT.md")
ROW = re.compile(r"\| (?P<number>[34]\.\d+) \| (?P<rule>[^|]+) \| (?P<tests>[^|]*) \|")
TEST = re.compile(r"`(?P<file>tests/[\w/]+\.py)::(?P<name>test_\w+)`")
LINES = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if re.match(r"\| \d", line)]


@cache
def names_in(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def fault_of(line: str) -> str:
    """What is wrong with a row; empty when nothing is."""
    row = ROW.fullmatch(line)
    if row is None:
        return "not a row of the table"
    named = row["tests"].split(", ") if row["tests"].strip() else []
    if not named:
        return "has no test"
    for one in named:
        test = TEST.fullmatch(one.strip())
        if test is None:
            return f"{one!r} is not the name of a test"
        if not (ROOT / test["file"]).is_file() or test["name"] not in names_in(test["file"]):
            return f"{one} does not exist"
    return ""


@pytest.mark.parametrize("line", LINES)
def test_a_row_names_tests_that_exist(line: str) -> None:
    """[ours: a row for each sentence]"""
    assert fault_of(line) == ""


def test_rows_are_numbered_without_a_gap() -> None:
    """[ours] So that a row that was taken away is missed."""
    numbers = [tuple(int(part) for part in line.split("|")[1].split(".")) for line in LINES]
    threes, fours = ([number for number in numbers if number[0] == section] for section in (3, 4))
    assert threes == [(3, n) for n in range(1, len(threes) + 1)]
    assert fours == [(4, n) for n in range(1, len(fours) + 1)]
    assert numbers == threes + fours
    assert (len(threes) >= 40, len(fours) >= 15) == (True, True)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("| 3.1 | a rule |  |", "has no test"),
        ("| 3.1 | a rule | `tests/contract/test_contract.py::test_nothing` |", "does not exist"),
        ("| 3.1 | a rule | `tests/contract/test_gone.py::test_nothing` |", "does not exist"),
        ("| 3.1 | a rule | by looking |", "is not the name of a test"),
        ("| 5.1 | a rule | by looking |", "not a row"),
        ("| 3.1 | a rule | `tests/contract/test_contract.py::test_a_row_without_a_test_is_found` |", ""),
    ],
)
def test_a_row_without_a_test_is_found(line: str, fault: str) -> None:
    """[ours: a test fails when a row has no test]"""
    assert fault in fault_of(line)
    assert bool(fault) is bool(fault_of(line))
