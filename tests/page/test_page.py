"""The pages: what each shows, to whom, and how it is sent."""

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest

from gateway.auth.apikeys import make_api_key
from gateway.page.answers import size_text
from gateway.page.routes import PUBLIC_PATHS
from gateway.policy.table import parse_rule
from gateway.releases.repository import Repository
from tests.page.pages import browsing, plain, skills_in
from tests.releases.stored import Skill, publish
from tests.stores import MemoryBucket
from tests.tree.trees import skill_md

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
TREE = {
    "acme/billing/refunds/SKILL.md": skill_md(
        "refunds", "# Refund\n\nSee [replies](a%20b/replies.md).", "Pays it back."
    ),
    "acme/billing/refunds/a b/replies.md": b"Dear *customer*",
    "acme/billing/refunds/logo.png": PNG,
    "acme/hr/leave/SKILL.md": skill_md("leave", "", "Plans a holiday & more <b>."),
    "broken/SKILL.md": b"---\nname: broken\n",
    "kit/SKILL.md": skill_md("kit", "", "Builds a kit."),
    "kit/inner/SKILL.md": skill_md("inner", "", "Lies inside."),
}
KEY, KEPT = make_api_key("ci", b"1" * 32)
BEARER = {"Authorization": f"Bearer {KEY}"}


async def test_the_catalogue_shows_every_skill_by_its_folder() -> None:
    """[ours] Over several pages of the provider; what skills say is text, not HTML."""
    async with browsing(TREE) as browser:
        answer = await browser.get("/")
        assert answer.status_code == 200
        assert skills_in(answer.text) == ["kit", "acme/billing/refunds", "acme/hr/leave", "kit/inner"]
        assert "Plans a holiday &amp; more &lt;b&gt;." in answer.text
        assert "4 skills" in plain(answer.text)
        folders = re.findall(r'href="/\?in=([^"]+)"[^>]*>([^<]+)</a> <span class="muted">(\d+)', answer.text)
        assert folders == [
            ("acme", "acme", "2"),
            ("acme%2Fbilling", "billing", "1"),
            ("acme%2Fhr", "hr", "1"),
            ("kit", "kit", "1"),
        ]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"q": "HOLIDAY"}, ["acme/hr/leave"]),
        ({"q": "acme back"}, ["acme/billing/refunds"]),
        ({"q": "<b>"}, ["acme/hr/leave"]),
        ({"q": "nothing like this"}, []),
        ({"in": "acme"}, ["acme/billing/refunds", "acme/hr/leave"]),
        ({"in": "acm"}, []),
        ({"in": "acme", "q": "kit"}, []),
        ({"q": "  "}, ["kit", "acme/billing/refunds", "acme/hr/leave", "kit/inner"]),
    ],
)
async def test_a_search_finds_skills_by_all_of_its_words(asked: dict[str, str], found: list[str]) -> None:
    """[ours] In name, description and path; without scripts it is a form."""
    async with browsing(TREE) as browser:
        answer = await browser.get("/", params=asked)
        assert skills_in(answer.text) == found
        assert "<b>" not in answer.text


