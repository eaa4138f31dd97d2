#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that every source says in its first lines whose it is and under which licence: licences.py ROOT. What has no room for
such lines is listed in REUSE.toml."""
import pathlib
import sys

LINES = ("SPDX-FileCopyrightText: The libclpool authors", "SPDX-License-Identifier: Apache-2.0")
ENDINGS = {".c", ".h", ".cpp", ".hpp", ".inc", ".cu", ".def", ".i", ".java", ".cs", ".py", ".pyi", ".sh", ".cmake", ".map", ".in", ".css", ".3",
           ".supp", ".ini", ".1", ".toml", ".yaml", ".yml"}
NAMES = {"CMakeLists.txt", ".clang-format", ".clang-tidy", ".editorconfig", ".gitignore", "check", "demo", "format", "structure",
         "try", "run", "pictures", "reproducible", "tidy", "build-all", "build", "use", "rules", "docs", "Doxyfile"}
LEFT_OUT = ("build", ".git", ".ci", "tests/data", "tests/fuzz/corpus", ".gpu", "dist",
            "packaging/packages/debian/debian/source")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    seen, wrong = 0, []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if any(name == left or name.startswith(left + "/") for left in LEFT_OUT) or "__pycache__" in name:
            continue
        if not path.is_file() or not (path.suffix in ENDINGS or path.name in NAMES):
            continue
        seen += 1
        head = "\n".join(path.read_text(errors="replace").splitlines()[:4])
        wrong += [f"{name}: its first lines lack '{line}'" for line in LINES if line not in head]
    if not seen:
        wrong.append("no sources were found")
    print("\n".join(wrong) or f"{seen} sources say whose they are")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
