"""What is read of one object to know it, and what is known then."""

import pytest

from gateway.errors import ContentTooLarge, ObjectChanged, ObjectMissing
from gateway.local.memory import MemoryStore
from gateway.memory.problems import Problems
from gateway.memory.shelves import new_memory
from gateway.objects import ListedObject, ObjectKey, ObjectStore
from gateway.skill.assembly import FileFacts, HeadRefused
from gateway.skill.model import Problem, SkillPath, digest_of
from gateway.tree.heads import SkillHead, SkillHeads
from gateway.tree.options import TreeOptions
from gateway.tree.probe import Prober
from gateway.tree.reading import Contents
from gateway.tree.source import Source
from tests.stores import Bucket
from tests.tree.odd_stores import CountingStore
from tests.tree.trees import ANYONE, Clock, entries_of, entry_of, provider_of, skill_md

KIB = 1024
TEXT_ONLY = TreeOptions(probe_bytes=16)
BINARIES = TreeOptions(probe_bytes=16, allow_binary=True)


def prober_of(store: ObjectStore, options: TreeOptions, problems: list[Problem] | None = None) -> Prober:
    report = None if problems is None else problems.append
    source = Source(store, options, Problems(report, Clock()), Clock())
    return Prober(source, new_memory(options.entry_cache_bytes), Contents(options))


def heads_of(store: ObjectStore, options: TreeOptions) -> SkillHeads:
    source = Source(store, options, Problems(None, Clock()), Clock())
    return SkillHeads(source, prober_of(store, options), new_memory(options.entry_cache_bytes))


async def listed_of(store: MemoryStore, key: str) -> ListedObject:
    return (await store.list_page(key)).objects[0]


async def facts_of(data: bytes, options: TreeOptions, name: str = "file.txt", *, checksum: bool = True) -> FileFacts:
    store = MemoryStore()
    store.store(name, data, checksum=checksum)
    return await prober_of(store, options).file(await listed_of(store, name), name)


