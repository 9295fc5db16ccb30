"""Composition root: settings in, a running app out. The only place that knows every room.

`create_app` is what a process serves; `app_over` is the same over a store that is already there, for
the demo and for tests.
"""

import gc
import logging
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from starlette.applications import Starlette

from gateway import __version__
from gateway.auth.apikeys import parse_api_key
from gateway.auth.authenticator import Authenticator, AuthOptions
from gateway.auth.issuer import TrustedIssuer
from gateway.auth.resource import ProtectedResource
from gateway.cursor import MIN_KEY_BYTES
from gateway.objects import ObjectStore
from gateway.policy.policy import Policy
from gateway.policy.view import PolicyView
from gateway.protocol.adapter import SkillsAdapter
from gateway.protocol.changes import ChangeSignal
from gateway.protocol.options import AdapterOptions
from gateway.protocol.server import build_server
from gateway.protocol.warm import warm_answers
from gateway.s3.client import open_store
from gateway.s3.options import S3Options
from gateway.settings import Settings
from gateway.sources.choice import open_source
from gateway.web.app import Backend, BearerOptions, WebOptions, create_web_app
from gateway.web.callers import callers_under
from gateway.web.hosts import host_rules
from gateway.web.lane import Lane
from gateway.web.stop import on_stop

logger = logging.getLogger(__name__)

INSTRUCTIONS = (
    "This server publishes Agent Skills: folders of instructions and files that tell how to do a particular task well. "
    "Find one by the name and description of its skill://…/SKILL.md resource, read that file first, and read the "
    "files it mentions under the same path only when they are needed."
)

OpenStore = Callable[[], AbstractAsyncContextManager[ObjectStore]]


def create_app(settings: Settings) -> Starlette:
    """The app over the bucket that the settings name, for a process of its own. Opens nothing until it is started."""
    options = s3_options(settings)

    @asynccontextmanager
    async def open_settled() -> AsyncGenerator[ObjectStore]:
        async with open_store(options) as store:
            # What was loaded so far stays to the end: a full collection that looks at it takes 20 to 30 ms.
            gc.collect()
            gc.freeze()
            yield store

    return app_over(open_settled, settings)


def app_over(open_objects: OpenStore, settings: Settings) -> Starlette:
    """The app over any object store, opened when the app starts and closed when it stops."""
    keys = signing_keys(settings)
    bearer = bearer_options(settings)
    policy = Policy(settings.rules)

    @asynccontextmanager
    async def open_backend() -> AsyncGenerator[Backend]:
        signal = ChangeSignal()
        async with open_objects() as store, open_source(store, settings, signal) as source:
            provider = source.provider
            if settings.rules:
                provider = PolicyView(provider, policy, owner_ttl_s=settings.freshness_s)
            adapter = SkillsAdapter(provider, adapter_options(settings, keys))
            server = build_server(adapter, name="skills-gateway", version=__version__, instructions=INSTRUCTIONS)
            if source.signals:
                signal.connect(server)
            warm = warm_answers(adapter, server) if settings.fast_lane else None
            lane = None if warm is None else Lane(warm)
            async with bearer.authenticator.opened() if bearer else nullcontext():
                with on_stop(signal.close):
                    yield Backend(server, source.ask, lane)

    web = WebOptions(
        rules=host_rules(settings.accepted_hosts, settings.accepted_origins),
        endpoint=settings.path,
        max_body_bytes=settings.max_request_bytes,
        ready_timeout_s=settings.call_timeout_s,
        bearer=bearer,
        make_caller=callers_under(policy),
    )
    return create_web_app(open_backend, web)


def s3_options(settings: Settings) -> S3Options:
    return S3Options(
        bucket=settings.bucket,
        endpoint_url=settings.endpoint_url,
        region=settings.region,
        addressing_style=settings.addressing_style,
        checksum_mode=settings.checksum_mode,
        connect_timeout_s=settings.connect_timeout_s,
        read_timeout_s=settings.read_timeout_s,
        call_timeout_s=settings.call_timeout_s,
        max_concurrency=settings.max_concurrency,
    )


def adapter_options(settings: Settings, keys: tuple[bytes, ...]) -> AdapterOptions:
    return AdapterOptions(
        signing_keys=keys,
        directory_read=settings.directory_read,
        page_size=settings.page_size,
        # What depends on the caller is nobody else's.
        cache_scope="private" if settings.rules else settings.cache_scope,
        ttl_ms=settings.cache_ttl_ms,
        cursor_ttl_s=settings.cursor_ttl_s,
        request_timeout_s=settings.request_timeout_s,
        owner_ttl_s=settings.freshness_s,
    )


def bearer_options(settings: Settings) -> BearerOptions | None:
    """Who is let in, by these settings; None for everybody."""
    if settings.auth != "bearer":
        return None
    url = settings.endpoint
    trusted = tuple(
        TrustedIssuer(
            issuer,
            settings.auth_audiences or (url,),
            keys_url=settings.auth_keys_url or None,
            groups_claim=settings.auth_groups_claim,
        )
        for issuer in settings.auth_issuers
    )
    options = AuthOptions(trusted, tuple(parse_api_key(line.get_secret_value()) for line in settings.api_keys))
    resource = ProtectedResource(
        settings.path, url, settings.auth_issuers, settings.auth_scopes, required_scopes=settings.auth_scopes
    )
    return BearerOptions(Authenticator(options), resource)


def signing_keys(settings: Settings) -> tuple[bytes, ...]:
    """The key ring, or one random key with a warning: cursors then end with this process."""
    if settings.signing_keys:
        return settings.signing_keys
    logger.warning(
        "GATEWAY_CURSOR_KEYS is not set: cursors are sealed with a random key and end with this process; "
        "run: skills-gateway keygen"
    )
    return (secrets.token_bytes(MIN_KEY_BYTES),)
