"""Where each scalar of a frontmatter stands: the parser's own marks, never a search in the text.

Lines count from 1 in `SKILL.md`, whose first line is the fence; indexes count in the frontmatter's text.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from yaml.error import Mark
from yaml.events import (
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from gateway.skill.yaml_scan import CoreParser
from gateway.skill.yaml_text import fit_text

_FIRST_LINE = 2

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """One scalar. `keys` lead to it, its own key last, list items by number; `style` is empty for a plain one."""

    keys: Keys
    is_key: bool
    text: str
    style: str
    line: int
    column: int
    start: int
    stop: int


def spots_of(text: str) -> tuple[Spot, ...]:
    """Every key and scalar value in order, of a frontmatter that `load_frontmatter` accepts."""
    parser = CoreParser(fit_text(text))
    for _ in range(2):  # the starts of stream and document
        _next(parser)
    return tuple(_walk(parser, _next(parser), ()))


def key_spot(spots: tuple[Spot, ...], keys: Keys) -> Spot | None:
    """Where a field is named."""
    return next((spot for spot in spots if spot.is_key and spot.keys == keys), None)


def _walk(parser: CoreParser, event: Event, keys: Keys) -> Iterator[Spot]:
    if isinstance(event, ScalarEvent):
        yield _spot(event, keys, is_key=False)
    elif isinstance(event, SequenceStartEvent):
        number = 0
        while not isinstance(item := _next(parser), SequenceEndEvent):
            yield from _walk(parser, item, (*keys, str(number)))
            number += 1
    elif isinstance(event, MappingStartEvent):
        while not isinstance(key := _next(parser), MappingEndEvent):
            named = _spot(cast(ScalarEvent, key), keys, is_key=True)
            yield named
            yield from _walk(parser, _next(parser), named.keys)


def _spot(event: ScalarEvent, keys: Keys, *, is_key: bool) -> Spot:
    start, end = cast(Mark, event.start_mark), cast(Mark, event.end_mark)
    text = event.value
    own = (*keys, text) if is_key else keys
    style = event.style or ""
    return Spot(own, is_key, text, style, start.line + _FIRST_LINE, start.column + 1, start.index, end.index)


def _next(parser: CoreParser) -> Event:
    return cast(Event, parser.get_event())  # pyright: ignore[reportUnknownMemberType]
