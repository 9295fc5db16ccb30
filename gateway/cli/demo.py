"""`skills-gateway demo`: an object store, skills in it, and the gateway over it, on this machine alone.

The store is SeaweedFS, bound to loopback, with credentials of its own. It starts empty each time, so
the bucket holds what the folder holds. One demo at a time in a working directory.
"""

import asyncio
import fcntl
import secrets
import shutil
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import SecretStr
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

import gateway
from gateway.cli.connect import connect_lines
from gateway.cli.server import bind, run_server, sigterm_like_ctrl_c
from gateway.cli.terminal import CommandFailed, result, talk
from gateway.cli.upload import Upload, plan_upload, upload
from gateway.cursor import MIN_KEY_BYTES
from gateway.local.seaweedfs import seaweedfs
from gateway.settings import Settings

if TYPE_CHECKING:
    from gateway.s3 import S3Options

BUCKET = "skills"
REGION = "us-east-1"
WORK_DIRECTORY = Path(".skills-gateway")


def demo(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Folder of skills; sample skills without it.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to serve on; 0 for any free one.")] = 8000,
    serve: Annotated[
        bool,
        typer.Option("--serve/--no-serve", help="--no-serve: the filled store alone, with the settings for 'serve'."),
    ] = True,
) -> None:
    """Try it: start a local object store, fill it with skills, serve them.

    Needs the extra 'demo' (SeaweedFS). The store keeps its data under .skills-gateway/ and starts empty
    each time. Everything stops on Ctrl-C.
    """
    uploads = plan_upload(folder or sample_skills())
    try:
        with sigterm_like_ctrl_c(), _only_one(WORK_DIRECTORY):
            if serve:
                _serve(demo_settings(port), uploads)
            else:
                _store_only(uploads)
    except KeyboardInterrupt:
        talk.print("stopped")


def demo_settings(port: int) -> Settings:
    """Settings of the demo: nothing of the environment, so that it runs the same everywhere."""
    key = SecretStr(secrets.token_urlsafe(MIN_KEY_BYTES))
    return Settings(bucket=BUCKET, region=REGION, allow_binary=True, port=port, cursor_keys=(key,))


def sample_skills() -> Path:
    """Where the sample skills are: in the installed package, or beside it in a checkout."""
    package = Path(gateway.__file__).parent
    found = [folder for folder in (package / "examples/skills", package.parent / "examples/skills") if folder.is_dir()]
    if not found:
        raise CommandFailed("the sample skills are not installed; name a folder of skills: skills-gateway demo DIR")
    return found[0]


def _serve(settings: Settings, uploads: tuple[Upload, ...]) -> None:
    # The port comes first, so that a taken one costs nobody an upload.
    with bind(settings) as listener, _filled_store(uploads) as store:
        from gateway.asgi import app_over
        from gateway.s3 import open_store

        build = partial(app_over, partial(open_store, store), settings)
        run_server(
            build, settings, listener, lambda url: result(connect_lines(url, url.removesuffix(settings.path) + "/"))
        )


def _store_only(uploads: tuple[Upload, ...]) -> None:
    with _filled_store(uploads) as store:
        result("\n".join(f"export {name}={value}" for name, value in environment_for(store).items()))
        talk.print(f"paste these lines into another terminal, then run there: {sys.argv[0]} serve", soft_wrap=True)
        talk.print("the store runs until Ctrl-C")
        while True:
            signal.pause()


def environment_for(store: "S3Options") -> dict[str, str]:
    """The variables with which `serve`, or any S3 client, finds the demo's store."""
    return {
        "GATEWAY_BUCKET": store.bucket,
        "GATEWAY_ENDPOINT_URL": str(store.endpoint_url),
        "GATEWAY_REGION": str(store.region),
        "GATEWAY_ALLOW_BINARY": "true",
        "AWS_ACCESS_KEY_ID": str(store.access_key),
        "AWS_SECRET_ACCESS_KEY": str(store.secret_key),
    }


@contextmanager
def _filled_store(uploads: tuple[Upload, ...]) -> Generator["S3Options"]:
    from gateway.s3 import S3Options

    data = WORK_DIRECTORY / "demo"
    shutil.rmtree(data, ignore_errors=True)
    talk.print("starting SeaweedFS on 127.0.0.1 ...")
    with seaweedfs(data, bucket=BUCKET) as server:
        store = S3Options(
            bucket=BUCKET,
            endpoint_url=server.url,
            region=REGION,
            access_key=server.access_key,
            secret_key=server.secret_key,
        )
        asyncio.run(_fill(store, uploads))
        yield store


async def _fill(options: "S3Options", uploads: tuple[Upload, ...]) -> None:
    from gateway.s3 import open_store

    columns = (TextColumn("uploading"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    async with open_store(options) as store:
        with Progress(*columns, console=talk, disable=not talk.is_terminal, transient=True) as progress:
            task = progress.add_task("", total=len(uploads))
            await upload(uploads, store, lambda one: progress.update(task, advance=1, description=one.key))
    size = sum(one.size for one in uploads)
    talk.print(f"uploaded {len(uploads)} files ({size:,} bytes) to s3://{options.bucket}/")


@contextmanager
def _only_one(directory: Path) -> Generator[None]:
    """Hold the working directory for this process. CommandFailed when another demo has it."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandFailed(
                f"another demo runs in {directory.resolve()}; stop it, or start this one in another folder"
            ) from None
        yield
