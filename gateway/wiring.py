"""Settings to the options of each room, and to the routes beside MCP."""

import logging
import secrets

from starlette.routing import BaseRoute

from gateway.auth.apikeys import parse_api_key
from gateway.auth.authenticator import Authenticator, AuthOptions
from gateway.auth.codeflow import CodeClient
from gateway.auth.issuer import TrustedIssuer
from gateway.auth.resource import ProtectedResource
from gateway.cursor import MIN_KEY_BYTES
from gateway.downloads.options import DownloadOptions, Place
from gateway.downloads.routes import download_routes as routes_of_downloads
from gateway.page.answers import Templates
from gateway.page.routes import PageOptions, Pages
from gateway.s3.options import S3Options
from gateway.settings import Settings
from gateway.settings.rules import is_loopback, origin_of
from gateway.sources.views import Views
from gateway.web.app import BearerOptions
from gateway.web.denials import Denials
from gateway.web.login.options import LoginOptions, OAuthOptions
from gateway.web.login.paths import CALLBACK, PagePaths
from gateway.web.recent import RecentErrors
from gateway.web.statusz import Statusz

logger = logging.getLogger(__name__)

PAGES = PagePaths(frozenset({"/", "/problems", "/history", "/connect"}), ("/skills/", "/files/", "/variants/"))
"""Where a login with a browser counts."""


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


def download_routes(settings: Settings) -> tuple[BaseRoute, ...]:
    """Archives and their index, where they are wanted."""
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
    return routes_of_downloads(options, places)


def page_routes(settings: Settings, views: Views) -> tuple[BaseRoute, ...]:
    """The page for people, where it is wanted."""
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


def status_routes(settings: Settings, denials: Denials, recent: RecentErrors) -> tuple[BaseRoute, ...]:
    """What the gateway tells of itself, to who may ask."""
    # A proxy on this machine makes a loopback address one that others reach; then the gateway knows further names.
    is_local = is_loopback(settings.host) and not (settings.public_url or settings.allowed_hosts)
    if settings.auth != "bearer" and not is_local:
        return ()
    scopes = settings.status_scopes if settings.auth == "bearer" else ()
    return (Statusz(frozenset(scopes), denials, recent).route,)
