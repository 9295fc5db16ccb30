"""Broken skills, and where `check` says that they are broken."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.lint.trees import findings_of, skill, write_tree

Tree = Mapping[str, str | bytes]
Found = tuple[str, int, int, str]
"""Path, line, column, code."""

MD = "a/SKILL.md"
OTHER = skill(name="b")
NFD = "cafe\u0301.md"

IN_SKILL_MD: list[tuple[str, str | bytes, list[tuple[int, int, str]]]] = [
    # what is refused: the frontmatter as a text
    ("empty", "", [(1, 1, "no_frontmatter")]),
    ("no frontmatter", "Body.\n", [(1, 1, "no_frontmatter")]),
    ("blank line first", "\n" + skill(), [(1, 1, "no_frontmatter")]),
    ("never closed", "---\nname: a\n", [(1, 1, "unclosed_frontmatter")]),
    ("a list", "---\n- name\n---\n", [(2, 1, "not_a_mapping")]),
    ("colon in a value", skill("note: one: two\n"), [(4, 10, "colon_in_value")]),
    ("no colon", skill("note\n"), [(5, 1, "missing_colon")]),
    ("duplicate key", skill("name: b\n"), [(4, 1, "duplicate_key")]),
    ("key is a number", skill("1: x\n"), [(4, 1, "key_not_text")]),
    ("quote not closed", skill('note: "x\n'), [(5, 1, "unclosed_quote")]),
    ("bracket not closed", skill("tags: [x, y\n"), [(5, 1, "bad_flow")]),
    ("tab as indentation", skill("metadata:\n\tx: y\n"), [(5, 2, "tab_indentation")]),
    ("alias", skill("note: *x\n"), [(4, 7, "alias")]),
    ("anchor", skill("note: &x y\n"), [(4, 7, "anchor")]),
    ("tag", skill("note: !x y\n"), [(4, 7, "tag")]),
    ("starts with a percent sign", skill("note: %x\n"), [(4, 7, "bad_start")]),
    ("starts with an at sign", skill("note: @x\n"), [(4, 7, "bad_start")]),
    ("unknown escape", skill('note: "\\d"\n'), [(4, 9, "bad_escape")]),
    ("a second document", skill("...\n--- x\n"), [(5, 1, "many_documents")]),
    ("control character", skill("note: a\x01b\n"), [(4, 8, "control_character")]),
    ("no UTF-8 in the frontmatter", skill("note: x\n").encode().replace(b"x", b"\xff"), [(4, 7, "not_utf8")]),
    ("no UTF-8 in the body", skill(body="é").encode() + b"ab\xff", [(5, 4, "not_utf8")]),
    ("infinity", skill("note: .inf\n"), [(4, 7, "not_finite")]),
    ("integer too large", skill("note: 9007199254740993\n"), [(4, 7, "integer_too_large")]),
    # what is refused: the values, named at their key
    ("name missing", "---\ndescription: x\n---\n", [(1, 1, "name_missing")]),
    ("name empty", "---\ndescription: x\nname:\n---\n", [(3, 1, "name_missing")]),
    ("name a number", skill(name="12"), [(2, 1, "name_not_text")]),
    ("name in capitals", skill(name="A"), [(2, 1, "name_invalid")]),
    ("name of another folder", skill(name="b"), [(2, 1, "name_mismatch")]),
    ("description missing", "---\nname: a\n---\n", [(1, 1, "description_missing")]),
    ("description a boolean", skill(description="true"), [(3, 1, "description_not_text")]),
    ("description blank", skill(description="' '"), [(3, 1, "description_blank")]),
    ("description too long", skill(description="x" * 1025), [(3, 1, "description_too_long")]),
    ("license a list", skill("license: [MIT]\n"), [(4, 1, "license_not_text")]),
    ("compatibility empty", skill("compatibility: ''\n"), [(4, 1, "compatibility_length")]),
    ("compatibility a number", skill("compatibility: 3\n"), [(4, 1, "compatibility_not_text")]),
    ("allowed-tools a mapping", skill("allowed-tools: {a: b}\n"), [(4, 1, "allowed_tools_invalid")]),
    ("metadata a text", skill("metadata: x\n"), [(4, 1, "metadata_not_mapping")]),
    ("metadata with a number", skill("metadata:\n  x: z\n  version: 1.1\n"), [(6, 3, "metadata_not_text")]),
    # what hosts read differently
    ("yes", skill("flag: yes\n"), [(4, 7, "ambiguous_scalar")]),
    ("off in a list", skill("flags: [x, off]\n"), [(4, 12, "ambiguous_scalar")]),
    ("y as a key", skill("metadata:\n  y: z\n"), [(5, 3, "ambiguous_scalar")]),
    ("octal of YAML 1.1", skill("mode: 010\n"), [(4, 7, "ambiguous_scalar")]),
    ("octal of YAML 1.2", skill("mode: 0o17\n"), [(4, 7, "ambiguous_scalar")]),
    ("hexadecimal", skill("mode: 0x1F\n"), [(4, 7, "ambiguous_scalar")]),
    ("binary", skill("mode: 0b1\n"), [(4, 7, "ambiguous_scalar")]),
    ("exponent", skill("size: 1e3\n"), [(4, 7, "ambiguous_scalar")]),
    ("underscore", skill("size: 1_000\n"), [(4, 7, "ambiguous_scalar")]),
    ("sign before a point", skill("size: +.5\n"), [(4, 7, "ambiguous_scalar")]),
    ("date", skill("metadata:\n  since: 2024-01-01\n"), [(5, 10, "ambiguous_scalar")]),
    ("date and time", skill("since: 2024-01-01 10:00:00\n"), [(4, 8, "ambiguous_scalar")]),
    ("sexagesimal", skill("at: 12:30:45\n"), [(4, 5, "ambiguous_scalar")]),
    ("merge key", skill("<<: x\n"), [(4, 1, "ambiguous_scalar")]),
    ("tilde", skill("note: ~\n"), [(4, 7, "ambiguous_scalar")]),
    ("equals sign", skill("note: =\n"), [(4, 7, "ambiguous_scalar")]),
    ("PyYAML cannot read it", skill("note: [a?b, ?c]\n"), [(4, 9, "yaml11_unreadable")]),
    ("PyYAML cannot read a character", skill("x: z\nnote: a\x7fb\n"), [(5, 8, "yaml11_unreadable")]),
    ("last field folded", skill("note: >\n  x\n"), [(4, 7, "last_block_scalar")]),
    ("last field literal", skill("metadata:\n  note: | # why\n    x\n"), [(5, 9, "last_block_scalar")]),
    ("indentation by a digit", skill("note: >-2\n  x\n"), [(4, 7, "yaml_subset")]),
    ("quoted over two lines", skill("note: 'x\n  y'\n"), [(4, 7, "yaml_subset")]),
    # the file as a whole
    ("byte order mark", "\ufeff" + skill(), [(1, 1, "bom")]),
    ("CRLF", skill().replace("\n", "\r\n"), [(1, 4, "crlf")]),
    ("CRLF in the body", skill(body="One.\r\n"), [(5, 5, "crlf")]),
    ("many tokens", skill(body="word " * 4100), [(1, 1, "many_tokens")]),
    # links
    ("link to nothing", skill(body="See [it](docs/it.md#x).\n"), [(5, 10, "broken_link")]),
    ("image that is not there", skill(body="\n> ![it](<my img.png>)\n"), [(6, 9, "broken_link")]),
    ("link out of the skill", skill(body="[b](../b/SKILL.md)\n"), [(5, 5, "broken_link")]),
    ("definition", skill(body="[x]\n\n[x]: y.md\n"), [(7, 6, "broken_link")]),
]

IN_TREE: list[tuple[str, Tree, list[Found]]] = [
    ("junk", {"a/.DS_Store": "", "a/x.pyc~": "", "a/node_modules/m/i.js": "", "a/.git/HEAD": "x"}, [
        ("a/.DS_Store", 0, 0, "junk_file"),
        ("a/.git", 0, 0, "junk_file"),
        ("a/node_modules", 0, 0, "junk_file"),
        ("a/x.pyc~", 0, 0, "junk_file"),
    ]),
    ("hidden", {"a/.env.d/x": ""}, [("a/.env.d", 0, 0, "hidden_file")]),
    ("case", {"a/Read.md": "", "a/read.md": ""}, [("a/read.md", 0, 0, "path_collision")]),
    ("case of folders", {"a/X/1.md": "", "a/x/2.md": ""}, [("a/x", 0, 0, "path_collision")]),
    ("decomposed", {f"a/{NFD}": ""}, [(f"a/{NFD}", 0, 0, "path_not_nfc")]),
    ("composed and decomposed", {f"a/{NFD}": "", "a/caf\u00e9.md": ""}, [
        (f"a/{NFD}", 0, 0, "path_not_nfc"),
        ("a/caf\u00e9.md", 0, 0, "path_collision"),
    ]),
    ("nested", {"a/b/SKILL.md": OTHER}, [("a/b/SKILL.md", 1, 1, "nested_skill")]),
    ("link out of the folder", {"a/hosts": "->/etc/hosts"}, [("a/hosts", 0, 0, "symlink_outside")]),
    ("link to another skill", {"b/SKILL.md": OTHER, "a/b": "->../b"}, [("a/b", 0, 0, "symlink_outside")]),
    ("link inside", {"a/copy.md": "->SKILL.md"}, [("a/copy.md", 0, 0, "symlink_inside")]),
    ("link to itself", {"a/loop": "->loop"}, [("a/loop", 0, 0, "symlink_inside")]),
    ("skill.md", {"c/skill.md": skill(name="c")}, [("c/skill.md", 0, 0, "skill_md_case")]),
    ("binary", {"a/x.png": b"\x89PNG\xff"}, [(MD, 1, 1, "binary_file")]),
    ("many files", {f"a/{number}.md": "" for number in range(512)}, [(MD, 1, 1, "many_files")]),
    ("many bytes", {"a/x.txt": "x" * (16 * 1024 * 1024)}, [(MD, 1, 1, "many_bytes")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in IN_SKILL_MD], ids=[row[0] for row in IN_SKILL_MD])
def test_a_broken_skill_md_is_named_with_line_and_column(
    tmp_path: Path, text: str | bytes, expected: list[tuple[int, int, str]]
) -> None:
    """[ours] Every finding there is, and no other."""
    write_tree(tmp_path, {MD: text})
    assert [(one.path, one.line, one.column, one.code) for one in findings_of(tmp_path)] == [
        (MD, *row) for row in expected
    ]


@pytest.mark.parametrize(("tree", "expected"), [row[1:] for row in IN_TREE], ids=[row[0] for row in IN_TREE])
def test_a_broken_tree_is_named_by_path(tmp_path: Path, tree: Tree, expected: list[Found]) -> None:
    """[ours] Every finding there is, and no other."""
    write_tree(tmp_path, {MD: skill()} | dict(tree))
    assert [(one.path, one.line, one.column, one.code) for one in findings_of(tmp_path)] == expected


def test_a_good_skill_has_no_findings(tmp_path: Path) -> None:
    """[ours] Links that lead somewhere, elsewhere, or are code; values that every dialect reads alike."""
    body = """
[x](docs/x.md#top), [all](docs/), ![i](i%20j.svg "title"), [web](https://example.com/y.md), [mail](mailto:a@b.c)
[top](#top) [root](/y.md) [fill in](docs/{name}.md) `[code](y.md)` <!-- [gone](y.md) -->

```md
[fenced](y.md)
```
~~~~
[fenced](y.md)
~~~
[still](y.md)
~~~~
[x]: docs/x.md
[^1]: y.md
"""
    fields = 'a: "yes"\nb: true\nc: 12\nd: 1.5\ne: null\nf: text\ng: "2024-01-01"\nh: >-\n  x\n'
    write_tree(tmp_path, {MD: skill(fields, body), "a/docs/x.md": "x", "a/i j.svg": "<svg/>"})
    assert findings_of(tmp_path) == ()
