# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What C# gets of the headers: enumerations, the structs of the C ABI, and the classes of results and options over them."""
from typing import Dict, List, Optional

import names
from description import Enum, Language, Member, Problem, Struct, indented, pascal, wrapped

HEAD = ["// SPDX-FileCopyrightText: The libclpool authors", "// SPDX-License-Identifier: Apache-2.0",
        "// Made of the public headers by wrappers/generate."]
BLITTABLE = {"uint32_t": "uint", "int32_t": "int", "uint64_t": "ulong", "size_t": "ulong", "int64_t": "long", "cl_double": "double",
             "cl_device_type": "ulong", "cl_mem_flags": "ulong", "cl_image_format": "cl_image_format"}
TYPES = {"number32": "int", "number64": "long", "signed": "long", "real": "double", "text": "string", "numbers": "long[]",
         "boolean": "bool", "bit": "bool"}


def summary(text: str) -> List[str]:
    if len(text) < 90:
        return [f"/// <summary>{text}</summary>"]
    lines = wrapped(f"<summary>{text}</summary>", "/// ")
    return lines


class CSharp(Language):
    name = "csharp"
    null = "null"

    def member_name(self, name: str) -> str:
        return pascal(name)

    def constant_name(self, name: str) -> str:
        return pascal(name)

    def code(self, text: str) -> str:
        return f"<c>{self.escaped(text)}</c>"

    def value_link(self, enum: Enum, value) -> str:
        return f'<see cref="{self.enum_name(enum)}.{self.value_name(enum, value)}"/>'

    def field_link(self, struct: str, member: Member, here: Optional[str]) -> str:
        return f'<see cref="{"" if struct == here else self.class_of(struct) + "."}{self.field_name(member)}"/>'

    def constant_link(self, struct: str, constant: str, here: Optional[str]) -> str:
        return f'<see cref="{"" if struct == here else self.class_of(struct) + "."}{pascal(constant)}"/>'

    # ---- enumerations

    def enum_text(self, enum: Enum) -> List[str]:
        lines = summary(self.enum_prose(enum))
        values = [(self.value_prose(enum, value), self.value_name(enum, value), value.value) for value in enum.values]
        if enum.is_flags:
            lines.append("[Flags]")
            values.insert(0, ("Nothing.", "None", 0))
        lines += [f"public enum {self.enum_name(enum)}", "{"]
        for index, (text, name, number) in enumerate(values):
            lines += [*indented(summary(text), "    "), f"    {name} = {number}{',' if index + 1 < len(values) else ''}"]
        return [*lines, "}"]

    # ---- structs of the ABI

    def struct_text(self, struct, initial: List[str]) -> List[str]:
        has_size = struct.fields[0].name == "struct_size"
        lines = ["[StructLayout(LayoutKind.Sequential)]", f"internal unsafe struct {struct.name}", "{"]
        for field in struct.fields:
            if field.extent:
                number = self.described.constants.get(field.extent)
                extent = field.extent if field.extent.isdigit() else str(number.value)
                kind = "byte" if field.type == "char" else BLITTABLE[field.type]
                lines.append(f"    public fixed {kind} {field.name}[{extent}];")
            elif field.type == "function" or field.type.endswith("*") or field.type == "clpool_message_callback":
                lines.append(f"    public void* {field.name};")
            elif field.type in BLITTABLE:
                lines.append(f"    public {BLITTABLE[field.type]} {field.name};")
            else:
                raise Problem(struct.header, field.line, f"{struct.name}.{field.name} is of the type {field.type}, which is not known")
        if has_size:
            lines += ["", f"    /// <summary>As {struct.name.upper()}_INIT, but for texts.</summary>",
                      f"    internal static {struct.name} Initial()", "    {", f"        {struct.name} made = new {struct.name}();",
                      f"        made.struct_size = (uint)sizeof({struct.name});"]
            for field, value in list(zip(struct.fields, initial))[1:]:
                if value.rstrip("u").isdigit() and value.rstrip("u") != "0":
                    lines.append(f"        made.{field.name} = {value.rstrip('u')};")
                elif value in self.described.numbers:
                    lines.append(f"        made.{field.name} = {self.described.numbers[value][1].value};")
            lines += ["        return made;", "    }"]
        return [*lines, "}", ""]

    # ---- classes

    def type_of(self, member: Member) -> str:
        if member.enum is not None and member.kind in ("enum", "flags"):
            return self.enum_name(member.enum)
        if member.kind == "number32" and member.struct in names.LONG_IN_CSHARP:
            return "long"
        return TYPES[member.kind]

    def read(self, member: Member) -> str:
        value = f"native.{member.name}"
        if member.kind in ("enum", "flags"):
            return f"({self.enum_name(member.enum)}){value}"
        if member.kind == "boolean":
            return f"{value} != 0"
        if member.kind == "text":
            return f"Utf8.Read({value})"
        if member.kind == "numbers":
            return f"Figures.Numbers({value}, native.{member.count})"
        return f"({self.type_of(member)}){value}" if member.kind in ("number32", "number64") else value

    def write(self, struct: Struct, member: Member) -> List[str]:
        name, field = self.field_name(member), f"native.{member.name}"
        if member.kind in ("enum", "flags"):
            return [f"{field} = (uint){name};"]
        if member.kind == "boolean":
            return [f"{field} = {name} ? 1u : 0u;"]
        if member.kind == "bit":
            return [f"if ({name}) native.flags |= {self.described.numbers[member.count][1].value};"]
        if member.kind == "numbers":
            limit = self.described.constants[self.described.extents[f"{struct.name}.{member.name}"]].value
            return [f'native.{member.count} = Figures.Store({name}, {field}, {limit}, "{name}");']
        if member.kind in ("number32", "number64"):
            cast = "(uint)" if member.kind == "number32" else ""
            return [f'{field} = {cast}Arguments.Bytes({name}, "{name}");']
        return [f"{field} = {name};"]

    def first_value(self, member: Member) -> str:
        number = member.initial.rstrip("u")
        if member.kind == "numbers":
            return " = new long[0];"
        if member.kind == "text":
            return ' = "";'
        return f" = {number};" if number.isdigit() and number != "0" else ""

    def class_text(self, struct: Struct) -> List[str]:
        result, options = self.result(struct.name), self.options(struct.name)
        name = result or options
        extended = name in names.EXTENDED["csharp"]
        members = self.members(struct)
        lines = [*summary(self.struct_prose(struct)), f"public sealed unsafe {'partial ' if extended else ''}class {name}", "{"]
        for constant, (owner, short) in names.CONSTANTS.items():
            if owner == struct.name:
                number = self.described.constants[constant]
                text = self.prose(self.described.plain(number.comment), struct.header, number.line, struct)
                literal = "-1" if number.value == 2**64 - 1 else str(number.value)
                lines += [*indented(summary(text), "    "), f"    public const long {pascal(short)} = {literal};", ""]
        if result and not options:
            lines += [f"    private readonly {struct.name} native;", "",
                      f"    internal {name}({struct.name} native) {{ this.native = native; }}", ""]
            for member in members:
                lines += [*indented(summary(self.field_prose(struct, member)), "    "),
                          f"    public {self.type_of(member)} {self.field_name(member)} {{ get {{ return {self.read(member)}; }} }}"]
        else:
            if not extended:
                lines += ["    /// <summary>All defaults.</summary>", f"    public {name}() {{ }}", ""]
            if result:
                lines += [f"    internal {name}({struct.name} native)", "    {",
                          *(f"        {self.field_name(member)} = {self.read(member)};" for member in members), "    }", ""]
            for member in members:
                access = "get; set;" if member.is_input else "get; private set;"
                lines += [*indented(summary(self.field_prose(struct, member)), "    "),
                          f"    public {self.type_of(member)} {self.field_name(member)} {{ {access} }}{self.first_value(member)}"]
            lines += ["", "    /// <summary>The struct with these fields; what is written by hand sets the others.</summary>",
                      f"    internal {struct.name} ToNative()", "    {", f"        {struct.name} native = {struct.name}.Initial();"]
            for member in members:
                if member.is_input:
                    lines += indented(self.write(struct, member), "        ")
            lines += ["        return native;", "    }"]
        if name not in names.OWN_TEXT["csharp"]:
            lines += ["", "    /// <inheritdoc/>", "    public override string ToString() { return Figures.Describe(this); }"]
        return [*lines, "}", ""]

    def files(self) -> Dict[str, str]:
        def text(head: List[str], space: str, lines: List[str]) -> str:
            while lines and not lines[-1]:
                lines.pop()
            return "\n".join([*HEAD, *head, "", f"namespace {space}", "{", *indented(lines, "    "), "}", ""])

        enums: List[str] = []
        for enum in self.described.enums.values():
            if self.has_enum(enum):
                enums += [*self.enum_text(enum), ""]
        structs = ["[StructLayout(LayoutKind.Sequential)]", "internal struct cl_image_format", "{", "    public uint image_channel_order;",
                   "    public uint image_channel_data_type;", "}", ""]
        for struct in self.described.raw.values():
            structs += self.struct_text(struct, self.described.initial.get(struct.name, []))
        constants = ["internal static class Constants", "{",
                     *(f"    internal const {'uint' if number.value < 2**32 else 'ulong'} {number.name} = {number.value};"
                       for number in sorted(self.described.constants.values())), "}"]
        classes: List[str] = []
        for struct in self.described.structs.values():
            if self.result(struct.name) or self.options(struct.name):
                classes += self.class_text(struct)
        return {
            "Enums.cs": text(["using System;"], "ClPool", enums),
            "Structs.cs": text(["// The structs of the C ABI, field by field, under their C names: tests compare them with it.",
                                "#pragma warning disable 0649, 1591, 8981", "using System.Runtime.InteropServices;"], "ClPool.Interop",
                               [*structs, *constants]),
            "Classes.cs": text(["#pragma warning disable 0649", "using ClPool.Interop;"], "ClPool", classes),
        }
