"""Frontmatters that end in a clipped block scalar, told by their text alone.

`key: |` and `key: >` keep one newline at the end of the value. A client that drops the last newline of
the frontmatter before it parses finds another value than the server published.
"""

import re

_CLIPPED = re.compile(r"(?P<indent> *)(?:- +)*[^\s#'\"][^#]*: +[|>][1-9]?[ \t]*$")


def ends_in_clipped_block(skill_md: str) -> bool:
    """Whether the last value of the frontmatter is a block scalar headed `|` or `>` without `-` or `+`."""
    lines = skill_md.removeprefix("\ufeff").splitlines()
    frontmatter = lines[1 : lines.index("---", 1)]
    for number, line in enumerate(frontmatter):
        if header := _CLIPPED.match(line):
            deeper = header["indent"] + " "
            rest = frontmatter[number + 1 :]
            if all(not below.strip() or below.startswith(deeper) for below in rest):
                return True
    return False
