#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that the table of packaging/README.md has the options of the build and no others: options.py ROOT."""
import pathlib
import re
import sys

OPTION = re.compile(r"^\s*(?:option\((CLPOOL_\w+)|set\((CLPOOL_\w+)[^()]*?CACHE\s+(?!INTERNAL))", re.M)
LOOKED_FOR = {"CLPOOL_DOTNET"}  # by find_program(), which may also be told OFF


def main() -> int:
    """Says which are missing, and which are not there."""
    root = pathlib.Path(sys.argv[1])
    sources = [root / "CMakeLists.txt", *sorted((root / "capi").rglob("CMakeLists.txt")), *sorted((root / "packaging/cmake").glob("*")),
               *sorted((root / "wrappers").glob("*/*.cmake")), *sorted((root / "wrappers").glob("*/CMakeLists.txt"))]
    there = {first or second for source in sources for first, second in OPTION.findall(source.read_text(encoding="utf-8"))}
    table = (root / "packaging/README.md").read_text(encoding="utf-8").split("## Options")[1].split("\n## ")[0]
    told = set(re.findall(r"^\| `(CLPOOL_\w+)` \|", table, re.M))
    wrong = [f"{name} is not in the table of packaging/README.md" for name in sorted(there - told)]
    wrong += [f"packaging/README.md tells of {name}, which is no option" for name in sorted(told - there - LOOKED_FOR)]
    print("\n".join(wrong) or f"{len(there)} options, all in the table")
    return 1 if wrong or not there else 0


if __name__ == "__main__":
    sys.exit(main())
