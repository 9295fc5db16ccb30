"""One YAML text to one JSON value, straight from the parser's events.

Refuses by a named code what differs between hosts or cannot be JSON: keys that are no text or come
twice, flow values that are not indented, several documents, too many nodes. Builds no node tree.

Source: YAML 1.2.2 sections 3.2.1.3 (unique keys), 7.4, 8.1 (indentation of flow nodes in block
collections).
"""

from typing import NoReturn, cast

from yaml.error import Mark, MarkedYAMLError
from yaml.events import (
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from gateway.skill.model import Json
from gateway.skill.yaml_faults import fault_of
from gateway.skill.yaml_scalars import UnfitNumber, plain_value
from gateway.skill.yaml_scan import MAX_DEPTH, CoreParser
from gateway.skill.yaml_text import YamlRefused, fit_text

MAX_NODES = 20_000
_ROOT_COLUMN = -1
_NOT_DEEPER = "a line of a value is not indented deeper than its key; indent it"


def load_yaml(text: str) -> Json:
    """The value of a text with one YAML document; None when it is empty.

    Raises YamlRefused, and nothing else, whatever the text.
    """
    fit = fit_text(text)
    try:
        return _Builder(fit).document()
    except MarkedYAMLError as error:
        raise fault_of(error) from error
    except RecursionError as error:
        raise YamlRefused("too_deep", "the nesting exhausts the stack; flatten the value") from error


class _Builder:
    def __init__(self, text: str) -> None:
        self._parser = CoreParser(text)
        self._lines = text.split("\n")
        self._nodes = 0
        self._last_end = self._parser.get_mark()

    def document(self) -> Json:
        self._next()  # stream start
        if self._parser.check_event(StreamEndEvent):
            return None
        self._next()  # document start
        value = self._value(self._next(), 0, _ROOT_COLUMN)
        self._next()  # document end
        if not self._parser.check_event(StreamEndEvent):
            _refuse("many_documents", "a second document begins here; keep one", _start(self._next()))
        return value

    def _next(self) -> Event:
        return cast(Event, self._parser.get_event())  # pyright: ignore[reportUnknownMemberType]

    def _value(self, event: Event, depth: int, column: int) -> Json:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            _refuse("too_many_nodes", f"more than {MAX_NODES} values; shorten the frontmatter", _start(event))
        if depth > MAX_DEPTH:
            _refuse("too_deep", f"more than {MAX_DEPTH} levels of nesting; flatten the value", _start(event))
        if isinstance(event, ScalarEvent):
            return _scalar(event)
        if isinstance(event, SequenceStartEvent):
            return self._sequence(event, depth, column)
        return self._mapping(cast(MappingStartEvent, event), depth, column)

    def _sequence(self, start: SequenceStartEvent, depth: int, column: int) -> list[Json]:
        own_column = column if start.flow_style else _start(start).column
        items: list[Json] = []
        while not isinstance(event := self._next(), SequenceEndEvent):
            items.append(self._value(event, depth + 1, own_column))
            if not start.flow_style:
                self._check_indentation(event, own_column)
        self._last_end = _end(event)
        return items

    def _mapping(self, start: MappingStartEvent, depth: int, column: int) -> dict[str, Json]:
        own_column = column if start.flow_style else _start(start).column
        fields: dict[str, Json] = {}
        while not isinstance(event := self._next(), MappingEndEvent):
            key = self._key(event, depth + 1, fields)
            value = self._next()
            fields[key] = self._value(value, depth + 1, own_column)
            if not start.flow_style:
                self._check_next_line(event, value, own_column)
                self._check_indentation(value, own_column)
        self._last_end = _end(event)
        return fields

    def _key(self, event: Event, depth: int, fields: dict[str, Json]) -> str:
        if not isinstance(event, ScalarEvent):
            _refuse("key_not_text", "a list or a mapping as a key; keys are text", _start(event))
        key = self._value(event, depth, _ROOT_COLUMN)
        if not isinstance(key, str):
            shown = event.value or "an empty key"
            _refuse("key_not_text", f"the key {_shown(shown)} is no text; quote it", _start(event))
        if key in fields:
            _refuse("duplicate_key", f"the key {_shown(key)} comes twice; remove one", _start(event))
        return key

    def _check_next_line(self, key: Event, value: Event, column: int) -> None:
        # PyYAML takes a value at the key's own column; YAML 1.2 hosts do not
        if not isinstance(value, ScalarEvent) or _start(value).column > column:
            return
        is_absent = _start(value).index == _end(value).index
        if not is_absent and _start(value).line > _end(key).line:
            _refuse("bad_indentation", _NOT_DEEPER, _start(value))

    def _check_indentation(self, event: Event, column: int) -> None:
        """Every line of a quoted or flow value in a block collection is indented deeper than it."""
        if isinstance(event, ScalarEvent):
            if event.style in ("'", '"'):
                self._check_lines(_start(event), _end(event), column, "")
        elif isinstance(event, SequenceStartEvent | MappingStartEvent) and event.flow_style:
            self._check_lines(_start(event), self._last_end, column, "#")

    def _check_lines(self, start: Mark, end: Mark, column: int, skipped: str) -> None:
        for number in range(start.line + 1, end.line + 1):
            line = self._lines[number]
            content = line.lstrip(" ")
            indent = len(line) - len(content)
            if indent > column or not content.strip(" \t") or content[0] == skipped:
                continue
            # the closing bracket of the outermost collection may stand below its key, as hosts allow
            if skipped and indent == column and number == end.line and end.column == indent + 1:
                continue
            raise YamlRefused("bad_indentation", _NOT_DEEPER, number + 1, indent + 1)


def _scalar(event: ScalarEvent) -> Json:
    text = _joined_surrogates(event)
    if not event.implicit[0]:
        return text
    try:
        return plain_value(text)
    except UnfitNumber as error:
        _refuse(error.code, error.detail, _start(event))


def _joined_surrogates(event: ScalarEvent) -> str:
    # "\ud83d\ude00" is one character to hosts in JavaScript, two to PyYAML
    text: str = event.value
    if text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        _refuse("lone_surrogate", "an escape gives a lone surrogate, which has no UTF-8 form", _start(event))


# The parser marks every event; only the stubs think it might not.
def _start(event: Event) -> Mark:
    return cast(Mark, event.start_mark)


def _end(event: Event) -> Mark:
    return cast(Mark, event.end_mark)


def _refuse(code: str, detail: str, mark: Mark) -> NoReturn:
    raise YamlRefused(code, detail, mark.line + 1, mark.column + 1)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