def big_skill_md(size: int, value: str = "v") -> bytes:
    """A `SKILL.md` whose frontmatter ends at byte `size`."""
    head, tail = '---\nname: "a"\ndescription: Does it.\nnote: ', "\n---\n"
    return (head + value * ((size - len(head) - len(tail)) // len(value.encode())) + tail).encode()


@pytest.mark.parametrize(
    "size", [16 * KIB - 1, 16 * KIB, 16 * KIB + 1, 16 * KIB + 3, 16 * KIB + 4, 16 * KIB + 5, 60_000]
)
async def test_a_frontmatter_that_does_not_end_in_the_first_range_is_read_by_one_larger_one(size: int) -> None:
    """[ours: one larger retry]"""
    data = big_skill_md(size) + b"body\n" * 40_000
    store = CountingStore(memory := MemoryStore({"a/SKILL.md": data}))
    head = await heads_of(store, TreeOptions(allow_binary=True)).read(await listed_of(memory, "a/SKILL.md"))
    assert isinstance(head, SkillHead)
    assert head.frontmatter["note"] == "v" * (size - len(big_skill_md(0)))
    assert head.facts == FileFacts(len(data), digest_of(data), "text/markdown", is_binary=False)
    assert (store.calls["stream"], store.calls["get"]) == (0, 0)
    assert store.sent_bytes["get_range"] <= 16 * KIB + 66 * KIB + 8 * KIB


async def test_a_frontmatter_larger_than_the_bound_is_refused_and_not_read_to_its_end() -> None:
    """[ours: 64 KiB]"""
    store = CountingStore(memory := MemoryStore({"a/SKILL.md": big_skill_md(900_000)}))
    head = await heads_of(store, TEXT_ONLY).read(await listed_of(memory, "a/SKILL.md"))
    assert isinstance(head, HeadRefused)
    assert head.code == "frontmatter_too_large"
    assert store.sent_bytes["get_range"] <= 82 * KIB


async def test_a_whole_small_skill_md_needs_one_range_and_no_other_call() -> None:
    """[ours: heads of SKILL.md only]"""
    data = skill_md("a", "body")
    store = MemoryStore({"a/SKILL.md": data}, keep_checksums=False)
    head = await heads_of(store, BINARIES).read(await listed_of(store, "a/SKILL.md"))
    assert head == SkillHead(
        {"name": "a", "description": "Does it."},
        FileFacts(len(data), digest_of(data), "text/markdown", is_binary=False),
    )
    assert store.calls == {"list_page": 1, "get_range": 1}


@pytest.mark.parametrize("options", [TEXT_ONLY, BINARIES])
@pytest.mark.parametrize("checksum", [True, False])
@pytest.mark.parametrize("place", ["head", "tail"])
async def test_a_large_skill_md_that_is_no_utf8_at_an_end_is_no_text(
    place: str, checksum: bool, options: TreeOptions
) -> None:
    """[ours: SKILL.md is always valid UTF-8]"""
    body = b"x" * 40_000
    data = skill_md("a") + (b"\xff" + body if place == "head" else body + b"\xff")
    store = MemoryStore()
    store.store("a/SKILL.md", data, checksum=checksum)
    head = await heads_of(store, options).read(await listed_of(store, "a/SKILL.md"))
    assert isinstance(head, SkillHead)
    assert head.facts.is_binary


async def test_what_was_learnt_is_not_asked_again_until_the_etag_changes() -> None:
    """[ours: by key, ETag and size]"""
    store = MemoryStore({"a/SKILL.md": skill_md("a"), "a/x.txt": b"x" * 99, "b/SKILL.md": b"refused"})
    heads_reader, prober = heads_of(store, BINARIES), prober_of(store, BINARIES)
    for _ in range(2):
        heads = [await heads_reader.read(await listed_of(store, f"{name}/SKILL.md")) for name in "ab"]
        await prober.file(await listed_of(store, "a/x.txt"), "x.txt")
    assert isinstance(heads[1], HeadRefused)
    assert store.calls == {"list_page": 6, "get_range": 2, "head": 1}
    store.store("a/x.txt", b"y" * 99)
    assert (await prober.file(await listed_of(store, "a/x.txt"), "x.txt")).digest == digest_of(b"y" * 99)


async def test_an_object_without_an_etag_is_asked_about_each_time() -> None:
    """[S3: ETags in lists may be absent]"""
    store = MemoryStore({"x.txt": b"x" * 99})
    prober = prober_of(store, BINARIES)
    for data in (b"x" * 99, b"y" * 99):
        store.store("x.txt", data)
        facts = await prober.file(ListedObject(ObjectKey("x.txt"), 99, ""), "x.txt")
        assert facts.digest == digest_of(data)


@pytest.mark.parametrize("checksum", [True, False])
@pytest.mark.parametrize("options", [TEXT_ONLY, BINARIES])
async def test_an_object_that_is_not_the_listed_one_is_an_error(checksum: bool, options: TreeOptions) -> None:
    """[ours: an entry is of one moment]"""
    store = MemoryStore()
    store.store("x.bin", b"x" * 99, checksum=checksum)
    prober = prober_of(store, options)
    for stale in (ListedObject(ObjectKey("x.bin"), 99, "other"), ListedObject(ObjectKey("x.bin"), 98, "")):
        with pytest.raises(ObjectChanged):
            await prober.file(stale, "x.bin")
    with pytest.raises(ObjectMissing):
        await prober.file(ListedObject(ObjectKey("gone"), 99, "etag"), "gone")
    with pytest.raises(ObjectMissing):
        await heads_of(store, options).read(ListedObject(ObjectKey("gone/SKILL.md"), 99, "etag"))


async def test_a_file_with_a_stored_checksum_costs_one_head_where_its_name_tells_the_type() -> None:
    """[ours: digests from S3's own checksums]"""
    store = MemoryStore({"x.png": b"\x89PNG" * 1000, "y.md": b"text" * 1000})
    prober = prober_of(store, BINARIES)
    png = await prober.file(await listed_of(store, "x.png"), "x.png")
    markdown = await prober.file(await listed_of(store, "y.md"), "y.md")
    assert (png.media_type, png.is_binary) == ("image/png", True)
    assert (markdown.media_type, markdown.is_binary) == ("text/markdown", False)
    assert store.calls == {"list_page": 2, "head": 2}


async def test_an_empty_file_costs_nothing_and_is_text() -> None:
    """[ours: 416 means an empty file]"""
    store = MemoryStore({"empty": b""})
    facts = await prober_of(store, TEXT_ONLY).file(await listed_of(store, "empty"), "empty")
    assert facts == FileFacts(0, digest_of(b""), "text/plain", is_binary=False)
    assert store.calls == {"list_page": 1}


@pytest.mark.parametrize("options", [TEXT_ONLY, BINARIES])
@pytest.mark.parametrize("character", ["é", "…", "😀"])
async def test_a_sequence_cut_at_the_edge_of_a_range_is_still_text(character: str, options: TreeOptions) -> None:
    """[RFC 3629] [ours: care for a sequence cut at the edge]"""
    for shift in range(4):
        data = b"x" * shift + character.encode() * 40
        facts = await facts_of(data, options, "noted")
        assert facts == FileFacts(len(data), digest_of(data), "text/plain", is_binary=False), shift


@pytest.mark.parametrize("spot", ["head", "tail", "last"])
@pytest.mark.parametrize("checksum", [True, False])
async def test_a_wrong_byte_at_either_end_makes_a_file_binary(spot: str, checksum: bool) -> None:
    """[ours: judged on the head and the tail]"""
    text = b"x" * 100
    data = {"head": b"x\xc3x" + text, "tail": text + b"\xc3xx", "last": text + b"\xe2\x80"}[spot]
    for options in (TEXT_ONLY, BINARIES):
        facts = await facts_of(data, options, "noted", checksum=checksum)
        assert (facts.media_type, facts.is_binary) == ("application/octet-stream", True)


async def test_a_wrong_byte_in_the_middle_is_found_where_all_bytes_went_by() -> None:
    """[ours: the verdict of a file that is read whole comes from its whole bytes]"""
    data = b"x" * 50 + b"\xff" + b"x" * 50
    assert (await facts_of(data, TEXT_ONLY, "noted", checksum=False)).is_binary


async def test_a_digest_past_the_bound_cannot_be_had_and_nothing_is_downloaded() -> None:
    """[ours: a streamed hash, bounded in size]"""
    store = CountingStore(memory := MemoryStore(keep_checksums=False))
    memory.store("x.txt", b"x" * 1001)
    prober = prober_of(store, TreeOptions(max_hash_bytes=1000, probe_bytes=16, allow_binary=True))
    facts = await prober.file(await listed_of(memory, "x.txt"), "x.txt")
    assert facts == FileFacts(1001, None, "text/plain", is_binary=False)
    assert sum(store.sent_bytes.values()) == 0


async def test_twenty_mebibytes_with_a_stored_checksum_are_listed_and_not_downloaded(bucket: Bucket) -> None:
    """[ours: never downloads the catalogue to serve it] [ours: a 20 MiB file]"""
    files = {"SKILL.md": skill_md("a"), "big.txt": b"0123456789abcdef" * (20 * KIB * KIB // 16)}
    for name, data in files.items():
        await bucket.put(f"a/{name}", data, "text/plain", checksum=True)
    async with bucket.open() as store:
        counting = CountingStore(store)
        provider = provider_of(counting)
        assert await entries_of(provider) == [entry_of("a", files)]
        with pytest.raises(ContentTooLarge) as caught:
            await provider.read(SkillPath("a"), "big.txt", ANYONE)
    assert str(caught.value) == "'big.txt' of 'a' has 20971520 bytes; one read sends at most 16777216"
    if bucket.kind == "juicefs":  # keeps no checksums: the digest is a streamed hash
        assert counting.sent_bytes["stream"] == len(files["big.txt"])
        del counting.sent_bytes["stream"]
    assert sum(counting.sent_bytes.values()) <= 32 * KIB


@pytest.mark.parametrize("checksum", [True, False])
async def test_the_digest_that_metadata_claims_is_never_believed_and_a_wrong_one_is_named(checksum: bool) -> None:
    """[ours: user metadata `sha256` is a hint]"""
    store, problems = MemoryStore(), list[Problem]()
    right, wrong = digest_of(b"x" * 99), digest_of(b"an older version")
    for name, claimed in (("right", right), ("wrong", wrong)):
        store.store(name, b"x" * 99, checksum=checksum, claimed_sha256=claimed)
        facts = await prober_of(store, BINARIES, problems).file(await listed_of(store, name), name)
        assert facts.digest == right
    assert [(problem.where, problem.code) for problem in problems] == [("wrong", "wrong_sha256_metadata")]


async def test_a_store_that_keeps_no_checksums_is_asked_once_for_each_small_file() -> None:
    """[ours: small files are hashed from one GET, which also keeps their content]"""
    store, contents = CountingStore(plain := MemoryStore()), Contents(BINARIES)
    for number in range(5):
        plain.store(f"{number}.png", b"\x89PNG" * 1000, checksum=False)
    source = Source(store, BINARIES, Problems(None, Clock()), Clock())
    prober = Prober(source, new_memory(BINARIES.entry_cache_bytes), contents)
    for listed in (await plain.list_page("")).objects:
        assert (await prober.file(listed, listed.key)).digest == digest_of(b"\x89PNG" * 1000)
    assert store.calls == {"head": 1, "stream": 1, "get_range": 4}
    assert contents.find((await plain.list_page("4")).objects[0]) is not None
