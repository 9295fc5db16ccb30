"""Dashboard and alert rules: they ask for metrics that there are, with labels that those have."""

import json
import re
from pathlib import Path

import yaml
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families as families

from gateway.metrics.instruments import REGISTRY

FOLDER = Path(__file__).parents[2] / "examples" / "observability"
_METRIC = re.compile(r"(skills_gateway_\w+)(?:\{([^}]*)\})?")
_BY = re.compile(r"\bby \(([^)]*)\)")
OF_PROMETHEUS = {"instance", "job", "le"}


def series() -> dict[str, set[str]]:
    """Labels of each series that a gateway may answer."""
    suffixes = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}
    found: dict[str, set[str]] = {}
    for collector in REGISTRY._collector_to_names:
        kind, name = getattr(collector, "_type", ""), getattr(collector, "_name", "")
        for suffix in suffixes.get(kind, ()):
            found[name + suffix] = set(collector._labelnames)  # pyright: ignore[reportAttributeAccessIssue]
    return found


def expressions() -> list[str]:
    rules = yaml.safe_load((FOLDER / "alerts.yaml").read_text())
    dashboard = json.loads((FOLDER / "dashboard.json").read_text())
    alerts = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    panels = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]
    return alerts + panels


def test_every_expression_asks_for_what_there_is() -> None:
    """[ours] Names, labels it selects by, and labels it groups by; and brackets are closed."""
    known = series()
    answered = {family.name for family in families(generate_latest(REGISTRY).decode())}
    assert {re.sub("_(total|bucket|count|sum)$", "", name) for name in known} == answered
    for expression in expressions():
        named = _METRIC.findall(expression)
        assert named or expression.startswith("up{"), expression
        labels = OF_PROMETHEUS.union(*(known[name] for name, _ in named)) if named else OF_PROMETHEUS
        for name, selectors in named:
            for selector in filter(None, selectors.split(",")):
                assert re.findall(r"^\w+", selector)[0] in known[name] | OF_PROMETHEUS, expression
        for grouped in _BY.findall(expression):
            assert {label.strip() for label in grouped.split(",")} <= labels, expression
        for opening, closing in ("()", "{}", "[]"):
            assert expression.count(opening) == expression.count(closing), expression


def test_every_metric_is_watched() -> None:
    """[ours] What nobody looks at need not be counted."""
    asked = {name for expression in expressions() for name, _ in _METRIC.findall(expression)}
    unwatched = {name for name in series() if not name.endswith(("_count", "_sum"))} - asked
    assert unwatched == {"skills_gateway_s3_calls_in_flight"}


def test_alerts_say_what_to_do_and_panels_have_places_of_their_own() -> None:
    """[Prometheus alerting rules; Grafana dashboard JSON]"""
    rules = yaml.safe_load((FOLDER / "alerts.yaml").read_text())
    for rule in (rule for group in rules["groups"] for rule in group["rules"]):
        assert set(rule["annotations"]) == {"summary", "description"}
        assert rule["labels"]["severity"] in ("warning", "critical")
    panels = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells)
