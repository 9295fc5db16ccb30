"""What the clients are shown: the example skills and a tree of odd names."""

from functools import cache
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples" / "skills"
ODD_SKILL = "team/odd-names"
ODD_NAMES = [
    "a b.md",
    "100%.txt",
    "a%2Fb.txt",
    "a+b&c=d;e,f.txt",
    "(x)[y]{z}.txt",
    'it\'s "quoted".txt',
    "what? why #1.txt",
    "~tilde@home:9.txt",
    "na\u00efve \u2013 \u00fcber/\u65e5\u672c\u8a9e/\U0001f98a.md",
    "cafe\u0301.txt",
    "caf\u00e9.txt",
    "UPPER/lower.TXT",
    "empty",
    "x/" * 6 + "deep.txt",
]
"""Names that a URI must spell otherwise, or that differ in what the eye does not see."""


@cache
def tree() -> dict[str, bytes]:
    """Every key and its bytes."""
    files = [file for file in EXAMPLES.rglob("*") if file.is_file()]
    objects = {file.relative_to(EXAMPLES).as_posix(): file.read_bytes() for file in files}
    objects[f"{ODD_SKILL}/SKILL.md"] = (
        b"---\nname: odd-names\ndescription: 'Files: with odd names'\n---\n\n\xe2\x80\xa6\r\n"
    )
    return objects | {
        f"{ODD_SKILL}/{name}": b"" if name == "empty" else name.encode() + b"\r\n\n" for name in ODD_NAMES
    }


def homes() -> set[str]:
    """URI of every skill's root, as the tree spells it."""
    return {f"skill://{key.removesuffix('/SKILL.md')}" for key in tree() if key.endswith("/SKILL.md")}
