"""The object store that the gateway and the peers load from: SeaweedFS, filled once and kept between runs.

One bucket: the catalogue of the warm requests, and one large tree whose parts are the catalogues of
100, 1,000, 10,000 and 100,000 skills. A note beside the data says how much of it is there, under
prefixes that change with the corpus, so that skills of an older generator are never taken for new ones.
"""

import json
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from benchmarks.corpus import name_of, revision, skill_files, warm_catalogue
from benchmarks.fill import fill
from benchmarks.talk import say
from gateway.local.seaweedfs import LocalServer, seaweedfs

BUCKET = "benchmarks"
# Each part lies inside the next larger one: small/ in middle/ in large/.
_PARTS = ((100, "large/middle/small/"), (1_000, "large/middle/"), (10_000, "large/"), (100_000, ""))
TWO_FILES_UP_TO = 10_000
"""Skills of the catalogues up to this size have two files, the rest of the largest has one each."""
_SAY_EACH = 10_000


@dataclass(frozen=True, slots=True)
class Store:
    """The running store and what is in it. `revision` is that of the corpus."""

    server: LocalServer
    revision: str
    notes: Path

    @property
    def warm_prefix(self) -> str:
        return f"{self.revision}/warm/"

    def tree_prefix(self, skills: int) -> str:
        """The prefix that holds so many skills and nothing else."""
        return f"{self.revision}/tree/{dict(_PARTS)[skills]}"

    @property
    def credentials(self) -> dict[str, str]:
        return {"AWS_ACCESS_KEY_ID": self.server.access_key, "AWS_SECRET_ACCESS_KEY": self.server.secret_key}

    def fill_warm(self) -> None:
        """Put the warm catalogue there, unless it is."""
        objects = ((self.warm_prefix + path, data) for path, data in warm_catalogue().items())
        self._fill_once("warm", objects)

    def fill_tree(self, skills: int) -> None:
        """Put the catalogue of `skills` there, and the smaller ones in it, unless they are."""
        below = 0
        for size, _ in takewhile(lambda part: part[0] <= skills, _PARTS):
            self._fill_once(f"tree of {size:,} skills", _tree_objects(f"{self.revision}/tree/", below, size))
            below = size

    def _fill_once(self, name: str, objects: Iterable[tuple[str, bytes]]) -> None:
        there: list[str] = json.loads(self.notes.read_text()) if self.notes.exists() else []
        if (note := f"{self.revision} {name}") in there:
            return
        say(f"filling the store: {name}")
        fill(self.server, BUCKET, objects, _say_progress)
        self.notes.write_text(json.dumps([*there, note]))


@contextmanager
def opened_store(data: Path) -> Generator[Store]:
    """SeaweedFS over `data`, until the block ends."""
    data.mkdir(parents=True, exist_ok=True)
    say("starting SeaweedFS")
    with seaweedfs(data, bucket=BUCKET) as server:
        yield Store(server, revision(), data / "filled.json")


def _tree_objects(root: str, begin: int, end: int) -> Iterator[tuple[str, bytes]]:
    place = root + dict(_PARTS)[end]
    files = 2 if end <= TWO_FILES_UP_TO else 1
    for number in range(begin, end):
        for path, data in skill_files(number, files).items():
            yield f"{place}{name_of(number)}/{path}", data


def _say_progress(count: int) -> None:
    if count % _SAY_EACH == 0:
        say(f"  {count:,} objects")
