"""Archives as a whole gateway serves them: what is in them, what they are known by, and who gets none."""

import asyncio
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from gateway.policy.table import parse_rule
from gateway.releases.repository import Repository
from tests.downloads.gateways import FILES, client_of, contents_of, filled, gateway, told
from tests.protocol.providers import Shelf, dynamic_entry
from tests.releases.stored import Skill, publish
from tests.stores import MemoryBucket

ARCHIVE = "/skills/acme/refunds.zip"


async def test_a_skill_comes_as_one_archive_under_its_name_and_its_head_first() -> None:
    """[APPNOTE 4.3] What was uploaded, byte for byte."""
    async with gateway() as client:
        answer = await client.get(ARCHIVE)
    names = ["SKILL.md", "Zeta.txt", "references/a.md", "references/ä b.md"]
    assert answer.status_code == 200
    assert list(contents_of(answer.content).items()) == [
        (f"refunds/{name}", FILES[f"acme/refunds/{name}"]) for name in names
    ]
    told_by = ("content-length", "content-type", "content-disposition", "x-content-type-options", "cache-control")
    assert {name: answer.headers[name] for name in told_by} == {
        "content-length": str(len(answer.content)),
        "content-type": "application/zip",
        "content-disposition": 'attachment; filename="refunds.zip"',
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-cache",
    }


async def test_programs_that_unpack_archives_read_them(tmp_path: Path) -> None:
    """[APPNOTE] As many of them as are on this machine; python's own is one."""
    async with gateway() as client:
        (tmp_path / "a.zip").write_bytes((await client.get(ARCHIVE)).content)
    readers = {sys.executable: ("-m", "zipfile", "-t"), "unzip": ("-tq",), "bsdtar": ("-tf",)}
    commands = [[name, *options, tmp_path / "a.zip"] for name, options in readers.items() if shutil.which(name)]
    ended = [await asyncio.to_thread(subprocess.run, one, capture_output=True, timeout=20) for one in commands]
    assert [(one.returncode, one.stderr) for one in ended] == [(0, b"")] * len(commands) != []


async def test_the_same_files_are_the_same_bytes_from_a_tree_and_from_a_release() -> None:
    """[ours] On every replica: another store, another order of upload, another kind of source."""
    names = {key.removeprefix("acme/refunds/") for key in FILES if key.startswith("acme/refunds/")} - {"SKILL.md"}
    files = {name: FILES[f"acme/refunds/{name}"] for name in names}
    skill = Skill("acme/refunds", files=files, body="Read references/a.md.\n")
    released = MemoryBucket()
    await publish(Repository(released.store, ""), [skill])
    backwards = await filled(dict(reversed(FILES.items())))
    answers = []
    for bucket in (await filled(), backwards, released):
        async with gateway(bucket) as client:
            answers += [await client.get(ARCHIVE), await client.get(ARCHIVE)]
    assert skill.contents["SKILL.md"] == FILES["acme/refunds/SKILL.md"]
    assert len({(answer.content, answer.headers["etag"]) for answer in answers}) == 1


async def test_binary_files_come_as_they_are_where_they_are_allowed() -> None:
    """[ours] Elsewhere their skill is not served, by no way."""
    bucket = await filled({**FILES, "single/a.png": b"\x89PNG\r\n\x1a\n\0\xff"})
    async with gateway(bucket, allow_binary=True) as allowing, gateway(bucket) as refusing:
        allowed, refused = [await client.get("/skills/single.zip") for client in (allowing, refusing)]
    assert contents_of(allowed.content)["single/a.png"] == b"\x89PNG\r\n\x1a\n\0\xff"
    assert refused.status_code == 404


async def test_the_bytes_of_an_archive_are_those_of_every_version() -> None:
    """[ours] Digests of archives were published: other bytes need another `_FORM`, and a line in the changelog."""
    async with client_of(told({"b.txt": b"b"})) as client:
        answer = await client.get("/skills/a.zip")
    digest = "b494dae7fb2578ad48b6bc8e72f0855b1cf398b2777e61ea4c1d76b39dd32d7a"
    assert (len(answer.content), sha256(answer.content).hexdigest()) == (250, digest)
    assert answer.headers["etag"] == '"e40e340862a5ea4d89014b0e9ff644315ef302b513c57fc5f9d9d91d273de101"'


async def test_who_has_it_costs_no_read_and_neither_does_who_asks_for_its_length() -> None:
    """[RFC 9110 sections 9.3.2 and 13.1.2]"""
    provider = told({"b.txt": b"b" * 100_000})
    async with client_of(provider) as client:
        head = await client.head("/skills/a.zip")
        etag = head.headers["etag"]
        known = [
            await client.get("/skills/a.zip", headers={"If-None-Match": said}) for said in (etag, f'"x", W/{etag}', "*")
        ]
        assert provider.reads == ()
        got = await client.get("/skills/a.zip", headers={"If-None-Match": '"other"'})
    assert [(answer.status_code, answer.content, answer.headers["etag"]) for answer in known] == [(304, b"", etag)] * 3
    assert int(head.headers["content-length"]) == len(got.content) > 100_000
    assert dict(head.headers) == dict(got.headers)


async def test_another_byte_in_a_file_is_another_archive() -> None:
    """[RFC 9110 section 8.8.1] Also for the same skill in the folder of another name."""
    tags = set()
    for provider, path in ((told({"b": b"1"}), "a"), (told({"b": b"2"}), "a"), (told({"b": b"1"}, "c/d"), "c/d")):
        async with client_of(provider) as client:
            tags |= {(await client.head(f"/skills/{path}.zip")).headers["etag"]}
    assert len(tags) == 3