async def test_a_long_catalogue_goes_on_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours] By a cursor that is good for this search and nothing else."""
    monkeypatch.setattr("gateway.page.routes.ENOUGH", 4)
    names = [f"s{number:02}" for number in range(11)]
    async with browsing({f"{name}/SKILL.md": skill_md(name) for name in names}) as browser:
        address, found = "/?q=s", list[str]()
        for _ in range(9):
            html = (await browser.get(address)).text
            found += skills_in(html)
            following = re.search(r'href="([^"]+)" rel="next"', html)
            if following is None:
                break
            address = following[1].replace("&amp;", "&")
            other = await browser.get(address.replace("q=s", "q=t"))
            assert other.status_code == 400
        assert found == names


async def test_a_skill_is_shown_with_its_text_frontmatter_and_files() -> None:
    """[ours] Digests are those of the bytes that are downloaded."""
    async with browsing(TREE) as browser:
        html = (await browser.get("/skills/acme/billing/refunds")).text
        assert '<h2 id="md-refund">Refund</h2>' in html
        assert 'href="/skills/acme/billing/refunds?file=a%20b%2Freplies.md"' in html
        assert "skill://acme/billing/refunds/SKILL.md" in html
        for path in ("SKILL.md", "a b/replies.md", "logo.png"):
            data = TREE[f"acme/billing/refunds/{path}"]
            assert sha256(data).hexdigest() in html
            address = f"/files/acme/billing/refunds/{path.replace(' ', '%20')}"
            assert f'href="{address}" download' in html
            assert (await browser.get(address)).content == data
        assert "<em>customer</em>" in (await browser.get("/skills/acme/billing/refunds?file=a%20b/replies.md")).text
        assert (
            'src="/files/acme/billing/refunds/logo.png"'
            in (await browser.get("/skills/acme/billing/refunds?file=logo.png")).text
        )
        assert 'href="/skills/kit/inner"' in (await browser.get("/skills/kit")).text


async def test_a_downloaded_file_is_never_a_page_of_ours() -> None:
    """[ours] Whatever its type is: only pictures are shown, and of those none that may hold scripts."""
    files = {
        "x.html": b"<script>alert(1)</script>",
        "x.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        "a.png": PNG,
    }
    tree = {"kit/SKILL.md": skill_md("kit")} | {f"kit/{name}": data for name, data in files.items()}
    async with browsing(tree) as browser:
        for name in files:
            answer = await browser.get(f"/files/kit/{name}")
            assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
            assert answer.headers["x-content-type-options"] == "nosniff"
            is_picture = name == "a.png"
            assert answer.headers["content-type"] == ("image/png" if is_picture else "application/octet-stream")
            assert answer.headers["content-disposition"].startswith("inline" if is_picture else "attachment")


@pytest.mark.parametrize(
    "address",
    [
        "/skills/nothing",
        "/skills/",
        "/skills/acme",
        "/skills/broken",
        "/skills/acme/billing/refunds/",
        "/skills/acme/billing/refunds?file=none.md",
        "/skills/acme/billing/refunds?file=../../hr/leave/SKILL.md",
        "/files/acme/billing/refunds/none",
        "/files/acme/billing/refunds/%2e%2e/x",
        "/files/acme/billing/refunds",
        "/files/",
        "/files/acme/%00",
        "/history",
    ],
)
async def test_what_is_not_served_is_not_here(address: str) -> None:
    """[ours] One page says so for all of them."""
    async with browsing(TREE) as browser:
        answer = await browser.get(address)
        assert answer.status_code == 404
        assert "<h1>Nothing here</h1>" in answer.text


async def test_problems_are_shown_until_they_are_mended() -> None:
    """[ours] With the spot in the file."""
    bucket = MemoryBucket()
    await bucket.put("bad/SKILL.md", b"---\nname: bad\ndescription: a: b\n---\n")
    async with browsing(bucket) as browser:
        html = (await browser.get("/problems")).text
        row = re.search(
            r"<td><code>bad</code></td>\s*<td class=\"number\">(\d+)</td>\s*<td class=\"number\">(\d+)", html
        )
        assert row is not None
        assert row[1] == "3"
        await bucket.put("bad/SKILL.md", skill_md("bad"))
        assert "No problem is known" in (await browser.get("/problems")).text


async def test_everybody_sees_what_the_rules_allow_and_no_more() -> None:
    """[ours] In the catalogue, on pages of skills, in problems; what is hidden is answered as what is absent."""
    rules = (parse_rule({"paths": ["acme/hr/**"], "keys": ["ci"]}),)
    tree = TREE | {"acme/hr/bad/SKILL.md": b"x"}
    async with browsing(tree, auth="bearer", api_keys=(KEPT.line,), rules=rules) as browser:
        assert (await browser.get("/")).status_code == 401
        assert (await browser.get("/skills/acme/hr/leave")).status_code == 401
        for path in PUBLIC_PATHS:
            assert (await browser.get(path)).status_code == 200
        assert skills_in((await browser.get("/", headers=BEARER)).text) == ["acme/hr/leave"]
        assert skills_in((await browser.get("/?q=kit", headers=BEARER)).text) == []
        problems = (await browser.get("/problems", headers=BEARER)).text
        assert "acme/hr/bad" in problems
        assert "broken" not in problems
        hidden = await browser.get("/skills/kit", headers=BEARER)
        absent = await browser.get("/skills/kat", headers=BEARER)
        assert (hidden.status_code, hidden.text) == (404, absent.text)
        assert (await browser.get("/files/kit/SKILL.md", headers=BEARER)).status_code == 404
        assert (await browser.get("/files/acme/hr/leave/SKILL.md", headers=BEARER)).status_code == 200
        connect = (await browser.get("/connect", headers=BEARER)).text
        assert "YOUR_TOKEN" in connect


async def test_problems_at_keys_and_in_skills_of_others_are_not_told() -> None:
    """[ours] No rule speaks of keys; a skill nested in a hidden one is hidden, whatever names it."""
    rules = (parse_rule({"paths": ["acme/**", "of/**", "kit/inner"], "keys": ["ci"]}),)
    tree = {f"of/{key}": data for key, data in TREE.items()} | {
        "of/acme/bad/SKILL.md": b"x",
        "of/kit/inner/SKILL.md": b"x",
        "of/hr/\x01odd/SKILL.md": b"x",
    }
    async with browsing(tree, prefix="of/", auth="bearer", api_keys=(KEPT.line,), rules=rules) as browser:
        told = plain((await browser.get("/problems", headers=BEARER)).text)
        assert "acme/bad" in told
        assert "inner" not in told
        assert "odd" not in told
    async with browsing(tree, prefix="of/") as browser:
        told = plain((await browser.get("/problems")).text)
        assert "kit/inner" in told
        assert "odd" in told


async def test_the_history_shows_what_each_release_brought() -> None:
    """[ours] To each reader what it may see; for one skill only what touched it."""
    bucket = MemoryBucket()
    repository = Repository(bucket.store, "")
    await publish(repository, [Skill("kit", "Old."), Skill("hr", "A.")])
    await publish(repository, [Skill("kit", "New."), Skill("hr", "A."), Skill("more", "B.")])
    await publish(repository, [Skill("kit", "New."), Skill("hr", "C."), Skill("more", "B.")])
    async with browsing(bucket, mount="acme") as browser:
        text = plain((await browser.get("/history")).text)
        newest, middle, oldest = re.split(r"20\d\d-\d\d-\d\d ", text)[1:]
        assert "changed acme/hr" in newest
        assert "current" in newest
        assert "added acme/more" in middle
        assert "changed acme/kit" in middle
        assert "added acme/hr , acme/kit" in oldest
        own = plain((await browser.get("/history", params={"skill": "acme/kit"})).text)
        assert len(re.split(r"20\d\d-\d\d-\d\d ", own)[1:]) == 2
        assert "changes of this skill" in plain((await browser.get("/skills/acme/kit")).text)
    rules = (parse_rule({"paths": ["acme/hr"]}),)
    async with browsing(bucket, mount="acme", rules=rules, auth="bearer", api_keys=(KEPT.line,)) as browser:
        text = (await browser.get("/history", headers=BEARER)).text
        assert "acme/hr" in text
        assert "acme/kit" not in text
        assert "acme/more" not in text


async def test_the_message_of_a_step_is_told_to_who_sees_all_that_it_changed() -> None:
    """[ours] Whoever wrote it was free to name a skill that others do not see."""
    bucket = MemoryBucket()
    repository = Repository(bucket.store, "")
    first = await publish(repository, [Skill("kit", "A."), Skill("hr", "A.")], message="both are new")
    await publish(repository, [Skill("kit", "B."), Skill("hr", "A.")], message="kit: a secret of it")
    await publish(repository, [Skill("kit", "B."), Skill("hr", "B.")], message="hr: more holidays")
    messages = ("both are new", "kit: a secret of it", "hr: more holidays")
    rules = (parse_rule({"paths": ["hr"]}),)
    async with browsing(bucket, rules=rules, auth="bearer", api_keys=(KEPT.line,)) as browser:
        text = (await browser.get("/history", headers=BEARER)).text
        assert [message for message in messages if message in text] == ["hr: more holidays"]
    await bucket.delete(repository.layout.index(first.id))
    async with browsing(bucket, rules=rules, auth="bearer", api_keys=(KEPT.line,)) as browser:
        text = (await browser.get("/history", headers=BEARER)).text
        assert "not known any more" in text
        assert [message for message in messages if message in text] == ["hr: more holidays"]
    async with browsing(bucket) as browser:
        text = (await browser.get("/history")).text
        assert [message for message in messages if message in text] == [*messages]


async def test_pages_are_sent_with_what_keeps_them_to_themselves() -> None:
    """[CSP 3] On errors too."""
    async with browsing(TREE) as browser:
        for address in ("/", "/skills/kit", "/skills/none", "/problems", "/connect"):
            headers = (await browser.get(address)).headers
            policy = headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"] == "private, no-store"
        assert (await browser.get("/", headers={"Host": "evil.example"})).status_code == 421
        assert (await browser.post("/", content=b"")).status_code == 405


async def test_a_page_that_somebody_reads_is_a_line_of_the_audit(tmp_path: Path) -> None:
    """[ours] With the client's name for the page, as MCP clients have theirs."""
    audit = tmp_path / "audit"
    async with browsing(TREE, audit=str(audit)) as browser:
        await browser.get("/skills/kit")
        await browser.get("/skills/none")
    lines = [json.loads(line) for line in audit.read_bytes().splitlines()]
    told = [(line["method"], line["uri"], line["result"], line["client"]["name"]) for line in lines]
    page = "skills-gateway page"
    assert told == [
        ("skills/get", "skill://kit/SKILL.md", "ok", page),
        ("resources/read", "skill://kit/SKILL.md", "ok", page),
        ("skills/get", "skill://none/SKILL.md", "not_served", page),
    ]
    assert lines[1]["digest"] == "sha256:" + sha256(TREE["kit/SKILL.md"]).hexdigest()


