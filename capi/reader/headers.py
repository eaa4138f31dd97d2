# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the public headers: functions, structs, enumerations, constants and initial values, each with its comment.

The headers keep to a small part of C (see CONTRIBUTING.md), so that patterns suffice; what they do not match
makes the tests fail rather than pass.
"""
import pathlib
import re
from typing import Dict, List, NamedTuple, Optional, Set, Tuple


class Parameter(NamedTuple):
    type: str
    name: str


class Function(NamedTuple):
    header: str
    name: str
    comment: str
    line: int
    result: str
    parameters: List[Parameter]


class Number(NamedTuple):
    """An enumerator, or a macro that stands for one number."""
    name: str
    value: int
    comment: str
    line: int


class Enumeration(NamedTuple):
    header: str
    comment: str
    line: int
    values: List[Number]


class Field(NamedTuple):
    """Of a struct. The type of one that points to a function is "function"; the extent is what stands in the brackets."""
    name: str
    type: str
    extent: str
    comment: str
    line: int


class Struct(NamedTuple):
    header: str
    name: str
    comment: str
    line: int
    fields: List[Field]


class Documentation(NamedTuple):
    """A /** comment, taken apart: each text with its line ends."""
    what: str
    parameters: List[Tuple[str, str]]
    result: Optional[str]


# A /** comment, if there is one, and what separates it from what it is of.
COMMENT = r"(?:(/\*\*(?:(?!\*/).)*\*/)\s*)?"
# What stands for numbers in macros.
LIMITS = {"UINT32_MAX": 2**32 - 1, "UINT64_MAX": 2**64 - 1, "SIZE_MAX": 2**64 - 1}


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def understood(match: Optional[re.Match], header: str, line: int) -> re.Match:
    if match is None:
        raise SystemExit(f"{header}:{line}: this is no C that the headers are written in (see CONTRIBUTING.md)")
    return match


def to_parameter(header: str, line: int, text: str) -> Parameter:
    """A parameter of a declaration: `const size_t* origin`, `size_t shape[3]`."""
    match = understood(re.fullmatch(r"(.*?)(\w+)((?:\[\w*\])*)", text.strip()), header, line)
    return Parameter(match.group(1).strip() + match.group(3), match.group(2))


def texts(folder: str) -> Dict[str, str]:
    """Text of every C header by its name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(folder).glob("*.h"))}


def without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL))


def functions(header: str, text: str) -> List[Function]:
    """Everything that is declared with CLPOOL_API, with the /** comment that ends right before it."""
    found = []
    for match in re.finditer(COMMENT + r"^CLPOOL_API\b([^;]*);", text, re.DOTALL | re.MULTILINE):
        declaration = " ".join(without_comments(match.group(2)).split())
        line = line_of(text, match.start(2))
        parts = understood(re.fullmatch(r"(.*?)\b(clpool_\w+)\s*\((.*)\)\s*CLPOOL_NOEXCEPT", declaration), header, line)
        listed = [] if parts.group(3) == "void" else parts.group(3).split(",")
        found.append(Function(header, parts.group(2), match.group(1) or "", line, parts.group(1).strip(),
                              [to_parameter(header, line, parameter) for parameter in listed]))
    return found


def plain(comment: str) -> str:
    """A comment's text, line by line, without its frame."""
    lines = re.sub(r"^/\*\*?|\*/$", "", comment.strip()).split("\n")
    return "\n".join(re.sub(r"^\s*\*? ?", "", line).rstrip() for line in lines).strip()


def documentation(comment: str) -> Documentation:
    what, *fields = re.split(r"^@", plain(comment), flags=re.MULTILINE)
    parameters, result = [], None
    for field in fields:
        kind, _, rest = field.partition(" ")
        if kind == "param":
            name, _, text = rest.partition(" ")
            parameters.append((name, text.strip()))
        elif kind == "return":
            result = rest.strip()
    return Documentation(what.strip(), parameters, result)


def file_comment(text: str) -> str:
    """What a header says of itself between the licence and its guard; "" if nothing."""
    match = re.match(r"/\*(?:(?!\*/).)*SPDX(?:(?!\*/).)*\*/\s*(/\*(?:(?!\*/).)*\*/)\s*#ifndef", text, re.DOTALL)
    return plain(match.group(1)) if match else ""


def comments(text: str) -> List[Tuple[int, str]]:
    """Every comment with the number of its first line."""
    return [(text.count("\n", 0, match.start()) + 1, match.group()) for match in re.finditer(r"/\*.*?\*/", text, re.DOTALL)]


def structs(header: str, text: str) -> List[Struct]:
    """Every struct that is defined, with the /** comments of it and of its fields."""
    found = []
    for match in re.finditer(COMMENT + r"^typedef struct \w+ \{\n(.*?)^\}\s*(\w+);", text, re.DOTALL | re.MULTILINE):
        fields, at = [], match.start(2)
        declaration = re.compile(r"\s*" + COMMENT + r"([^;]+);", re.DOTALL)
        while text[at:match.end(2)].strip():
            part = understood(declaration.match(text, at), header, line_of(text, at))
            words = " ".join(without_comments(part.group(2)).split())
            line, at = line_of(text, part.start(2)), part.end()
            pointer = re.search(r"\(\*(\w+)\)\s*\(", words)
            comment = part.group(1) or ""
            if pointer:
                fields.append(Field(pointer.group(1), "function", "", comment, line))
                continue
            found_field = understood(re.fullmatch(r"(.+?)\b(\w+)(?:\[(\w+)\])?", words), header, line)
            kind, name, extent = found_field.groups("")
            fields.append(Field(name, kind.strip(), extent, comment, line))
        found.append(Struct(header, match.group(3), match.group(1) or "", line_of(text, match.start(3)), fields))
    return found


