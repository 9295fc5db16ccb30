"""Which paths are pages, and where a login may lead. Pure.

A target is a path of this host or it is none: browsers take `//host` and `/\\host` for another host, and drop control
characters before they look. Source: WHATWG URL, section 4.4 (relative and special authority states).
"""

import re
from dataclasses import dataclass

LOGIN, LOGOUT, BEGIN, CALLBACK = "/login", "/logout", "/login/oauth", "/login/callback"
LOGIN_PATHS = frozenset({LOGIN, LOGOUT, BEGIN, CALLBACK})
HOME = "/"

_LOCAL = re.compile(r"/(?!/)[!-\[\]-~]{0,2047}", re.ASCII)


@dataclass(frozen=True, slots=True)
class PagePaths:
    """`exact` paths, and all that begin with one of `prefixes`, each with a slash at its end."""

    exact: frozenset[str]
    prefixes: tuple[str, ...] = ()

    def has(self, path: str) -> bool:
        return path in self.exact or path.startswith(self.prefixes)


def local_path(text: str | None) -> str:
    """`text` when it is a path of this host, with a query if any, and leads to no login again; the first page else."""
    if text is None or not _LOCAL.fullmatch(text) or text.partition("?")[0] in LOGIN_PATHS:
        return HOME
    return text
