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
from starlette.routing import BaseRoute

from gateway import __version__
from gateway.audit.journal import Journal, open_journal
from gateway.auth.apikeys import parse_api_key
from gateway.auth.authenticator import Authenticator, AuthOptions
from gateway.auth.codeflow import CodeClient
from gateway.auth.issuer import TrustedIssuer
from gateway.auth.resource import ProtectedResource
from gateway.cursor import MIN_KEY_BYTES
from gateway.downloads.options import DownloadOptions, Place
from gateway.downloads.routes import download_routes
from gateway.objects import ObjectStore
from gateway.page.answers import Templates
from gateway.page.routes import PUBLIC_PATHS, PageOptions, Pages
from gateway.policy.policy import Policy
from gateway.protocol.metered import Observe
from gateway.s3.client import open_store
from gateway.s3.meter import CallMeter
from gateway.s3.options import S3Options
from gateway.settings import Settings
from gateway.settings.rules import is_loopback, origin_of
from gateway.sources.views import Views
from gateway.tracing.export import exporting
from gateway.web.app import Backend, BearerOptions, EdgeOptions, WebOptions, create_web_app
from gateway.web.callers import callers_under
from gateway.web.choice import Choices
from gateway.web.denials import Denials
from gateway.web.hosts import host_rules
from gateway.web.login.options import LoginOptions, OAuthOptions
from gateway.web.login.paths import CALLBACK, PagePaths
from gateway.web.recent import RecentErrors
from gateway.web.statusz import Statusz
from gateway.web.stop import on_stop

logger = logging.getLogger(__name__)

PAGES = PagePaths(frozenset({"/", "/problems", "/history", "/connect"}), ("/skills/", "/files/", "/variants/"))
"""Where a login with a browser counts."""

OpenStore = Callable[[], AbstractAsyncContextManager[ObjectStore]]


def create_app(settings: Settings) -> Starlette:
    """The app over the bucket that the settings name, for a process of its own. Opens nothing until it is started."""
    options, meter = s3_options(settings), _store_meter(settings)

    @asynccontextmanager
    async def open_settled() -> AsyncGenerator[ObjectStore]:
        async with open_store(options, meter) as store:
            # What was loaded so far stays to the end: a full collection that looks at it takes 20 to 30 ms.
            gc.collect()
            gc.freeze()
            yield store

    return app_over(open_settled, settings)


def app_over(open_objects: OpenStore, settings: Settings, denials: Denials | None = None) -> Starlette:
    """The app over any object store, opened when the app starts and closed when it stops.

    `denials` counts who is turned away; the app has one of its own without it.
    """
    keys = signing_keys(settings)
    views = Views(settings, Policy(settings.rules), keys, _observe(settings))
    bearer, denials, recent = bearer_options(settings), denials or Denials(), RecentErrors()
    # Archives first, as the page has all else below /skills/.
    routes = (*_download_routes(settings), *_page_routes(settings, views), *_status_routes(settings, denials, recent))
    login = login_options(settings, keys) if settings.page else None
    options = web_options(settings, views, bearer, denials, routes, login)

    @asynccontextmanager
    async def open_backend() -> AsyncGenerator[Backend]:
        verifying = bearer.authenticator.opened() if bearer else nullcontext()
        opened_journal = open_journal(settings.audit, settings.audit_max_bytes, settings.audit_keep)
        traced = exporting(__version__) if settings.tracing else nullcontext()
        with traced, recent.listening(), opened_journal as journal:
            async with open_objects() as store, views.opened(store, journal) as (backend, close_streams), verifying:
                with on_stop(close_streams):
                    async with _sampling(settings, backend, options, journal):
                        yield backend

    return create_web_app(open_backend, options)


def web_options(
    settings: Settings,
    views: Views,
    bearer: BearerOptions | None,
    denials: Denials,
    routes: tuple[BaseRoute, ...] = (),
    login: LoginOptions | None = None,
) -> WebOptions:
    paths = {settings.path_of(name): name for name in views.names}
    return WebOptions(
        rules=host_rules(settings.accepted_hosts, settings.accepted_origins),
        endpoints=tuple(paths),
        max_body_bytes=settings.max_request_bytes,
        ready_timeout_s=settings.call_timeout_s,
        bearer=bearer,
        denials=denials,
        edge=EdgeOptions(
            settings.rate_per_address, settings.rate_per_principal, settings.max_requests, settings.max_streams
        ),
        make_caller=callers_under(views.policy, paths),
        choices=Choices(frozenset((settings.path,)), views.seen_by) if settings.variant_meta else None,
        tells_declared="auto" in (settings.tools, settings.prompts),
        routes=routes,
        is_traced=settings.tracing,
        open_paths=PUBLIC_PATHS if settings.page else frozenset(),
        login=login,
    )


