"""Faults of botocore and aiohttp, as errors of ours.

A refusal by the store is read by `refusals.py`; here is what happens before there is an answer, or
while its body is read, which aiohttp reports in its own classes. Never a credential, never bytes
of an answer. Source: botocore exceptions.py; aiohttp client exceptions.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, cast

import aiohttp
from botocore import exceptions as boto
from botocore.parsers import ResponseParserError

from gateway import errors
from gateway.s3.call import Call, quoted
from gateway.s3.meter import Silence
from gateway.s3.refusals import refusal_of

_NO_CREDENTIALS = (
    boto.NoCredentialsError,
    boto.PartialCredentialsError,
    boto.CredentialRetrievalError,
    boto.ProfileNotFound,
    boto.TokenRetrievalError,
    boto.SSOError,
)
_MALFORMED = (ResponseParserError, boto.FlexibleChecksumError)
_TOO_LATE = (boto.ConnectTimeoutError, boto.ReadTimeoutError, TimeoutError)
_ENDED_EARLY = (boto.IncompleteReadError, aiohttp.ClientPayloadError, boto.ResponseStreamingError)
_UNREACHABLE = (
    boto.ConnectionError,
    boto.HTTPClientError,
    boto.IncompleteReadError,
)


@contextmanager
def translated(call: Call) -> Generator[None]:
    """Faults of botocore and aiohttp inside the block leave it as errors of ours."""
    try:
        yield
    except (boto.BotoCoreError, boto.ClientError, aiohttp.ClientError, ResponseParserError, OSError) as error:
        raise fault_of(error, call) from error
    except UnicodeEncodeError as error:
        raise errors.StoreError(f"{call}: the key has no UTF-8 form, so no object can have it") from error
    except ValueError as error:
        # botocore's parser lets numbers and dates that are none through as they fail.
        raise errors.StoreMisbehaved(f"{call}: a header of the answer cannot be read ({quoted(str(error))})") from error


def fault_of(error: Exception, call: Call) -> errors.StoreError:
    """The error of ours for a fault of the client library."""
    if isinstance(error, boto.ClientError):
        return refusal_of(cast("Mapping[str, Any]", error.response), call, datetime.now(UTC))
    kind = type(error).__name__
    if isinstance(error, _NO_CREDENTIALS):
        return errors.AccessDenied(f"{call}: no usable credentials ({kind}); check the AWS credentials of this process")
    if isinstance(error, _MALFORMED):
        return errors.StoreMisbehaved(f"{call}: the answer cannot be read ({kind}); is this an S3 endpoint?")
    if isinstance(error, boto.SSLError):
        return errors.StoreUnavailable(f"{call}: no TLS connection ({quoted(str(error))}); check the certificate")
    if isinstance(error, (*_UNREACHABLE, aiohttp.ClientError, OSError)):
        return errors.StoreUnavailable(f"{call}: {_why_unreachable(error)}; check the endpoint and the network")
    return errors.StoreError(f"{call}: the request could not be made ({kind}: {quoted(str(error))})")


def silence_of(error: Exception | None) -> Silence:
    """How a request ended that has no answer, by what the client library raised."""
    if isinstance(error, boto.SSLError):
        return "tls"
    if isinstance(error, _TOO_LATE):
        return "timeout"
    if isinstance(error, (boto.ConnectionClosedError, *_ENDED_EARLY)):
        return "closed"
    return "no_connection" if isinstance(error, boto.ConnectionError) else "other"


def _why_unreachable(error: Exception) -> str:
    if isinstance(error, _TOO_LATE):
        return f"no answer in time ({type(error).__name__})"
    if isinstance(error, _ENDED_EARLY):
        return f"the answer ended early ({type(error).__name__})"
    return f"no connection ({type(error).__name__})"
