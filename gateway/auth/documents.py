"""One JSON document of an identity provider, within a bound of size; whoever asks sets the deadline.

No redirect is followed and nothing compressed is taken, so that the answer is that of the URL, and as
large as it looks. Source: RFC 8725 section 3.10; RFC 9110 section 8.4.
"""

import httpx2
import orjson

from gateway.auth.refusals import IdentityUnavailable

MAX_DOCUMENT_BYTES = 256 * 1024
_HEADERS = {"accept": "application/json, application/jwk-set+json", "accept-encoding": "identity"}
_OK = 200


async def fetch_document(client: httpx2.AsyncClient, url: str) -> object:
    """The JSON value at `url`. Raises IdentityUnavailable, whose text names the URL and what was wrong."""
    try:
        data = await _fetch(client, url)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise IdentityUnavailable(f"{url} cannot be read ({type(error).__name__}: {error})") from None
    try:
        return orjson.loads(data)
    except ValueError:
        raise IdentityUnavailable(f"{url} answered with something that is no JSON") from None


async def _fetch(client: httpx2.AsyncClient, url: str) -> bytes:
    async with client.stream("GET", url, headers=_HEADERS, follow_redirects=False) as answer:
        if answer.status_code != _OK:
            raise IdentityUnavailable(f"{url} answered {answer.status_code}, expected {_OK}")
        data = bytearray()
        # As they come: what is small on the wire and large unpacked stays small, and is no JSON.
        async for chunk in answer.aiter_raw():
            data += chunk
            if len(data) > MAX_DOCUMENT_BYTES:
                raise IdentityUnavailable(f"{url} answered with more than {MAX_DOCUMENT_BYTES} bytes")
        return bytes(data)
