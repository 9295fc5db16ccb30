"""The official conformance scenarios, and how their verdicts must be read.

The CLI exits 0 for a scenario whose checks were all skipped, and 1 for checks that want tools, prompts
or subscriptions, which a server of resources alone has not. So its exit code says nothing here:
`checks.json` is read, and every check in it passed or has its reason in NOT_OURS.

Source: the README and the scenarios of the npm package @modelcontextprotocol/conformance.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.npm import run_node

SKILLS = ("sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory")

# Not here: `server-session-lifecycle` has no check for a server without sessions, and
# `http-header-validation` sends tools/list.
SCENARIOS = {
    "2026-07-28": (
        *SKILLS,
        "server-stateless",
        "resources-list",
        "sep-2164-resource-not-found",
        "caching",
        "dns-rebinding-protection",
    ),
    "2025-11-25": (*SKILLS, "server-initialize", "ping", "resources-list", "dns-rebinding-protection"),
}

_TOOLS, _PROMPTS, _LISTEN = "needs a tool", "needs a prompt", "needs subscriptions or list changes"
_MODERN_ONLY = "caching fields begin with 2026-07-28"

NOT_OURS = {
    "sep-2549-tools-list-caching-hints": _TOOLS,
    "sep-2549-prompts-list-caching-hints": _PROMPTS,
    "sep-2575-server-rejects-undeclared-capability": _TOOLS,
    "sep-2575-missing-capability-http-400": _TOOLS,
    "sep-2575-http-server-no-independent-requests-on-stream": _TOOLS,
    "sep-2575-server-no-log-without-loglevel": _TOOLS,
    "sep-2575-server-sends-subscription-ack": _LISTEN,
    "sep-2575-server-tags-subscription-id": _LISTEN,
    "sep-2575-server-honors-notification-filter": _LISTEN,
    "sep-2575-server-sends-prompts-list-changed-on-subscription": _LISTEN,
    "sep-2575-server-sends-tools-list-changed-on-subscription": _LISTEN,
}
NOT_OURS_ON_LEGACY = {
    "sep-2640-skills-list-cache-attributes": _MODERN_ONLY,
    "sep-2640-skills-get-cache-attributes": _MODERN_ONLY,
}

_WITHIN_S = 90


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a scenario: SUCCESS, FAILURE, WARNING, SKIPPED or INFO, and why."""

    id: str
    status: str
    message: str = ""
    untestable: bool = False

    def is_excused(self, revision: str) -> bool:
        """Whether it asks for what a server of resources alone has not; a failure of anything else is one."""
        reasons = NOT_OURS | (NOT_OURS_ON_LEGACY if revision == "2025-11-25" else {})
        nothing_there = self.status == "SKIPPED" or self.untestable or "-32601" in self.message
        return self.id in reasons and nothing_there


def run_scenario(packages: Path, url: str, revision: str, scenario: str, results: Path) -> list[Check]:
    """The checks of one scenario against the server at `url`; AssertionError when it left no result."""
    cli = packages / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    # Without --force a scenario of an extension is skipped whole as soon as a revision is named.
    choice = ("--scenario", scenario, "--spec-version", revision, "--force", "-o", results)
    done = run_node((cli, "server", "--url", url, *choice), within_s=_WITHIN_S)
    found = list(results.glob("*/checks.json"))
    assert len(found) == 1, f"no result, exit {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
    return [_check(row) for row in json.loads(found[0].read_bytes())]


def _check(row: dict[str, object]) -> Check:
    details = row.get("details")
    untestable = isinstance(details, dict) and details.get("untestable") is True
    return Check(str(row["id"]), str(row["status"]), str(row.get("errorMessage", "")), untestable)
