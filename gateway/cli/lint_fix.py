"""Writing what the linter mends: a file is replaced as a whole or not at all, and never through a link.

Each step from the folder to a file is taken without following symbolic links, so that nothing outside
of it is ever written. Source: POSIX openat, renameat.
"""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from gateway.cli.lint_folder import LintFolder, facts_of_folder
from gateway.cli.terminal import CommandFailed
from gateway.lint.facts import Facts, directory_of
from gateway.lint.finding import is_ignored
from gateway.lint.fix import fixed
from gateway.lint.frontmatter import parsed
from gateway.lint.paths import junk_part
from gateway.skill.frontmatter_rules import is_skill_name

_DIRECTORY = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_DIRECTORY
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that was mended: the file or folder, relative to what is checked, and what was done."""

    path: str
    change: str


def fix_texts(folder: LintFolder, ignored: tuple[str, ...]) -> Iterator[Change]:
    """Mend each `SKILL.md` that is neither junk nor passed over; each change once it is written."""
    for path, data in _texts(facts_of_folder(folder), ignored):
        mended = fixed(data)
        if mended.changes:
            _replace(folder, path, data, mended.data)
        yield from (Change(path, change) for change in mended.changes)


def fix_names(folder: LintFolder, ignored: tuple[str, ...]) -> Iterator[Change]:
    """Rename folders to the names in their frontmatters, the deepest first, where the name is free."""
    texts = sorted(_texts(facts_of_folder(folder), ignored), key=lambda one: -one[0].count("/"))
    for path, data in texts:
        skill = directory_of(path)
        above, _, old = skill.rpartition("/")
        found = parsed(data)
        name = found[1].get("name") if found else None
        if not isinstance(name, str) or name == old or not is_skill_name(name):
            continue
        if skill == folder.only:
            yield Change(skill, f"was not renamed to {name}: it is the folder that you named; rename it yourself")
        elif _rename(folder, above, old, name):
            yield Change(skill, f"renamed to {name}")
        else:
            yield Change(skill, f"was not renamed to {name}: there is something of that name already")


def _texts(facts: Facts, ignored: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    for path, data in (facts.texts or {}).items():
        if not junk_part(path) and not is_ignored(path, ignored):
            yield path, data


def _replace(folder: LintFolder, path: str, old: bytes, new: bytes) -> None:
    above, _, name = path.rpartition("/")
    temporary = f".{name}.{secrets.token_hex(4)}"
    with ExitStack() as stack:
        try:
            place = _opened(stack, folder, above)
            mode = _mode_if_unchanged(place, name, old)
            with os.fdopen(os.open(temporary, _CREATE, 0o600, dir_fd=place), "wb") as file:
                stack.callback(_remove, temporary, place)
                file.write(new)
                os.fchmod(file.fileno(), mode)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, name, src_dir_fd=place, dst_dir_fd=place)
        except OSError as error:
            raise CommandFailed(f"{path} cannot be mended ({error.strerror}); it is as it was") from error


def _mode_if_unchanged(place: int, name: str, old: bytes) -> int:
    with os.fdopen(os.open(name, _READ, dir_fd=place), "rb") as file:
        if file.read(len(old) + 1) != old:
            raise CommandFailed(f"{name} was written while it was mended; it is as it was, run this again")
        return stat.S_IMODE(os.fstat(file.fileno()).st_mode)


def _rename(folder: LintFolder, above: str, old: str, new: str) -> bool:
    with ExitStack() as stack:
        try:
            place = _opened(stack, folder, above)
            if new in os.listdir(place):  # noqa: PTH208 - a descriptor; rename() itself would replace an empty folder
                return False
            os.rename(old, new, src_dir_fd=place, dst_dir_fd=place)
        except OSError as error:
            raise CommandFailed(f"{old} cannot be renamed to {new} ({error.strerror})") from error
        return True


def _opened(stack: ExitStack, folder: LintFolder, directory: str) -> int:
    opened = os.open(folder.base, _DIRECTORY)
    stack.callback(os.close, opened)
    for segment in directory.split("/") if directory else ():
        opened = os.open(segment, _DIRECTORY, dir_fd=opened)
        stack.callback(os.close, opened)
    return opened


def _remove(name: str, place: int) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=place)
