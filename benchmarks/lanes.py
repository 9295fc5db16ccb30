"""The servers of the warm requests, started side by side, and a first look at what each answers."""

import json
import secrets
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cells import Cell
from benchmarks.corpus import GUIDE, name_of, warm_catalogue
from benchmarks.load import BadAnswer, ask
from benchmarks.processes import SERVER_CORE, NotRun, Process, on_core
from benchmarks.servers import Running, Servers
from benchmarks.talk import say
from benchmarks.wire import ERAS, OPERATIONS, Era, Operation, Target, check_result, request_bytes, result_of
from gateway.auth.apikeys import SECRET_BYTES, make_api_key

OURS = "skills-gateway"
OURS_KEPT = "skills-gateway, freshness 3600 s"
OURS_SDK = "skills-gateway, fast lane off"
OURS_AUTH = "skills-gateway, with a token"
TYPESCRIPT = "TypeScript SDK 2.4.0"
FASTMCP = "FastMCP 4.2.3"
BARE = "bare Python SDK"
RAW = "raw ASGI"


@dataclass(frozen=True, slots=True)
class Lane:
    """A server that runs, and where it answers each cell."""

    name: str
    process: Process
    path: Callable[[Era, Operation], str] = lambda era, operation: "/mcp"
    token: str = ""

    def target(self, era: Era, operation: Operation) -> Target:
        return Target(era, operation, _params(operation), self.process.port, self.path(era, operation), self.token)


def start_lanes(servers: Servers, stack: ExitStack) -> tuple[list[Lane], list[Cell]]:
    """The servers that run, and the cells of all of them; those of one that does not run say why."""
    prefix, folder = servers.store.warm_prefix, _written(servers.work / "warm-skills")
    lanes: list[Lane] = []
    cells: list[Cell] = []

    def add(
        name: str,
        start: Callable[[], Running],
        path: Callable[[Era, Operation], str] = lambda era, operation: "/mcp",
        token: str = "",
    ) -> None:
        say(f"starting {name}")
        mine = [Cell(name, era, operation) for era in ERAS for operation in OPERATIONS]
        cells.extend(mine)
        try:
            with on_core(SERVER_CORE):
                process = stack.enter_context(start())
        except NotRun as reason:
            say(f"  not run: {reason}")
            for cell in mine:
                cell.why_not = str(reason)
        else:
            lanes.append(Lane(name, process, path, token))

    token, key = make_api_key("bench", secrets.token_bytes(SECRET_BYTES))
    add(OURS, lambda: servers.gateway(prefix))
    add(OURS_KEPT, lambda: servers.gateway(prefix, name="gateway-kept", freshness_s="3600"))
    add(OURS_SDK, lambda: servers.gateway(prefix, name="gateway-sdk", fast_lane="false"))
    add(OURS_AUTH, lambda: servers.gateway(prefix, name="gateway-token", auth="bearer", api_keys=key.line), token=token)
    add(TYPESCRIPT, lambda: servers.typescript("folder", str(folder)))
    add(FASTMCP, lambda: servers.fastmcp(folder))
    add(BARE, lambda: servers.bare_sdk(_our_results(lanes, servers.work)))
    add(RAW, lambda: servers.raw_asgi(_our_answers(lanes, servers.work)), lambda era, operation: f"/{era}/{operation}")
    return lanes, cells


def look_at(lane: Lane, cells: Mapping[tuple[str, Era, Operation], Cell]) -> None:
    """Look at one answer of each cell; the cell of a wrong one says what is wrong with it."""
    catalogue = warm_catalogue()
    skills: dict[str, set[str]] = {}
    for path in catalogue:
        name = path.partition("/")[0]
        skills.setdefault(f"skill://{name}/SKILL.md", set()).add(f"skill://{path}")
    text = catalogue[f"{name_of(0)}/{GUIDE}"].decode()
    for era in ERAS:
        for operation in OPERATIONS:
            cell = cells[lane.name, era, operation]
            try:
                status, body = _asked(lane, era, operation)
                check_result(operation, result_of(status, body), skills, text)
                cell.answer_bytes = len(body)
            except (ValueError, KeyError, BadAnswer) as reason:
                cell.why_not = str(reason)
                say(f"  {lane.name} does not answer {operation} ({era}): {reason}")


def _our_results(lanes: list[Lane], work: Path) -> Path:
    """A file with the results of our own answers, by era and method."""
    results: dict[str, dict[str, Any]] = {}
    for era in ERAS:
        for operation in OPERATIONS:
            status, body = _asked(_ours(lanes), era, operation)
            try:
                results.setdefault(era, {})[operation] = result_of(status, body)
            except ValueError as reason:
                raise NotRun(f"{OURS} answers {operation} ({era}) with {reason}") from None
    return _json_file(work / "results.json", results)


def _our_answers(lanes: list[Lane], work: Path) -> Path:
    """A file with our own answers, whole, by the path that the raw app has for them."""
    ours = _ours(lanes)
    answers = {f"/{era}/{operation}": _asked(ours, era, operation)[1] for era in ERAS for operation in OPERATIONS}
    return _json_file(work / "answers.json", {path: body.decode() for path, body in answers.items()})


def _ours(lanes: list[Lane]) -> Lane:
    if not lanes or lanes[0].name != OURS:
        raise NotRun(f"it sends what {OURS} sends, which did not start")
    return lanes[0]


def _asked(lane: Lane, era: Era, operation: Operation) -> tuple[int, bytes]:
    return ask(lane.process.port, request_bytes(lane.target(era, operation), 1000))


def _json_file(file: Path, value: object) -> Path:
    file.write_text(json.dumps(value), encoding="utf-8")
    return file


def _params(operation: Operation) -> dict[str, str]:
    if operation == "skills/list":
        return {}
    return {"uri": f"skill://{name_of(0)}/{'SKILL.md' if operation == 'skills/get' else GUIDE}"}


def _written(folder: Path) -> Path:
    for path, data in warm_catalogue().items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder
