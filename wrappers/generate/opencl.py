# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What each language gets of opencl.h: the names of OpenCL's own numbers."""
import pathlib
from typing import Dict, List, NamedTuple, Optional, Tuple

import csharp
import java
import names
import python
from description import Description, headers, indented, pascal

HEADER = pathlib.Path(__file__).resolve().parent / "opencl.h"
ORIGIN = "Made of wrappers/generate/opencl.h."


class Group(NamedTuple):
    """An enumeration of opencl.h."""
    prefix: str
    in_python: str
    in_csharp: Optional[str]
    comment: str
    values: List[headers.Number]

    @property
    def is_flags(self) -> bool:
        return self.in_python in names.OPENCL_FLAGS


def groups() -> List[Group]:
    text = HEADER.read_text(encoding="utf-8")
    return [Group(*names.OPENCL[found.values[0].name], Description.plain(found.comment), found.values)
            for found in headers.enumerations(HEADER.name, text)]


def text_of(number: headers.Number) -> str:
    return Description.plain(number.comment)


def in_python() -> Dict[str, str]:
    classes: List[Tuple[str, Group, List[headers.Number]]] = []
    for group in groups():
        if group.in_python == "mem_flags":
            svm = [value for value in group.values if value.name.startswith(names.OPENCL_SVM)]
            classes.append(("mem_flags", group, [value for value in group.values if value not in svm]))
            access = [value for value in group.values if value.name in names.OPENCL_ACCESS]
            classes.append(("svm_mem_flags", group, access + svm))
        else:
            classes.append((group.in_python, group, group.values))
    lines = ['"""OpenCL\'s numbers under the names of PyOpenCL\'s classes. clpool.constants has them for users."""',
             "from ._number import Flags, Number", "", "", "__all__ = ["]
    lines += [f'    "{name}",' for name in sorted(name for name, _, _ in classes)]
    lines.append("]")
    for name, group, values in classes:
        lines += ["", "", f"class {name}({'Flags' if group.is_flags else 'Number'}):",
                  *python.docstring(group.comment, "    "), ""]
        for value in values:
            lines += [*python.remark(text_of(value), "    "), f"    {value.name[len(group.prefix):]} = {value.value:#x}"]
        for called, number, text in names.OPENCL_MORE_IN_PYTHON.get(name, ()):
            lines += [*python.remark(text, "    "), f"    {called} = {number:#x}"]
    return {"_opencl.py": "\n".join([*python.HEAD[:2], f"# {ORIGIN}", *lines, ""])}


def in_java() -> Dict[str, str]:
    lines = ["package org.clpool;", "", "/** Numbers of OpenCL that calls of this package take. Any others of OpenCL work as well. */",
             "public final class Cl {"]
    for group in groups():
        kind, end = ("long", "L") if group.is_flags else ("int", "")
        for value in group.values:
            name = names.OPENCL_IN_JAVA.get(value.name, value.name[len("CL_"):])
            told = f"{group.comment[:-1]}: {text_of(value)}" if group.comment.startswith("Properties") else text_of(value)
            lines += [*indented(java.javadoc(told), "  "), f"  public static final {kind} {name} = {value.value:#x}{end};", ""]
    lines += ["  private Cl() {}", "}"]
    return {"Cl.java": "\n".join([*java.HEAD, f"// {ORIGIN}", *lines, ""])}


def in_csharp() -> Dict[str, str]:
    enums: Dict[str, List[str]] = {}
    abouts: Dict[str, List[str]] = {}
    for group in groups():
        if group.in_csharp is None:
            continue
        values = enums.setdefault(group.in_csharp, [])
        head = ["[System.Flags]"] if group.is_flags else []
        abouts.setdefault(group.in_csharp, [*csharp.summary(group.comment), *head,
                                            f"public enum {group.in_csharp}{' : long' if group.is_flags else ''}", "{"])
        if not values and group.in_csharp in names.OPENCL_MORE_IN_CSHARP:
            name, number, text = names.OPENCL_MORE_IN_CSHARP[group.in_csharp]
            values += [*indented(csharp.summary(text), "    "), f"    {name} = {number},"]
        for value in group.values:
            short = value.name[len("CL_"):] if group.prefix in ("CL_IMAGE_", "CL_PIPE_") else value.name[len(group.prefix):]
            called = names.OPENCL_IN_CSHARP.get(value.name, pascal(short))
            if called is not None:
                values += [*indented(csharp.summary(text_of(value)), "    "), f"    {called} = {value.value:#x},"]
    lines: List[str] = []
    for name, values in enums.items():
        lines += [*abouts[name], *values[:-1], values[-1].rstrip(","), "}", ""]
    file = [*csharp.HEAD[:2], f"// {ORIGIN}", "namespace ClPool", "{", *indented(lines[:-1], "    "), "}", ""]
    return {"OpenCL.cs": "\n".join(file)}


FILES = {"python": in_python, "java": in_java, "csharp": in_csharp, "swig": dict}
