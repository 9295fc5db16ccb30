"""Rules of single values. Pure: each takes a value and returns it in its one spelling.

Each raises ValueError with the rest of a sentence that begins with the setting's name and the value
seen ("GATEWAY_PREFIX is '/x': ..."): what was expected, and what to do.

Source: S3 user guide, bucket naming rules; RFC 3986 section 3.2; RFC 9110 section 7.2; RFC 6454
section 6.2 (origins).
"""

import re
from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from typing import cast
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

from gateway.auth.apikeys import parse_api_key
from gateway.auth.issuer import url_fault
from gateway.errors import SettingsError
from gateway.lint.finding import parse_severity
from gateway.policy.rule import Rule
from gateway.policy.table import parse_rule
from gateway.provider import DEFAULT_VARIANT
from gateway.releases.layout import RELEASE_ID, is_channel
from gateway.skill.model import MAX_SKILL_SEGMENTS
from gateway.skill.uri import print_uri, segment_fault
from gateway.tree.keys import MAX_MOUNT_BYTES
from gateway.web.hosts import parse_host_pattern, parse_origin_pattern

LOOPBACK_HOSTS = ("localhost:*", "127.0.0.1:*", "[::1]:*")
LOOPBACK_ORIGINS = tuple(f"http://{host}" for host in LOOPBACK_HOSTS)
MIN_KEY_BYTES = 32

_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]|arn:[!-~]+")
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)+")
_VARIANT = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_RESERVED_PATHS = ("/livez", "/readyz", "/statusz", "/metrics", "/login", "/logout")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def refuse_boolean(value: object) -> object:
    # pydantic takes true for 1
    if isinstance(value, bool):
        raise ValueError("needs a number")
    return value


def split_commas(value: object) -> object:
    """The items of a comma-separated text; anything else as it is."""
    if not isinstance(value, str):
        return value
    return tuple(item.strip() for item in value.split(",") if item.strip())


def lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def check_key(key: SecretStr) -> SecretStr:
    size = len(key.get_secret_value().encode())
    if size < MIN_KEY_BYTES:
        raise ValueError(f"has {size} bytes, needs at least {MIN_KEY_BYTES}; run: skills-gateway keygen")
    return key


def bucket(name: str) -> str:
    if "://" in name or "/" in name.removeprefix("arn:").partition(":")[0]:
        raise ValueError("needs the bucket's name alone; what follows it in an s3:// address is GATEWAY_PREFIX")
    if not _BUCKET.fullmatch(name):
        raise ValueError("needs 3 or more letters, digits, '.', '-' and '_', or an ARN")
    return name


def prefix(text: str) -> str:
    """The prefix with its `/` at the end; empty stays empty."""
    if not text:
        return ""
    if text.startswith("/"):
        raise ValueError(f"starts with '/', and no S3 key does; write {text.lstrip('/')!r}")
    _check_segments(text.removesuffix("/"))
    return text.removesuffix("/") + "/"


def mount(text: str) -> str:
    if not text:
        return text
    _check_segments(text)
    if (segments := text.count("/") + 1) >= MAX_SKILL_SEGMENTS:
        raise ValueError(f"has {segments} segments; needs fewer than {MAX_SKILL_SEGMENTS}, the depth of a skill's path")
    if (size := len(print_uri(tuple(text.split("/"))))) > MAX_MOUNT_BYTES:
        raise ValueError(f"takes {size} bytes of every URI; needs at most {MAX_MOUNT_BYTES}")
    return text


def channel(name: str) -> str:
    if not is_channel(name):
        raise ValueError("needs 1 to 64 lower-case letters and digits with single . _ - in between, and no release id")
    return name


def variant(name: str) -> str:
    if not _VARIANT.fullmatch(name) or name == DEFAULT_VARIANT:
        raise ValueError(
            f"is no name of a variant; needs 1 to 64 lower-case letters, digits, '.', '_' and '-', "
            f"a letter or digit first, and not {DEFAULT_VARIANT!r}"
        )
    return name


def release(identifier: str) -> str:
    if identifier and not RELEASE_ID.fullmatch(identifier):
        raise ValueError("needs the 20 hexadecimal digits that a publish prints, in lower case")
    return identifier


def issuer(url: str) -> str:
    if fault := url_fault(url):
        raise ValueError(fault)
    if "?" in url or "#" in url:
        raise ValueError("has a query or a fragment, and no issuer does")
    return url


