#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes between folders of core/ go the ways that the table in core/README.md allows, that the
table itself has no circle, and that engine/ and pool/books/ include nothing of OpenCL, locks, threads or clocks:
includes.py CORE."""
import pathlib
import re
import sys

ROW = re.compile(r"^\| `(\w+)/` \|.*\| ([^|]*) \|$", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')

# What neither the engine nor the books have: OpenCL, locks, threads, clocks.
WITHOUT = ("engine", "pool/books")
OUTSIDE = re.compile(r"^\s*#\s*include\s*(<(?:CL/.*|atomic|chrono|condition_variable|future|mutex|semaphore|"
                     r"shared_mutex|stop_token|thread|time\.h|ctime|pthread\.h)>|\"(?:cl/.*|base/.*(?:lock|mutex|process).*)\")")


def allowed_by(readme):
    """{folder: folders that it may include}, and what is wrong with the table itself."""
    rows = {folder: re.findall(r"`(\w+)/`", uses) for folder, uses in ROW.findall(readme)}
    wrong, above = [], set()
    for folder, uses in rows.items():
        wrong += [f"core/README.md: {folder}/ may use {use}/, which does not stand above it"
                  for use in uses if use not in above]
        above.add(folder)
    return rows, wrong


def offences(core, rows):
    for source in sorted(core.rglob("*.[ch]pp")):
        folder = source.relative_to(core).parts[0]
        for number, line in enumerate(source.read_text().splitlines(), 1):
            if any(source.is_relative_to(core / name) for name in WITHOUT) and (match := OUTSIDE.match(line)):
                yield f"core/{source.relative_to(core)}:{number}: {match.group(1)}, where there is no OpenCL, lock, thread " \
                      "or clock"
            match = INCLUDE.match(line)
            if match is None:
                continue
            included = match.group(1)
            target = included.split("/")[0]
            place = f"core/{source.relative_to(core)}:{number}"
            if not (core / included).is_file():
                yield f'{place}: "{included}" is no file of core/, by its path from there'
            elif target != folder and target not in rows.get(folder, ()):
                yield f'{place}: {folder}/ includes "{included}", the table in core/README.md allows ' \
                      f'{", ".join(use + "/" for use in rows.get(folder, ())) or "nothing"}'


def main():
    core = pathlib.Path(sys.argv[1])
    rows, wrong = allowed_by((core / "README.md").read_text())
    folders = {path.name for path in core.iterdir() if path.is_dir()}
    wrong += [f"core/README.md: the table has no row for {name}/" for name in sorted(folders - rows.keys())]
    wrong += [f"core/README.md: the table names {name}/, which is no folder" for name in sorted(rows.keys() - folders)]
    wrong += offences(core, rows)
    print("\n".join(wrong) or f"{len(rows)} folders, all includes as the table says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