def handles(text: str) -> List[str]:
    """Names of the types that users have only pointers to."""
    return [name for name, same in re.findall(r"^typedef struct (\w+) (\w+);", text, re.MULTILINE) if name == same]


def enumerations(header: str, text: str) -> List[Enumeration]:
    found = []
    for match in re.finditer(COMMENT + r"^enum \{(.*?)\};", text, re.DOTALL | re.MULTILINE):
        values = [Number(name, int(number, 0), comment, line_of(text, match.start(2) + at))
                  for comment, name, number, at in
                  ((part.group(1) or "", part.group(2), part.group(3), part.start(2)) for part in
                   re.finditer(COMMENT + r"\b(CL\w*_\w+) = (-?\w+)\s*(?:,|$)", match.group(2), re.DOTALL))]
        found.append(Enumeration(header, match.group(1) or "", line_of(text, match.start(2)), values))
    return found


def macros(text: str) -> List[Number]:
    """Macros that stand for one number."""
    found = []
    for match in re.finditer(COMMENT + r"^#define (CLPOOL_\w+) +\(?(-?\d\w*|[A-Z]\w*_MAX)\)?\s*$", text,
                             re.DOTALL | re.MULTILINE):
        value = LIMITS[match.group(3)] if match.group(3) in LIMITS else int(match.group(3).rstrip("uUlL"), 0)
        found.append(Number(match.group(2), value, match.group(1) or "", line_of(text, match.start(2))))
    return found


def numbers(text: str) -> List[str]:
    """Names of enumerators and of macros that stand for one number or macro."""
    return [value.name for enumeration in enumerations("", text) for value in enumeration.values] + \
        [macro.name for macro in macros(text)]


def initial_values(header: str, text: str) -> Dict[str, List[str]]:
    """What the macro CLPOOL_…_INIT sets each field to, by the macro's name; the first entry is the size."""
    found = {}
    for match in re.finditer(r"^#define (CLPOOL_\w+_INIT)\b((?:[^\n]*\\\n)*[^\n]*)$", text, re.MULTILINE):
        body = re.fullmatch(r"\s*\{(.*)\}\s*", match.group(2).replace("\\\n", " "), re.DOTALL)
        inner = understood(body, header, line_of(text, match.start())).group(1)
        entries, depth = [""], 0
        for letter in inner:
            depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(letter, 0)
            if letter == "," and depth == 0:
                entries.append("")
            else:
                entries[-1] += letter
        found[match.group(1)] = [entry.strip() for entry in entries]
    return found


CALLS = "OpenCL calls:"


def calls_of(text: str) -> List[str]:
    """What follows "OpenCL calls:", each to the end of its sentence."""
    return re.findall(CALLS + r"(.*?)(?:\.(?:\s|$)|$)", " ".join(text.split()))


def opencl_calls(folder: str) -> Dict[str, Set[str]]:
    """The entry points that each function may call as the headers say. Besides names it knows what they say in words:
    "those of clpool_…()", the allocator's, "releases that were put off", and what stands in the header's own comment, which
    holds for all of its functions that call anything."""
    everything = texts(folder)
    listed = [f for name, text in everything.items() for f in functions(name, text)]
    tops = {name: file_comment(text) for name, text in everything.items()}
    makers = {f.name for f in listed if f.name.startswith("clpool_allocator_create_")}
    releases = {f.name for f in listed if f.name.endswith("_release")}
    called: Dict[str, Set[str]] = {f.name: set() for f in listed}
    named: Dict[str, Set[str]] = {f.name: set() for f in listed}  # functions whose calls it makes
    about_allocators, put_off = set(), set()
    for function in listed:
        said = " ".join(calls_of(plain(function.comment))).strip()
        if said in ("", "none"):
            continue
        top = " ".join(tops[function.header].split())
        if "the same calls" in top:
            top += " ".join(" ".join(tops[name].split()) for name in re.findall(r"\b\w+\.h\b", top) if name in tops)
        called[function.name] = set(re.findall(r"\bcl[A-Z]\w+", said + " " + top))
        named[function.name] = set(re.findall(r"\b(clpool_\w+)\(\)", said)) | set(re.findall(r"those of (clpool_\w+)\(\)", top))
        if "allocator" in said or "releases of the allocator" in top:
            about_allocators.add(function.name)
        if "put off" in said:
            put_off.add(function.name)

    def spread(names: Dict[str, Set[str]]) -> None:
        before = -1
        while before != sum(map(len, called.values())):
            before = sum(map(len, called.values()))
            for name, others in names.items():
                called[name] = called[name].union(*(called[other] for other in others))

    spread({name: others | (makers if name in about_allocators else set()) for name, others in named.items()})
    late = set().union(*(called[name] for name in releases))
    for name in put_off:
        called[name] |= late
    spread(named)
    return called
