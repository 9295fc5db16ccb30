"""The findings as one picture: CPU of a request, time to the first page, memory."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

from benchmarks.cells import Cell
from benchmarks.cold import ColdStart
from benchmarks.findings import Findings, cell_of
from benchmarks.memory import Memory
from benchmarks.wire import OPERATIONS, Era

_DPI = 100


def draw(findings: Findings, file: Path) -> None:
    """Write a PNG of the parts that ran; none when no part has a picture."""
    panels: list[Any] = []
    if findings.warm:
        panels += [lambda axes: _cpu(axes, findings.warm, "modern"), lambda axes: _cpu(axes, findings.warm, "legacy")]
    if any(row.starts for row in findings.cold):
        panels.append(lambda axes: _cold(axes, findings.cold))
    if any(row.resident_bytes for row in findings.memory):
        panels.append(lambda axes: _memory(axes, findings.memory))
    if not panels:
        return
    rows = (len(panels) + 1) // 2
    figure, grid = pyplot.subplots(rows, 2, figsize=(11, 4 * rows), squeeze=False)
    places = [axes for row in grid for axes in row]
    for axes in places[len(panels) :]:
        axes.remove()
    for axes, panel in zip(places, panels, strict=False):
        panel(axes)
    figure.suptitle(findings.machine.sentence(), fontsize=8)
    figure.tight_layout()
    figure.savefig(file, dpi=_DPI)
    pyplot.close(figure)


def _cpu(axes: Any, cells: list[Cell], era: Era) -> None:
    servers = list(dict.fromkeys(cell.server for cell in cells))
    width = 0.8 / len(servers)
    for number, server in enumerate(servers):
        found = [cell_of(cells, server, era, operation) for operation in OPERATIONS]
        heights = [(cell and cell.cpu_us()) or 0 for cell in found]
        axes.bar([place + number * width for place in range(len(OPERATIONS))], heights, width, label=server)
    axes.set_xticks([place + 0.4 - width / 2 for place in range(len(OPERATIONS))], OPERATIONS)
    axes.set_yscale("log")
    axes.set_ylim(10, 10 * axes.get_ylim()[1])
    axes.set_title(f"server CPU for a warm request, us ({era})", fontsize=9)
    axes.legend(fontsize=6, ncols=2)


def _cold(axes: Any, rows: list[ColdStart]) -> None:
    for server in dict.fromkeys(row.server for row in rows):
        found = [row for row in rows if row.server == server and row.starts]
        axes.plot([row.skills for row in found], [row.from_process_s() for row in found], marker="o", label=server)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("skills")
    axes.set_title("first page, s from the process's start", fontsize=9)
    axes.legend(fontsize=7)


def _memory(axes: Any, rows: list[Memory]) -> None:
    found = [row for row in rows if row.resident_bytes]
    axes.plot([row.skills for row in found], [row.resident_bytes / 2**20 for row in found], marker="o")
    axes.set_xscale("log")
    axes.set_ylim(0, 1.3 * max(row.resident_bytes for row in found) / 2**20)
    axes.set_xlabel("skills listed")
    axes.set_title("resident memory, MiB", fontsize=9)
