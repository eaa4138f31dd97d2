# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What Java gets of the headers: a file for each enumeration, result and part of an options class."""
from typing import Dict, List, Optional

import names
from description import Enum, Language, Member, Struct, indented, wrapped

HEAD = ["// SPDX-FileCopyrightText: The libclpool authors", "// SPDX-License-Identifier: Apache-2.0"]
TYPES = {"number32": "long", "number64": "long", "signed": "long", "real": "double", "text": "String", "numbers": "long[]",
         "boolean": "boolean"}
WORDS = {"enum": "value", "flags": "value", "text": "text", "numbers": "value", "boolean": "value"}


def javadoc(text: str, *tags: str) -> List[str]:
    if not tags and len(text) < 100:
        return [f"/** {text} */"]
    return ["/**", *wrapped(text, " * "), *([" *", *(f" * {tag}" for tag in tags)] if tags else []), " */"]


def getter(field: str) -> str:
    """As SWIG calls it."""
    return f"get{field[:1].upper()}{field[1:]}"


def setter(field: str) -> str:
    return f"set{field[:1].upper()}{field[1:]}"


class Java(Language):
    name = "java"
    null = "null"
    writes_options = False  # whose methods have a parameter; those of results have none

    def code(self, text: str) -> str:
        return "{@code " + text + "}"

    def value_link(self, enum: Enum, value) -> str:
        return "{@link " + f"{self.enum_name(enum)}#{self.value_name(enum, value)}" + "}"

    def field_link(self, struct: str, member: Member, here: Optional[str]) -> str:
        own = struct == here
        parameter = TYPES.get(member.kind, "") if own and self.writes_options or not self.result(struct) else ""
        return "{@link " + f"{'' if own else self.class_of(struct)}#{self.field_name(member)}({parameter})" + "}"

    def constant_link(self, struct: str, constant: str, here: Optional[str]) -> str:
        return "{@link " + f"{'' if struct == here else self.class_of(struct)}#{constant}" + "}"

    # ---- enumerations

    def enum_text(self, enum: Enum, nested: bool = False) -> List[str]:
        name = self.enum_name(enum).rpartition(".")[2]
        lines = [*javadoc(self.enum_prose(enum)), f"public enum {name} {{"]
        for index, value in enumerate(enum.values):
            end = ";" if index + 1 == len(enum.values) else ","
            lines += indented(javadoc(self.value_prose(enum, value)), "  ")
            lines.append(f"  {self.value_name(enum, value)}({value.value}){end}")
        lines += ["", f"  private static final {name}[] ALL = values();", "  private final int number;", "",
                  f"  {name}(int number) {{", "    this.number = number;", "  }", ""]
        lines += indented(javadoc("The number in the C API.", f"@return one of {enum.prefix}…"), "  ")
        lines += ["  public int number() {", "    return number;", "  }", ""]
        unknown = names.UNKNOWN.get(enum.prefix)
        if unknown:
            value = next(value for value in enum.values if value.name == unknown)
            otherwise = [f"    return {self.value_name(enum, value)};"]
        else:
            otherwise = [f'    throw new IllegalStateException("{name} has no number " + number);']
        lines += ["  /** Of a number of the library. */", f"  static {name} of(int number) {{",
                  f"    for ({name} each : ALL) {{", "      if (each.number == number) {", "        return each;", "      }", "    }",
                  *otherwise, "  }"]
        if enum.is_flags:
            lines += ["", "  /** Of bits of the library. */", f"  static java.util.Set<{name}> of(long bits) {{",
                      f"    java.util.Set<{name}> set = java.util.EnumSet.noneOf({name}.class);",
                      f"    for ({name} each : ALL) {{", "      if ((bits & each.number) != 0) {", "        set.add(each);", "      }",
                      "    }", "    return java.util.Collections.unmodifiableSet(set);", "  }"]
        if enum.prefix in names.JAVA_MEMBERS:
            lines += [*indented(names.JAVA_MEMBERS[enum.prefix].split("\n"), "  ")]
        return [*lines, "}"]

    # ---- results

    def type_of(self, member: Member) -> str:
        if member.enum is not None and member.kind in ("enum", "flags"):
            name = self.enum_name(member.enum).rpartition(".")[2] if self.is_nested(member) else self.enum_name(member.enum)
            return f"java.util.Set<{name}>" if member.kind == "flags" else name
        return TYPES[member.kind]

    def is_nested(self, member: Member) -> bool:
        return self.enum_name(member.enum).startswith(f"{self.class_of(member.struct)}.")

    def read(self, member: Member, value: str, count: str) -> str:
        if member.kind == "enum":
            return f"{self.type_of(member)}.of((int) {value})"
        if member.kind == "flags":
            return f"{self.enum_name(member.enum)}.of({value})"
        if member.kind == "boolean":
            return f"{value} != 0"
        if member.kind == "numbers":
            return f"java.util.Arrays.copyOf({value}, (int) {count})"
        return value

    def result_text(self, struct: Struct) -> List[str]:
        """Of figures in an array, or of SWIG's struct."""
        whole = self.result(struct.name)
        extended = whole in names.EXTENDED["java"]
        name = f"{whole}Fields" if extended else whole
        members = self.members(struct)
        from_array = struct.is_figures or struct.name == "clpool_pool_stretch"
        lines = [*javadoc(self.struct_prose(struct)), f"{'abstract class' if extended else 'public final class'} {name} {{"]
        if from_array:
            lines += ["  /** How many figures there are. */", f"  static final int COUNT = {len(members)};", ""]
        for constant, (owner, short) in names.CONSTANTS.items():
            if owner == struct.name:
                number = self.described.constants[constant]
                text = self.prose(self.described.plain(number.comment), struct.header, number.line, struct)
                literal = "-1L" if number.value == 2**64 - 1 else f"{number.value}L"
                lines += [*indented(javadoc(text), "  "), f"  public static final long {short} = {literal};", ""]
        for member in members:
            if member.kind in ("enum", "flags") and self.is_nested(member):
                lines += [*indented(self.enum_text(member.enum), "  "), ""]
        lines += [f"  private final {self.type_of(member)} {self.field_name(member)};" for member in members]
        if from_array:
            lines += ["", f"  /** Of the figures of {struct.name}, in its order. */", f"  {name}(long[] figures, int at) {{"]
            values = [f"figures[at + {index}]" for index in range(len(members))]
            counts = values
        else:
            lines += ["", f"  {name}({struct.name} c) {{"]
            values = [f"c.{getter(member.name)}()" for member in members]
            counts = [f"c.{getter(member.count)}()" for member in members]
        lines += [f"    {self.field_name(member)} = {self.read(member, value, count)};"
                  for member, value, count in zip(members, values, counts)]
        lines += ["  }"]
        for member in members:
            field = self.field_name(member)
            copied = f"{field}.clone()" if member.kind == "numbers" else field
            lines += ["", *indented(javadoc(self.field_prose(struct, member), f"@return the {WORDS.get(member.kind, 'figure')}"), "  "),
                      f"  public {self.type_of(member)} {field}() {{", f"    return {copied};", "  }"]
        if not extended:
            parts = [(self.field_name(member), f"java.util.Arrays.toString({self.field_name(member)})" if member.kind == "numbers"
                      else self.field_name(member)) for member in members]
            lines += ["", "  @Override", "  public String toString() {"]
            lines += [f'    return "{name}[{parts[0][0]}=" + {parts[0][1]}']
            lines += [f'        + ", {field}=" + {value}' for field, value in parts[1:]]
            lines += ['        + "]";', "  }"]
        return [*lines, "}"]

    # ---- options

    def checked(self, member: Member, field: str) -> str:
        if member.kind == "enum":
            return f'Errors.required("{field}", value)'
        if member.kind in ("number32", "number64"):
            return f'Sizes.check("{field}", value)'
        return "value"

    def first_value(self, member: Member) -> str:
        if member.kind == "enum":
            number = int(member.initial.rstrip("u") or "0")
            first = next(value for value in member.enum.values if value.value == number)
            return f" = {self.enum_name(member.enum)}.{self.value_name(member.enum, first)}"
        number = member.initial.rstrip("u")
        return f" = {number}" if number.isdigit() and number != "0" else ""

    def options_text(self, struct: Struct) -> List[str]:
        """The part of an options class that is nothing but fields: hand-written code makes the class of it."""
        name = f"{self.options(struct.name)}Fields"
        members = [member for member in self.members(struct) if member.is_input]
        lines = ["/** The plain fields. Those that are set are of {@link #target()}: this, or a copy. */",
                 f"abstract class {name}<S extends {name}<S>> {{"]
        for member in members:
            if member.kind == "numbers":
                lines.append(f"  long[] {self.field_name(member)} = {{}};")
            else:
                lines.append(f"  {self.type_of(member)} {self.field_name(member)}{self.first_value(member)};")
        lines += ["", "  /** What a method changes and returns. */", "  abstract S target();"]
        for member in members:
            field = self.field_name(member)
            many = member.kind == "numbers"
            given = "long... value" if many else f"{self.type_of(member)} value"
            lines += ["", *indented(javadoc(self.field_prose(struct, member), "@param value the value",
                                            f"@return {'the changed copy' if self.options(struct.name) in names.COPIES else 'this'}"), "  "),
                      f"  public S {field}({given}) {{"]
            if many:
                limit = self.limit_of(struct, member)
                lines += [f'    Sizes.check("{field}", value);', f"    if (value.length > Constants.{limit}) {{",
                          f'      throw Errors.invalid("{field} has " + value.length + " entries; at most " + Constants.{limit}',
                      '          + " are possible");',
                          "    }", "    S target = target();", f"    target.{field} = value.clone();"]
            else:
                checked = self.checked(member, field)
                if checked != "value":
                    lines.append(f"    {checked};")
                lines += ["    S target = target();", f"    target.{field} = value;"]
            lines += ["    return target;", "  }"]
        if struct.name in names.RESULTS:
            lines += ["", *indented(javadoc("Begins with other ones.", "@param other whose", "@return this"), "  "),
                      f"  public S like({self.result(struct.name)} other) {{", "    S target = target();"]
            lines += [f"    target.{self.field_name(member)} = other.{self.field_name(member)}();" for member in members]
            lines += ["    return target;", "  }"]
        if self.options(struct.name) in names.COPIES:
            lines += ["", "  /** Takes the fields of another one. */", f"  void assign({name}<S> other) {{"]
            lines += [f"    {self.field_name(member)} = other.{self.field_name(member)};" for member in members]
            lines += ["  }"]
        lines += ["", "  /** Sets the fields of the struct. */", f"  void fill({struct.name} c) {{"]
        for member in members:
            field = self.field_name(member)
            if member.kind == "numbers":
                limit = self.limit_of(struct, member)
                lines += [f"    c.{setter(member.count)}({field}.length);",
                          f"    c.{setter(member.name)}(java.util.Arrays.copyOf({field}, Constants.{limit}));"]
            else:
                value = {"enum": f"{field}.number()", "boolean": f"{field} ? 1 : 0"}.get(member.kind, field)
                lines.append(f"    c.{setter(member.name)}({value});")
        lines += ["  }", "", "  /** All fields, for toString(). */", "  String fields() {"]
        parts = [(self.field_name(member), f"java.util.Arrays.toString({self.field_name(member)})" if member.kind == "numbers"
                  else self.field_name(member)) for member in members]
        lines += [f'    return "{parts[0][0]}=" + {parts[0][1]}', *(f'        + ", {field}=" + {value}' for field, value in parts[1:])]
        lines[-1] += ";"
        return [*lines, "  }", "}"]

    def limit_of(self, struct: Struct, member: Member) -> str:
        return self.described.extents[f"{struct.name}.{member.name}"]

    def constants_text(self) -> List[str]:
        lines = ["/** Numbers of the headers that are no type of this package. */", "final class Constants {"]
        enums = [enum for enum in self.described.enums.values() if not self.has_enum(enum)]
        numbers = [*self.described.constants.values(), *(value for enum in enums for value in enum.values)]
        for number in sorted(numbers):
            literal, kind = str(number.value), "int"
            if number.value >= 2**31:
                literal, kind = "-1L" if number.value == 2**64 - 1 else f"{number.value}L", "long"
            lines.append(f"  static final {kind} {number.name} = {literal};")
        return [*lines, "", "  private Constants() {}", "}"]

    def files(self) -> Dict[str, str]:
        made: Dict[str, str] = {}

        def add(name: str, header: str, lines: List[str]) -> None:
            origin = f"// Made of {header} by wrappers/generate."
            made[f"{name}.java"] = "\n".join([*HEAD, origin, "package org.clpool;", "", *lines, ""])

        for enum in self.described.enums.values():
            if self.has_enum(enum) and "." not in self.enum_name(enum):
                add(self.enum_name(enum), f"clpool/{enum.header}", self.enum_text(enum))
        for struct in self.described.structs.values():
            result, options = self.result(struct.name), self.options(struct.name)
            if result:
                add(f"{result}Fields" if result in names.EXTENDED["java"] else result, f"clpool/{struct.header}", self.result_text(struct))
            if options:
                self.writes_options = True
                add(f"{options}Fields", f"clpool/{struct.header}", self.options_text(struct))
                self.writes_options = False
        add("Constants", "the public headers", self.constants_text())
        return made