async def test_archives_are_offered_where_there_are_some() -> None:
    """[ours] Beside the pages of the same skills."""
    async with browsing(TREE, downloads=True) as browser:
        html = (await browser.get("/skills/kit")).text
        assert 'href="/skills/kit.zip" download' in html
        assert (await browser.get("/skills/kit.zip")).content.startswith(b"PK")
        assert "<h1>Nothing here</h1>" in (await browser.get("/skills/none")).text
    async with browsing(TREE) as browser:
        assert ".zip" not in (await browser.get("/skills/kit")).text
        assert (await browser.get("/skills/kit.zip")).status_code == 404


async def test_of_a_very_long_table_the_beginning_is_shown_and_how_much_more_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """[ours] 10,000 rows hold everybody else up for half a second."""
    monkeypatch.setattr("gateway.page.answers.MAX_ROWS", 3)
    files = {f"big/{number}.md": b"" for number in range(4)}
    inner = {f"big/in-{number}/SKILL.md": skill_md(f"in-{number}") for number in range(5)}
    broken = {f"broken-{number}/SKILL.md": b"x" for number in range(5)}
    async with browsing({"big/SKILL.md": skill_md("big"), **files, **inner, **broken}) as browser:
        html = (await browser.get("/skills/big")).text
        table, _, rest = html.partition("</table>")
        assert table.count('aria-label="Download') == 3
        assert "10 files" in table
        assert "7 more files" in rest
        assert [name for name in ("in-0", "in-2", "in-3") if f'href="/skills/big/{name}"' in rest] == ["in-0", "in-2"]
        assert "2 more skills" in rest
        html = (await browser.get("/problems")).text
        assert html.count("<td><code>broken-") == 3
        assert "2 more problems" in html
    monkeypatch.undo()
    async with browsing({"big/SKILL.md": skill_md("big"), **files}) as browser:
        assert "more file" not in (await browser.get("/skills/big")).text


