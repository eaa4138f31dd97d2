# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What C# gets of the headers: enumerations, the structs of the C ABI, and the classes of results and options."""
from typing import Dict, List, Optional

import names
from description import UNSIGNED_64, Enum, Language, Member, Problem, Struct, code, headers, indented, pascal, wrapped

HEAD = ["// SPDX-FileCopyrightText: The libclpool authors", "// SPDX-License-Identifier: Apache-2.0",
        "// Made of the public headers by wrappers/generate."]
BLITTABLE = {"uint32_t": "uint", "int32_t": "int", "uint64_t": "ulong", "size_t": "ulong", "int64_t": "long",
             "cl_double": "double", "cl_device_type": "ulong", "cl_mem_flags": "ulong", "char": "byte",
             "cl_image_format": "cl_image_format"}
TYPES = {"number32": "int", "number64": "long", "signed": "long", "real": "double", "text": "string",
         "numbers": "long[]", "boolean": "bool", "bit": "bool", "characters": "string", "index": "int"}


def summary(text: str) -> List[str]:
    if len(text) < 90:
        return [f"/// <summary>{text}</summary>"]
    return wrapped(f"<summary>{text}</summary>", "/// ")


class CSharp(Language):
    name = "csharp"
    null = "null"

    def member_name(self, name: str) -> str:
        return pascal(name)

    def constant_name(self, name: str) -> str:
        return pascal(name)

    def value_name(self, enum: Enum, value: headers.Number) -> str:
        return names.PASCAL_VALUES.get(value.name) or super().value_name(enum, value)

    def code(self, text: str) -> str:
        return f"<c>{self.escaped(text)}</c>"

    def value_link(self, enum: Enum, value) -> str:
        return f'<see cref="{self.enum_name(enum)}.{self.value_name(enum, value)}"/>'

    def field_link(self, struct: str, member: Member, here: Optional[str]) -> str:
        return f'<see cref="{"" if struct == here else self.class_of(struct) + "."}{self.field_name(member)}"/>'

    def constant_link(self, struct: str, constant: str, here: Optional[str]) -> str:
        return f'<see cref="{"" if struct == here else self.class_of(struct) + "."}{pascal(constant)}"/>'

    def opencl_link(self, prefix: str) -> str:
        return f'<see cref="{names.OPENCL_BITS[prefix]["csharp"]}"/>'

    # ---- enumerations

    def enum_text(self, enum: Enum) -> List[str]:
        lines = summary(self.enum_prose(enum))
        values = [(self.value_prose(enum, value), self.value_name(enum, value), value.value) for value in self.values(enum)]
        if enum.is_flags:
            lines.append("[Flags]")
            values.insert(0, ("Nothing.", "None", 0))
        lines += [f"public enum {self.enum_name(enum)}", "{"]
        for text, name, number in values:
            lines += [*indented(summary(text), "    "), f"    {name} = {number},"]
        lines[-1] = lines[-1].rstrip(",")
        return [*lines, "}"]

    # ---- exceptions

    def exceptions(self) -> List[str]:
        """Those of statuses that have one, but for what is written by hand."""
        lines: List[str] = []
        for status, languages in names.ERRORS.items():
            enum, value = self.described.numbers[status]
            name, base = languages["csharp"]
            if base:
                lines += [*summary(self.value_prose(enum, value)), *code(f"""
                    public sealed class {name} : {base}, IClPoolError
                    {{
                        internal {name}(string message, int clError, System.Exception? inner) : base(message, inner) {{ ClError = clError; }}

                        /// <inheritdoc/>
                        public Status Status {{ get {{ return Status.{self.value_name(enum, value)}; }} }}
                        /// <inheritdoc/>
                        public int ClError {{ get; private set; }}
                    }}

                    """)]
        return lines

    # ---- structs of the ABI

    def struct_text(self, struct, initial: List[str]) -> List[str]:
        name = struct.name
        lines = ["[StructLayout(LayoutKind.Sequential)]", f"internal unsafe struct {name}", "{",
                 *(f"    public {self.field_text(struct, field)};" for field in struct.fields)]
        if struct.fields[0].name == "struct_size":
            values = list(zip(struct.fields, initial))[1:]  # behind the size
            first = [f"made.{field.name} = {self.number_of(value)};" for field, value in values
                     if self.number_of(value) != "0"]
            lines += ["", f"    /// <summary>As {name.upper()}_INIT, but for texts.</summary>",
                      f"    internal static {name} Initial()", "    {", f"        {name} made = new {name}();",
                      f"        made.struct_size = (uint)sizeof({name});", *indented(first, "        "),
                      "        return made;", "    }"]
        return [*lines, "}", ""]

    def field_text(self, struct, field) -> str:
        if field.extent:
            number = self.described.constants.get(field.extent)
            return f"fixed {BLITTABLE[field.type]} {field.name}[{number.value if number else field.extent}]"
        if field.type in ("function", "clpool_message_callback") or field.type.endswith("*"):
            return f"void* {field.name}"
        if field.type in BLITTABLE:
            return f"{BLITTABLE[field.type]} {field.name}"
        raise Problem(struct.header, field.line,
                      f"{struct.name}.{field.name} is of the type {field.type}, which is not known")

    def number_of(self, value: str) -> str:
        """What a number in an initial value is; 0 for what is none, such as NULL."""
        if value in self.described.numbers:
            return str(self.described.numbers[value][1].value)
        return value.rstrip("u") if value.rstrip("u").isdigit() else "0"

    # ---- classes

    def type_of(self, member: Member) -> str:
        if member.enum is not None and member.kind in ("enum", "flags"):
            return self.enum_name(member.numbers)
        if member.kind == "opencl":
            return names.OPENCL_BITS[member.companion]["csharp"]
        if member.kind == "number32" and member.struct in names.LONG_IN_CSHARP:
            return "long"
        return TYPES[member.kind] + ("?" if member.kind == "text" and member.is_input else "")

    def read(self, member: Member) -> str:
        value = f"native.{member.name}"
        if member.kind in ("enum", "flags"):
            return f"({self.enum_name(member.numbers)}){value}"
        if member.kind == "boolean":
            return f"{value} != 0"
        if member.kind in ("text", "characters"):
            return f"Utf8.Read({value})"
        if member.kind == "numbers":
            return f"Figures.Numbers({value}, native.{member.companion})"
        return f"({self.type_of(member)}){value}" if member.kind in ("number32", "number64", "index", "opencl") else value

    def write(self, struct: Struct, member: Member) -> List[str]:
        name, field = self.field_name(member), f"native.{member.name}"
        if member.kind in ("enum", "flags"):
            return [f"{field} = (uint){name};"]
        if member.kind == "boolean":
            return [f"{field} = {name} ? 1u : 0u;"]
        if member.kind == "bit":
            return [f"if ({name}) native.flags |= {self.described.numbers[member.companion][1].value};"]
        if member.kind == "numbers":
            limit = self.described.constants[self.described.extents[f"{struct.name}.{member.name}"]].value
            return [f'native.{member.companion} = Figures.Store({name}, {field}, {limit}, "{name}");']
        if member.kind == "text":  # lives as long as a call
            return []
        if member.kind == "opencl":
            return [f"{field} = (ulong){name};"]
        if member.kind in ("number32", "number64"):
            cast = "(uint)" if member.kind == "number32" else ""
            return [f'{field} = {cast}Arguments.Bytes({name}, "{name}");']
        return [f"{field} = {name};"]

    def first_value(self, member: Member) -> str:
        if member.kind == "numbers" or member.kind == "text" and not member.is_input:
            return " = new long[0];" if member.kind == "numbers" else ' = "";'
        number = self.number_of(member.initial)
        return f" = {number};" if number != "0" and member.kind in ("number32", "number64") else ""

    def constants(self, struct: Struct) -> List[str]:
        lines: List[str] = []
        for name, (owner, short) in names.CONSTANTS.items():
            if owner == struct.name:
                number = self.described.constants[name]
                text = self.prose(self.described.plain(number.comment), struct.header, number.line, struct)
                literal = -1 if number.value == UNSIGNED_64 else number.value
                lines += [*summary(text), f"public const long {pascal(short)} = {literal};", ""]
        return lines

    def result_text(self, struct: Struct, name: str) -> List[str]:
        """Properties over the struct itself; copies of it where parts of the struct are arrays, which have to stay where they are."""
        members = self.members(struct)
        if any(member.kind in ("characters", "numbers") for member in members):
            lines = self.copying_text(name, struct, members)
            for member in members:
                lines += [*summary(self.field_prose(struct, member)),
                          f"public {self.type_of(member)} {self.field_name(member)} {{ get; private set; }}"]
            return lines
        lines = [f"private readonly {struct.name} native;", "",
                 f"internal {name}({struct.name} native) {{ this.native = native; }}", ""]
        for member in members:
            lines += [*summary(self.field_prose(struct, member)),
                      f"public {self.type_of(member)} {self.field_name(member)} {{ get {{ return {self.read(member)}; }} }}"]
        return lines

    def copying_text(self, name: str, struct: Struct, members: List[Member]) -> List[str]:
        return [f"internal {name}({struct.name} native)", "{",
                *(f"    {self.field_name(member)} = {self.read(member)};" for member in members), "}", ""]

    def options_text(self, struct: Struct, name: str) -> List[str]:
        """Properties to set, from which the struct is made; where it is a result as well, the other way round too."""
        members = self.members(struct)
        lines: List[str] = []
        if name not in names.EXTENDED["csharp"]:
            lines += ["/// <summary>All defaults.</summary>", f"public {name}() {{ }}", ""]
        if self.result(struct.name):
            lines += self.copying_text(name, struct, members)
        for member in members:
            access = "{ get; set; }" if member.is_input else "{ get; private set; }"
            lines += [*summary(self.field_prose(struct, member)),
                      f"public {self.type_of(member)} {self.field_name(member)} {access}{self.first_value(member)}"]
        lines += ["", "/// <summary>The struct with these fields; what is written by hand sets texts and the others.</summary>",
                  f"internal {struct.name} ToNative()", "{", f"    {struct.name} native = {struct.name}.Initial();"]
        for member in members:
            if member.is_input:
                lines += indented(self.write(struct, member), "    ")
        return [*lines, "    return native;", "}"]

    def describing_text(self, name: str, members: List[Member]) -> List[str]:
        """Without reflection, which finds nothing in programs that are trimmed. What is written by hand gives its own part."""
        fields = [self.field_name(member) for member in members]
        more = ", Others()" if name in names.EXTENDED["csharp"] else ""
        figures = wrapped(", ".join(f'"{field}", {field}' for field in fields) + ");", "        ")
        return ["public override string ToString()", "{", f'    return Figures.Describe("{name}"{more},', *figures, "}"]

    def class_text(self, struct: Struct) -> List[str]:
        result, options = self.result(struct.name), self.options(struct.name)
        name = result or options or ""
        partial = "partial " if name in names.EXTENDED["csharp"] else ""
        body = self.constants(struct)
        body += self.options_text(struct, name) if options else self.result_text(struct, name)
        if name not in names.OWN_TEXT["csharp"]:
            body += ["", "/// <inheritdoc/>", *self.describing_text(name, self.members(struct))]
        return [*summary(self.struct_prose(struct)), f"public sealed unsafe {partial}class {name}", "{",
                *indented(body, "    "), "}", ""]

    def files(self) -> Dict[str, str]:
        def text(head: List[str], space: str, lines: List[str]) -> str:
            while lines and not lines[-1]:
                lines.pop()
            return "\n".join([*HEAD, *head, "", f"namespace {space}", "{", *indented(lines, "    "), "}", ""])

        enums: List[str] = []
        for enum in self.described.enums.values():
            if self.has_enum(enum):
                enums += [*self.enum_text(enum), ""]
        structs = code("""
            [StructLayout(LayoutKind.Sequential)]
            internal struct cl_image_format
            {
                public uint image_channel_order;
                public uint image_channel_data_type;
            }

            """)
        for raw in self.described.raw.values():
            structs += self.struct_text(raw, self.described.initial.get(raw.name, []))
        structs += ["internal static class Constants", "{"]
        for number in sorted(self.described.constants.values()):
            kind = "uint" if number.value < 2**32 else "ulong"
            structs.append(f"    internal const {kind} {number.name} = {number.value};")
        classes = self.exceptions()
        for struct in self.described.structs.values():
            if self.result(struct.name) or self.options(struct.name):
                classes += self.class_text(struct)
        about = "// The structs of the C ABI, field by field, under their C names: tests compare them with it."
        return {
            "Enums.cs": text(["using System;"], "ClPool", enums),
            "Structs.cs": text([about, "#pragma warning disable 0649, 1591, 8981", "using System.Runtime.InteropServices;"],
                               "ClPool.Interop", [*structs, "}"]),
            "Classes.cs": text(["#pragma warning disable 0649", "using ClPool.Interop;"], "ClPool", classes),
        }
