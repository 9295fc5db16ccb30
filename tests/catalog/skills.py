"""Small skills of our own, as files."""


def skill_md(name: str, description: str = "Use it when a test needs a skill.", extra: str = "") -> bytes:
    return f"---\nname: {name}\ndescription: {description}\n{extra}---\n\n# {name}\n".encode()


TREE = {
    "alpha/SKILL.md": skill_md("alpha"),
    "alpha/refs/guide.md": b"# Guide\n",
    "alpha/empty/": b"",
    "team/beta/SKILL.md": skill_md("beta"),
    "outer/SKILL.md": skill_md("outer"),
    "outer/notes.txt": b"n\n",
    "outer/inner/SKILL.md": skill_md("inner"),
    "outer/inner/x.md": b"x\n",
    ".hidden/SKILL.md": skill_md("hidden"),
    "alpha/.git/config": b"[core]\n",
    "README.md": b"not a skill\n",
}
