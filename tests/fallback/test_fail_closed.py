"""What a provider says wrongly is our fault, by whatever way it would reach a client."""

import pytest
from mcp_types import CallToolRequestParams, GetPromptRequestParams

from gateway.errors import ProviderFault
from gateway.page.reading import Reading
from gateway.protocol.prompts import SkillPrompts
from gateway.protocol.survey import Question, survey
from gateway.protocol.tools import SkillTools
from gateway.provider import Caller, EntryPage
from tests.protocol.providers import Answering, adapter_of, static_entry

ANOTHER = Answering(got=static_entry("b"), got_for_all=True)
BAD = Answering(listed=EntryPage((static_entry("kit", {"../up.md": b""}),)))
BAD.got = BAD.listed.entries[0]


@pytest.mark.parametrize("provider", [ANOTHER, BAD])
async def test_no_entry_is_told_of_that_is_not_the_one_asked_for_or_breaks_a_rule(provider: Answering) -> None:
    """[SEP-2640 entries] Tools, prompts and the page as the extension's own methods."""
    adapter = adapter_of(provider)
    load = CallToolRequestParams(name="load_skill", arguments={"skill": "kit"})
    with pytest.raises(ProviderFault):
        await SkillTools(adapter).call(load, Caller())
    with pytest.raises(ProviderFault):
        await SkillPrompts(adapter).get(GetPromptRequestParams(name="kit"), Caller())
    with pytest.raises(ProviderFault):
        await Reading(adapter, Caller()).skill("kit")


async def test_no_list_has_an_entry_that_breaks_a_rule() -> None:
    """[SEP-2640 entries]"""
    adapter = adapter_of(BAD)
    with pytest.raises(ProviderFault):
        await survey(adapter, Caller(), Question("kit"), enough=1)
    with pytest.raises(ProviderFault):
        await SkillPrompts(adapter).list(None, Caller())
    assert (await survey(adapter, Caller(), Question("none"), enough=1)).entries == ()
