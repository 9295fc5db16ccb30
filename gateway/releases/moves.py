"""Pointing a channel at a release that is there already: back to an earlier one, or at another channel's.

The index is looked at before the channel moves and once more after: a prune that ran at the same moment
may have taken it in between, and then the channel goes back to where it was.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gateway.errors import ReleaseMissing
from gateway.releases.documents import Move, Pointer
from gateway.releases.repository import HeldPointer, Repository
from gateway.skill.model import Digest


def earlier_release(channel: str, pointer: Pointer) -> tuple[str, Digest]:
    """What the newest earlier move to another release points at. Pure. Raises ReleaseMissing when there is none."""
    current = pointer.current.release
    for move in pointer.moves:
        if move.release != current:
            return move.release, move.index
    raise ReleaseMissing(f"channel {channel!r} has no earlier release than {current}; nothing to go back to")


async def named_release(repository: Repository, name: str, history: Pointer | None = None) -> tuple[str, Digest]:
    """Id and index digest of what `name` says, as `Repository.find`, but an id that `history` knows need not be there.

    Raises ReleaseMissing.
    """
    known = [move for move in history.moves if move.release == name] if history is not None else []
    return (known[0].release, known[0].index) if known else await repository.find(name)


def labels_by_release(moves: Sequence[Move]) -> dict[str, Mapping[str, str]]:
    """What each release of a channel's history was published with, or else brought there with. Pure."""
    oldest_first = moves[::-1]
    brought = {move.release: move.labels for move in oldest_first}
    return brought | {move.release: move.labels for move in oldest_first if move.action == "publish"}


async def repoint(repository: Repository, channel: str, held: HeldPointer | None, move: Move) -> HeldPointer:
    """Point a channel at a release whose index is there and right.

    Raises ReleaseMissing, ManifestRefused, PublishConflict; the channel is then where it was.
    """
    await check_release(repository, move, held.pointer if held else None)
    moved = await repository.move(channel, held, move)
    try:
        await check_release(repository, move, moved.pointer)
    except ReleaseMissing:
        if held is not None:
            back = held.pointer.current
            undo = replace(move, release=back.release, index=back.index, message=f"{move.release} was pruned meanwhile")
            await repository.move(channel, moved, undo)
        raise
    return moved


async def check_release(repository: Repository, move: Move, history: Pointer | None) -> None:
    """Raises ReleaseMissing, which tells a release that was pruned from one that never was; ManifestRefused."""
    try:
        await repository.index(move.release, move.index)
    except ReleaseMissing as missing:
        is_known = history is not None and any(known.release == move.release for known in history.moves)
        if not is_known:
            raise
        raise ReleaseMissing(
            f"release {move.release} was pruned: the channel's history names it, and its index is gone; "
            "choose another one, or publish its skills again"
        ) from missing
