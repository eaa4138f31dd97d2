#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that no file has lines that a merge left for somebody to choose from: merges.py ROOT. Looks at what git tracks; where there
is no git, at all that is there but builds."""
import pathlib
import subprocess
import sys

MARKS = tuple(sign * 7 + b" " for sign in (b"<", b">"))
LEFT_OUT = {"build", ".git", "dist"}


def files(root: pathlib.Path) -> list:
    """The files to look at."""
    try:
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=True).stdout
        return [root / name.decode(errors="surrogateescape") for name in listed.split(b"\0") if name]
    except (OSError, subprocess.CalledProcessError):
        return [path for path in root.rglob("*") if not LEFT_OUT & set(path.relative_to(root).parts)]


def main() -> int:
    """Says which lines are wrong."""
    root = pathlib.Path(sys.argv[1]).resolve()
    seen, wrong = 0, []
    for path in sorted(files(root)):
        if not path.is_file():
            continue
        content = path.read_bytes()
        if b"\0" in content:
            continue  # no text
        seen += 1
        wrong += [f"{path.relative_to(root)}:{number}: a mark of a merge"
                  for number, line in enumerate(content.split(b"\n"), 1) if line.startswith(MARKS)]
    if not seen:
        wrong.append("no files were found")
    print("\n".join(wrong) or f"{seen} text files without marks of merges")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
