"""What PyYAML's scanner and parser complain about, in the words of a skill's author.

A table from the library's problems to a code and a sentence that says what to do; whatever is not in
it keeps the library's text under `yaml_syntax`. Source: `yaml/scanner.py`, `yaml/parser.py`, 6.0.
"""

from yaml.error import MarkedYAMLError

from gateway.skill.yaml_text import YamlRefused

_FAULTS = (
    ("mapping values are not allowed", "colon_in_value", "': ' inside a plain value; quote the value"),
    ("could not find expected ':'", "missing_colon", "a line without ': ' after its key; add it, or indent the text"),
    ("found unexpected end of stream", "unclosed_quote", "a quote is never closed; close it"),
    ("found unexpected document separator", "unclosed_quote", "a quote is never closed; close it"),
    ("expected ',' or", "bad_flow", "a '[' or '{' value is not closed, or lacks a comma; close it, or quote the value"),
    ("expected <block end>, but found ':'", "missing_key", "a ':' with no key before it; add it, or quote the value"),
    ("expected <block end>", "bad_indentation", "a line that does not fit the indentation above; align it, or quote"),
    ("found unknown escape", "bad_escape", "an unknown escape in a double-quoted value; use single quotes, or \\\\"),
    ("expected escape sequence", "bad_escape", "an escape without its hexadecimal digits; use single quotes, or \\\\"),
    ("sequence entries are not allowed", "bad_sequence", "'- ' cannot begin a list here; put it on its own line"),
    ("mapping keys are not allowed", "bad_key", "'? ' cannot begin a key here; quote the value"),
)


def fault_of(error: MarkedYAMLError) -> YamlRefused:
    """The refusal for an error of the library, at the place the library names."""
    problem = error.problem or "the text is no YAML"
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    for start, code, detail in _FAULTS:
        if problem.startswith(start):
            return YamlRefused(code, detail, line, column)
    if problem.startswith("found character"):
        detail = f"a plain value cannot start with {problem.split()[2]}; quote the value"
        return YamlRefused("bad_start", detail, line, column)
    return YamlRefused("yaml_syntax", _without_surrogates(problem), line, column)


def _without_surrogates(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode()
