"""What botocore and aiobotocore are told to do otherwise, by their own events and components.

Each function says what happens without it. Nothing here decides anything about objects.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from aiobotocore.httpsession import AIOHTTPSession

from gateway.s3.faults import silence_of
from gateway.s3.limiter import Limiter
from gateway.s3.meter import Again, CallMeter
from gateway.s3.refusals import asks_for_less

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

LISTING_BODY = "GatewayListingBody"
"""Where `keep_listing_unparsed` leaves the bytes of a listing in botocore's answer."""
_AGAIN = "gateway_again"
"""Where `tell_meter` leaves in the context of a request why it would be sent again."""


class RedirectlessSession(AIOHTTPSession):
    """aiobotocore's HTTP session, which lets aiohttp follow a `Location` to any host, without that."""

    async def _get_session(self, proxy_url: str | None) -> "_Redirectless":
        parent: Any = super()
        return _Redirectless(await parent._get_session(proxy_url))


class _Redirectless:
    def __init__(self, session: "ClientSession") -> None:
        self._session = session

    async def request(self, method: str, **options: Any) -> "ClientResponse":
        return await self._session.request(method, allow_redirects=False, **options)


def keep_one_host(events: Any) -> None:
    """Make a wrong region an error.

    aiobotocore's S3RegionRedirector answers 301, and 400 with a region, by asking HEAD bucket for the
    right region, resolving an endpoint there and signing the request again for that host: every call
    of ours would then cost three, silently, and go where nobody configured it to. It leaves alone
    what is already marked as redirected.
    """

    def mark(context: dict[str, Any], **_: Any) -> None:
        context.setdefault("s3_redirect", {})["redirected"] = True

    events.register_last("before-parameter-build.s3", mark)


def keep_listing_unparsed(events: Any) -> None:
    """Leave the bytes of a listing to `listing.py`: botocore takes 29 to 70 ms for 1,000 keys."""

    def take(response_dict: dict[str, Any], customized_response_dict: dict[str, Any], **_: Any) -> None:
        if response_dict["status_code"] < 300:
            customized_response_dict[LISTING_BODY] = response_dict["body"]
            response_dict["body"] = b""

    events.register_first("before-parse.s3.ListObjectsV2", take)


def tell_limiter(events: Any, limiter: Limiter, clock: Callable[[], float]) -> None:
    """Let the limiter see every answer: a SlowDown that botocore waits out by itself leaves no other trace."""

    def tell(parsed_response: Mapping[str, Any] | None, **_: Any) -> None:
        if parsed_response is None:
            return  # no answer at all, which says nothing of the pace
        status: int = parsed_response["ResponseMetadata"]["HTTPStatusCode"]
        if status >= 400 and asks_for_less(parsed_response):
            limiter.refused(clock())
        elif status < 500:
            limiter.answered()

    events.register("response-received.s3", tell)


def tell_meter(events: Any, meter: CallMeter) -> None:
    """Let the meter see how every request ended, and those that botocore sends again by itself.

    That is counted as it is sent: one whose call reaches its deadline is never answered. The context of a request is
    that of all its attempts.
    """

    def tell(
        parsed_response: Mapping[str, Any] | None,
        exception: Exception | None,
        context: dict[str, Any],
        event_name: str,
        **_: Any,
    ) -> None:
        operation = event_name.rpartition(".")[2]
        if parsed_response is None:
            meter.unanswered(operation, silence_of(exception))
            context[_AGAIN] = "unanswered"
            return
        status: int = parsed_response["ResponseMetadata"]["HTTPStatusCode"]
        meter.answered(operation, status)
        context[_AGAIN] = "error"
        if status >= 400 and asks_for_less(parsed_response):
            meter.throttled(operation)
            context[_AGAIN] = "throttled"

    def tell_again(request: Any, operation_name: str, **_: Any) -> None:
        cause: Again | None = request.context.get(_AGAIN)
        if cause is not None:
            meter.retried(operation_name, cause)

    events.register("response-received.s3", tell)
    events.register("request-created.s3", tell_again)


def resolve_endpoints_once(loader: Any) -> None:
    """Keep Key and Prefix out of the endpoint rules: they are inputs that no rule of S3 reads.

    With them the cache of the rules misses on each new key, 0.2 ms a call. The loader hands the same
    model to every client of its session.
    """
    shapes: dict[str, Any] = loader.load_service_model("s3", "service-2")["shapes"]
    for operation in ("GetObject", "HeadObject", "PutObject", "DeleteObject", "ListObjectsV2"):
        for member in ("Key", "Prefix"):
            shapes[f"{operation}Request"]["members"].get(member, {}).pop("contextParam", None)


def leave_headers_unparsed(loader: Any) -> None:
    """Take from the model the headers of reads that `answers.py` reads by itself, all of them.

    botocore looks for each of some 40, and makes dates and numbers of those it finds: a tenth of the CPU of
    a HEAD. A date that is none would fail the call. The body of a GET stays.
    """
    shapes: dict[str, Any] = loader.load_service_model("s3", "service-2")["shapes"]
    for name in ("HeadObjectOutput", "GetObjectOutput"):
        members: dict[str, Any] = shapes[name]["members"]
        shapes[name]["members"] = {member: shape for member, shape in members.items() if member == "Body"}
