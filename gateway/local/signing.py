"""One signed GET, enough to ask a local server whether it is ready: AWS Signature Version 4 with the standard library.

Everything else goes through `gateway.s3`. Source: AWS General Reference, "Signature Version 4 signing process".
"""

import http.client
from datetime import UTC, datetime
from hashlib import sha256
from hmac import digest
from urllib.parse import urlsplit

_REGION = "us-east-1"
_NO_BODY = sha256(b"").hexdigest()


def signed_status(url: str, access_key: str, secret_key: str, *, timeout_s: float = 2.0) -> int | None:
    """Status of a signed GET of `url` (no query); None when nobody answers."""
    parts = urlsplit(url)
    headers = sign_get(parts.netloc, parts.path or "/", access_key, secret_key, datetime.now(UTC))
    connection = http.client.HTTPConnection(parts.netloc, timeout=timeout_s)
    try:
        connection.request("GET", parts.path or "/", headers=headers)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def sign_get(host: str, path: str, access_key: str, secret_key: str, now: datetime) -> dict[str, str]:
    """Headers that sign a GET without query and body, for the S3 of `us-east-1`."""
    moment = f"{now:%Y%m%dT%H%M%SZ}"
    scope = f"{now:%Y%m%d}/{_REGION}/s3/aws4_request"
    headers = {"host": host, "x-amz-content-sha256": _NO_BODY, "x-amz-date": moment}
    names = ";".join(headers)
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
    request = f"GET\n{path}\n\n{lines}\n{names}\n{_NO_BODY}"
    to_sign = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{sha256(request.encode()).hexdigest()}"
    signing_key = f"AWS4{secret_key}".encode()
    for part in scope.split("/"):
        signing_key = digest(signing_key, part.encode(), "sha256")
    signature = digest(signing_key, to_sign.encode(), "sha256").hex()
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={access_key}/{scope}, SignedHeaders={names}, Signature={signature}"
    )
    return headers
