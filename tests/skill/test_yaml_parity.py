"""The loader against real frontmatters and the values that npm `yaml` gives for them."""

import gzip
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from gateway.skill.yaml_load import load_yaml
from gateway.skill.yaml_text import YamlRefused
from tests.shared_data import shared

# First digits of the text's SHA-256. npm gives this one a key made of a list, written out as text; keys are text here.
REFUSED_ON_PURPOSE = {"451cfadad1fb4d11": "key_not_text"}

# The corpus writes every number as the text JavaScript prints for it (3 is "3", 1.0 is "1"), though npm
# `yaml` 2.9.1 itself gives numbers, these many, in these many frontmatters. The counts keep the comparison
# below honest: a quoted "3" read as a number, or a number read as text, changes them.
NUMBERS, FRONTMATTERS_WITH_NUMBERS = 80, 68

Row = dict[str, Any]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    with gzip.open(shared("corpus/frontmatters.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_every_accepted_frontmatter_has_the_value_hosts_read(rows: list[Row]) -> None:
    """[ours]"""
    refused: dict[str, str] = {}
    different: list[str] = []
    numbers: list[int] = []
    for row in rows:
        if not row["ok"]:
            continue
        try:
            value = load_yaml(row["text"])
        except YamlRefused as error:
            refused[_hash(row["text"])] = error.code
            continue
        if not _is_same(value, row["expected"]):
            different.append(_hash(row["text"]))
        numbers.append(sum(_is_number(leaf) for leaf in _leaves(value)))
    assert different == []
    assert refused == REFUSED_ON_PURPOSE
    assert (sum(numbers), sum(count > 0 for count in numbers)) == (NUMBERS, FRONTMATTERS_WITH_NUMBERS)


def test_every_frontmatter_that_hosts_refuse_is_refused(rows: list[Row]) -> None:
    """[ours]"""
    accepted: list[str] = []
    for row in rows:
        if row["ok"]:
            continue
        try:
            load_yaml(row["text"])
        except YamlRefused:
            continue
        accepted.append(_hash(row["text"]))
    assert accepted == []


def test_the_corpus_has_both_kinds(rows: list[Row]) -> None:
    """[ours] An empty corpus would pass the two tests above."""
    assert (len(rows), sum(row["ok"] for row in rows)) == (2651, 2581)


def _is_same(value: Any, expected: Any) -> bool:
    if isinstance(value, dict) and isinstance(expected, dict):
        return value.keys() == expected.keys() and all(_is_same(value[key], expected[key]) for key in value)
    if isinstance(value, list) and isinstance(expected, list):
        return len(value) == len(expected) and all(map(_is_same, value, expected))
    if _is_number(value):
        return expected == _printed_by_javascript(value) or (_is_number(expected) and expected == value)
    return type(value) is type(expected) and value == expected


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _printed_by_javascript(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(number)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    else:
        yield value


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