async def test_hosts_are_told_the_address_that_they_can_use() -> None:
    """[ours] The public one, or that by which the reader came."""
    async with browsing(TREE, port=0) as browser:
        assert (
            "claude mcp add --transport http skills http://127.0.0.1:8000/mcp" in (await browser.get("/connect")).text
        )
    async with browsing(TREE, public_url="https://skills.example.com", variants={"beta": {}}) as browser:
        text = (await browser.get("/connect")).text
        assert "https://skills.example.com/mcp" in text
        assert "127.0.0.1" not in text


VARIANTS = {"beta": {"prefix": "beta/"}, "old": {"prefix": "old/"}}
OF_VARIANTS = {
    "main/acme/kit/SKILL.md": skill_md("kit", "See [notes](notes.md) and ![logo](logo.png).", "The one for all."),
    "main/acme/kit/notes.md": b"notes",
    "beta/acme/kit/SKILL.md": skill_md("kit", "See [notes](notes.md) and ![logo](logo.png).", "The next one."),
    "beta/acme/kit/notes.md": b"# Of beta\n\n[back](SKILL.md)",
    "beta/acme/kit/logo.png": PNG,
    "beta/acme/new/SKILL.md": skill_md("new"),
    "beta/broken/SKILL.md": b"---\nname: broken\n",
    "old/gone/SKILL.md": skill_md("gone"),
}
_LINKS = re.compile(r'(?:href|action|src)="(/[^"#]*)"')


