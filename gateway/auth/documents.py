"""One JSON document of an identity provider, within a bound of size; whoever asks sets the deadline.

No redirect is followed and nothing compressed is taken, so that the answer is that of the URL, and as
large as it looks. Source: RFC 8725 section 3.10; RFC 9110 section 8.4.
"""

from collections.abc import Mapping

import httpx2
import orjson

from gateway.auth.refusals import IdentityUnavailable

MAX_DOCUMENT_BYTES = 256 * 1024
_HEADERS = {"accept": "application/json, application/jwk-set+json", "accept-encoding": "identity"}
_OK = 200


async def fetch_document(client: httpx2.AsyncClient, url: str) -> object:
    """The JSON value at `url`. Raises IdentityUnavailable, whose text names the URL and what was wrong."""
    return _json(url, (await _ask(client, "GET", url, (_OK,)))[1])


async def post_form(
    client: httpx2.AsyncClient,
    url: str,
    form: Mapping[str, str],
    headers: Mapping[str, str],
    expected: tuple[int, ...] = (_OK,),
) -> tuple[int, object]:
    """The status, one of `expected`, and the JSON value that `url` answers to a form. Raises as `fetch_document`."""
    status, data = await _ask(client, "POST", url, expected, form, headers)
    return status, _json(url, data)


def _json(url: str, data: bytes) -> object:
    try:
        return orjson.loads(data)
    except ValueError:
        raise IdentityUnavailable(f"{url} answered with something that is no JSON") from None


async def _ask(
    client: httpx2.AsyncClient,
    verb: str,
    url: str,
    expected: tuple[int, ...],
    form: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, bytes]:
    told = {**_HEADERS, **(headers or {})}
    try:
        async with client.stream(verb, url, data=form, headers=told, follow_redirects=False) as answer:
            if answer.status_code not in expected:
                wanted = " or ".join(map(str, expected))
                raise IdentityUnavailable(f"{url} answered {answer.status_code}, expected {wanted}")
            return answer.status_code, await _bounded(url, answer)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise IdentityUnavailable(f"{url} cannot be read ({type(error).__name__}: {error})") from None


async def _bounded(url: str, answer: httpx2.Response) -> bytes:
    data = bytearray()
    # As they come: what is small on the wire and large unpacked stays small, and is no JSON.
    async for chunk in answer.aiter_raw():
        data += chunk
        if len(data) > MAX_DOCUMENT_BYTES:
            raise IdentityUnavailable(f"{url} answered with more than {MAX_DOCUMENT_BYTES} bytes")
    return bytes(data)
