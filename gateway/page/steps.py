"""What became of a source, step by step, as far as a caller may see it."""

from dataclasses import replace

from gateway.errors import NotServed
from gateway.protocol.caller import current_caller
from gateway.provider import Caller
from gateway.web.view import Step, StepChanges, View

MAX_STEPS = 20
"""So many of the newest steps are shown: each costs reading what differs, once."""


async def steps_of(view: View, skill: str) -> list[tuple[Step, StepChanges | None]]:
    """The last steps with their changes, None where they are unknown; for one skill only those that touch it.

    A message may name whatever its step changed, so that it is told to who sees all of that and to nobody else.
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
            is_whole = seen == changes if changes is not None else view.sees_everything(caller)
            told.append((step if is_whole else replace(step, message=""), seen))
    return told


async def _seen(changes: StepChanges, view: View, caller: Caller) -> StepChanges:
    kinds = (changes.added, changes.removed, changes.changed)
    return StepChanges(*[tuple([path for path in paths if await view.sees(path, caller)]) for paths in kinds])
