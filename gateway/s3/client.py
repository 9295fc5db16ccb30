"""Opening: one session, one client, on the running loop, for the life of the process.

A client for each call would cost 28 ms of CPU (TLS context, endpoint rules). What is set up here
besides: no redirect is ever followed, listings are not parsed by botocore, and endpoint rules are
evaluated once and not for each key.
"""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from time import monotonic
from typing import Any, cast

import aioboto3  # pyright: ignore[reportMissingTypeStubs]
from aiobotocore.config import AioConfig
from aiobotocore.session import AioSession
from botocore.exceptions import BotoCoreError

from gateway.errors import AccessDenied
from gateway.s3.call import Call
from gateway.s3.calls import BucketCalls
from gateway.s3.faults import fault_of
from gateway.s3.hooks import (
    RedirectlessSession,
    keep_listing_unparsed,
    keep_one_host,
    leave_headers_unparsed,
    resolve_endpoints_once,
    tell_limiter,
    tell_meter,
)
from gateway.s3.limiter import Limiter
from gateway.s3.meter import CallMeter, NoMeter
from gateway.s3.options import S3Options
from gateway.s3.store import S3Store
from gateway.s3.timestamps import read_timestamp

_SIGNING_REGION = "us-east-1"  # what stores other than AWS expect when they are told no region
_USER_AGENT = "skills-gateway"  # botocore puts its own together from 16 parts, twice a call: a tenth of its CPU


@asynccontextmanager
async def open_store(options: S3Options, meter: CallMeter | None = None) -> AsyncGenerator[S3Store]:
    """The store of `options`, until the block ends. `meter` is told of every call.

    Asks nothing of the store itself: a store that is down is found by the first call. Raises
    AccessDenied when there are no credentials at all.
    """
    call = Call("open", options.bucket, options.place)
    async with AsyncExitStack() as stack:
        try:
            client = await stack.enter_async_context(await _client(options, call))
        except BotoCoreError as error:
            raise fault_of(error, call) from error
        keep_one_host(client.meta.events)
        keep_listing_unparsed(client.meta.events)
        limiter = Limiter(options.max_concurrency)
        tell_limiter(client.meta.events, limiter, monotonic)
        if meter is not None:
            tell_meter(client.meta.events, meter)
        yield S3Store(BucketCalls(client, options, limiter, meter or NoMeter()), options.max_attempts)


async def _client(options: S3Options, call: Call) -> Any:
    session = AioSession()
    session.get_component("response_parser_factory").set_parser_defaults(timestamp_parser=read_timestamp)
    loader = session.get_component("data_loader")
    resolve_endpoints_once(loader)
    leave_headers_unparsed(loader)
    if options.access_key is None and await session.get_credentials() is None:
        raise AccessDenied(
            f"{call}: no credentials found in the environment (AWS_ACCESS_KEY_ID), the shared AWS files (AWS_PROFILE), "
            "a web identity, the container or the instance metadata; give one of them, or set an access key"
        )
    region = options.region or cast("str | None", session.get_config_variable("region"))
    opened: Any = aioboto3.Session(botocore_session=session)
    return opened.client(
        "s3",
        endpoint_url=options.endpoint_url,
        region_name=region or _SIGNING_REGION,
        aws_access_key_id=options.access_key,
        aws_secret_access_key=options.secret_key,
        config=client_config(options),
    )


def client_config(options: S3Options) -> AioConfig:
    """botocore's configuration for `options`."""
    style = options.addressing_style
    if style == "auto" and options.endpoint_url is not None:
        style = "path"
    return AioConfig(
        http_session_cls=RedirectlessSession,
        user_agent=_USER_AGENT,
        connect_timeout=options.connect_timeout_s,
        read_timeout=options.read_timeout_s,
        max_pool_connections=options.max_concurrency,
        # total_max_attempts counts the first attempt, max_attempts would not.
        retries={"mode": "standard", "total_max_attempts": options.max_attempts},
        request_checksum_calculation=options.checksum_mode,
        response_checksum_validation=options.checksum_mode,
        signature_version="s3v4",
        s3={"addressing_style": style},
    )
