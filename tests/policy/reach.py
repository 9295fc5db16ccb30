"""Everything that a server can be asked about a tree, by every method, and what each answer is."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from mcp.server import Server
from mcp_types import SERVER_INFO_META_KEY

from gateway.errors import GatewayError
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.faults import to_mcp_error
from gateway.protocol.options import AdapterOptions
from gateway.protocol.warm import WarmAnswers, warm_answers
from gateway.provider import Caller, WarmProvider
from gateway.skill.model import SKILL_MD
from gateway.skill.uri import print_uri
from tests.policy.drawn import SEGMENTS
from tests.protocol.providers import KEY

ABSENT = "absent/skill"
PLACES = tuple("/".join(segments) for depth in (1, 2, 3) for segments in product(SEGMENTS, repeat=depth))
"""Every path that a skill of a drawn tree may have, and many where there is none."""

Question = tuple[str, str]
"""A method and a URI."""


@dataclass(frozen=True)
class Refused:
    """An error as it is sent, without the URI that it is about."""

    kind: str
    code: int
    message: str


Answer = Refused | list[Any]


def adapter_over(provider: WarmProvider) -> SkillsAdapter:
    return SkillsAdapter(provider, AdapterOptions((KEY,), directory_read=True, page_size=2))


def questions(objects: Mapping[str, bytes]) -> list[Question]:
    """About each place, each file and each directory of a tree; the last segment of a question is what it asks for."""
    heads = [f"{path}/{SKILL_MD}" for path in (*PLACES, ABSENT)]
    files = {*objects, *heads, *(f"{path}/absent.md" for path in PLACES)}
    above = {key.rpartition("/")[0] for key in objects if "/" in key}
    return [
        *(("skills/get", _uri(key)) for key in heads),
        *(("resources/read", _uri(key)) for key in sorted(files)),
        *(("resources/directory/read", _uri(path)) for path in sorted({*above, *PLACES, ABSENT, f"{ABSENT}/in"})),
    ]


def absent_of(question: Question) -> Question:
    """The same question about what is never there."""
    method, _ = question
    return method, _uri(ABSENT if method == "resources/directory/read" else f"{ABSENT}/{SKILL_MD}")


async def answer_of(adapter: SkillsAdapter, question: Question, caller: Caller) -> Answer:
    method, uri = question
    if method == "skills/get":
        return await _answer(question, adapter.get_skill(uri, caller, is_modern=True))
    if method == "resources/read":
        return await _answer(question, adapter.read_resource(uri, caller, is_modern=True))
    return await _pages(
        question, "resources", lambda cursor: adapter.read_directory(uri, cursor, caller, is_modern=True)
    )


async def listed(adapter: SkillsAdapter, method: str, caller: Caller) -> list[Any]:
    """Everything on the pages of `skills/list` or `resources/list`."""
    field = method.partition("/")[0]
    ask = adapter.list_skills if method == "skills/list" else adapter.list_resources
    found = await _pages((method, ""), field, lambda cursor: ask(cursor, caller, is_modern=True))
    assert isinstance(found, list)
    return found


def warm_over(adapter: SkillsAdapter) -> WarmAnswers:
    warm = warm_answers(adapter, Server("test", version="1"))
    assert warm is not None
    return warm


def warm_answer(warm: WarmAnswers, question: Question, caller: Caller) -> Answer | None:
    """The answer from memory, if it is there."""
    method, uri = question
    pieces = None if method == "resources/directory/read" else warm.answer(method, uri, caller, is_modern=True)
    if pieces is None:
        return None
    found = json.loads(b"".join(pieces))
    del found["_meta"][SERVER_INFO_META_KEY]
    if not found["_meta"]:
        del found["_meta"]
    return [found]


def warm_listed(warm: WarmAnswers, caller: Caller) -> list[Any] | None:
    """Everything on the pages of `skills/list` in memory; None when one is not there."""
    items: list[Any] = []
    cursor: str | None = None
    while True:
        pieces = warm.answer("skills/list", cursor, caller, is_modern=True)
        if pieces is None:
            return None
        page = json.loads(b"".join(pieces))
        items += page["skills"]
        if (cursor := page.get("nextCursor")) is None:
            return items


async def _answer(question: Question, asked: Awaitable[Any]) -> Answer:
    method, uri = question
    try:
        return [await asked]
    except GatewayError as error:
        sent = to_mcp_error(error, method, uri).error
        return Refused(type(error).__name__, sent.code, sent.message.replace(uri, "<uri>"))


async def _pages(question: Question, field: str, ask: Callable[[str | None], Awaitable[Any]]) -> Answer:
    items: list[Any] = []
    cursor: str | None = None
    while True:
        answer = await _answer(question, ask(cursor))
        if isinstance(answer, Refused):
            return answer
        items += answer[0][field]
        if (cursor := answer[0].get("nextCursor")) is None:
            return items


def _uri(path: str) -> str:
    return print_uri(tuple(path.split("/")))
