"""What is said when a caller is not known: to the caller a fixed text, to the log one word.

No text holds anything of a token, a key or a claim. Source: RFC 6750 section 3.1.
"""

from collections.abc import Mapping

from gateway.errors import RequestError, ServerFault

_NOT_VALID = "The access token is not valid here"

DESCRIPTIONS: Mapping[str, str] = {
    "malformed": "The access token is malformed",
    "too_long": "The access token is too long",
    "type": "The access token is a token of another type",
    "algorithm": "The access token is signed with an algorithm that is not accepted here",
    "issuer": "The access token is of an issuer that is not trusted here",
    "audience": "The access token is meant for another audience",
    "expired": "The access token expired",
    "not_yet_valid": "The access token is not valid yet",
    "claims": "The access token lacks a claim that is needed, or has it in another form",
    "unknown_key": "The access token is signed with a key that its issuer does not publish",
    "signature": _NOT_VALID,
    "api_key": "The API key is not known here",
}
"""Why a token is refused, and what the caller is told. No text may need quoting in a header field."""


class TokenRefused(RequestError):
    """A token that is not to be trusted; `cause` is a key of DESCRIPTIONS."""

    reason = "token_refused"

    def __init__(self, cause: str) -> None:
        super().__init__(DESCRIPTIONS[cause])
        self.cause = cause


class CodeRefused(RequestError):
    """A provider did not take a code back that it is said to have given; `error` is its word for why, or empty."""

    reason = "code_refused"

    def __init__(self, error: str) -> None:
        super().__init__(f"the authorization code was refused ({error or 'no reason given'})")
        self.error = error


class IdentityUnavailable(ServerFault):
    """The keys that would show whether a token is good cannot be had now: that is no fault of the token."""

    reason = "identity_unavailable"

    def __init__(self, text: str, retry_after_s: int = 5) -> None:
        super().__init__(text)
        self.retry_after_s = retry_after_s
