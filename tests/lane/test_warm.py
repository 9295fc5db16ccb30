"""What is answered from memory, and what is not: by the rules of the adapter's own methods."""

import json
from dataclasses import replace
from typing import Any

import pytest
from mcp.server import Server

from gateway.cursor import CursorSealer
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.options import AdapterOptions
from gateway.protocol.paging import Pager
from gateway.protocol.warm import Pieces, WarmAnswers, warm_answers
from gateway.provider import Caller, Content, EntryPage
from tests.lane.apps import app_over, started
from tests.lane.providers import WarmShelf, shelf
from tests.lane.requests import good
from tests.protocol.host import ERAS, Era
from tests.protocol.providers import KEY, TEXT, Shelf, dynamic_entry, static_entry

ANYONE, SOMEBODY = Caller(), Caller("https://issuer", "client", "someone")
SERVER: Server[Any] = Server("test", version="1")
URI = "skill://team/a/SKILL.md"


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    return request.param


class Clock:
    """Stands until it is set."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def adapter_over(provider: Any, clock: Clock | None = None, **options: Any) -> SkillsAdapter:
    clock, settings = clock or Clock(), AdapterOptions((KEY,), **options)
    return SkillsAdapter(provider, settings, pager=Pager(settings, CursorSealer([KEY]), clock), now=clock)


def warm_over(adapter: SkillsAdapter) -> WarmAnswers:
    warm = warm_answers(adapter, SERVER)
    assert warm is not None
    return warm


def read(adapter: SkillsAdapter, uri: str = URI, caller: Caller = ANYONE) -> bytes | None:
    return joined(warm_over(adapter).answer("resources/read", uri, caller, is_modern=True))


def listed(adapter: SkillsAdapter, cursor: str | None = None, caller: Caller = ANYONE) -> bytes | None:
    return joined(warm_over(adapter).answer("skills/list", cursor, caller, is_modern=True))


def joined(pieces: Pieces | None) -> bytes | None:
    return None if pieces is None else b"".join(pieces)


def test_a_provider_that_is_not_warm_has_no_answers() -> None:
    """[ours]"""
    assert warm_answers(adapter_over(Shelf((static_entry("a"),))), SERVER) is None


async def test_a_file_is_read_once_its_owner_was_found(era: Era) -> None:
    """[SEP-2640, Nested Skills] What a provider has in memory does not tell what lies above."""
    adapter = adapter_over(shelf("team/a"))
    assert read(adapter) is None
    expected = await adapter.read_resource(URI, ANYONE, is_modern=era == "modern")
    answer = joined(warm_over(adapter).answer("resources/read", URI, ANYONE, is_modern=era == "modern"))
    assert answer is not None
    stamp = {"_meta": {"io.modelcontextprotocol/serverInfo": SERVER.server_info_stamp}} if era == "modern" else {}
    assert json.loads(answer) == expected | stamp


async def test_an_owner_that_was_found_for_one_file_is_that_of_its_others() -> None:
    """[ours]"""
    adapter = adapter_over(shelf("team/a", files={"d/x.md": b"x"}))
    await adapter.read_resource(URI, ANYONE, is_modern=True)
    assert read(adapter, "skill://team/a/d/x.md") is not None
    assert read(adapter, "skill://team/a/d/y.md") is None


async def test_who_owns_a_file_is_asked_again_after_a_while() -> None:
    """[ours] A skill may have come to lie above it."""
    clock = Clock()
    adapter = adapter_over(shelf("team/a"), clock, owner_ttl_s=5)
    await adapter.read_resource(URI, ANYONE, is_modern=True)
    clock.now_s += 4.9
    assert read(adapter) is not None
    clock.now_s += 0.2
    assert read(adapter) is None


async def test_without_a_time_to_live_owners_are_always_asked_for() -> None:
    """[ours]"""
    adapter = adapter_over(shelf("team/a"), owner_ttl_s=0)
    await adapter.read_resource(URI, ANYONE, is_modern=True)
    assert read(adapter) is None


async def test_a_skill_that_comes_to_enclose_another_takes_its_files_over() -> None:
    """[SEP-2640, Nested Skills] As soon as the provider knows it, though the inner one is remembered."""
    provider = shelf("team/a")
    adapter = adapter_over(provider)
    await adapter.read_resource(URI, ANYONE, is_modern=True)
    assert read(adapter) is not None
    provider.entries["team"] = static_entry("team", {"other.md": b""})
    assert read(adapter) is None


async def test_an_owner_found_for_one_principal_is_not_that_of_another() -> None:
    """[ours] What lies above may be hidden from one of them."""
    adapter = adapter_over(shelf("team/a"))
    await adapter.read_resource(URI, ANYONE, is_modern=True)
    assert read(adapter, caller=SOMEBODY) is None
    await adapter.read_resource(URI, SOMEBODY, is_modern=True)
    assert read(adapter, caller=SOMEBODY) is not None


@pytest.mark.parametrize(
    "content",
    [Content(b"other bytes", TEXT), Content(b"\xff", TEXT), Content(b"", "no type")],
    ids=["other bytes", "binary", "odd type"],
)
async def test_content_that_must_not_be_sent_is_not_answered(content: Content) -> None:
    """[ours] Against the manifest, against the binary rules, against the rules for media types."""
    provider = shelf("team/a")
    adapter = adapter_over(provider)
    await adapter.read_resource(URI, ANYONE, is_modern=True)
    provider.contents["team/a", "SKILL.md"] = content
    assert read(adapter) is None


async def test_a_file_of_a_dynamic_skill_is_binary_only_where_that_is_allowed() -> None:
    """[ours]"""
    provider = WarmShelf(entries={"d": dynamic_entry("d")}, contents={("d", "x.png"): Content(b"\xff", "image/png")})
    adapter = adapter_over(provider)
    adapter.owners.remember(provider.entries["d"].path, ANYONE)
    assert read(adapter, "skill://d/x.png") is None
    provider.contents["d", "x.png"] = Content(b"\xff", "image/png", allow_binary=True)
    assert b'"blob":"/w=="' in (read(adapter, "skill://d/x.png") or b"")


async def test_a_new_entry_over_the_same_content_is_checked_anew() -> None:
    """[ours] The content was that of the entry before."""
    provider = shelf("team/a")
    adapter = adapter_over(provider)
    await adapter.read_resource(URI, ANYONE, is_modern=True)
    assert read(adapter) is not None
    entry = provider.entries["team/a"]
    (file,) = entry.files or ()
    provider.entries["team/a"] = replace(entry, files=(replace(file, size=file.size + 1),))
    assert read(adapter) is None


def test_a_page_that_breaks_a_rule_is_not_answered() -> None:
    """[ours] Nor is it remembered: the adapter finds the fault and logs it."""
    a, b = static_entry("a"), static_entry("b")
    bad = {
        "an entry": EntryPage((a, replace(b, frontmatter={"name": "b"}))),
        "twice": EntryPage((a, a)),
        "too many": EntryPage((a, b, static_entry("c"))),
        "no way on": EntryPage((a,), ""),
        "a surrogate": EntryPage((static_entry("a", x="\ud800"),)),
    }
    for page in bad.values():
        adapter = adapter_over(WarmShelf({None: page}), page_size=2)
        assert (listed(adapter), listed(adapter)) == (None, None)
    foreign = WarmShelf({None: EntryPage((a, b))}, namespaces=("a",))
    assert listed(adapter_over(foreign)) is None


async def test_an_integer_that_json_texts_cannot_hold_is_left_to_the_sdk(era: Era) -> None:
    """[ours] It is sent as it is."""
    big = static_entry("a", n=2**70)
    async with started(app_over(WarmShelf({None: EntryPage((big,))}), has_lane=True)) as app:
        case = good(era, "skills/list")
        for _ in range(2):
            answer = await app.post(case.body, case.headers)
            assert str(2**70) in answer.body
        assert app.hits == 0


async def test_a_cursor_is_that_of_the_adapter_and_moves_with_the_clock() -> None:
    """[MCP, Pagination]"""
    clock = Clock()
    a, b = static_entry("a"), static_entry("b")
    provider = WarmShelf({None: EntryPage((a,), "p"), "p": EntryPage((b,))})
    adapter = adapter_over(provider, clock)
    seen: set[str] = set()
    for caller in (ANYONE, SOMEBODY, replace(ANYONE, variant="canary")):
        for later_s in (0, 400):
            clock.now_s += later_s
            cursor = json.loads(listed(adapter, caller=caller) or b"")["nextCursor"]
            assert cursor == (await adapter.list_skills(None, caller, is_modern=True))["nextCursor"]
            seen.add(cursor)
            following = json.loads(listed(adapter, cursor, caller) or b"")
            assert [skill["uri"] for skill in following["skills"]] == ["skill://b/SKILL.md"]
    assert len(seen) == 6


async def test_a_cursor_of_somebody_else_is_not_opened() -> None:
    """[ours]"""
    adapter = adapter_over(WarmShelf({None: EntryPage((static_entry("a"),), "p"), "p": EntryPage(())}))
    cursor = json.loads(listed(adapter, caller=SOMEBODY) or b"")["nextCursor"]
    assert listed(adapter, cursor, SOMEBODY) is not None
    assert listed(adapter, cursor, ANYONE) is None
    assert listed(adapter, cursor, replace(SOMEBODY, variant="canary")) is None
