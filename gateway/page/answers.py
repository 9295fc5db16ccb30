"""HTML answers: templates filled in, and the headers that keep a page to itself.

Scripts, styles and pictures come from this host alone, nobody may frame the page, and nothing of it is kept by
a cache that others share. Source: CSP Level 3; Fetch standard; RFC 9111.
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import Response

from gateway import __version__
from gateway.page.links import Addresses
from gateway.skill.model import printable
from gateway.web.login.page import LoginPage

_HERE = Path(__file__).parent
ASSETS = {
    "/assets/page.css": ("page.css", "text/css; charset=utf-8"),
    "/assets/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/assets/icon.svg": ("icon.svg", "image/svg+xml"),
}
"""By path: the file and its media type. All are public, as the login shows them too."""

MAX_ROWS = 1000
"""Of a longer table the beginning is shown: what fills a template leaves nobody else a turn meanwhile."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Templates:
    """The templates of the page, and its assets; read once, when the app is made."""

    def __init__(self) -> None:
        loader = FileSystemLoader(_HERE / "templates")
        environment = self._environment = Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        self._assets = {path: (_HERE / "assets" / name).read_bytes() for path, (name, _) in ASSETS.items()}
        filters, functions = (cast("dict[str, Any]", known) for known in (environment.filters, environment.globals))
        filters.update(size=size_text, printable=printable, query=_in_query)
        functions.update(at=Addresses(), asset=self._asset_address, rows=MAX_ROWS)

    def html(self, template: str, values: Mapping[str, Any], *, status: int = 200) -> Response:
        """A page that nobody but this reader keeps."""
        body = self._environment.get_template(template).render(values)
        headers = SECURITY_HEADERS | {"Cache-Control": "private, no-store"}
        return Response(body, status, headers, "text/html")

    def login(self, page: LoginPage) -> str:
        """The login page, for `LoginOptions`; its own headers let no script run."""
        return self._environment.get_template("login.html").render({"login": page, "version": __version__})

    def asset(self, path: str) -> Response:
        """A file of the page itself, which has its contents' digest in its address."""
        headers = SECURITY_HEADERS | {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(self._assets[path], headers=headers, media_type=ASSETS[path][1])

    def _asset_address(self, path: str) -> str:
        return f"{path}?v={sha256(self._assets[path]).hexdigest()[:12]}"


def size_text(size_bytes: int) -> str:
    """A size for people, in units of 1,024."""
    size = float(size_bytes)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1023.95:  # which would be written as 1024.0
            return f"{size_bytes} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def _in_query(text: str) -> str:
    return quote(text, safe="")


def download(data: bytes, name: str, media_type: str) -> Response:
    """The bytes of a file. Only pictures are shown by a browser; all else is saved, as what it is called by."""
    ascii_name = "".join(one if one.isascii() and one.isprintable() and one not in '"\\;%' else "_" for one in name)
    kind = "inline" if media_type.startswith("image/") else "attachment"
    headers = SECURITY_HEADERS | {
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Content-Disposition": f"{kind}; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(name, safe='')}",
        "Cache-Control": "private, no-cache",
    }
    return Response(data, headers=headers, media_type=media_type)
