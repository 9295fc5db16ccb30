"""`StaticSkill`: a skill given in code, all its files at once.

Everything that could be wrong about it is found when it is made.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gateway.errors import GatewayError
from gateway.provider import Content
from gateway.skill.assembly import Candidate, FileFacts, SourceRules, assemble
from gateway.skill.frontmatter import FrontmatterRefused, read_frontmatter
from gateway.skill.media import is_binary, looks_like_utf8, media_type_of
from gateway.skill.model import SKILL_MD, Frontmatter, SkillEntry, SkillPath, digest_of
from gateway.skill.rules import frontmatter_problems


class RegistrationRefused(GatewayError):
    """A skill registered in code breaks a rule, alone or beside another one."""

    reason = "registration_refused"


@dataclass(frozen=True, slots=True)
class TypedBytes:
    """Bytes with a media type of their own choice, where the file's name would tell another."""

    data: bytes
    media_type: str


FileContent = bytes | str | TypedBytes | os.PathLike[str]
"""Bytes; text, published as UTF-8; typed bytes; or a local file, read once when the skill is made."""


class StaticSkill:
    """One skill with all its files in memory; `entry` is what clients receive."""

    def __init__(
        self,
        path: str,
        files: Mapping[str, FileContent],
        *,
        directories: Sequence[str] = (),
        allow_binary: bool = False,
    ) -> None:
        """`path` is the skill path, `files` maps paths inside the skill, `SKILL.md` among them.

        `directories` publishes explicit empty directories. `allow_binary` admits files that are no
        UTF-8 text or are declared as binary. Raises RegistrationRefused that names the skill and the
        rule, OSError for a local file that cannot be read.
        """
        self.path = SkillPath(path)
        self.allow_binary = allow_binary
        self.files: Mapping[str, TypedBytes] = {name: _typed(path, name, content) for name, content in files.items()}
        frontmatter = registered_frontmatter(path, self.files[SKILL_MD].data if SKILL_MD in self.files else None)
        facts = {tuple(name.split("/")): _facts(file) for name, file in self.files.items()}
        # The skill stands at the root of its own little tree; its path in front is the mount.
        places = [tuple(directory.split("/")) for directory in directories]
        rules = SourceRules(mount=tuple(path.split("/")), allow_binary=allow_binary)
        assembly = assemble([Candidate((), frontmatter)], facts, places, rules)
        if self.path not in assembly.entries:
            raise RegistrationRefused("; ".join(str(problem) for problem in assembly.problems))
        self.entry: SkillEntry = assembly.entries[self.path]
        self.contents: Mapping[str, Content] = {
            name: Content(file.data, file.media_type, allow_binary=allow_binary) for name, file in self.files.items()
        }


def registered_frontmatter(path: str, skill_md: bytes | None) -> Frontmatter:
    """The valid frontmatter of a registered `SKILL.md`. Raises RegistrationRefused."""
    if skill_md is None:
        raise RegistrationRefused(f"{path}: there is no {SKILL_MD} among its files; add one")
    try:
        skill_md.decode()
        frontmatter = read_frontmatter(skill_md, is_whole=True)
    except UnicodeDecodeError as error:
        raise RegistrationRefused(f"{path}/{SKILL_MD}: is no valid UTF-8 ({error}); save it as UTF-8") from error
    except FrontmatterRefused as refused:
        raise RegistrationRefused(f"{path}/{SKILL_MD}:{refused.line}:{refused.column}: {refused.detail}") from refused
    frontmatter = frontmatter or {}
    if problems := frontmatter_problems(SkillPath(path), frontmatter):
        raise RegistrationRefused("; ".join(str(problem) for problem in problems))
    return frontmatter


def _typed(path: str, name: str, content: FileContent) -> TypedBytes:
    if isinstance(content, TypedBytes):
        return content
    if isinstance(content, str):
        try:
            data = content.encode()
        except UnicodeEncodeError as error:
            raise RegistrationRefused(f"{path}/{name}: has a lone surrogate, which has no UTF-8 form") from error
    elif isinstance(content, bytes):
        data = content
    else:
        data = Path(content).read_bytes()
    return TypedBytes(data, media_type_of(name, None, looks_like_utf8(data, None)))


def _facts(file: TypedBytes) -> FileFacts:
    is_text = looks_like_utf8(file.data, None)
    return FileFacts(len(file.data), digest_of(file.data), file.media_type, is_binary(file.media_type, is_text))
