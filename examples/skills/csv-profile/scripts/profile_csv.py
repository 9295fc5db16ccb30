"""Profile a CSV file: one line per column, and the rows of another width. Standard library only."""

import argparse
import csv
import sys
from datetime import date
from pathlib import Path

MAX_DISTINCT = 10_000
MISSING = {"", "na", "n/a", "null", "none", "-"}


def kind_of(text):
    """The narrowest of integer, number, date, text that fits; leading zeros mean text."""
    if text.lstrip("+-").isascii() and text.lstrip("+-").isdigit():
        return "text" if len(text) > 1 and text.startswith("0") else "integer"
    for name, parse in (("number", float), ("date", date.fromisoformat)):
        try:
            parse(text)
        except ValueError:
            continue
        return name
    return "text"


class Column:
    """What is known of one column so far."""

    def __init__(self, name):
        self.name = name
        self.missing = 0
        self.kinds = {}
        self.distinct = set()
        self.first = {}

    def add(self, text):
        text = text.strip()
        if text.lower() in MISSING:
            self.missing += 1
            return
        kind = kind_of(text)
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        self.first.setdefault(kind, text)
        if len(self.distinct) < MAX_DISTINCT:
            self.distinct.add(text)

    def line(self):
        kinds = sorted(self.kinds, key=self.kinds.get, reverse=True)
        count = f"{len(self.distinct)}{'+' if len(self.distinct) == MAX_DISTINCT else ''}"
        odd = f"  odd: {self.first[kinds[1]]!r} is {kinds[1]}" if len(kinds) > 1 else ""
        kind = kinds[0] if kinds else "empty"
        return f"{self.name:<24} {kind:<8} missing={self.missing} distinct={count}{self.reach(kind)}{odd}"

    def reach(self, kind):
        if kind in ("integer", "number"):
            values = sorted((v for v in self.distinct if kind_of(v) in ("integer", "number")), key=float)
        elif kind == "date":
            values = sorted(v for v in self.distinct if kind_of(v) == "date")
        else:
            return ""
        return f" from={values[0]} to={values[-1]}"


def profile(path, delimiter, encoding):
    with path.open(newline="", encoding=encoding) as file:
        if delimiter is None:
            header = file.readline()
            delimiter = max(",;\t|", key=header.count)
            file.seek(0)
        rows = csv.reader(file, delimiter=delimiter)
        columns = [Column(name.strip() or f"column {index}") for index, name in enumerate(next(rows, []), 1)]
        count, odd_widths = 0, []
        for row in rows:
            count += 1
            if len(row) != len(columns):
                odd_widths.append(rows.line_num)
            for column, text in zip(columns, row):
                column.add(text)
    print(f"{count} rows, {len(columns)} columns, delimiter {delimiter!r}")
    for column in columns:
        print(column.line())
    if odd_widths:
        print(f"{len(odd_widths)} rows of another width, the first ones end at lines {odd_widths[:5]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--delimiter")
    parser.add_argument("--encoding", default="utf-8-sig")
    arguments = parser.parse_args()
    try:
        profile(arguments.file, arguments.delimiter, arguments.encoding)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        sys.exit(f"{arguments.file}: {error}")


if __name__ == "__main__":
    main()
