"""How far an unsigned request to the endpoint comes: name, connection, TLS, answer; each told apart.

It speaks HTTP by itself, so that what answers need not be S3, nor HTTP. Nothing is decided here.
Source: RFC 9112 section 4; RFC 8446 section 6 (alerts); S3 API reference, Error responses.
"""

import asyncio
import socket
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from gateway.doctor.facts import EndpointSeen

_MAX_BYTES = 16_384
_TLS_ALERT = b"\x15\x03"
_HTTPS_WANTED = (b"HTTP request to an HTTPS server", b"plain HTTP request was sent to HTTPS port")
"""What Go's and nginx' TLS listeners say to plain HTTP."""
_S3_BODIES = (b"<Error", b"<ListAllMyBucketsResult")


async def knock(url: str, *, timeout_s: float, ca_file: str | None = None) -> EndpointSeen:
    """Ask `GET` of an `http` or `https` URL, within `timeout_s` for each of three steps. Raises nothing.

    `ca_file` holds the certificates that are trusted; None for those of this machine.
    """
    place = urlsplit(url)
    host, is_tls = place.hostname or "", place.scheme == "https"
    port = place.port or (443 if is_tls else 80)
    try:
        async with asyncio.timeout(timeout_s):
            reader, writer = await asyncio.open_connection(host, port)
    except socket.gaierror as error:
        return EndpointSeen(url, "dns", f"the name {host!r} has no address ({error.strerror})")
    except TimeoutError:
        return EndpointSeen(url, "tcp", f"no connection to {host}:{port} within {timeout_s:g} s")
    except OSError as error:
        return EndpointSeen(url, "tcp", f"no connection to {host}:{port} ({error.strerror or error})")
    try:
        fault = await _shake_hands(writer, host, timeout_s, ca_file) if is_tls else ""
        if fault:
            return EndpointSeen(url, "tls", fault)
        return await _ask(url, reader, writer, timeout_s)
    finally:
        writer.close()


async def _shake_hands(writer: asyncio.StreamWriter, host: str, timeout_s: float, ca_file: str | None) -> str:
    """What keeps the connection from being made safe; empty when nothing does."""
    try:
        async with asyncio.timeout(timeout_s):
            await writer.start_tls(ssl.create_default_context(cafile=ca_file), server_hostname=host)
    except ssl.SSLCertVerificationError as error:
        return f"the certificate is not trusted ({error.verify_message})"
    except ssl.SSLError as error:
        return error.reason or str(error)
    except TimeoutError:
        return f"no TLS handshake within {timeout_s:g} s"
    except OSError as error:
        return f"the TLS handshake broke off ({error.strerror or error})"
    return ""


async def _ask(url: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, timeout_s: float) -> EndpointSeen:
    place = urlsplit(url)
    host, path = place.netloc.rpartition("@")[2], place.path or "/"
    try:
        async with asyncio.timeout(timeout_s):
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            answer = await _read(reader)
    except TimeoutError:
        return EndpointSeen(url, "silent", f"connected, and no answer within {timeout_s:g} s")
    except OSError as error:
        return EndpointSeen(url, "silent", f"connected, and the connection broke ({error.strerror or error})")
    return read_answer(url, answer, datetime.now(UTC))


def read_answer(url: str, answer: bytes, now: datetime) -> EndpointSeen:
    """What the bytes of an answer say. Pure."""
    if answer.startswith(_TLS_ALERT) or any(text in answer for text in _HTTPS_WANTED):
        return EndpointSeen(url, "tls_wanted", "the port speaks TLS, and the URL says http")
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    status = lines[0].split(" ")
    if not status[0].startswith("HTTP/") or len(status) < 2 or not status[1].isdigit():
        return EndpointSeen(url, "not_http", f"the answer is no HTTP: {answer[:40]!r}" if answer else "it hung up")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    return EndpointSeen(
        url,
        "answered",
        status=int(status[1]),
        server=headers.get("server", ""),
        is_s3=_is_s3(headers, body),
        date=_date(headers.get("date", "")),
        asked_at=now,
    )


def _is_s3(headers: Mapping[str, str], body: bytes) -> bool:
    return any(name.startswith("x-amz-") for name in headers) or any(mark in body for mark in _S3_BODIES)


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


async def _read(reader: asyncio.StreamReader) -> bytes:
    """The head, and of the body what comes until the end, or enough of it."""
    answer = b""
    while len(answer) < _MAX_BYTES and (more := await reader.read(_MAX_BYTES)):
        answer += more
        if not answer.startswith(b"HTTP/") or any(mark in answer for mark in _S3_BODIES):
            break
    return answer
