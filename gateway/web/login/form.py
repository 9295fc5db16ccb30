"""What a form of ours sent, and whether it was ours. Pure.

A browser says with each form where it came from: in Sec-Fetch-Site, and in Origin. One that says neither, or another
site, is refused, so that no other site can log anybody in or out. Source: Fetch Metadata, section 2.4; RFC 6454 section
7; WHATWG HTML section 4.10.21 (form submission).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from gateway.web.login.paths import local_path
from gateway.web.login.refusals import LoginRefused

MAX_FORM_BYTES = 16 * 1024
_MAX_FIELDS = 8
_TYPE = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class LoginForm:
    """What somebody entered, and where they want to go."""

    token: str = field(repr=False)
    next_path: str


def check_origin(headers: Mapping[str, str], public_origin: str) -> None:
    """Raises LoginRefused unless a browser says that the form came from here.

    `public_origin` is empty when it is not known; then, and beside it, the Host says who we are.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    host = headers.get("host", "").lower()
    own = {public_origin.lower(), f"http://{host}", f"https://{host}"} - {""}
    if site is None and origin is None:
        raise LoginRefused("cross_site")
    if site not in (None, "same-origin") or (origin is not None and origin.lower() not in own):
        raise LoginRefused("cross_site")


def read_form(content_type: str, body: bytes) -> LoginForm:
    """Raises LoginRefused for what is no form of ours. Blanks around a token and a `Bearer` before it do not count."""
    if content_type.partition(";")[0].strip().lower() != _TYPE or len(body) > MAX_FORM_BYTES:
        raise LoginRefused("form")
    try:
        fields = parse_qs(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise LoginRefused("form") from None
    token = fields.get("token", [""])[0].strip().removeprefix("Bearer ").strip()
    return LoginForm(token, local_path(fields.get("next", [None])[0]))
