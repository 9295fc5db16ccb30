"""The login page. Pure: values in, HTML out; it has no script and no style of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class LoginPage:
    """What the page shows. `providers` are names of identity providers and where a login with each begins."""

    next_path: str
    sentence: str = ""
    """What went wrong, or why the page is shown; empty for nothing."""
    providers: tuple[tuple[str, str], ...] = ()


RenderLogin = Callable[[LoginPage], str]

_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Log in</title>
</head>
<body>
<main>
<h1>Log in</h1>
{sentence}{providers}<form method="post" action="/login">
<input type="hidden" name="next" value="{next_path}">
<p><label for="token">API key or access token</label></p>
<p><input id="token" name="token" type="password" autocomplete="current-password" spellcheck="false" required></p>
<p><button type="submit">Log in</button></p>
</form>
</main>
</body>
</html>
"""


def render_login(page: LoginPage) -> str:
    """The page as plain HTML."""
    sentence = f'<p role="alert">{escape(page.sentence)}</p>\n' if page.sentence else ""
    links = "".join(
        f'<li><a href="{escape(address)}">Log in with {escape(name)}</a></li>\n' for name, address in page.providers
    )
    providers = f"<ul>\n{links}</ul>\n" if links else ""
    return _FRAME.format(sentence=sentence, providers=providers, next_path=escape(page.next_path))
