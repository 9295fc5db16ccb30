"""Whatever the tree, the rules and the caller: what can be reached is what the rules show, by every method."""

import asyncio
from collections.abc import Mapping, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.local.memory import MemoryStore
from gateway.policy.policy import Policy
from gateway.policy.rule import Facts, Rule
from gateway.policy.view import PolicyView
from gateway.provider import Caller, WarmProvider
from gateway.releases.publish import Terms, publish
from gateway.releases.repository import Repository
from gateway.skill.model import SKILL_MD
from gateway.skill.uri import parse_uri
from gateway.tree.options import TreeOptions
from gateway.tree.provider import TreeProvider
from tests.policy.drawn import FACTS, RULES, shows
from tests.policy.reach import (
    PLACES,
    Question,
    absent_of,
    adapter_over,
    answer_of,
    listed,
    questions,
    warm_answer,
    warm_listed,
    warm_over,
)
from tests.releases.plans import AT, plan_of
from tests.releases.stored import follower_of, provider_over
from tests.tree.odd_stores import CountingStore
from tests.tree.trees import skill_md

NESTED = st.sampled_from(("a", "a/b", "a/b/a", "b", "b/a", "Org/a", "Org/a/b", "a/Org/b"))
SKILLS = NESTED | st.sampled_from([place for place in PLACES if not place.endswith("Org")])
KINDS = st.sampled_from(("good", "good", "good", "good", "refused"))
FILES = st.sampled_from(("notes.md", "data/deep/er.md", "a/x.md"))
TREES = st.dictionaries(SKILLS, st.tuples(KINDS, FILES), min_size=3, max_size=8)
# Whatever is drawn from them alone seldom meets the nested skills that are drawn.
TELLING = st.sampled_from(("a", "*", "*/a", "*/b", "**/b", "*/b/**", "a/b", "a/**", "Org/*", "*/*/*"))
RULED = st.lists(st.builds(Rule, st.tuples(TELLING)) | RULES, min_size=1, max_size=2)
Tree = Mapping[str, tuple[str, str]]


def objects_of(tree: Tree) -> dict[str, bytes]:
    objects: dict[str, bytes] = {"Org/loose.md": b"in no skill"}
    for path, (kind, name) in tree.items():
        description = "Does it." if kind == "good" else '" "'
        objects[f"{path}/{SKILL_MD}"] = skill_md(path.rpartition("/")[2], f"# {path}\n", description)
        objects.setdefault(f"{path}/{name}", 20 * path.encode())
    return objects


class Expected:
    """What is reached, by the letter: the outermost skill that is served decides about what is below it."""

    def __init__(self, tree: Tree, rules: Sequence[Rule], facts: Facts, variant: str) -> None:
        self.served = {path for path, (kind, _) in tree.items() if kind == "good"}
        self._rules, self._facts, self._variant = rules, facts, variant

    def sees(self, path: str) -> bool:
        """Whether a file, a directory or a skill at a path is seen, if it is there."""
        owner = next((place for place in _down_to(path) if place in self.served), None)
        return owner is not None and self._shows(owner)

    def is_hidden_by_path(self, path: str) -> bool:
        """Whether no rule names the path nor anything above it."""
        return not any(self._shows(place) for place in _down_to(path))

    def _shows(self, path: str) -> bool:
        return not self._rules or any(shows(rule, self._facts, self._variant, path) for rule in self._rules)


async def check(store: CountingStore, provider: WarmProvider, objects: Mapping[str, bytes], expected: Expected,
                policy: Policy, caller: Caller) -> None:  # fmt: skip
    plain, adapter = adapter_over(provider), adapter_over(PolicyView(provider, policy))
    asked = questions(objects)
    store.reset()
    for question in asked:
        if expected.is_hidden_by_path(path_of(question)):
            await answer_of(adapter, question, caller)
    assert store.calls.total() == 0

    warm = warm_over(adapter)
    for _ in range(2):
        for question in asked:
            about = question if expected.sees(path_of(question)) else absent_of(question)
            told = await answer_of(plain, about, caller)
            # What the provider remembers of another caller's question must not tell this one anything either.
            assert warm_answer(warm, question, caller) in (None, told), question
            assert await answer_of(adapter, question, caller) == told, question
            assert warm_answer(warm, question, caller) in (None, told), question
        for method in ("skills/list", "resources/list"):
            everything = await listed(plain, method, caller)
            seen = [item for item in everything if expected.sees(path_of((method, item["uri"])))]
            assert await listed(adapter, method, caller) == seen
            assert len(everything) == len(expected.served)
            assert method == "resources/list" or warm_listed(warm, caller) in (None, seen)


@settings(max_examples=100, deadline=None)
@given(TREES, RULED, FACTS, st.sampled_from(("", "beta")), st.booleans())
def test_what_is_reached_in_a_tree_is_what_the_rules_show(
    tree: Tree, rules: list[Rule], facts: Facts, variant: str, is_dynamic: bool
) -> None:
    """[ours: hidden is like absent] Each answer is the one without rules, or the one for what is not there."""
    objects, policy = objects_of(tree), Policy(rules)
    store = CountingStore(MemoryStore(objects, keep_checksums=not is_dynamic))
    options = TreeOptions(freshness_s=3600, probe_bytes=1, max_hash_bytes=0 if is_dynamic else 1000)
    caller = Caller("https://issuer", "client", "someone", variant, policy.grants_of(facts))
    expected = Expected(tree, rules, facts, variant)
    asyncio.run(check(store, TreeProvider(store, options), objects, expected, policy, caller))


@settings(max_examples=60, deadline=None)
@given(TREES, RULED, FACTS, st.sampled_from(("", "beta")))
def test_what_is_reached_in_a_release_is_what_the_rules_show(
    tree: Tree, rules: list[Rule], facts: Facts, variant: str
) -> None:
    """[ours: hidden is like absent]"""
    objects, policy = objects_of(tree), Policy(rules)
    caller = Caller("https://issuer", "client", "someone", variant, policy.grants_of(facts))

    async def published() -> None:
        memory = MemoryStore()
        await publish(Repository(memory, ""), await plan_of(objects), Terms("stable", AT))
        store = CountingStore(memory)
        provider = provider_over(store, follower := follower_of(store))
        await follower.look()
        await check(store, provider, objects, Expected(tree, rules, facts, variant), policy, caller)

    asyncio.run(published())


def path_of(question: Question) -> str:
    """The path that a question is about: of a skill, or of a file or directory that one may own."""
    _, uri = question
    return "/".join(parse_uri(uri)).removesuffix(f"/{SKILL_MD}")


def _down_to(path: str) -> list[str]:
    segments = path.split("/")
    return ["/".join(segments[:depth]) for depth in range(1, len(segments) + 1)]
