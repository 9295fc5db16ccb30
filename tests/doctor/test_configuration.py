"""Settings that are allowed and yet seldom meant, and what is named of refused skills."""

from datetime import UTC, datetime, timedelta

import pytest

from gateway.doctor.access import judge_credentials
from gateway.doctor.configuration import judge_configuration, judge_page_size
from gateway.doctor.contents import refusals
from gateway.doctor.facts import Configuration, CredentialsSeen
from gateway.skill.model import Problem

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seen", "codes"),
    [
        (Configuration(cursor_keys=1), ["settings"]),
        (Configuration(), ["cursor_keys"]),
        (Configuration(1, auth="none", is_public=True, public_name="a.example"), ["auth_none"]),
        (Configuration(1, auth="none"), ["settings"]),
        (Configuration(1, freshness_s=0), ["freshness"]),
        (Configuration(1, "bearer", True, public_name="a.example", allowed_hosts=("b.example:*",)), ["hosts"]),
        (Configuration(1, "bearer", True, public_name="a.example", allowed_hosts=("a.example:443",)), ["settings"]),
        (Configuration(1, "bearer", True, allowed_hosts=("b.example",)), ["public_url"]),
        (Configuration(1, endpoint_url="http://store.example"), ["plain_http"]),
        (Configuration(1, endpoint_url="http://127.0.0.1:9000", is_local_store=True), ["settings"]),
    ],
)
def test_settings_that_smell_are_warnings(seen: Configuration, codes: list[str]) -> None:
    """[ours] Each says what to set."""
    findings = judge_configuration(seen)
    assert [finding.code for finding in findings] == codes
    assert all((finding.level == "warning") == bool(finding.remedy) for finding in findings)


def test_pages_that_hosts_would_not_turn_to_the_end_are_a_warning() -> None:
    """[measured] Hosts give up after 50 to 64 pages."""
    assert judge_page_size(50, 2500) == ()
    (finding,) = judge_page_size(50, 2501)
    assert "51 pages" in finding.seen
    assert "51 or more" in finding.remedy


def test_refused_skills_are_counted_by_code_and_the_first_few_named() -> None:
    """[ours] The commonest first."""
    problems = [Problem(f"s{number}", "b", "bad") for number in range(5)]
    first, second = refusals((Problem("t", "a", "worse"), *problems))
    assert (first.code, first.seen) == ("b", "5 refused: s0: bad; s1: bad; s2: bad; and 2 more")
    assert (second.code, second.seen) == ("a", "1 refused: t: worse")


@pytest.mark.parametrize(("left_s", "level"), [(3600, "ok"), (599, "warning"), (0, "error")])
def test_credentials_are_judged_by_the_time_they_have_left(left_s: int, level: str) -> None:
    """[ours] Those that ought to be renewed by themselves are, 10 minutes before."""
    seen = CredentialsSeen("iam-role", NOW + timedelta(seconds=left_s))
    assert judge_credentials(seen, NOW).level == level
