"""What the port's reads make of the body of an answer.

Each reads one answer, no further than needed, and says when it did not come whole; whether to ask again
is not known here. Source: RFC 9110 section 14; S3 API reference, GetObject.
"""

from collections.abc import Callable

from gateway.errors import ObjectTooLarge, StoreMisbehaved, StoreUnavailable
from gateway.objects import ByteRange, ObjectHead, ObjectSlice
from gateway.s3.answers import plan_range_read, read_head
from gateway.s3.bodies import Body, BodyBroken
from gateway.s3.call import Call


async def read_whole(call: Call, body: Body, max_bytes: int) -> ObjectSlice:
    """The whole object. Raises ObjectTooLarge before reading past `max_bytes`, BodyBroken."""
    if body.length is not None and body.length > max_bytes:
        raise ObjectTooLarge(f"{call}: {body.length} bytes, at most {max_bytes} are read")
    data = await body.read(0, max_bytes + 1)  # one more tells whether a body of unknown length goes on
    if len(data) > max_bytes:
        raise ObjectTooLarge(f"{call}: more than {max_bytes} bytes, the most that is read")
    body.check_length(len(data) if body.length is None else body.length, len(data))
    return ObjectSlice(data, read_head(body.headers, len(data)))


async def read_span(call: Call, body: Body, span: ByteRange) -> ObjectSlice:
    """The bytes of `span` in the answer to a request for them. Raises StoreMisbehaved, BodyBroken."""
    content_range = body.headers.get("content-range")
    plan = plan_range_read(span, body.status, content_range, body.length)
    if plan is None:
        got = f"{body.status} with Content-Range {content_range!r}"
        raise StoreMisbehaved(f"{call}: asked for bytes {span.start}-{span.stop - 1}, got {got}")
    if plan.size is None:
        data, size = await body.read_to_end(plan.skip, plan.take)
    else:
        data, size = await body.read(plan.skip, plan.take), plan.size
        body.check_length(plan.take, len(data))
    return ObjectSlice(data, read_head(body.headers, size, is_whole=len(data) == size))


async def read_into(body: Body, sink: Callable[[bytes], object]) -> ObjectHead:
    """Hand the body to `sink` chunk by chunk.

    Raises BodyBroken only while `sink` got nothing, and StoreUnavailable later: what it got cannot be taken back.
    """
    size = 0
    try:
        async for chunk in body.chunks():
            size += len(chunk)
            sink(chunk)
        body.check_length(size if body.length is None else body.length, size)
    except BodyBroken as broken:
        if size:
            raise StoreUnavailable(str(broken)) from broken
        raise
    return read_head(body.headers, size)
