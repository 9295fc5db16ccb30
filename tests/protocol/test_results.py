"""What a host gets from a server over a real tree, in both eras: the rules of SEP-2640 that have a test each.

`SEP2640.md` next to this file names the rules.
"""

import base64
import json
from hashlib import sha256
from typing import Any

import pytest

from gateway.local.memory import MemoryStore
from gateway.provider import Child, Content
from tests.protocol.host import EXTENSION, Era, Host
from tests.protocol.providers import Shelf, dynamic_entry, host_of, skill_md, static_entry, tree_of

HINTS: dict[Era, dict[str, Any]] = {
    "modern": {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"},
    "legacy": {},
}

PNG = b"\x89PNG\r\n\x1a\n\x00"
TREE = {
    "acme/billing/refunds/SKILL.md": skill_md("refunds", license="MIT", metadata={"team": "billing"}),
    "acme/billing/refunds/references/policy.md": b"# Policy\n",
    "acme/billing/refunds/references/eu/vat.md": b"# VAT\n",
    "acme/billing/refunds/assets/logo.png": PNG,
    "outer/SKILL.md": skill_md("outer"),
    "outer/inner/SKILL.md": skill_md("inner"),
    "outer/inner/notes.txt": b"",
    "plain/SKILL.md": skill_md("plain"),
}
REFUNDS = "skill://acme/billing/refunds"


def tree_host(**options: Any):
    return host_of(tree_of(TREE, allow_binary=True), **options)


def file(uri: str, data: bytes) -> dict[str, Any]:
    return {"uri": uri, "digest": "sha256:" + sha256(data).hexdigest(), "size": len(data)}


def refunds_entry() -> dict[str, Any]:
    head = "acme/billing/refunds/"
    return {
        "uri": f"{REFUNDS}/SKILL.md",
        "frontmatter": {
            "name": "refunds",
            "description": "Does refunds.",
            "license": "MIT",
            "metadata": {"team": "billing"},
        },
        "resources": [file(f"skill://{key}", data) for key, data in sorted(TREE.items()) if key.startswith(head)],
    }


async def pages(host: Host, era: Era, method: str, item: str, **params: Any) -> list[list[dict[str, Any]]]:
    """Every page of a method; ends after twenty, when a listing would not end."""
    found: list[list[dict[str, Any]]] = []
    cursor: dict[str, str] = {}
    for _ in range(20):
        result = (await host.call(era, method, {**params, **cursor})).result
        found.append(result[item])
        if "nextCursor" not in result:
            return found
        cursor = {"cursor": result["nextCursor"]}
    raise AssertionError(f"{method} does not end")


async def test_the_extension_and_resources_are_declared(era: Era) -> None:
    """[SEP-2640 capability] The handshake revisions drop `extensions` unless it is put back."""
    async with tree_host() as host:
        capabilities = await declared(host, era)
    assert capabilities["extensions"] == {EXTENSION: {"directoryRead": True}}
    assert "resources" in capabilities


async def declared(host: Host, era: Era) -> dict[str, Any]:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    method, params = ("server/discover", {}) if era == "modern" else ("initialize", hello)
    return (await host.call(era, method, params)).result["capabilities"]


async def test_without_directory_reads_the_method_is_unknown(era: Era) -> None:
    """[SEP-2640 capability]"""
    async with tree_host(directory_read=False) as host:
        reply = await host.call(era, "resources/directory/read", {"uri": REFUNDS})
        assert (reply.status, reply.code) == (404 if era == "modern" else 200, -32601)
        assert (await declared(host, era))["extensions"] == {EXTENSION: {}}


async def test_skills_list_gives_whole_entries(era: Era) -> None:
    """[SEP-2640 list] Frontmatter verbatim, canonical URIs, the complete manifest, hints on modern only."""
    async with tree_host() as host:
        result = (await host.call(era, "skills/list")).own_result()
    assert result.pop("skills")[0] == refunds_entry()
    assert result == HINTS[era]


async def test_skills_get_gives_the_entry_of_the_list(era: Era) -> None:
    """[SEP-2640 get] Identical in shape and meaning; no cursor."""
    async with tree_host() as host:
        for skill in (await host.call(era, "skills/list")).result["skills"]:
            got = (await host.call(era, "skills/get", {"uri": skill["uri"]})).own_result()
            assert got == {"skill": skill, **HINTS[era]}


async def test_the_last_segment_of_a_uri_is_the_name(era: Era) -> None:
    """[SEP-2640 mapping]"""
    async with tree_host() as host:
        skills = (await host.call(era, "skills/list")).result["skills"]
    assert [skill["uri"].split("/")[-2] for skill in skills] == [skill["frontmatter"]["name"] for skill in skills]


async def test_a_nested_skill_is_an_entry_of_its_own_and_files_of_its_parent(era: Era) -> None:
    """[SEP-2640 nested]"""
    async with tree_host() as host:
        skills = {skill["uri"]: skill for skill in (await host.call(era, "skills/list")).result["skills"]}
    inner = skills["skill://outer/inner/SKILL.md"]["resources"]
    outer = skills["skill://outer/SKILL.md"]["resources"]
    assert {one["uri"] for one in inner} == {"skill://outer/inner/SKILL.md", "skill://outer/inner/notes.txt"}
    assert [one for one in outer if "/inner/" in one["uri"]] == inner


async def test_every_listed_file_reads_back_with_its_size_and_digest(era: Era) -> None:
    """[SEP-2640 integrity]"""
    async with tree_host() as host:
        for skill in (await host.call(era, "skills/list")).result["skills"]:
            for listed in skill["resources"]:
                result = (await host.call(era, "resources/read", {"uri": listed["uri"]})).own_result()
                (content,) = result.pop("contents")
                data = content["text"].encode() if "text" in content else base64.b64decode(content["blob"])
                assert file(content["uri"], data) == listed
                assert result == HINTS[era]


async def test_a_dynamic_skill_says_so(era: Era) -> None:
    """[SEP-2640 resources]"""
    async with host_of(Shelf((dynamic_entry("live"),))) as host:
        (listed,) = (await host.call(era, "skills/list")).result["skills"]
        got = (await host.call(era, "skills/get", {"uri": listed["uri"]})).result["skill"]
    assert listed == got
    assert listed["resources"] == "dynamic"


async def test_a_skill_that_is_not_listed_is_answered_for(era: Era) -> None:
    """[SEP-2640 get]"""
    async with host_of(Shelf(unlisted=(static_entry("hidden"),))) as host:
        assert (await host.call(era, "skills/list")).result["skills"] == []
        got = await host.call(era, "skills/get", {"uri": "skill://hidden/SKILL.md"})
    assert got.result["skill"]["frontmatter"]["name"] == "hidden"


@pytest.mark.parametrize("uri", ["skill://plain", "skill://nobody/SKILL.md", f"{REFUNDS}/references/policy.md"])
async def test_what_is_no_skill_is_invalid_params(uri: str, era: Era) -> None:
    """[SEP-2640 errors]"""
    async with tree_host() as host:
        reply = await host.call(era, "skills/get", {"uri": uri})
    assert reply.error == {
        "code": -32602,
        "message": f"No skill with this URI is served here: {uri}",
        "data": {"uri": uri},
    }


@pytest.mark.parametrize("uri", [REFUNDS, f"{REFUNDS}/references", f"{REFUNDS}/nope.md", "skill://nobody/x.md"])
async def test_what_is_no_file_is_invalid_params(uri: str, era: Era) -> None:
    """[SEP-2640 errors]"""
    async with tree_host() as host:
        reply = await host.call(era, "resources/read", {"uri": uri})
    assert reply.error == {
        "code": -32602,
        "message": f"No file with this URI is served here: {uri}",
        "data": {"uri": uri},
    }


@pytest.mark.parametrize(
    "uri",
    ["skill://nobody", "skill://acme", f"{REFUNDS}/SKILL.md", f"{REFUNDS}/nope", f"{REFUNDS}/references/eu/vat.md"],
)
async def test_what_is_no_directory_is_invalid_params(uri: str, era: Era) -> None:
    """[SEP-2640 errors] An organisation's folder above skills is in no skill's namespace."""
    async with tree_host() as host:
        reply = await host.call(era, "resources/directory/read", {"uri": uri})
    assert reply.error == {
        "code": -32602,
        "message": f"No directory with this URI is served here: {uri}",
        "data": {"uri": uri},
    }


async def test_a_directory_gives_its_direct_children(era: Era) -> None:
    """[SEP-2640 directories] Files with their metadata, directories as such, no trailing slash."""
    async with tree_host() as host:
        root = (await host.call(era, "resources/directory/read", {"uri": REFUNDS})).own_result()
        references = (await host.call(era, "resources/directory/read", {"uri": f"{REFUNDS}/references"})).own_result()
    skill = {"uri": f"{REFUNDS}/SKILL.md", "name": "refunds", "description": "Does refunds."}
    size = len(TREE["acme/billing/refunds/SKILL.md"])
    assert root == {
        "resources": [
            {**skill, "mimeType": "text/markdown", "size": size},
            {"uri": f"{REFUNDS}/assets", "name": "assets", "mimeType": "inode/directory"},
            {"uri": f"{REFUNDS}/references", "name": "references", "mimeType": "inode/directory"},
        ],
        **HINTS[era],
    }
    policy = {"uri": f"{REFUNDS}/references/policy.md", "name": "policy.md", "mimeType": "text/markdown", "size": 9}
    assert references["resources"] == [
        {"uri": f"{REFUNDS}/references/eu", "name": "eu", "mimeType": "inode/directory"},
        policy,
    ]


async def test_directories_together_give_exactly_the_manifest(era: Era) -> None:
    """[SEP-2640 directories] Every directory of a skill is one; nested skills' files belong to the outermost."""
    async with tree_host(page_size=1) as host:
        for skill in (await pages_of_skills(host, era)).values():
            todo, found = [skill["uri"].removesuffix("/SKILL.md")], set[str]()
            while todo:
                listed = await pages(host, era, "resources/directory/read", "resources", uri=todo.pop())
                for child in (child for page in listed for child in page):
                    if child["mimeType"] == "inode/directory":
                        todo.append(child["uri"])
                    else:
                        found.add(child["uri"])
            assert found == {one["uri"] for one in skill["resources"]}


async def pages_of_skills(host: Host, era: Era) -> dict[str, dict[str, Any]]:
    return {skill["uri"]: skill for page in await pages(host, era, "skills/list", "skills") for skill in page}


async def test_directories_of_a_dynamic_skill_come_from_the_provider(era: Era) -> None:
    """[SEP-2640 directories]"""
    children = (Child("SKILL.md", False, 9, "text/markdown"), Child("a b", True), Child("x", False))
    shelf = Shelf((dynamic_entry("t/live"),), children={("t/live", ""): children, ("t/live", "a b"): ()})
    async with host_of(shelf, page_size=2) as host:
        root = await pages(host, era, "resources/directory/read", "resources", uri="skill://t/live")
        empty = await host.call(era, "resources/directory/read", {"uri": "skill://t/live/a%20b"})
    head = {"uri": "skill://t/live/SKILL.md", "name": "live", "description": "Does live."}
    assert root == [
        [
            {**head, "mimeType": "text/markdown", "size": 9},
            {"uri": "skill://t/live/a%20b", "name": "a b", "mimeType": "inode/directory"},
        ],
        [{"uri": "skill://t/live/x", "name": "x"}],
    ]
    assert empty.own_result() == {"resources": [], **HINTS[era]}


@pytest.mark.parametrize("size", [1, 2, 3, 50])
async def test_pages_are_whole_entries_each_once(size: int, era: Era) -> None:
    """[SEP-2640 list] `nextCursor` is absent on the last page, and never empty."""
    async with tree_host() as host:
        expected = (await host.call(era, "skills/list")).result["skills"]
    async with tree_host(page_size=size) as host:
        listed = await pages(host, era, "skills/list", "skills")
        resources = await pages(host, era, "resources/list", "resources")
    assert [skill for page in listed for skill in page] == expected
    assert all(len(page) <= size for page in listed)
    assert [one["uri"] for page in resources for one in page] == [skill["uri"] for skill in expected]


async def test_resources_list_has_each_skill_md_by_name_and_description(era: Era) -> None:
    """[SEP-2640 metadata]"""
    async with tree_host() as host:
        result = (await host.call(era, "resources/list")).own_result()
    assert result.pop("resources")[0] == {
        "uri": f"{REFUNDS}/SKILL.md",
        "name": "refunds",
        "description": "Does refunds.",
        "mimeType": "text/markdown",
        "size": len(TREE["acme/billing/refunds/SKILL.md"]),
    }
    assert result == HINTS[era]


async def test_there_is_one_resource_template(era: Era) -> None:
    """[ours] And it has one page."""
    async with tree_host() as host:
        result = (await host.call(era, "resources/templates/list")).own_result()
        beyond = await host.call(era, "resources/templates/list", {"cursor": "x"})
    (template,) = result.pop("resourceTemplates")
    assert template["uriTemplate"] == "skill://{+path}"
    assert result == HINTS[era]
    assert beyond.code == -32602


async def test_hints_are_those_of_the_options() -> None:
    """[SEP-2640 list] `ttlMs` and `cacheScope` are required, with the meaning of the base protocol."""
    async with tree_host(ttl_ms=5000, cache_scope="public") as host:
        for method, params in [
            ("skills/list", {}),
            ("skills/get", {"uri": "skill://plain/SKILL.md"}),
            ("resources/list", {}),
            ("resources/templates/list", {}),
            ("resources/read", {"uri": "skill://plain/SKILL.md"}),
            ("resources/directory/read", {"uri": "skill://plain"}),
        ]:
            result = (await host.call("modern", method, params)).result
            assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == ("complete", 5000, "public")


CONTENTS = {
    "text": (Content(b"a\r\nb\n", "text/plain"), {"text": "a\r\nb\n"}),
    "empty": (Content(b"", "text/plain"), {"text": ""}),
    "a byte order mark": (Content("\ufeffa".encode(), "text/plain"), {"text": "\ufeffa"}),
    "NUL": (Content(b"a\x00b", "text/plain"), {"text": "a\x00b"}),
    "no UTF-8": (Content(b"\xff", "text/plain"), {"blob": "/w=="}),
    "ASCII that is called binary": (Content(b"a", "application/octet-stream"), {"blob": "YQ=="}),
    "an empty binary": (Content(b"", "image/png"), {"blob": ""}),
    "SVG": (Content(b"<svg/>", "image/svg+xml"), {"text": "<svg/>"}),
}


@pytest.mark.parametrize("kind", CONTENTS)
async def test_content_is_text_or_blob(kind: str, era: Era) -> None:
    """[ours] Text when the bytes are UTF-8 of a textual type; byte for byte either way."""
    content, expected = CONTENTS[kind]
    shelf = Shelf((dynamic_entry("a"),), contents={("a", "f"): content}, allow_binary=True)
    async with host_of(shelf) as host:
        reply = await host.call(era, "resources/read", {"uri": "skill://a/f"})
    assert reply.result["contents"] == [{"uri": "skill://a/f", "mimeType": content.media_type, **expected}]


@pytest.mark.parametrize("kind", [kind for kind, (_, expected) in CONTENTS.items() if "blob" in expected])
async def test_binary_is_refused_unless_it_is_allowed(kind: str, era: Era) -> None:
    """[ours]"""
    content, _ = CONTENTS[kind]
    async with host_of(Shelf((dynamic_entry("a"),), contents={("a", "f"): content})) as host:
        reply = await host.call(era, "resources/read", {"uri": "skill://a/f"})
    assert reply.code == -32602
    assert reply.error["message"] == f"skill://a/f is not text ({content.media_type}); this server sends text only"


@pytest.mark.parametrize("path", ["SKILL.md", "inner/SKILL.md"])
async def test_a_skill_md_that_is_no_text_is_refused_in_any_case(path: str, era: Era) -> None:
    """[ours]"""
    contents = {("a", path): Content(b"\xff", "text/markdown")}
    async with host_of(Shelf((dynamic_entry("a"),), contents=contents, allow_binary=True)) as host:
        reply = await host.call(era, "resources/read", {"uri": f"skill://a/{path}"})
    assert (reply.code, reply.error["message"]) == (-32602, f"skill://a/{path} is not text, as a SKILL.md must be")


async def test_the_outermost_skill_owns_a_nested_file(era: Era) -> None:
    """[ours] It is asked for the file, with the path that its own manifest has."""
    nested = Shelf(
        (static_entry("a", {"b/SKILL.md": b"x"}), static_entry("a/b")),
        contents={("a", "b/SKILL.md"): Content(b"x", "text/markdown")},
    )
    async with host_of(nested) as host:
        reply = await host.call(era, "resources/read", {"uri": "skill://a/b/SKILL.md"})
    assert reply.result["contents"][0]["text"] == "x"


async def test_a_static_file_outside_the_manifest_is_never_asked_for(era: Era) -> None:
    """[ours]"""
    shelf = Shelf((static_entry("a"),), contents={("a", "secret"): Content(b"x", "text/plain")})
    async with host_of(shelf) as host:
        assert (await host.call(era, "resources/read", {"uri": "skill://a/secret"})).code == -32602


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("resources/list", {}),
        ("resources/directory/read", {"uri": "skill://outer"}),
        ("resources/templates/list", {}),
    ],
)
async def test_a_cursor_of_skills_list_opens_nothing_else(method: str, params: dict[str, str], era: Era) -> None:
    """[ours]"""
    async with tree_host(page_size=1) as host:
        cursor = (await host.call(era, "skills/list")).result["nextCursor"]
        reply = await host.call(era, method, {**params, "cursor": cursor})
    assert (reply.code, reply.error["message"]) == (-32602, "Invalid or expired cursor; start again without one")


