# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Sizes and offsets of all public structs and the values of all public numbers, compared with a committed file.

A line of the file once released never changes; structs grow only at the end. --update writes the file.
"""
import argparse
import difflib
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "capi" / "reader"))
import headers  # noqa: E402

SKIPPED = 77


def program(texts):
    """A C program that prints the layout."""
    lines = ["#include <stdio.h>", "#include <stddef.h>", '#include "clpool/clpool.h"']
    lines += [f'#include "clpool/{name}"' for name in texts]
    lines += ["int main(void) {"]
    for name, text in texts.items():
        for number in sorted(headers.numbers(text)):
            lines.append(f'  printf("{name} {number} = %lld\\n", (long long){number});')
        for struct in sorted(headers.structs(name, text), key=lambda struct: struct.name):
            lines.append(f'  printf("{name} {struct.name}: %zu bytes\\n", sizeof({struct.name}));')
            for field in struct.fields:
                lines.append(f'  printf("{name} {struct.name}.{field.name}: offset %zu, %zu bytes\\n", '
                             f"offsetof({struct.name}, {field.name}), sizeof((({struct.name}*)0)->{field.name}));")
    return "\n".join(lines + ["  return sizeof(void*) == 8 ? 0 : 77;", "}", ""])


def measure(compiler, includes, texts):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "layout.c")
        binary = pathlib.Path(folder, "layout")
        source.write_text(program(texts), encoding="utf-8")
        subprocess.run([compiler, "-std=c99", *(f"-I{path}" for path in includes), "-o", binary, source], check=True)
        result = subprocess.run([binary], capture_output=True, text=True)
        if result.returncode == SKIPPED:
            print("skipped: layout.txt has the numbers of 64-bit systems")
            sys.exit(SKIPPED)
        result.check_returncode()
        return result.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", action="append", required=True)
    parser.add_argument("--file", type=pathlib.Path, required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()

    now = measure(options.compiler, options.include, headers.texts(pathlib.Path(options.include[0], "clpool")))
    if options.update:
        options.file.write_text(now, encoding="utf-8")
        return 0
    committed = options.file.read_text(encoding="utf-8")
    if committed == now:
        return 0
    print("".join(difflib.unified_diff(committed.splitlines(True), now.splitlines(True), "committed", "now", n=0)))
    print("Added lines are growth: run `cmake --build build/dev --target update-abi-layout` and commit layout.txt.\n"
          "A line that changed or went away breaks programs that are already compiled: keep it.")
    return 1


sys.exit(main())
