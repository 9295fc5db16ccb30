"""Running the app under uvicorn: one process, or several that share the listening socket.

The socket is opened before anything else, so that a taken port is one clear line. SIGTERM and Ctrl-C
end the same way: running requests finish, then the caller goes on after `run_server`.
"""

import signal
import socket
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from gateway.cli.http import OneWriteProtocol
from gateway.cli.logs import Format, log_to_stderr
from gateway.cli.terminal import CommandFailed
from gateway.settings import Settings

if TYPE_CHECKING:
    from starlette.applications import Starlette

# Longer than proxies keep connections open (60 s at AWS), or they send requests into ones that are closed.
_KEEP_ALIVE_S = 75

Announce = Callable[[str], None]
Build = Callable[[], "Starlette"]


def bind(settings: Settings) -> socket.socket:
    """A socket on the settings' address; it listens once the server starts. CommandFailed when it is taken."""
    found = _addresses(settings)
    # localhost has two addresses; clients try the old one anyway.
    family, _, _, _, address = min(found, key=lambda row: row[0] != socket.AF_INET)
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise _not_bound(settings, error) from None
    listener.set_inheritable(True)
    return listener


def run_server(build: Build, settings: Settings, listener: socket.socket, announce: Announce) -> None:
    """Serve what `build` makes until a signal; `announce` gets the endpoint's URL once requests are answered.

    With several workers `build` must be picklable, as each makes an app of its own. Raises
    CommandFailed when the app does not start; its own log lines say why.
    """
    url = endpoint_of(settings, listener)
    config = server_config(partial(_build_in_process, build, settings.log_level, settings.log_format), settings)
    log_to_stderr(settings.log_level, settings.log_format)
    with _metrics(settings):
        if settings.workers > 1:
            _run_workers(config, listener, partial(announce, url))
        else:
            _run_here(config, listener, partial(announce, url))


@contextmanager
def _metrics(settings: Settings) -> Generator[None]:
    """Metrics on their own port, where they are wanted."""
    if not settings.metrics_port:
        yield
        return
    from gateway.metrics.exposition import exposed

    with ExitStack() as stack:
        try:
            stack.enter_context(exposed(settings.metrics_host, settings.metrics_port, workers=settings.workers))
        except OSError as error:
            place = f"{settings.metrics_host}, port {settings.metrics_port}"
            reason = f"cannot answer metrics on {place} ({error.strerror}); choose another GATEWAY_METRICS_PORT"
            raise CommandFailed(reason) from None
        yield


def server_config(build: Build, settings: Settings) -> uvicorn.Config:
    """How uvicorn is told to serve what `build` makes."""
    return uvicorn.Config(
        build,
        factory=True,
        http=OneWriteProtocol,
        workers=settings.workers,
        log_config=None,
        access_log=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=settings.shutdown_timeout_s,
    )


def _addresses(settings: Settings) -> list[Any]:
    try:
        return socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise _not_bound(settings, error) from None


def _not_bound(settings: Settings, error: OSError) -> CommandFailed:
    place = f"{settings.host}, port {settings.port}"
    return CommandFailed(f"cannot listen on {place} ({error.strerror}); choose another port with --port")


def _build_in_process(build: Build, log_level: str, log_format: Format) -> "Starlette":
    # A worker is a fresh process: its logging is set up here as well.
    log_to_stderr(log_level, log_format)
    return build()


def endpoint_of(settings: Settings, listener: socket.socket) -> str:
    """The endpoint's URL with the port that the listener really got."""
    port = listener.getsockname()[1]
    return settings.model_copy(update={"port": port}).endpoint


@contextmanager
def sigterm_like_ctrl_c() -> Generator[None]:
    """SIGTERM raises KeyboardInterrupt in the block, so that what it opened is closed."""

    def interrupt(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _AnnouncingServer(uvicorn.Server):
    """Says so once it answers requests."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._announce()


def _run_here(config: uvicorn.Config, listener: socket.socket, announce: Callable[[], None]) -> None:
    try:
        # uvicorn raises the signal that stopped it once more when it is done.
        with sigterm_like_ctrl_c():
            _AnnouncingServer(config, announce).run(sockets=[listener])
    except KeyboardInterrupt:
        return
    except SystemExit:
        raise CommandFailed("the server did not start; the lines above say why") from None


def _run_workers(config: uvicorn.Config, listener: socket.socket, announce: Callable[[], None]) -> None:
    supervisor = Multiprocess(config, sockets=[listener])
    # From here on a client waits for the first worker, and is not refused.
    listener.listen(config.backlog)
    announce()
    supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise CommandFailed("a worker did not start; the lines above say why")
