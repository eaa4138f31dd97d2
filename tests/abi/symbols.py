# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""symbols.py LIBRARY MAP HEADER_FOLDER: what the library exports, what clpool.map lists under each header, and
what the public headers declare and document are the same functions."""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "capi" / "reader"))
import headers  # noqa: E402


def exported(library):
    """Names of the defined dynamic symbols with their versions."""
    lines = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    symbols = {}
    for line in lines:
        kind, symbol = line.split()[-2:]
        name, _, version = symbol.partition("@@")
        if kind != "A":  # the version nodes themselves
            symbols[name] = version
    return symbols


def listed(path):
    """(header, symbol) in the order of the map."""
    entries, header = [], ""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            section = re.fullmatch(r"\s+# (\w+\.h)\s*", line)
            header = section.group(1) if section else header
            symbol = re.fullmatch(r"\s+(clpool_\w+);\s*", line)
            if symbol:
                entries.append((header, symbol.group(1)))
    return entries


def main(library, symbol_map, folder):
    problems = []
    symbols = exported(library)
    entries = listed(symbol_map)
    declared = {f.name: f for name, text in headers.texts(folder).items() for f in headers.functions(name, text)}
    in_map = {symbol for _, symbol in entries}

    problems += [f"exported, but not in the map: {name}" for name in sorted(set(symbols) - in_map)]
    problems += [f"in the map, but not exported: {name}" for name in sorted(in_map - set(symbols))]
    problems += [f"declared in {declared[name].header}, but not in the map: {name}"
                 for name in sorted(set(declared) - in_map)]
    problems += [f"in the map, but in no public header: {name}" for name in sorted(in_map - set(declared))]
    problems += [f"a C++ symbol is exported: {name}" for name in symbols if name.startswith("_Z")]
    problems += [f"exported without a version CLPOOL_1.…: {name}" for name, version in symbols.items()
                 if not version.startswith("CLPOOL_1.")]

    for header, name in entries:
        if name in declared and declared[name].header != header:
            problems.append(f"{name} stands under {header} in the map, but is declared in {declared[name].header}")
    for header in dict.fromkeys(header for header, _ in entries):
        names = [symbol for section, symbol in entries if section == header]
        if names != sorted(names):
            problems.append(f"the map's section {header} is not sorted")
    for function in declared.values():
        if len(function.comment) < 20:
            problems.append(f"{function.header}: {function.name} has no /** comment right before it")

    print(f"{len(symbols)} symbols exported, {len(in_map)} in the map, {len(declared)} declared")
    print("\n".join(problems))
    return 1 if problems or not symbols else 0


sys.exit(main(*sys.argv[1:]))
