"""What a protected endpoint says of itself to those who bring no token, or none that will do. Pure.

Source: RFC 6750 section 3 (challenges); RFC 9728 sections 2, 3.1 and 5.1 (metadata and where it is);
MCP 2026-07-28, Authorization (`scope` in challenges).
"""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

WELL_KNOWN = "/.well-known/oauth-protected-resource"

_QUOTABLE = re.compile(r"[\x20\x21\x23-\x5b\x5d-\x7e]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class ProtectedResource:
    """One endpoint. `path` is where the app answers, `url` what clients connect to and name as the resource.

    Without `authorization_servers` (API keys alone) there is no metadata, as it would lead nowhere. Raises ValueError
    for what cannot stand in a header field.
    """

    path: str
    url: str
    authorization_servers: tuple[str, ...] = ()
    scopes_supported: tuple[str, ...] = ("skills:read",)
    required_scopes: tuple[str, ...] = ("skills:read",)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if not parts.scheme or not parts.netloc or parts.query or parts.fragment:
            raise ValueError(f"{self.url!r} is no URL of a resource; needs one like https://skills.example.com/mcp")
        if fault := next((text for text in (self.url, *self.required_scopes) if not _QUOTABLE.fullmatch(text)), None):
            raise ValueError(f"{fault!r} cannot stand between quotes in a header field")

    @property
    def metadata_path(self) -> str:
        """Where the metadata is: the well-known path in front of that of the URL."""
        path = urlsplit(self.url).path
        return WELL_KNOWN + ("" if path == "/" else path)

    @property
    def metadata_url(self) -> str | None:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{self.metadata_path}" if self.authorization_servers else None

    @property
    def metadata(self) -> dict[str, str | list[str]]:
        """The metadata document."""
        return {
            "resource": self.url,
            "authorization_servers": list(self.authorization_servers),
            "scopes_supported": list(self.scopes_supported),
            "bearer_methods_supported": ["header"],
        }

    def challenge(self, error: str | None = None, description: str | None = None) -> str:
        """The value of `WWW-Authenticate`; without an error for a request that brought no token."""
        fields = {
            "error": error,
            "error_description": description,
            "resource_metadata": self.metadata_url,
            "scope": " ".join(self.required_scopes) or None,
        }
        told = ", ".join(f'{name}="{value}"' for name, value in fields.items() if value is not None)
        return f"Bearer {told}".rstrip()
