#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that every test that docs/differences.md names is there, and that no source has words that only a few people know
(numbers of a list of defects and wishes, of sections of a text that is not in the repository): differences.py ROOT."""
import pathlib
import re
import sys

NAMED = re.compile(r"`([A-Za-z_/]+)(?:\.|\.py::)([A-Za-z0-9_]+)`")
MADE = re.compile(r"TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)")
ADDED = re.compile(r"add_test\(NAME ([\w.]+)")
PRIVATE = re.compile(r"\b[DW]-\d\d\b|\bspec(?:ification)?,? (?:section|§)|[Tt]he seeds?'")
SOURCES = {".c", ".h", ".cpp", ".hpp", ".py", ".java", ".cs", ".i", ".md", ".sh", ".txt"}


def tests_of(root):
    """All names of tests: (suite, name), or (file without .py, function)."""
    names = set()
    for path in sorted((root / "tests").rglob("*.cpp")):
        names.update(MADE.findall(path.read_text()))
    for path in sorted((root / "tests").rglob("CMakeLists.txt")):
        names.update(tuple(name.split(".", 1)) for name in ADDED.findall(path.read_text()) if "." in name)
    for path in sorted((root / "wrappers/python/tests").glob("*_test.py")):
        names.update((path.stem, name) for name in re.findall(r"^def (test_\w+)", path.read_text(), re.M))
    return names


def rows_of(page):
    return [line for line in page.splitlines() if line.startswith("|") and not re.match(r"\|[- |]+$|\| there ", line)]


def offences(root):
    tests = tests_of(root)
    rows = rows_of((root / "docs/differences.md").read_text())
    if not rows:
        yield "docs/differences.md: no rows were found"
    for row in rows:
        named = NAMED.findall(row.rsplit("|", 2)[1])
        if not named:
            yield f"docs/differences.md: no test is named in: {row}"
        for name in named:
            if name not in tests:
                yield f"docs/differences.md: there is no test {'.'.join(name)}"
    for folder in ("capi", "core", "docs", "packaging", "tests", "wrappers"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCES or not path.is_file() or path.name == pathlib.Path(__file__).name:
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if match := PRIVATE.search(line):
                    yield f"{path.relative_to(root)}:{number}: '{match.group(0)}' means nothing to readers"


def main():
    root = pathlib.Path(sys.argv[1])
    wrong = list(offences(root))
    count = len(rows_of((root / "docs/differences.md").read_text()))
    print("\n".join(wrong) or f"{count} differences, each with its tests")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
