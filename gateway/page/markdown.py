"""Markdown of a skill as HTML that can do no harm on the page. Pure.

HTML in it is shown as text. What markdown-it makes goes through nh3, which lets through the tags named here and
nothing else, so that a fault in one of the two is not enough. Source: CommonMark 0.31, GFM tables.
"""

from collections.abc import Sequence

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from gateway.page.links import Resolve, heading_id, is_outside

MAX_CHARACTERS = 128 * 1024
MAX_BRACKETS = 8192
"""Longer texts, and those with more opening brackets, are shown as they are: a hostile one would take seconds."""
MAX_MARKS = 16 * 1024
"""As many line ends and marks of lists, quotes and cells: each may become an element, and memory of its own. Real texts
have one in 20 characters or so."""
MAX_TARGET_CHARACTERS = 4 * MAX_CHARACTERS
"""As many in all targets and titles together: one definition may be used, and is then repeated, thousands of times."""

_MARKS = ("\n", "|", "> ", "- ", "* ", "+ ")
_TAGS = {
    *("a", "blockquote", "br", "code", "del", "em", "h2", "h3", "h4", "h5", "h6", "hr", "img", "li", "ol", "p", "pre"),
    *("s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
_HEADINGS = {f"h{level}" for level in range(2, 7)}
_ATTRIBUTES = {"a": {"href"}, "img": {"src", "alt"}, "ol": {"start"}} | {heading: {"id"} for heading in _HEADINGS}
_SCHEMES = {"http", "https", "mailto"}
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "maxNesting": 30}).enable(["table", "strikethrough"])


def render(text: str, link: Resolve, image: Resolve) -> str | None:
    """HTML of Markdown without its frontmatter; None for a text that would take too long, or become too long.

    `link` and `image` say where targets lead; a link to nowhere stays as its text. Headings go down by one
    level, as the page has a heading of its own.
    """
    if _takes_too_long(text):
        return None
    tokens = _MARKDOWN.parse(text)
    if _target_characters(tokens) > MAX_TARGET_CHARACTERS:
        return None
    _settle(tokens, link, image)
    html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    clean = nh3.clean(
        html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=_SCHEMES, link_rel="noopener noreferrer nofollow"
    )
    # What scrolls must be within reach of a keyboard. In text, `<` is never a bare one.
    return clean.replace("<pre>", '<pre tabindex="0">').replace("<table>", '<table tabindex="0">')


def _takes_too_long(text: str) -> bool:
    return len(text) > MAX_CHARACTERS or text.count("[") > MAX_BRACKETS or sum(map(text.count, _MARKS)) > MAX_MARKS


def _settle(tokens: Sequence[Token], link: Resolve, image: Resolve) -> None:
    """Levels and ids of headings, and where links and pictures lead; in place."""
    for number, token in enumerate(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
        if token.type == "heading_open":
            token.attrSet("id", heading_id(tokens[number + 1].content))
        if token.children:
            token.children = _pictures(_links(token.children, link), image)


def _target_characters(tokens: Sequence[Token]) -> int:
    inner = (token for block in tokens for token in block.children or ())
    return sum(len(str(value)) for token in inner for value in token.attrs.values())


def _links(tokens: Sequence[Token], link: Resolve) -> list[Token]:
    kept: list[Token] = []
    is_dropped = False
    for token in tokens:
        if token.type == "link_open":
            target = link(str(token.attrGet("href") or ""))
            is_dropped = target is None
            if target is not None:
                token.attrSet("href", target)
        if not (is_dropped and token.type in ("link_open", "link_close")):
            kept.append(token)
    return kept


def _pictures(tokens: Sequence[Token], image: Resolve) -> list[Token]:
    made: list[Token] = []
    is_in_link = False
    for token in tokens:
        is_in_link = token.type == "link_open" or (is_in_link and token.type != "link_close")
        if token.type != "image":
            made.append(token)
            continue
        target = str(token.attrGet("src") or "")
        source = image(target)
        if source is not None:
            token.attrSet("src", source)
            made.append(token)
        else:
            made += _instead(token, target, is_linked=is_outside(target) and not is_in_link)
    return made


def _instead(token: Token, target: str, *, is_linked: bool) -> list[Token]:
    """What stands for a picture that is not loaded."""
    text = Token("text", "", 0, content=f"[picture: {token.content or target}]")
    if not is_linked:
        return [text]
    return [Token("link_open", "a", 1, attrs={"href": target}), text, Token("link_close", "a", -1)]
