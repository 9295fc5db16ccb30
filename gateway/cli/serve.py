"""`skills-gateway serve`."""

import logging
from functools import partial

from gateway.cli import options
from gateway.cli.server import bind, run_server
from gateway.cli.terminal import talk
from gateway.settings import load_settings
from gateway.tracing.export import require_otel

logger = logging.getLogger(__name__)


def serve(
    config: options.ConfigFile = None,
    bucket: options.Bucket = None,
    prefix: options.Prefix = None,
    endpoint_url: options.EndpointUrl = None,
    region: options.Region = None,
    mount: options.Mount = None,
    allow_binary: options.AllowBinary = None,
    page_size: options.PageSize = None,
    host: options.Host = None,
    port: options.Port = None,
    public_url: options.PublicUrl = None,
    allowed_hosts: options.AllowedHosts = None,
    workers: options.Workers = None,
    log_format: options.LogFormat = None,
    log_level: options.LogLevel = None,
) -> None:
    """Serve a bucket prefix of skills over MCP.

    Settings come from the environment (GATEWAY_...), gateway.toml and these flags; a later one wins.
    Credentials come by the usual AWS chain. Stops on SIGTERM or Ctrl-C, after running requests.
    """
    settings = load_settings(
        config,
        bucket=bucket,
        prefix=prefix,
        endpoint_url=endpoint_url,
        region=region,
        mount=mount,
        allow_binary=allow_binary,
        page_size=page_size,
        host=host,
        port=port,
        public_url=public_url,
        allowed_hosts=allowed_hosts,
        workers=workers,
        log_format=log_format,
        log_level=log_level,
    )
    if settings.tracing:
        require_otel()
    with bind(settings) as listener:
        # Here and not at the top: --help and keygen must not wait for the whole server.
        from gateway.asgi import create_app

        announce = partial(_announce, settings.log_format, f"s3://{settings.bucket}/{settings.prefix}")
        run_server(partial(create_app, settings), settings, listener, announce)


def _announce(log_format: str, place: str, url: str) -> None:
    if log_format == "json":  # where every line is one of the log
        logger.info("serving %s at %s", place, url)
    else:
        talk.print(f"serving {place} at {url}", markup=False)
