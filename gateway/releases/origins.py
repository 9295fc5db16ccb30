"""Where answers of releases come from: told while they are made, one object for as long as it stays the same."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gateway.audit.trace import answered_from
from gateway.provider import EntryPage, Origin
from gateway.releases.layout import release_id_of
from gateway.releases.opened import NOTHING
from gateway.skill.model import Digest

_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page, and who signed the release that it is of."""

    page: EntryPage
    signer: str | None


class Origins:
    """The origins of one provider. `labels_of` gives the labels of a release, the same object until they change."""

    def __init__(self, labels_of: Callable[[str], Mapping[str, str]]) -> None:
        self._labels_of = labels_of
        self._known: dict[Digest, Origin] = {}

    def tell(self, digest: Digest, signer: str | None) -> None:
        """Say that what is being answered comes from the release with this digest; nothing where none is there."""
        known = self._known.get(digest)
        if known is not None and known.labels is self._labels_of(known.release):
            answered_from(known)
        elif digest != NOTHING.digest:
            answered_from(self._made(digest, signer))

    def _made(self, digest: Digest, signer: str | None) -> Origin:
        release = release_id_of(digest)
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[digest] = Origin(release, self._labels_of(release), signer)
        return self._known[digest]
