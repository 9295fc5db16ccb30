"""URIs to send, and what lies behind them: the spellings of a table of what arrives at a handler."""

from tests.protocol.providers import skill_md

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"

OBJECTS = {
    "team/x/SKILL.md": skill_md("x"),
    "team/x/A.md": b"A",
    "team/x/a b.md": b"blank",
    "team/x/a%2Fb.md": b"a literal percent sign",
    "team/x/a/b.md": b"below a",
    f"team/x/{COMPOSED}": b"composed",
    "日本/x/SKILL.md": skill_md("x"),
    "téam/x/SKILL.md": skill_md("x"),
    "🦊/x/SKILL.md": skill_md("x"),
    "team:443/x/SKILL.md": skill_md("x"),
    "xn--tam-bma/x/SKILL.md": skill_md("x"),
    "Team/x/SKILL.md": skill_md("x"),
}

SERVED = {
    "skill://team/x/SKILL.md": skill_md("x").decode(),
    "skill://Team/x/SKILL.md": skill_md("x").decode(),
    "SKILL://team/x/SKILL.md": skill_md("x").decode(),
    "sKiLl://team/x/A.md": "A",
    "skill://team:443/x/SKILL.md": skill_md("x").decode(),
    "skill://téam/x/SKILL.md": skill_md("x").decode(),
    "skill://t%C3%A9am/x/SKILL.md": skill_md("x").decode(),
    "skill://日本/x/SKILL.md": skill_md("x").decode(),
    "skill://🦊/x/SKILL.md": skill_md("x").decode(),
    "skill://xn--tam-bma/x/SKILL.md": skill_md("x").decode(),
    "skill://team/x/%41.md": "A",
    "skill://team/x/a b.md": "blank",
    "skill://team/x/a%20b.md": "blank",
    "skill://team/x/a%252Fb.md": "a literal percent sign",
    "skill://team/x/a/b.md": "below a",
    f"skill://team/x/{COMPOSED}": "composed",
}
"""Read as sent, and answered under the client's own spelling."""

NOTHING = [
    "skill://x",
    "skill://team:080/x/SKILL.md",
    "skill://team/x",
    "skill://team/x/a",
    "skill://team/x/a.md",
    "skill://TEAM/x/SKILL.md",
    "skill://team/x/skill.md",
    "skill://team/x/SKILL.md/y",
    f"skill://team/x/{DECOMPOSED}",
    "skill://team/x/" + "y/" * 40 + "z",
    "skill://nobody/SKILL.md",
    "skill://SKILL.md",
]
"""A URI that names nothing here."""

REFUSED = [
    "",
    "not a uri",
    "skill:",
    "skill:team/x/SKILL.md",
    "skill://",
    "skill:///x",
    "skill:///team/x/SKILL.md",
    "skill://x/",
    "skill://team/x/",
    "skill://team/x/SKILL.md/",
    "skill://user:pw@team/x/SKILL.md",
    "skill://[::1]/x/SKILL.md",
    "skill://team/../team/x/SKILL.md",
    "skill://team/%2e%2e/team/x/SKILL.md",
    "skill://team/%2E./x/SKILL.md",
    "skill://team/./x/SKILL.md",
    "skill://team/x//SKILL.md",
    "skill://team/x/a%2Fb.md",
    "skill://team/x/a%2fb.md",
    "skill://team/x/SKILL.md?v=1",
    "skill://team/x/SKILL.md#frag",
    "skill://team/x\\SKILL.md",
    "skill://team/x/..\\SKILL.md",
    "skill://team/x%5CSKILL.md",
    "skill://team/x/SKILL.md\x00",
    "skill://team/x/SKILL.md%00",
    "skill://team/x/SK\nILL.md",
    "skill://team/x/%0ASKILL.md",
    " skill://team/x/SKILL.md",
    "skill://team/x/SKILL.md ",
    "skill://team/x/%ff",
    "skill://team/x/%",
    "skill://team/x/%4",
    "skill://team/x/%zz",
    "https://team/x/SKILL.md",
    "https://Example.COM:443/a/../SKILL.md",
    "file:///etc/passwd",
    "skil\u212a://team/x/SKILL.md",
    "skill://team/x/" + "y" * 9000,
]
"""No URI of ours."""