async def test_a_cursor_of_one_directory_opens_no_other(era: Era) -> None:
    """[ours] Another spelling of the same directory is the same directory."""
    async with tree_host(page_size=1) as host:
        method = "resources/directory/read"
        cursor = (await host.call(era, method, {"uri": "skill://outer"})).result["nextCursor"]
        foreign = await host.call(era, method, {"uri": REFUNDS, "cursor": cursor})
        alias = await host.call(era, method, {"uri": "SKILL://%6futer", "cursor": cursor})
    assert (foreign.code, foreign.error["data"]) == (-32602, {"uri": REFUNDS})
    assert [child["name"] for child in alias.result["resources"]] == ["inner"]


async def test_a_cursor_goes_on_in_the_other_era_and_on_another_replica() -> None:
    """[ours] No state but the key ring."""
    async with tree_host(page_size=1) as host, tree_host(page_size=1) as other:
        cursor = (await host.call("modern", "skills/list")).result["nextCursor"]
        following = (await other.call("legacy", "skills/list", {"cursor": cursor})).result["skills"]
    assert [skill["frontmatter"]["name"] for skill in following] == ["outer"]


async def test_frontmatter_keeps_every_value_as_written(era: Era) -> None:
    """[SEP-2640 frontmatter] Nulls, floats that look like integers, order, empty containers."""
    fields = {"a": None, "b": 1.0, "c": True, "d": [], "e": {}, "f": {"z": [1, None, {"y": "é"}]}, "g": "", "B": 10**15}
    async with host_of(Shelf((static_entry("a", **fields),))) as host:
        reply = await host.call(era, "skills/get", {"uri": "skill://a/SKILL.md"})
    sent = reply.result["skill"]["frontmatter"]
    assert json.dumps(sent) == json.dumps({"name": "a", "description": "Does a.", **fields})


async def test_an_empty_bucket_is_an_empty_list(era: Era) -> None:
    """[SEP-2640 list]"""
    async with host_of(tree_of(MemoryStore())) as host:
        assert (await host.call(era, "skills/list")).own_result() == {"skills": [], **HINTS[era]}
        assert (await host.call(era, "resources/list")).own_result() == {"resources": [], **HINTS[era]}
