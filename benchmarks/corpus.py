"""Skills made up from their number alone: the same bytes on every machine and in every run.

They look like real ones (a name, a description that says when to use it, instructions, references,
scripts), and no two files are alike. A skill with two files or more has GUIDE, of exactly 2 KiB.
"""

import json
from hashlib import sha256
from random import Random

GUIDE = "references/guide.md"
GUIDE_BYTES = 2048
WARM_SKILLS = 50

_VERBS = ("review", "draft", "audit", "triage", "plan", "test", "migrate", "summarise", "reconcile", "release")
_NOUNS = ("payment", "refund", "case", "contract", "pipeline", "schema", "ticket", "budget", "survey", "report")
_AUDIENCES = ("finance", "support", "platform", "legal", "research")
_SENTENCES = (
    "Start from what the person asked for, and say which document the answer comes from.",
    "Check every figure against the ledger before it goes into the summary.",
    "When two sources disagree, name both and stop; do not pick one in silence.",
    "Keep the tone plain: short sentences, no jargon, one idea in each paragraph.",
    "Run the script in scripts/ first; it prints the rows that need a closer look.",
    "Ask before anything is sent to people outside the team.",
)
_MORE_FILES = (
    "scripts/check.py",
    "references/glossary.md",
    "scripts/export.py",
    "assets/template.md",
    "references/examples.md",
    "assets/fields.json",
    "references/edge-cases.md",
    "scripts/fixtures.json",
)
# Most skills are small; three to ten files.
_FILE_COUNTS = (3, 3, 3, 3, 4, 4, 5, 10)


def name_of(number: int) -> str:
    """The name of a skill, which is its last path segment too."""
    return f"{_VERBS[number % 10]}-{_NOUNS[number // 10 % 10]}-{number:06}"


def file_count(number: int) -> int:
    """How many files a skill of the warm catalogue has."""
    return _FILE_COUNTS[number % len(_FILE_COUNTS)]


def skill_files(number: int, files: int) -> dict[str, bytes]:
    """The files of a skill by their path in it: `SKILL.md`, GUIDE, then scripts and references; at most ten."""
    made = {"SKILL.md": _skill_md(number)}
    if files > 1:
        made[GUIDE] = _prose(number, GUIDE, GUIDE_BYTES)
    for path in _MORE_FILES[: max(files - 2, 0)]:
        made[path] = _prose(number, path, 600 + 150 * len(path))
    return made


def warm_catalogue() -> dict[str, bytes]:
    """The catalogue of the warm requests: file by path, WARM_SKILLS skills."""
    return {
        f"{name_of(number)}/{path}": data
        for number in range(WARM_SKILLS)
        for path, data in skill_files(number, file_count(number)).items()
    }


def revision() -> str:
    """Changes when the made-up bytes do."""
    sample = json.dumps([[path, data.hex()] for path, data in sorted(warm_catalogue().items())])
    return sha256(sample.encode()).hexdigest()[:12]


def _skill_md(number: int) -> bytes:
    random = Random(number)  # noqa: S311 - no secret, the same bytes each time
    verb, noun, audience = _VERBS[number % 10], _NOUNS[number // 10 % 10], random.choice(_AUDIENCES)
    lines = [
        f"name: {name_of(number)}",
        f"description: How the {audience} team wants to {verb} a {noun}. Use it when somebody asks to {verb} "
        f"or check a {noun}, or mentions case {number}.",
        "license: Apache-2.0" if number % 3 else "license: MIT",
        *(["allowed-tools: Read Grep"] if number % 4 == 0 else []),
        "metadata:",
        f"  owner: {audience}",
        f'  version: "1.{number % 17}"',
    ]
    body = _prose(number, "SKILL.md", 1200 + number % 7 * 200).decode()
    return "\n".join(["---", *lines, "---", "", body]).encode()


def _prose(number: int, path: str, size: int) -> bytes:
    random = Random(f"{number} {path}")  # noqa: S311 - as above
    text = f"# {path} of {name_of(number)}\n\n"
    while len(text) < size:
        text += random.choice(_SENTENCES) + random.choice((" ", " ", "\n\n"))
    return (text[: size - 1] + "\n").encode()
