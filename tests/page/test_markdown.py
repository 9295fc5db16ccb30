"""Markdown as HTML: harmless whatever it says, and with links that lead where they should."""

import re

import pytest

from gateway.page.links import Addresses, images_of, links_of
from gateway.page.markdown import MAX_BRACKETS, MAX_CHARACTERS, render
from gateway.page.rendered import body_of

FILES = {"references/a b.md", "assets/x.png", "SKILL.md", "references/SKILL.md"}
AT = Addresses()
LINK = links_of(AT, "acme/kit", "references/here.md", FILES.__contains__)
IMAGE = images_of(AT, "acme/kit", "references/here.md", lambda path: path == "assets/x.png")


def shown(text: str) -> str:
    html = render(text, LINK, IMAGE)
    assert html is not None
    return html.strip()


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg onload=alert(1)><a xlink:href='javascript:alert(1)'>x</a></svg>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](\x01javascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](vbscript:msgbox)",
        "[x](//evil.example/x)",
        "[x](\\\\evil.example)",
        "![x](javascript:alert(1))",
        "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
        "<javascript:alert(1)>",
        "[x]: javascript:alert(1)\n\n[x]",
        "```<script>\nalert(1)\n```",
        "# <b onclick=alert(1)>",
        "| <script> |\n|-|\n| <img src=x onerror=alert(1)> |",
        '[x](https://a.example/"onmouseover="alert(1))',
        "<style>*{display:none}</style>",
        "<iframe src=//evil.example></iframe>",
        "<form action=//evil.example><input name=q></form>",
    ],
)
def test_nothing_of_a_text_runs_or_is_loaded(text: str) -> None:
    """[ours] HTML is shown as it is written; a link to nowhere good is no link."""
    html = shown(text)
    tags = set(re.findall(r"<\s*([a-z0-9]+)", html))
    assert tags <= {"p", "a", "pre", "code", "h2", "table", "thead", "tbody", "tr", "th", "td"}
    for target in re.findall(r'(?:href|src)="([^"]*)"', html):
        assert target.startswith("https://a.example/")
    assert not re.search(r"<[^>]*\son[a-z]+\s*=", html)


def test_links_lead_to_files_of_the_skill_and_out_of_the_page() -> None:
    """[ours] Also up and down the folders of the skill; never out of it."""
    assert 'href="/skills/acme/kit?file=references%2Fa%20b.md"' in shown("[a](a%20b.md#part)")
    assert 'href="/skills/acme/kit"' in shown("[a](../SKILL.md)")
    assert 'href="/skills/acme/kit?file=references%2FSKILL.md"' in shown("[a](./SKILL.md)")
    assert 'href="https://a.example/x" rel="noopener noreferrer nofollow"' in shown("<https://a.example/x>")
    assert 'href="mailto:a@b.example"' in shown("[a](mailto:a@b.example)")
    for text in ("[a](nothing.md)", "[a](../../other/SKILL.md)", "[a](/etc/passwd)", "[a]()", "[a](?x)"):
        assert shown(text) == "<p>a</p>"


def test_pictures_come_from_the_skill_alone() -> None:
    """[ours] One from elsewhere would tell its host who reads what."""
    assert shown("![p](../assets/x.png)") == '<p><img src="/files/acme/kit/assets/x.png" alt="p"></p>'
    remote = shown("![p](https://evil.example/p.png)")
    assert "<img" not in remote
    assert '<a href="https://evil.example/p.png" rel="noopener noreferrer nofollow">[picture: p]</a>' in remote
    assert shown("![p](other.svg)") == "<p>[picture: p]</p>"
    badge = shown("[![p](https://evil.example/p.svg)](https://a.example/)")
    assert badge.count("<a ") == 1
    assert "<img" not in badge


def test_headings_go_down_by_one_and_can_be_linked_to() -> None:
    """[ours] The page has a first heading of its own, and ids of ours, so that none shadows a name of a script."""
    html = shown("# Two Words!\n\n###### x\n\n[go](#two-words)")
    assert '<h2 id="md-two-words">Two Words!</h2>' in html
    assert "<h6" in html
    assert 'href="#md-two-words"' in html


def test_a_text_that_would_take_too_long_is_not_rendered() -> None:
    """[ours] It is shown as it is."""
    assert render("a" * (MAX_CHARACTERS + 1), LINK, IMAGE) is None
    assert render("[" * (MAX_BRACKETS + 1), LINK, IMAGE) is None
    for marks in ("- - - - - - a\n", "> - a\n", "|" * 30 + "\n", "a\n=\n", "1. a\n"):
        assert render(marks * (MAX_CHARACTERS // len(marks)), LINK, IMAGE) is None
    table = "| a | b | c |\n" + "|-|-|-|\n" + "| some | words | in each of them |\n" * 2500
    assert "<table" in (render(table, LINK, IMAGE) or "")


@pytest.mark.parametrize(
    ("definition", "use"),
    [
        ("[a]: https://a.example/" + "x" * 60_000, "[a]"),
        ("[a]: https://a.example/" + "x" * 60_000, "![][a]"),
        ('[a]: https://a.example "' + "t" * 60_000 + '"', "[a]"),
        ("[a]: " + "../" * 20_000, "[a]"),
    ],
)
def test_a_target_that_is_written_once_does_not_come_a_thousand_times(definition: str, use: str) -> None:
    """[CommonMark 4.7] Each use of a definition repeats all of it: 80 KiB would become half a gigabyte."""
    assert render(f"{definition}\n\n{use * 4000}", LINK, IMAGE) is None
    assert render(f"{definition}\n\n{use}", LINK, IMAGE) is not None


def test_the_frontmatter_is_no_part_of_the_text() -> None:
    """[agentskills.io]"""
    assert body_of("---\nname: a\n---\n# A\n---\n") == "# A\n---\n"
    assert body_of("\ufeff---\r\nname: a\r\n---\r\nA") == "A"
    assert body_of("# A\n---\n") == "# A\n---\n"
