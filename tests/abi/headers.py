# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the public headers as far as the ABI tests need it: functions with their comments, structs, numbers.

The headers keep to a small part of C (see CONTRIBUTING.md), so that patterns suffice; what they do not match
makes the tests fail rather than pass.
"""
import pathlib
import re
from typing import Dict, List, NamedTuple


class Function(NamedTuple):
    header: str
    name: str
    comment: str


def texts(folder: str) -> Dict[str, str]:
    """Text of every C header by its name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(folder).glob("*.h"))}


def without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL))


def functions(header: str, text: str) -> List[Function]:
    """Everything that is declared with CLPOOL_API, with the /** comment that ends right before it."""
    found = []
    for match in re.finditer(r"(?:(/\*\*(?:(?!\*/).)*\*/)\s*)?^CLPOOL_API\b([^;]*);", text, re.DOTALL | re.MULTILINE):
        declaration = " ".join(without_comments(match.group(2)).split())
        name = re.fullmatch(r".*?\b(clpool_\w+)\s*\(.*\)\s*CLPOOL_NOEXCEPT", declaration).group(1)
        found.append(Function(header, name, match.group(1) or ""))
    return found


def structs(text: str) -> Dict[str, List[str]]:
    """Fields of every struct that is defined, in order."""
    result = {}
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\}\s*(\w+);", without_comments(text), re.DOTALL):
        fields = []
        for declaration in filter(None, (part.strip() for part in body.split(";"))):
            pointer = re.search(r"\(\*(\w+)\)\s*\(", declaration)
            fields += [pointer.group(1)] if pointer else re.findall(r"(\w+)\s*(?:\[[^\]]*\])?\s*(?:,|$)", declaration)
        result[name] = fields
    return result


def numbers(text: str) -> List[str]:
    """Names of enumerators and of macros that stand for one number or macro."""
    plain = without_comments(text)
    names = []
    for body in re.findall(r"\benum\b[^{;]*\{(.*?)\}", plain, re.DOTALL):
        names += re.findall(r"\b(CLPOOL_\w+)\b\s*(?:=|,|$)", body)
    names += re.findall(r"^#define (CLPOOL_\w+) +\(?(?:-?\d\w*|[A-Z]\w*_MAX)\)?\s*$", plain, re.MULTILINE)
    return names
