"""What a gateway answers to a scrape, read row by row."""

import urllib.request
from collections.abc import Mapping

from prometheus_client.parser import text_string_to_metric_families as families

Rows = Mapping[tuple[str, ...], float]
"""Values of one metric by the values of its labels, in the order of their names."""


def rows_at(port: int, name: str, **labels: str) -> Rows:
    """The rows of a metric that have these labels, by their other ones."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        text = answer.read().decode()
    return {
        tuple(value for label, value in sorted(sample.labels.items()) if label not in labels): sample.value
        for family in families(text)
        for sample in family.samples
        if sample.name == f"skills_gateway_{name}" and labels.items() <= sample.labels.items()
    }


def growth(before: Rows, after: Rows) -> Rows:
    """What a counter grew by, without the rows that stayed."""
    return {row: value - before.get(row, 0.0) for row, value in after.items() if value != before.get(row, 0.0)}
