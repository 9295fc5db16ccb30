"""What became of a source, step by step, as far as a caller may see it."""

from gateway.errors import NotServed
from gateway.protocol.caller import current_caller
from gateway.provider import Caller
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
        seen = None if changes is None else await _seen(changes, view, caller)
        if not skill or (seen is not None and skill in (*seen.added, *seen.removed, *seen.changed)):
            told.append((step, seen))
    return told


async def _seen(changes: StepChanges, view: View, caller: Caller) -> StepChanges:
    kinds = (changes.added, changes.removed, changes.changed)
    return StepChanges(*[tuple([path for path in paths if await view.sees(path, caller)]) for paths in kinds])
