"""Our cookies on the wire. Pure.

Under https a name begins with `__Host-`, which no other host and no plain HTTP can set. A value may go over two cookies
where one is too small, and no more, as many proxies take header lines of 8 KiB and no longer.
Source: RFC 6265 sections 4.1, 4.2 and 6.1; RFC 6265bis sections 4.1.3 (prefixes) and 5.7 (sizes).
"""

from collections.abc import Iterable
from dataclasses import dataclass

Fields = tuple[tuple[bytes, bytes], ...]
"""Header fields, as ASGI has them."""

_PART_CHARACTERS = 3800


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie that scripts cannot read, and that other sites send along with links alone, in up to `parts` parts."""

    base_name: str
    is_secure: bool
    parts: int = 1

    @property
    def max_characters(self) -> int:
        return self.parts * _PART_CHARACTERS

    def set(self, value: str, max_age_s: int) -> Fields:
        """Set-Cookie fields; a part that is not needed is cleared. ValueError for more than `max_characters`."""
        if len(value) > self.max_characters:
            raise ValueError(f"{len(value)} characters are too many for {self.base_name}")
        parts = [value[at : at + _PART_CHARACTERS] for at in range(0, self.max_characters, _PART_CHARACTERS)]
        return tuple(self._field(name, part, max_age_s) for name, part in zip(self._names(), parts, strict=True))

    def clear(self) -> Fields:
        return self.set("", 0)

    def read(self, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """The value that a request brings, empty for none."""
        found: dict[str, str] = {}
        for name, line in headers:
            if name == b"cookie":
                for pair in line.decode("latin-1").split(";"):
                    key, _, value = pair.partition("=")
                    found.setdefault(key.strip(), value.strip())
        return "".join(found.get(name, "") for name in self._names())

    def _names(self) -> tuple[str, ...]:
        name = f"__Host-{self.base_name}" if self.is_secure else self.base_name
        return (name, *(f"{name}-{part}" for part in range(2, self.parts + 1)))

    def _field(self, name: str, value: str, max_age_s: int) -> tuple[bytes, bytes]:
        secure = "; Secure" if self.is_secure else ""
        age_s = max_age_s if value else 0
        return (b"set-cookie", f"{name}={value}; Path=/; Max-Age={age_s}; HttpOnly; SameSite=Lax{secure}".encode())
