"""Composition root: settings in, a running app out. The only place that knows every room.

`create_app` is what a process serves; `app_over` is the same over a store that is already there, for
the demo and for tests.
"""

import gc
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from starlette.applications import Starlette
from starlette.routing import BaseRoute

from gateway import __version__
from gateway.audit.journal import Journal, open_journal
from gateway.objects import ObjectStore
from gateway.page.routes import PUBLIC_PATHS
from gateway.policy.policy import Policy
from gateway.protocol.metered import Observe
from gateway.s3.client import open_store
from gateway.s3.meter import CallMeter
from gateway.settings import Settings
from gateway.sources.views import Views
from gateway.tracing.export import exporting
from gateway.web.app import Backend, BearerOptions, EdgeOptions, WebOptions, create_web_app
from gateway.web.callers import callers_under
from gateway.web.choice import Choices
from gateway.web.denials import Denials
from gateway.web.hosts import host_rules
from gateway.web.login.options import LoginOptions
from gateway.web.recent import RecentErrors
from gateway.web.stop import on_stop
from gateway.wiring import (
    bearer_options,
    download_routes,
    login_options,
    page_routes,
    s3_options,
    signing_keys,
    status_routes,
)

logger = logging.getLogger(__name__)

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
    routes = (*download_routes(settings), *page_routes(settings, views), *status_routes(settings, denials, recent))
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