def _observe(settings: Settings) -> Callable[[str], Observe] | None:
    if not settings.metrics_port:
        return None
    # Here and in its siblings, not at the top: how metrics are kept is decided when their library is imported.
    from gateway.metrics.meters import RequestMeter

    return RequestMeter


def _store_meter(settings: Settings) -> CallMeter | None:
    if not settings.metrics_port:
        return None
    from gateway.metrics.meters import StoreMeter

    return StoreMeter()


def _sampling(
    settings: Settings, backend: Backend, options: WebOptions, journal: Journal | None
) -> AbstractAsyncContextManager[None]:
    if not settings.metrics_port:
        return nullcontext()
    from gateway.metrics.sampler import Sampler, sampling

    return sampling(Sampler(backend.views, backend.pace, options.denials, options.load, journal))


def _download_routes(settings: Settings) -> tuple[BaseRoute, ...]:
    if not settings.downloads:
        return ()
    # At the root what a caller is given who names no variant; below the endpoint of a variant what is in that.
    places = (Place(), *(Place(settings.path_of(name), name) for name in settings.variants))
    options = DownloadOptions(
        max_file_bytes=settings.max_file_bytes,
        timeout_s=settings.request_timeout_s,
        freshness_s=settings.freshness_s,
        cache_scope=settings.results_scope,
        cache_ttl_s=settings.cache_ttl_ms // 1000,
    )
    return download_routes(options, places)


def _page_routes(settings: Settings, views: Views) -> tuple[BaseRoute, ...]:
    if not settings.page:
        return ()
    needs_token = settings.auth == "bearer"
    options = PageOptions(
        settings.path_of,
        settings.public_url or "",
        needs_token=needs_token,
        has_archives=settings.downloads,
        seen_by=views.seen_by if settings.variants else None,
    )
    return Pages(options).routes()


def _status_routes(settings: Settings, denials: Denials, recent: RecentErrors) -> tuple[BaseRoute, ...]:
    # A proxy on this machine makes a loopback address one that others reach; then the gateway knows further names.
    is_local = is_loopback(settings.host) and not (settings.public_url or settings.allowed_hosts)
    if settings.auth != "bearer" and not is_local:
        return ()
    scopes = settings.status_scopes if settings.auth == "bearer" else ()
    return (Statusz(frozenset(scopes), denials, recent).route,)


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


def bearer_options(settings: Settings) -> BearerOptions | None:
    """Who is let in, by these settings; None for everybody."""
    if settings.auth != "bearer":
        return None
    # One audience for all endpoints: which variants a caller sees is for the rules to say.
    audiences = settings.auth_audiences or tuple(settings.endpoint_of(name) for name in ("", *settings.variants))
    trusted = tuple(
        TrustedIssuer(
            issuer,
            audiences,
            keys_url=settings.auth_keys_url or None,
            groups_claim=settings.auth_groups_claim,
        )
        for issuer in settings.auth_issuers
    )
    options = AuthOptions(trusted, tuple(parse_api_key(line.get_secret_value()) for line in settings.api_keys))
    resources = tuple(
        ProtectedResource(
            settings.path_of(name),
            settings.endpoint_of(name),
            settings.auth_issuers,
            settings.auth_scopes,
            required_scopes=settings.auth_scopes,
        )
        for name in ("", *settings.variants)
    )
    return BearerOptions(Authenticator(options), resources)


def signing_keys(settings: Settings) -> tuple[bytes, ...]:
    """The key ring, or one random key with a warning: cursors then end with this process."""
    if settings.signing_keys:
        return settings.signing_keys
    logger.warning(
        "GATEWAY_CURSOR_KEYS is not set: cursors are sealed with a random key and end with this process; "
        "run: skills-gateway keygen"
    )
    return (secrets.token_bytes(MIN_KEY_BYTES),)


def login_options(settings: Settings, keys: tuple[bytes, ...]) -> LoginOptions:
    """How people log in to the pages; `keys` seal their cookies."""
    return LoginOptions(
        PAGES,
        keys,
        public_origin=origin_of(settings.public_url) if settings.public_url else "",
        session_s=settings.page_session_s,
        oauth=oauth_options(settings) if settings.page_client_id else None,
        render=Templates().login,
    )


def oauth_options(settings: Settings) -> OAuthOptions:
    """How people log in at the identity providers."""
    secret = settings.page_client_secret
    client = CodeClient(
        settings.page_client_id,
        redirect_uri=f"{settings.public_url}{CALLBACK}",
        resource=settings.endpoint,
        scopes=settings.page_scopes or settings.auth_scopes,
        secret=secret.get_secret_value() if secret else "",
    )
    return OAuthOptions(client, settings.auth_issuers)
