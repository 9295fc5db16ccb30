"""One source: a prefix of one store, and how it is told what to do."""

from collections.abc import Callable
from dataclasses import dataclass

from gateway.memory.problems import Problems
from gateway.objects import ObjectStore
from gateway.skill.model import Problem
from gateway.tree.keys import KeyMap, Segments
from gateway.tree.options import TreeOptions


@dataclass(frozen=True, slots=True)
class Source:
    """What every part of a tree works with.

    `problems` are told what is not served and why; `now` is a clock that only goes forward, in seconds.
    """

    store: ObjectStore
    options: TreeOptions
    problems: Problems
    now: Callable[[], float]

    def report(self, problem: Problem) -> None:
        self.problems.report(problem)

    @property
    def keys(self) -> KeyMap:
        return KeyMap(self.options.prefix, self.options.mount)

    def below_mount(self, path: str) -> Segments | None:
        """Segments below the prefix of what lies at a skill path; None outside of the mount."""
        segments, mount = tuple(path.split("/")), self.options.mount
        return segments[len(mount) :] if segments[: len(mount)] == mount and len(segments) > len(mount) else None
