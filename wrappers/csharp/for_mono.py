#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Copies C# sources for Mono's compiler, which knows no nullable reference types: their question marks and exclamation marks
are left out, everything else, line numbers included, stays. What is left out wrongly does not compile.

usage: for_mono.py FOLDER SOURCE..."""

import pathlib
import re
import sys

VALUES = "bool|byte|short|ushort|int|uint|long|ulong|float|double"
# "string? name", "List<string?>", "(Pool?)", "T?[]"; not "int?", "a ? b : c", "a?.b", "a ?? b".
MAYBE = re.compile(r"(?<=[\w>\]])\?(?=[>,)\]]|\[\]| \w+\s*(?:[;,=(){<]|=>|$))")
VALUE = re.compile(rf"\b(?:{VALUES})$")
# "name!.Length", "name!;"; not "a != b", "!a".
CERTAIN = re.compile(r"(?<=[\w>\])])!(?=[.;,()\]\[]| :)")


def plain(line: str) -> str:
    if line.lstrip().startswith("//"):
        return line
    line = MAYBE.sub(lambda mark: "?" if VALUE.search(line[: mark.start()]) else "", line)
    return CERTAIN.sub("", line)


def main(folder: str, *sources: str) -> None:
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    for source in map(pathlib.Path, sources):
        text = source.read_text(encoding="utf-8")
        (out / source.name).write_text("".join(map(plain, text.splitlines(keepends=True))), encoding="utf-8")


main(*sys.argv[1:])
