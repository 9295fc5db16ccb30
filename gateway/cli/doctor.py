"""`skills-gateway doctor`: whether a gateway with these settings could serve, and what to do when not.

It looks from the outside in and stops at what makes further questions senseless; each question has a
deadline, and the whole has one.
"""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import typer

from gateway.cli import options, repository
from gateway.cli.doctor_output import as_document, print_for_people, summary
from gateway.cli.terminal import EXIT_FAILED, EXIT_USAGE, result, talk
from gateway.doctor.access import judge_access
from gateway.doctor.configuration import judge_configuration, judge_page_size
from gateway.doctor.facts import Configuration, Failure, StoreSeen
from gateway.doctor.finding import Finding, has_error
from gateway.errors import SettingsError, StoreError
from gateway.settings import Settings, load_settings
from gateway.settings.rules import is_loopback

if TYPE_CHECKING:
    from gateway.s3.options import S3Options

_WHOLE_S = 60.0
_CONTENTS_S = 25.0
_QUESTION_S = 10.0


def doctor(
    target: Annotated[
        str | None,
        typer.Argument(help="Where the skills lie; the settings say it without.", metavar="[s3://BUCKET/PREFIX]"),
    ] = None,
    config: options.ConfigFile = None,
    endpoint_url: options.EndpointUrl = None,
    region: options.Region = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write scratch objects, to see what the store does; they are deleted.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Look at settings, endpoint, clock, credentials, bucket and skills, and say what to do about each.

    Takes about a minute at most. Exit code 1 when there is an error, 2 when the settings cannot be loaded.
    """
    try:
        settings = _settings(target, config, endpoint_url, region)
    except SettingsError as error:
        _tell(target or "", [Finding("settings", error.reason, "error", str(error), "correct it")], as_json)
        raise typer.Exit(EXIT_USAGE) from None
    findings = asyncio.run(examine(settings, is_writing=write))
    _tell(repository.place_of(settings), findings, as_json)
    if has_error(findings):
        raise typer.Exit(EXIT_FAILED)


async def examine(settings: Settings, *, is_writing: bool = False) -> list[Finding]:
    """All findings; those that could not be had within the time are told to be missing."""
    findings = [*judge_configuration(configuration_of(settings))]
    try:
        async with asyncio.timeout(_WHOLE_S):
            await _look(settings, findings, is_writing)
    except TimeoutError:
        said = f"not everything was looked at within {_WHOLE_S:g} s"
        findings.append(Finding("contents", "time_over", "warning", said, "the store is slow; run it again"))
    return findings


async def _look(settings: Settings, findings: list[Finding], is_writing: bool) -> None:
    from gateway.doctor.endpoint import knock
    from gateway.doctor.reach import is_way_blocked, judge_endpoint
    from gateway.s3.examine import trusted_certificates
    from gateway.wiring import s3_options

    timeout_s = min(settings.call_timeout_s, _QUESTION_S)
    url = endpoint_of(settings)
    if _proxy_of(url):
        findings.append(
            Finding("endpoint", "proxy", "ok", f"{url} is asked by way of a proxy, so not looked at itself")
        )
    else:
        way = judge_endpoint(await knock(url, timeout_s=timeout_s, ca_file=trusted_certificates()))
        findings += way
        if is_way_blocked(way):
            return
    opened = replace(s3_options(settings), max_attempts=1, call_timeout_s=timeout_s)
    async with AsyncExitStack() as stack:
        await _look_inside(settings, opened, findings, is_writing, stack)


async def _look_inside(
    settings: Settings, opened: "S3Options", findings: list[Finding], is_writing: bool, stack: AsyncExitStack
) -> None:
    from gateway.cli.doctor_contents import look_at_contents
    from gateway.doctor.ability import judge_store
    from gateway.doctor.asking import answer_of, ask_store
    from gateway.doctor.contents import judge_contents
    from gateway.doctor.reach import NOT_S3, second_thoughts
    from gateway.releases.publish import check_conditions
    from gateway.releases.repository import Repository
    from gateway.s3 import open_store
    from gateway.s3.examine import open_examination

    now = datetime.now(UTC)
    try:
        store = await stack.enter_async_context(open_store(opened))
    except StoreError as error:
        remedy = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or a role of the machine"
        findings.append(Finding("access", "no_credentials", "error", str(error), remedy))
        return
    examination = await stack.enter_async_context(open_examination(opened))
    conditions = (lambda: check_conditions(Repository(store, settings.prefix))) if is_writing else None
    seen: StoreSeen = await ask_store(
        store, examination, settings.prefix, timeout_s=opened.call_timeout_s, conditions=conditions
    )
    is_unlike_s3 = any(finding.code == NOT_S3 for finding in findings)
    findings[:] = [second_thoughts(finding, seen.listing) for finding in findings]
    if not (is_unlike_s3 and isinstance(seen.listing, Failure)):
        findings += (*judge_access(seen, now), *judge_store(seen))
    if isinstance(seen.listing, Failure):
        return
    contents = await answer_of(look_at_contents(store, settings, stop_at=monotonic() + _CONTENTS_S), _WHOLE_S)
    findings += judge_contents(contents, now)
    if not isinstance(contents, Failure):
        findings += judge_page_size(settings.page_size, contents.served)


def configuration_of(settings: Settings) -> Configuration:
    """What the rules about settings look at."""
    store = urlsplit(settings.endpoint_url or "").hostname or ""
    return Configuration(
        cursor_keys=len(settings.cursor_keys),
        auth=settings.auth,
        is_public=not is_loopback(settings.host),
        freshness_s=settings.freshness_s,
        page_size=settings.page_size,
        public_name=(urlsplit(settings.public_url).hostname or "") if settings.public_url else "",
        allowed_hosts=settings.allowed_hosts,
        endpoint_url=settings.endpoint_url,
        is_local_store=is_loopback(store),
    )


def endpoint_of(settings: Settings) -> str:
    """The URL that is knocked at: the one that is set, or that of AWS in the region."""
    region = settings.region
    return settings.endpoint_url or f"https://s3.{f'{region}.' if region else ''}amazonaws.com"


def _proxy_of(url: str) -> bool:
    place = urlsplit(url)
    return place.scheme in getproxies() and not proxy_bypass(place.hostname or "")


def _settings(target: str | None, config: Path | None, endpoint_url: str | None, region: str | None) -> Settings:
    if target is not None:
        return repository.release_settings(target, config, endpoint_url, region)
    return load_settings(config, endpoint_url=endpoint_url, region=region)


def _tell(target: str, findings: list[Finding], as_json: bool) -> None:
    if as_json:
        result(as_document(target, findings))
    else:
        print_for_people(findings)
    talk.print(summary(findings))
