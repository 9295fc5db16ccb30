"""Measure the gateway and its peers side by side. Run: make bench, or python -m benchmarks [--quick].

Prints a Markdown table on stdout, what is going on on stderr, and leaves table.md, results.json and
results.png in the output folder. What is installed and filled there is used again by the next run.
"""

import argparse
import json
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.calls import measure_calls
from benchmarks.cold import measure_cold
from benchmarks.findings import Findings, ratios_of
from benchmarks.machine import this_machine
from benchmarks.memory import measure_memory
from benchmarks.processes import NotRun
from benchmarks.report import report
from benchmarks.servers import Servers
from benchmarks.store import opened_store
from benchmarks.talk import say
from benchmarks.warm import measure_warm
from gateway.errors import GatewayError

PARTS = ("calls", "cold", "memory", "requests")


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    rounds: int
    seconds: float
    cold_sizes: tuple[int, ...]
    cold_rounds: int
    cold_within_s: float
    memory_sizes: tuple[int, ...]
    calls_skills: int


FULL = Plan(5, 1.0, (100, 1_000, 10_000), 2, 240.0, (100, 10_000, 100_000), 10_000)
QUICK = Plan(2, 0.4, (100, 1_000), 1, 60.0, (100, 1_000), 1_000)


def main() -> None:
    options = _options()
    _forget_environment()
    # SIGTERM ends the run as Ctrl-C does: every block is left, and every server with it stopped. It becomes one,
    # because an event loop that runs turns Ctrl-C into a cancelled task, and nothing else.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda number, frame: signal.raise_signal(signal.SIGINT))
    out: Path = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    (out / ".gitignore").write_text("*\n")
    begun = time.monotonic()
    findings = Findings(this_machine(), is_quick=options.quick)
    try:
        _measure(findings, QUICK if options.quick else FULL, options.only or PARTS, out)
    except KeyboardInterrupt:
        raise SystemExit("stopped; nothing was left running") from None
    except (NotRun, GatewayError) as failure:
        raise SystemExit(f"the benchmarks stop here: {failure}") from None
    findings.seconds = time.monotonic() - begun
    _write(findings, out)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes and short rounds, two minutes or so")
    parser.add_argument("--only", action="append", choices=PARTS, metavar="PART", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--out", type=Path, default=Path(".cache/bench"), help="folder for results, logs and the store")
    return parser.parse_args()


def _forget_environment() -> None:
    """No setting or credential of the person who runs this may change what is measured."""
    for name in [name for name in os.environ if name.startswith(("AWS_", "GATEWAY_"))]:
        del os.environ[name]
    os.environ["AWS_CONFIG_FILE"] = os.environ["AWS_SHARED_CREDENTIALS_FILE"] = os.devnull
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"


def _measure(findings: Findings, plan: Plan, parts: Sequence[str], out: Path) -> None:
    if "calls" in parts:
        findings.calls, findings.calls_skills = measure_calls(plan.calls_skills), plan.calls_skills
    if set(parts) == {"calls"}:
        return
    with opened_store(out / "store") as store:
        servers = Servers(store, out / "work")
        if "requests" in parts:
            findings.warm = measure_warm(servers, rounds=plan.rounds, seconds=plan.seconds)
        if "cold" in parts:
            findings.cold = measure_cold(servers, plan.cold_sizes, rounds=plan.cold_rounds, within_s=plan.cold_within_s)
        if "memory" in parts:
            findings.memory = measure_memory(servers, plan.memory_sizes)


def _write(findings: Findings, out: Path) -> None:
    table = report(findings)
    (out / "table.md").write_text(table + "\n", encoding="utf-8")
    everything: dict[str, Any] = asdict(findings) | {"ratios": [asdict(one) for one in ratios_of(findings)]}
    (out / "results.json").write_text(json.dumps(everything, indent=1), encoding="utf-8")
    try:
        from benchmarks.plot import draw  # only here, so that all else runs without matplotlib
    except ImportError as reason:
        say(f"no plot: {reason}; install skills-gateway[bench]")
    else:
        draw(findings, out / "results.png")
    say(f"written: {', '.join(name for name in ('table.md', 'results.json', 'results.png') if (out / name).exists())}")
    print(table)


if __name__ == "__main__":
    main()