def keys_url(url: str) -> str:
    if url and (fault := url_fault(url)):
        raise ValueError(fault)
    return url


def api_key(line: SecretStr) -> SecretStr:
    # A secret, as somebody may give the key itself.
    parse_api_key(line.get_secret_value())
    return line


def policy_rules(value: object) -> tuple[Rule, ...]:
    tables = cast("list[object]", value) if isinstance(value, list | tuple) else [value]
    return tuple(_policy_rule(number, table) for number, table in enumerate(tables, 1))


def _policy_rule(number: int, table: object) -> Rule:
    if isinstance(table, Rule):
        return table
    if not isinstance(table, Mapping):
        raise ValueError(f"rule {number} is no table; write each one as [[rules]] with its keys below")
    try:
        return parse_rule(cast("Mapping[str, object]", table))
    except ValueError as error:
        raise ValueError(f"rule {number} {error}") from None


def lint_severity(text: str) -> str:
    parse_severity(text)
    return text


def public_key(text: str) -> str:
    # Here and not at the top: who trusts no keys need not wait for the cryptography.
    from gateway.releases.signatures import trusted_keys

    try:
        trusted_keys([text])
    except SettingsError:
        raise ValueError("needs ed25519: and 32 bytes as Base64, as keygen --signing prints it") from None
    return text


def _check_segments(path: str) -> None:
    for segment in path.split("/"):
        if fault := segment_fault(segment):
            raise ValueError(f"{fault}; needs a path like acme/billing, no slash at its start or end")


def region(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9-]{1,64}", name):
        raise ValueError("needs a region's name like eu-central-1; most stores of one's own take us-east-1")
    return name


def endpoint_path(path: str) -> str:
    if not _PATH.fullmatch(path) or any(segment in (".", "..") for segment in path.split("/")):
        raise ValueError("needs a path like /mcp: letters, digits, '.', '-', '_' and '~' after each '/'")
    if path in _RESERVED_PATHS or path.startswith("/login/"):
        raise ValueError("is a path that answers something else; choose another one, like /mcp")
    return path


def web_url(url: str) -> str:
    """An http or https URL without a slash at its end."""
    parts = _split(url)
    if parts is None:
        raise ValueError("needs a URL like https://name.example.com or http://127.0.0.1:9000")
    if parts.username is not None or parts.password is not None:
        raise ValueError("carries a user or password; credentials go into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    if parts.query or parts.fragment:
        raise ValueError("has a query or a fragment; needs a URL without")
    return url.rstrip("/")


def network(text: str) -> str:
    try:
        return str(ip_network(text))
    except ValueError:
        raise ValueError("needs an address or a network, without bits behind its length: 10.0.0.0/8, ::1") from None


def host_pattern(text: str) -> str:
    """A Host header to accept, lower-case: `name`, `name:port` or `name:*`."""
    try:
        parse_host_pattern(text)
    except ValueError:
        raise ValueError(
            "needs a host name or address, with :port or :* if any: skills.example.com, 10.0.0.1:8000"
        ) from None
    return text.lower()


def origin(text: str) -> str:
    """An Origin header to accept, lower-case: `scheme://host`, with `:port` or `:*`."""
    bare = text.lower().removesuffix("/")
    try:
        parse_origin_pattern(bare)
    except ValueError:
        raise ValueError("needs an origin like https://app.example.com, without a path") from None
    return bare


def is_loopback(host: str) -> bool:
    """Whether a server bound to `host` can be reached from its own machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def hosts_of(url: str) -> tuple[str, ...]:
    """The Host headers that clients of `url` send; on a default port with and without it."""
    parts = urlsplit(url)
    default = _DEFAULT_PORTS[parts.scheme.lower()]
    if parts.port not in (None, default):
        return (parts.netloc.lower(),)
    bare = parts.netloc.lower().removesuffix(f":{default}")
    return (bare, f"{bare}:{default}")


def origin_of(url: str) -> str:
    """The Origin header of a page under `url`: a default port is left out."""
    scheme = urlsplit(url).scheme.lower()
    return f"{scheme}://{hosts_of(url)[0]}"


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme.lower() in _DEFAULT_PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if usable and not re.search(r"[\s\x00-\x20\x7f]", url) else None
