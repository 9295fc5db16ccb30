"""JSON texts of entries, pages and files: checked and written once, then sent as often as asked for.

Keyed by identity: a `WarmProvider` gives the very same objects for as long as nothing changed. Each text
is kept with what it was made of, so that no other object can take its place under the same identity.
What cannot be written exactly (an integer past 64 bits, say) has no text, and is told as None: the SDK
writes it then. The era of a request changes what stands around these texts, never the texts.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import orjson
from cachetools import LRUCache

from gateway.protocol.checks import check_content, check_entries, check_entry, is_as_published
from gateway.protocol.wire import contents_json, entry_json
from gateway.provider import Content, EntryPage
from gateway.skill.model import SkillEntry, SkillPath

_HELD = 3
"""An entry that is kept with its text takes about twice the memory of the text."""
_OVERHEAD_BYTES = 400


@dataclass(frozen=True, slots=True)
class _Text:
    """A text, what it was made of, and the bytes that both hold."""

    text: bytes
    sources: tuple[object, ...]
    size_bytes: int


class Renderings:
    """The texts of one adapter, the least recently sent ones forgotten first."""

    def __init__(self, limit_bytes: int, is_ours: Callable[[SkillPath], bool]) -> None:
        """`is_ours` says whether a path lies in the namespaces of the provider."""
        self._limit_bytes, self._is_ours = limit_bytes, is_ours
        self._texts = LRUCache[Hashable, _Text](limit_bytes, getsizeof=_size)

    def has(self, value: SkillEntry | EntryPage) -> bool:
        """Whether a value was checked and written before, and is remembered."""
        return id(value) in self._texts

    def entry(self, entry: SkillEntry) -> bytes | None:
        """The `Skill` of an entry. Raises ProviderFault for one that breaks a rule."""
        if (known := self._known(id(entry))) is not None:
            return known.text
        check_entry(entry)
        return self._keep(id(entry), _json(entry_json(entry)), (entry,))

    def page(self, page: EntryPage) -> bytes | None:
        """The array of a page's entries. Raises ProviderFault when one breaks a rule, repeats, or is not ours."""
        if (known := self._known(id(page))) is not None:
            return known.text
        check_entries(page.entries, self._is_ours, lambda entry: True)  # each is checked below, when it is new
        texts = [text for entry in page.entries if (text := self.entry(entry)) is not None]
        whole = b"[" + b",".join(texts) + b"]" if len(texts) == len(page.entries) else None
        return self._keep(id(page), whole, (page,))

    def content(self, entry: SkillEntry, file_path: str, content: Content) -> bytes | None:
        """The fields of a file's `contents` less its URI, which is the client's own spelling.

        None too for a file that the entry does not publish, and for bytes that are not the ones it does.
        Raises ProviderFault, BinaryRefused.
        """
        key = (id(content), file_path)
        if (known := self._known(key)) is not None and known.sources[0] is entry:
            return known.text
        published = entry.file(file_path)
        if published is None and not entry.is_dynamic:
            return None
        check_content(content)
        if not is_as_published(content, published):
            return None
        fields = contents_json("", file_path, content)
        del fields["uri"]
        written = _json(fields)
        # Without the braces: it goes behind the URI.
        return self._keep(key, written and written[1:-1], (entry, content), len(content.data))

    def other(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """A text that is made of `key` alone."""
        if (known := self._known(key)) is not None:
            return known.text
        made = make()
        self._keep(key, made, ())
        return made

    def _known(self, key: Hashable) -> _Text | None:
        try:
            return self._texts[key]
        except KeyError:
            return None

    def _keep(self, key: Hashable, text: bytes | None, sources: tuple[object, ...], more: int = 0) -> bytes | None:
        if text is not None:
            size_bytes = len(text) * _HELD + more + _OVERHEAD_BYTES
            if size_bytes <= self._limit_bytes:
                self._texts[key] = _Text(text, sources, size_bytes)
        return text


def _json(value: dict[str, Any]) -> bytes | None:
    try:
        return orjson.dumps(value)
    except TypeError:
        return None


def _size(text: _Text) -> int:
    return text.size_bytes
