"""The body of a ListObjectsV2 answer, read into a page.

botocore builds a dict of eight fields for each key and reads its date, 70 ms of CPU for 1,000 keys,
during which the event loop stands still; three fields are all we need. Pure: bytes in, values out.
Source: S3 API reference, ListObjectsV2; botocore handlers.py for the url encoding.
"""

from urllib.parse import unquote_plus
from xml.etree import ElementTree

from gateway.objects import ListedObject, ListPage, ObjectKey


class ListingError(Exception):
    """The body is not a listing that one could go on from; the text is the end of a sentence."""


def read_listing(body: bytes) -> ListPage:
    """The page in `body`, in the order sent. Raises ListingError.

    Keys that are no UTF-8 keep their bytes as surrogate escapes, so that one such key does not hide
    the others; nobody can serve them.
    """
    root = _parse(body)
    is_encoded = root.findtext("{*}EncodingType") == "url"
    objects: list[ListedObject] = []
    prefixes: list[str] = []
    for element in root:
        name = _local_name(element)
        if name == "Contents":
            objects.append(_read_object(element, is_encoded))
        elif name == "CommonPrefixes":
            prefixes.append(_decode(_required(element, "Prefix"), is_encoded))
    return ListPage(tuple(objects), tuple(prefixes), _read_token(root))


def bare_etag(etag: str | None) -> str:
    """An ETag without its quotes; some stores leave them out in listings, some proxies add `W/`."""
    return (etag or "").removeprefix("W/").strip('"')


def _parse(body: bytes) -> ElementTree.Element:
    try:
        root = ElementTree.fromstring(body)  # noqa: S314 - expat bounds entity expansion, and fetches nothing
    except (ElementTree.ParseError, UnicodeError, ValueError) as error:
        raise ListingError(f"a listing that is no XML ({error})") from None
    if _local_name(root) != "ListBucketResult":
        raise ListingError(f"<{_local_name(root)[:40]}> instead of a listing")
    return root


def _read_object(element: ElementTree.Element, is_encoded: bool) -> ListedObject:
    size, etag = "", ""
    key: str | None = None
    # One pass over the children: three searches would double the cost of a page.
    for child in element:
        name = _local_name(child)
        if name == "Key":
            key = child.text
        elif name == "Size":
            size = (child.text or "").strip()
        elif name == "ETag":
            etag = child.text or ""
    if not key:
        raise ListingError("a listing with an object without Key")
    if not (size.isascii() and size.isdigit()):
        raise ListingError(f"a listing with Size {size[:40]!r}, needs a number of bytes")
    return ListedObject(ObjectKey(_decode(key, is_encoded)), int(size), bare_etag(etag))


def _read_token(root: ElementTree.Element) -> str | None:
    # Some stores send a token on the last page too: IsTruncated alone says whether there is more.
    if (root.findtext("{*}IsTruncated") or "").strip().lower() != "true":
        return None
    token = root.findtext("{*}NextContinuationToken")
    if not token:
        raise ListingError("a listing with IsTruncated and no NextContinuationToken, so the rest cannot be had")
    return token


def _required(element: ElementTree.Element, name: str) -> str:
    text = element.findtext("{*}" + name)
    if not text:
        raise ListingError(f"a listing with a {_local_name(element)} without {name}")
    return text


def _decode(text: str, is_encoded: bool) -> str:
    return unquote_plus(text, errors="surrogateescape") if is_encoded else text


def _local_name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
