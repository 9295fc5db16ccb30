"""A skill by whatever a model calls it: a URI, a path, or a name that only one skill has.

Source: SEP-2640, Resource Mapping.
"""

from gateway.errors import NotServed, RequestError
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.survey import SEEN_AT_MOST, Question, survey
from gateway.provider import Caller
from gateway.skill.frontmatter_rules import is_skill_name
from gateway.skill.model import SKILL_MD, SkillEntry
from gateway.skill.uri import SCHEME, parse_uri

_SHOWN = 5


class Ambiguous(RequestError):
    """A name that several skills have."""

    reason = "ambiguous"


class NotFound(RequestError):
    """A name that no skill has among those that were looked at, which are not all."""

    reason = "not_found"


async def find_skill(adapter: SkillsAdapter, said: str, caller: Caller) -> SkillEntry:
    """The skill that `said` names. Raises NotServed, NotFound, InvalidUri, Ambiguous."""
    segments = parse_uri(said) if said.lower().startswith(SCHEME) else tuple(said.strip("/").split("/"))
    if len(segments) > 1 and segments[-1] == SKILL_MD:
        segments = segments[:-1]
    entry = await adapter.entry_at(segments, caller)
    if entry is None and len(segments) == 1 and is_skill_name(segments[0]):
        entry = await _by_name(adapter, segments[0], caller)
    if entry is None:
        raise NotServed(f"No skill {'/'.join(segments)!r} is served here; list_skills tells those that are")
    return entry


async def _by_name(adapter: SkillsAdapter, name: str, caller: Caller) -> SkillEntry | None:
    """None when no skill has the name."""
    looked = await survey(adapter, caller, Question(name), enough=SEEN_AT_MOST)
    found = [entry for entry in looked.entries if entry.name == name]
    if not found and looked.cursor is not None:
        seen = f"among the first {looked.seen} skills"
        raise NotFound(
            f"No skill is called {name!r} {seen}, and there are more; give its path, as list_skills tells it"
        )
    if len(found) > 1 or (found and looked.cursor is not None):
        paths = ", ".join(entry.path for entry in found[:_SHOWN])
        raise Ambiguous(f"More than one skill may be called {name!r}: {paths}; give the path of the one that is meant")
    return found[0] if found else None
