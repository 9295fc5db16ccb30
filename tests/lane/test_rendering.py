"""Texts are written once for each object, and take no more memory than they may."""

import json

from gateway.protocol.rendering import Renderings
from gateway.provider import Caller, Content, EntryPage
from tests.protocol.providers import TEXT, Answering, adapter_of, static_entry

LIMIT = 20_000


def renderings(limit_bytes: int = LIMIT) -> Renderings:
    return Renderings(limit_bytes, lambda path: True)


def test_the_same_object_has_the_same_text() -> None:
    """[ours]"""
    texts, entry = renderings(), static_entry("a")
    assert texts.entry(entry) is texts.entry(entry)
    assert texts.entry(static_entry("a")) == texts.entry(entry)
    page = EntryPage((entry,))
    assert texts.page(page) is texts.page(page)
    assert json.loads(texts.page(page) or b"") == [json.loads(texts.entry(entry) or b"")]


def test_what_is_remembered_is_bounded_and_the_least_used_goes_first() -> None:
    """[ours]"""
    texts, entries = renderings(), [static_entry(f"s{number}") for number in range(100)]
    for entry in entries:
        texts.entry(entry)
        texts.entry(entries[0])
    kept = [entry for entry in entries if texts.has(entry)]
    assert 3 < len(kept) < 30
    assert kept[0] is entries[0]
    assert kept[1:] == entries[-len(kept) + 1 :]


def test_what_is_larger_than_the_bound_is_written_every_time() -> None:
    """[ours]"""
    entry, data = static_entry("a", {"x": b"x" * LIMIT}), b"x" * LIMIT
    texts = renderings(0)
    assert texts.entry(entry) == renderings().entry(entry)
    assert not texts.has(entry)
    content = Content(data, TEXT)
    first, second = (texts.content(entry, "x", content) for _ in range(2))
    assert first == second
    assert json.loads(b"{%b}" % (first or b"")) == {"mimeType": TEXT, "text": "x" * LIMIT}


def test_only_what_a_manifest_has_is_written() -> None:
    """[ours] Whatever a provider would give."""
    texts, entry = renderings(100_000), static_entry("a", {f"{number}.md": b"" for number in range(40)})
    content = Content(b"", TEXT)
    for _ in range(2):
        assert texts.content(entry, "39.md", content) is not None
        assert texts.content(entry, "40.md", content) is None


async def test_entries_of_a_provider_that_promises_nothing_are_looked_at_every_time() -> None:
    """[ours] It may give the same object twice and mean another thing."""
    entry = static_entry("a")
    adapter = adapter_of(Answering(got=entry, listed=EntryPage((entry,))))
    uri = "skill://a/SKILL.md"
    for description in ("One.", "Two."):
        entry.frontmatter["description"] = description  # pyright: ignore[reportIndexIssue] - the point of the test
        got = await adapter.get_skill(uri, Caller(), is_modern=True)
        listed = await adapter.list_skills(None, Caller(), is_modern=True)
        assert got["skill"] == listed["skills"][0]
        assert got["skill"]["frontmatter"]["description"] == description