async def test_each_variant_has_pages_of_its_own() -> None:
    """[ours: variants] All that is linked there stays there; the root shows the one without a name."""
    async with browsing(OF_VARIANTS, prefix="main/", variants=VARIANTS, downloads=True) as browser:
        for base in ("", "/variants/default"):
            assert "The one for all." in (await browser.get(f"{base}/")).text
            links = _LINKS.findall((await browser.get(f"{base}/skills/acme/kit")).text)
            assert [link for link in links if "beta" in link] == ["/variants/beta/"]
            assert "No problem is known" in (await browser.get(f"{base}/problems")).text
        seen: dict[str, str] = {}
        asked = ["/variants/beta/"]
        while asked:
            answer = await browser.get(address := asked.pop())
            assert answer.status_code == 200, address
            seen[address] = answer.text if answer.headers["content-type"].startswith("text/html") else ""
            asked += {link for link in _LINKS.findall(seen[address]) if "/beta/" in link} - {*seen, *asked}
        outside = {link.partition("?")[0] for text in seen.values() for link in _LINKS.findall(text)} - {
            link.partition("?")[0] for link in seen
        }
        assert outside == {"/variants/default/", "/variants/old/", *PUBLIC_PATHS}
        assert {*seen} >= {
            "/variants/beta/skills/acme/kit",
            "/variants/beta/skills/acme/kit?file=notes.md",
            "/variants/beta/files/acme/kit/logo.png",
            "/variants/beta/problems",
            "/variants/beta/connect",
            "/variants/beta/?in=acme",
            "/mcp/beta/skills/acme/kit.zip",
        }
        assert "Of beta" in seen["/variants/beta/skills/acme/kit?file=notes.md"]
        assert "broken" in seen["/variants/beta/problems"]
        assert "http://127.0.0.1:8000/mcp/beta" in seen["/variants/beta/connect"]
        current = re.findall(r'<a href="([^"]*)" aria-current="true">(\w+)</a>', seen["/variants/beta/"])
        assert current == [("/variants/beta/", "beta")]


async def test_a_variant_that_the_reader_may_not_know_of_is_like_none() -> None:
    """[ours: hidden is like absent] Nor is it among the links; who sees one alone is offered no choice."""
    rules = (
        parse_rule({"paths": ["**"], "variants": ["default", "beta"], "keys": ["ci"]}),
        parse_rule({"paths": ["**"], "variants": ["beta"], "keys": ["ops"], "default_variant": "beta"}),
    )
    ops, kept = make_api_key("ops", b"2" * 32)
    of_ops = {"Authorization": f"Bearer {ops}"}
    keys = {"auth": "bearer", "api_keys": (KEPT.line, kept.line), "public_url": "http://127.0.0.1:8000"}
    async with browsing(OF_VARIANTS, prefix="main/", variants=VARIANTS, rules=rules, **keys) as browser:
        for path in ("", "skills/gone", "problems", "connect", "files/gone/SKILL.md"):
            hidden = await browser.get(f"/variants/old/{path}", headers=BEARER)
            absent = await browser.get(f"/variants/none/{path}", headers=BEARER)
            assert (hidden.status_code, hidden.text) == (absent.status_code, absent.text)
            assert hidden.status_code == 404
            assert (await browser.get(f"/variants/beta/{path}")).status_code in (303, 401)
        offered = re.findall(r'href="/variants/(\w+)/"', (await browser.get("/", headers=BEARER)).text)
        assert offered == ["default", "beta"]
        home = (await browser.get("/", headers=of_ops)).text
        assert "The next one." in home
        assert "/variants/" not in home
        assert (await browser.get("/variants/default/", headers=of_ops)).status_code == 404


async def test_without_the_page_there_is_none() -> None:
    """[ours]"""
    async with browsing(TREE, page=False) as browser:
        for address in ("/", "/skills/kit", "/files/kit/SKILL.md", "/assets/page.css"):
            assert (await browser.get(address)).status_code == 404


def test_sizes_are_written_for_people() -> None:
    """[ours]"""
    assert [size_text(size) for size in (0, 1023, 1536, 2**20 - 8, 3 * 2**20, 5 * 2**30)] == [
        "0 bytes",
        "1023 bytes",
        "1.5 KiB",
        "1.0 MiB",
        "3.0 MiB",
        "5.0 GiB",
    ]
