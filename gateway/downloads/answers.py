"""Answers that are no download: refusals, faults, and that nothing changed. Pure but for the log.

What is hidden and what is absent get the very same bytes.
Source: RFC 9110 sections 8.8.3 and 13.1.2 (ETag, If-None-Match), 15.4.5 (304).
"""

import logging

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gateway.downloads.package import NoManifest
from gateway.errors import ContentChanged, ContentTooLarge, GatewayError, NotServed, RequestError, StoreError

logger = logging.getLogger(__name__)

ABSENT = "Nothing is served at this path"
CHANGED = "What was asked for changed while it was read; ask again"
STORE_DOWN = "Storage is unavailable; try again later"
INTERNAL = "Internal error"
_RETRY_AFTER_S = 1


def refusal(status: int, sentence: str, *, is_retried: bool = False) -> Response:
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    if is_retried:
        headers["Retry-After"] = str(_RETRY_AFTER_S)
    return JSONResponse({"error_description": sentence}, status, headers)


def answer_to(error: Exception, asked: str) -> tuple[Response, str]:
    """What is said of an error before anything was sent, and its reason for the audit; logs what is our fault."""
    if isinstance(error, NotServed):
        return refusal(404, ABSENT), error.reason
    if isinstance(error, NoManifest):
        return refusal(404, str(error)), error.reason
    if isinstance(error, ContentTooLarge):
        return refusal(422, "A file of this skill is larger than what is sent of one file"), error.reason
    if isinstance(error, RequestError):
        return refusal(422, str(error)), error.reason
    reason = reason_of(error)
    log_fault(error, asked)
    if isinstance(error, ContentChanged):
        return refusal(503, CHANGED, is_retried=True), reason
    if isinstance(error, StoreError | TimeoutError):
        return refusal(503, STORE_DOWN, is_retried=True), reason
    return refusal(500, INTERNAL), reason


def log_fault(error: Exception, asked: str) -> None:
    if isinstance(error, GatewayError | TimeoutError):
        logger.error("download of %s: %s: %s", asked, reason_of(error), error or "took too long")
    else:
        logger.error("download of %s: unexpected error", asked, exc_info=error)


def reason_of(error: Exception) -> str:
    if isinstance(error, GatewayError):
        return error.reason
    return "timeout" if isinstance(error, TimeoutError) else "internal"


def is_known(request: Request, etag: str) -> bool:
    """Whether the client has it already, by its If-None-Match; a weak validator counts as a strong one."""
    said = ",".join(request.headers.getlist("if-none-match"))
    return any(one.strip().removeprefix("W/") in ("*", etag) for one in said.split(","))


def not_modified(headers: dict[str, str]) -> Response:
    kept = {name: value for name, value in headers.items() if name in ("ETag", "Cache-Control")}
    return Response(status_code=304, headers=kept)
