#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes between folders of core/ go the ways that the table in core/README.md allows, and those between the rooms
of core/pool/ the ways of its own table, that the tables themselves have no circle, and that engine/ and the pool's bookkeeping
include nothing of OpenCL, locks, threads or clocks: includes.py CORE."""
import pathlib
import re
import sys

ROW = re.compile(r"^\| (?:\[)?`(\w+)/`(?:\]\([^)]*\))? \|.*\| ([^|]*) \|$", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')

# What neither the engine nor the pool's bookkeeping has: OpenCL, locks, threads, clocks; but for a lock of the process, and a mark that is set without one.
WITHOUT = ("engine", "pool/blocks", "pool/books")
BUT = ("pool/blocks/block_store.cpp", "pool/blocks/store.hpp", "pool/blocks/pool_block.hpp")
# Of the pool's own files, which may include all of its rooms, what these may include.
FOR_ALL_ROOMS = "pool/pool_options.hpp"
OUTSIDE = re.compile(r"^\s*#\s*include\s*(<(?:CL/.*|atomic|chrono|condition_variable|future|mutex|semaphore|"
                     r"shared_mutex|stop_token|thread|time\.h|ctime|pthread\.h)>|\"(?:cl/.*|base/.*(?:lock|mutex|process|recycler|arrivals|flag).*)\")")


def allowed_by(folder, name):
    """{room of the folder: rooms that it may include}, by its README, and what is wrong with that."""
    rows = {room: re.findall(r"`(\w+)/`", uses) for room, uses in ROW.findall((folder / "README.md").read_text())}
    wrong, above = [], set()
    for room, uses in rows.items():
        wrong += [f"{name}/README.md: {room}/ may use {use}/, which does not stand above it" for use in uses if use not in above]
        above.add(room)
    rooms = {path.name for path in folder.iterdir() if path.is_dir()}
    wrong += [f"{name}/README.md: the table has no row for {room}/" for room in sorted(rooms - rows.keys())]
    wrong += [f"{name}/README.md: the table names {room}/, which is no folder" for room in sorted(rows.keys() - rooms)]
    return rows, wrong


def is_allowed(parts, target, rows, rooms):
    """Whether a file at `parts` of a path may include one at `target`, both below core/."""
    if target[0] != parts[0]:
        return target[0] in rows.get(parts[0], ())
    if parts[0] != "pool" or len(parts) == 2 or "/".join(target) == FOR_ALL_ROOMS:
        return True
    return len(target) == 3 and (target[1] == parts[1] or target[1] in rooms.get(parts[1], ()))


def offences(core, rows, rooms):
    for source in sorted(core.rglob("*.[ch]pp")):
        name = source.relative_to(core).as_posix()
        for number, line in enumerate(source.read_text().splitlines(), 1):
            place = f"core/{name}:{number}"
            if name.startswith(tuple(folder + "/" for folder in WITHOUT)) and name not in BUT and (match := OUTSIDE.match(line)):
                yield f"{place}: {match.group(1)}, where there is no OpenCL, lock, thread or clock"
            match = INCLUDE.match(line)
            if match is None:
                continue
            included = match.group(1)
            if not (core / included).is_file():
                yield f'{place}: "{included}" is no file of core/, by its path from there'
            elif not is_allowed(name.split("/"), included.split("/"), rows, rooms):
                yield f'{place}: includes "{included}", which the tables in core/README.md and core/pool/README.md do not allow'


def main():
    core = pathlib.Path(sys.argv[1])
    rows, wrong = allowed_by(core, "core")
    rooms, of_pool = allowed_by(core / "pool", "core/pool")
    wrong += of_pool
    wrong += offences(core, rows, rooms)
    print("\n".join(wrong) or f"{len(rows)} folders and {len(rooms)} rooms of the pool, all includes as the tables say")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
