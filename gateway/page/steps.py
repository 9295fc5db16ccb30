"""What became of a source, step by step, as far as a caller may see it."""

from collections.abc import Callable

from gateway.errors import NotServed
from gateway.protocol.caller import current_caller
from gateway.web.view import Step, StepChanges, View

MAX_STEPS = 20
"""So many of the newest steps are shown: each costs reading what differs, once."""


async def steps_of(view: View, skill: str) -> list[tuple[Step, StepChanges | None]]:
    """The last steps with their changes, None where they are unknown; for one skill only those that touch it.

    Raises NotServed for a source without a history.
    """
    history, caller = view.history(), current_caller()
    if history is None:
        raise NotServed("this source keeps no history")
    told: list[tuple[Step, StepChanges | None]] = []
    for step in (await history.steps())[:MAX_STEPS]:
        changes = await history.changes(step.number)
        seen = None if changes is None else _seen(changes, lambda path: view.sees(path, caller))
        if not skill or (seen is not None and skill in (*seen.added, *seen.removed, *seen.changed)):
            told.append((step, seen))
    return told


def _seen(changes: StepChanges, sees: Callable[[str], bool]) -> StepChanges:
    return StepChanges(*(tuple(filter(sees, paths)) for paths in (changes.added, changes.removed, changes.changed)))