async def test_what_a_caller_may_not_see_is_as_absent_byte_for_byte() -> None:
    """[ours] The rules of MCP hold, also for the file alone."""
    rules = (parse_rule({"paths": ["single"]}),)
    async with gateway(rules=rules) as client:
        seen = await client.get("/skills/single.zip")
        hidden = [await client.get(path) for path in (ARCHIVE, "/.well-known/agent-skills/acme/refunds/SKILL.md")]
        absent = [
            await client.get(path)
            for path in ("/skills/acme/nobody.zip", "/.well-known/agent-skills/acme/nobody/SKILL.md")
        ]
    assert (seen.status_code, seen.headers["cache-control"]) == (200, "private, no-cache")
    answers = {(answer.status_code, answer.content, tuple(answer.headers.items())) for answer in (*hidden, *absent)}
    assert len(answers) == 1
    assert absent[0].status_code == 404


@pytest.mark.parametrize("path", ["%2e%2e/a", "acme//refunds", "a%00", "acme/refunds%5c", "", "%ff", "a/" * 40 + "a"])
async def test_a_path_that_no_skill_can_have_is_absent(path: str) -> None:
    """[ours]"""
    async with gateway() as client:
        assert (await client.get(f"/skills/{path}.zip")).status_code == 404


async def test_a_skill_without_a_manifest_is_told_to_have_no_archive() -> None:
    """[ours] It may be seen, so that its reader learns what to do."""
    async with client_of(Shelf((dynamic_entry("a"),))) as client:
        answer = await client.get("/skills/a.zip")
    assert (answer.status_code, "read its files over MCP" in answer.text) == (404, True)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (("C:evil.txt",), "':'"),
        (("docs/NUL.tar.gz",), "device"),
        (("com¹",), "device"),
        (("a./b",), "blank or a dot"),
        (("b ",), "blank or a dot"),
        (("Read.md", "read.md"), "case may not"),
        (("Docs/a", "docs/b"), "case may not"),
        (("\u00e9", "e\u0301"), "case may not"),
        (("x" * 256,), "256 bytes"),
        (("\u00e9" * 128,), "256 bytes"),
    ],
)
async def test_a_name_that_some_system_reads_otherwise_is_refused_with_a_sentence(
    files: tuple[str, ...], said: str
) -> None:
    """[Microsoft, Naming Files; UAX 15]"""
    provider = told(dict.fromkeys(files, b""))
    async with client_of(provider) as client:
        answer = await client.get("/skills/a.zip")
    assert (answer.status_code, said in answer.json()["error_description"]) == (422, True)
    assert provider.reads == ()


async def test_a_name_of_the_longest_kind_is_packed() -> None:
    """[POSIX NAME_MAX of nearly all file systems]"""
    async with client_of(told({"x" * 255: b"1", "\u00e9" * 127 + "y": b"2"})) as client:
        assert len(contents_of((await client.get("/skills/a.zip")).content)) == 3


async def test_a_skill_that_is_called_like_a_device_makes_no_folder() -> None:
    """[Microsoft, Naming Files] Without a folder of its name it can be had."""
    async with client_of(told({"a.md": b""}, "con")) as client:
        answer = await client.get("/skills/con.zip")
        assert (answer.status_code, "device" in answer.json()["error_description"]) == (422, True)
        assert (await client.get("/.well-known/agent-skills/con.zip")).status_code == 200


async def test_a_file_that_is_too_large_to_be_sent_is_told_before_anything_is_read() -> None:
    """[ours]"""
    provider = told({"b": b"12345"})
    async with client_of(provider, max_file_bytes=4) as client:
        answer = await client.get("/skills/a.zip")
    assert (answer.status_code, provider.reads) == (422, ())


async def test_a_variant_has_downloads_of_its_own_where_it_is_served() -> None:
    """[ours] And only what the rules show of it; at the root stands what the caller is given who names none."""
    bucket, repository = MemoryBucket(), Repository((released := MemoryBucket()).store, "")
    await publish(repository, [Skill("kit", body="Beta.")], channel="beta")
    await publish(repository, [Skill("kit", body="Stable.")])
    bucket.store = released.store
    rules = (parse_rule({"paths": ["kit"], "variants": ["default", "beta"]}),)
    variants = {"beta": {"channel": "beta"}, "secret": {"channel": "beta"}}
    async with gateway(bucket, rules=rules, variants=variants) as client:
        found = {}
        for prefix in ("", "/mcp/beta", "/mcp/secret"):
            archive = await client.get(f"{prefix}/skills/kit.zip")
            skills = (await client.get(f"{prefix}/.well-known/agent-skills/index.json")).json()["skills"]
            heads = [(await client.get(skill["url"])).text.rpartition("\n")[2] for skill in skills]
            found[prefix] = (archive.status_code, heads)
    assert found == {"": (200, ["Stable."]), "/mcp/beta": (200, ["Beta."]), "/mcp/secret": (404, [])}


async def test_the_layers_in_front_of_mcp_stand_in_front_of_downloads() -> None:
    """[ours] Host, Origin, rates."""
    async with gateway(rate_per_address=60) as client:
        foreign = [
            (await client.get("/skills/single.zip", headers=headers)).status_code
            for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"})
        ]
        statuses = [(await client.get("/skills/single.zip")).status_code for _ in range(40)]
    assert foreign == [421, 403]
    assert (statuses[0], set(statuses)) == (200, {200, 429})


async def test_without_the_setting_there_are_no_downloads() -> None:
    """[ours]"""
    async with gateway(downloads=False) as client:
        for path in ("/skills/single.zip", "/.well-known/agent-skills/index.json"):
            assert (await client.get(path)).status_code == 404
