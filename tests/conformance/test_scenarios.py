"""The official scenarios against our server over a real store that has `examples/skills`."""

from collections import Counter
from pathlib import Path

import pytest

from tests.conformance.scenarios import SCENARIOS, Check, run_scenario

RUNS = [(revision, scenario) for revision, scenarios in SCENARIOS.items() for scenario in scenarios]


@pytest.mark.parametrize(("revision", "scenario"), RUNS)
def test_an_official_scenario_passes(
    packages: Path, examples_url: str, tmp_path: Path, revision: str, scenario: str
) -> None:
    """[SEP-2640] [MCP conformance] A skipped check counts as a failed one, and a scenario without checks too."""
    checks = run_scenario(packages, examples_url, revision, scenario, tmp_path)
    verdicts = Counter(check.status for check in checks)
    wrong = [check for check in checks if check.status not in ("SUCCESS", "INFO") and not check.is_excused(revision)]
    assert wrong == []
    assert verdicts["SUCCESS"] > 0


@pytest.mark.parametrize(
    ("check", "excused"),
    [
        (Check("sep-2575-missing-capability-http-400", "FAILURE", "Not testable: no tool", untestable=True), True),
        (Check("sep-2549-tools-list-caching-hints", "FAILURE", "error -32601: Method not found"), True),
        (Check("sep-2549-tools-list-caching-hints", "FAILURE", "no ttlMs"), False),
        (Check("sep-2640-skills-list", "SKIPPED", "the extension is not declared"), False),
        (Check("sep-2640-skills-list", "FAILURE", "error -32601: Method not found"), False),
        (Check("sep-2640-skills-list-cache-attributes", "SKIPPED"), False),
    ],
)
def test_only_what_we_do_not_have_is_excused(check: Check, excused: bool) -> None:
    """[ours]"""
    assert check.is_excused("2026-07-28") is excused
