# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What Java gets of the headers: a file for each enumeration, result and part of an options class."""
from typing import Dict, List, Optional

import names
from description import UNSIGNED_64, Enum, Language, Member, Struct, code, indented, wrapped

HEAD = ["// SPDX-FileCopyrightText: The libclpool authors", "// SPDX-License-Identifier: Apache-2.0"]
TYPES = {"number32": "long", "number64": "long", "signed": "long", "real": "double", "text": "String",
         "numbers": "long[]", "boolean": "boolean", "opencl": "long", "characters": "String", "index": "int"}
# What @return says of a result, where it is no figure.
WORDS = {"enum": "value", "flags": "value", "text": "text", "numbers": "value", "boolean": "value", "opencl": "value",
         "characters": "text"}


def javadoc(text: str, *tags: str) -> List[str]:
    if not tags and len(text) < 100:
        return [f"/** {text} */"]
    told = ["", *tags] if tags else []
    return ["/**", *wrapped(text, " * "), *(f" * {tag}".rstrip() for tag in told), " */"]


def property_of(field: str) -> str:
    """The end of the names of SWIG's getters and setters."""
    return field[:1].upper() + field[1:]


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

    def opencl_link(self, prefix: str) -> str:
        return "{@link Cl}'s {@code " + prefix[len("CL_"):] + "…}"

    # ---- enumerations

    def enum_text(self, enum: Enum) -> List[str]:
        name = self.enum_name(enum).rpartition(".")[2]
        lines = [*javadoc(self.enum_prose(enum)), f"public enum {name} {{"]
        for value in self.values(enum):
            lines += indented(javadoc(self.value_prose(enum, value)), "  ")
            lines.append(f"  {self.value_name(enum, value)}({value.value}),")
        lines[-1] = lines[-1].rstrip(",") + ";"
        return lines + code(f"""

              private static final {name}[] ALL = values();
              private final int number;

              {name}(int number) {{
                this.number = number;
              }}

              /**
               * The number in the C API.
               *
               * @return one of {enum.prefix}…
               */
              public int number() {{
                return number;
              }}

              /** Of a number of the library. */
              static {name} of(int number) {{
                for ({name} each : ALL) {{
                  if (each.number == number) {{
                    return each;
                  }}
                }}
                {self.otherwise(enum, name)}
              }}
            """, "  ") + self.more_of(enum, name) + ["}"]

    def otherwise(self, enum: Enum, name: str) -> str:
        unknown = names.UNKNOWN.get(enum.prefix)
        if unknown is None:
            return f'throw new IllegalStateException("{name} has no number " + number);'
        return f"return {self.value_name(enum, self.described.numbers[unknown][1])};"

    def exceptions(self, enum: Enum) -> List[str]:
        """The method that makes the exception of a status."""
        cases = {f"      case {self.value_name(enum, value)}:": names.ERRORS[value.name]["java"][0]
                 for value in enum.values if value.name in names.ERRORS}
        return ["", "  /** The exception that stands for it. */",
                "  RuntimeException exception(String message, int clError, Throwable cause) {", "    switch (this) {",
                *(line for case, error in cases.items() for line in (case, f"        return new {error}(message, clError, cause);")),
                "      default:", "        return new ClpoolException(this, message, clError, cause);", "    }", "  }"]

    def more_of(self, enum: Enum, name: str) -> List[str]:
        bits = code(f"""

            /** Of bits of the library. */
            static java.util.Set<{name}> of(long bits) {{
              java.util.Set<{name}> set = java.util.EnumSet.noneOf({name}.class);
              for ({name} each : ALL) {{
                if ((bits & each.number) != 0) {{
                  set.add(each);
                }}
              }}
              return java.util.Collections.unmodifiableSet(set);
            }}
            """, "  ") if enum.is_flags else []
        bits += self.exceptions(enum) if enum.prefix == "CLPOOL_ERROR_" else []
        return bits + indented(names.JAVA_MEMBERS.get(enum.prefix, "").split("\n")[:-1], "  ")

    # ---- exceptions

    def exception_text(self, status: str, name: str, base: str) -> List[str]:
        """Of a status that has one of its own, which is ClpoolException's or one of Java's."""
        enum, value = self.described.numbers[status]
        about, number = javadoc(self.value_prose(enum, value)), f"Status.{self.value_name(enum, value)}"
        if base == "ClpoolException":
            return [*about, *code(f"""
                public class {name} extends {base} {{
                  private static final long serialVersionUID = 1L;

                  {name}(String message, int clError, Throwable cause) {{
                    super({number}, message, clError, cause);
                  }}
                }}
                """)]
        return [*about, *code(f"""
            public final class {name} extends {base} implements ClpoolError {{
              private static final long serialVersionUID = 1L;

              /** OpenCL's code. */
              private final int clError;

              {name}(String message, int clError, Throwable cause) {{
                super(message, cause);
                this.clError = clError;
              }}

              @Override
              public Status status() {{
                return {number};
              }}

              @Override
              public int clError() {{
                return clError;
              }}
            }}
            """)]

    # ---- results

    def is_nested(self, member: Member) -> bool:
        """Whether the enumeration is a part of the class."""
        return member.kind in ("enum", "flags") and \
            self.enum_name(member.numbers).startswith(f"{self.class_of(member.struct)}.")

    def type_of(self, member: Member) -> str:
        if member.kind not in ("enum", "flags"):
            return TYPES[member.kind]
        name = self.enum_name(member.numbers)
        name = name.rpartition(".")[2] if self.is_nested(member) else name
        return f"java.util.Set<{name}>" if member.kind == "flags" else name

    def read(self, member: Member, value: str, count: str) -> str:
        if member.kind == "enum":
            return f"{self.type_of(member)}.of((int) {value})"
        if member.kind == "flags":
            return f"{self.enum_name(member.numbers)}.of({value})"
        if member.kind == "boolean":
            return f"{value} != 0"
        if member.kind == "index":
            return f"(int) {value}"
        if member.kind == "numbers":
            return f"java.util.Arrays.copyOf({value}, (int) {count})"
        return value

    def constants(self, struct: Struct) -> List[str]:
        lines: List[str] = []
        for name, (owner, short) in names.CONSTANTS.items():
            if owner == struct.name:
                number = self.described.constants[name]
                text = self.prose(self.described.plain(number.comment), struct.header, number.line, struct)
                lines += [*javadoc(text), f"public static final long {short} = {self.literal(number.value)};", ""]
        return lines

    @staticmethod
    def literal(value: int) -> str:
        return "-1L" if value == UNSIGNED_64 else f"{value}L"

    def described_fields(self, members: List[Member]) -> List[str]:
        """The expression of a text with all fields."""
        parts = []
        for member in members:
            field = self.field_name(member)
            parts.append((field, f"java.util.Arrays.toString({field})" if member.kind == "numbers" else field))
        return [f'"{parts[0][0]}=" + {parts[0][1]}', *(f'    + ", {field}=" + {value}' for field, value in parts[1:])]

    def result_text(self, struct: Struct) -> List[str]:
        """Made of figures in an array, or of SWIG's struct."""
        whole = self.result(struct.name)
        extended = whole in names.EXTENDED["java"]
        name = f"{whole}Fields" if extended else whole
        members = self.members(struct)
        kind = "abstract class" if extended else "public final class"
        lines = [*javadoc(self.struct_prose(struct)), f"{kind} {name} {{"]
        if struct.is_figures:
            lines += ["  /** How many figures there are. */", f"  static final int COUNT = {len(members)};", ""]
        lines += indented(self.constants(struct), "  ")
        for member in members:
            if self.is_nested(member):
                lines += [*indented(self.enum_text(member.numbers), "  "), ""]
        lines += [f"  private final {self.type_of(member)} {self.field_name(member)};" for member in members]
        if struct.is_figures:
            lines += ["", f"  /** Of the figures of {struct.name}, in its order. */",
                      f"  {name}(long[] figures, int at) {{"]
            values = counts = [f"figures[at + {index}]" for index in range(len(members))]
        else:
            lines += ["", f"  {name}({struct.name} c) {{"]
            values = [f"c.get{property_of(member.name)}()" for member in members]
            counts = [f"c.get{property_of(member.companion)}()" for member in members]
        lines += [f"    {self.field_name(member)} = {self.read(member, value, count)};"
                  for member, value, count in zip(members, values, counts)]
        lines += ["  }"]
        for member in members:
            field = self.field_name(member)
            returned = f"@return the {WORDS.get(member.kind, 'figure')}"
            lines += ["", *indented(javadoc(self.field_prose(struct, member), returned), "  "),
                      f"  public {self.type_of(member)} {field}() {{",
                      f"    return {field}{'.clone()' if member.kind == 'numbers' else ''};", "  }"]
        if not extended:
            text = self.described_fields(members)
            text[0] = text[0].replace('"', f'return "{name}[', 1)
            lines += ["", "  @Override", "  public String toString() {", *indented(text, "    "), '        + "]";', "  }"]
        return [*lines, "}"]

    # ---- options

    def check_of(self, member: Member, field: str) -> str:
        """A statement that refuses what cannot be; "" for none."""
        if member.kind == "enum":
            return f'Errors.required("{field}", value);'
        check = {"number32": "check32", "number64": "check", "numbers": "check"}.get(member.kind)
        return f'Sizes.{check}("{field}", value);' if check else ""

    def first_value(self, member: Member) -> str:
        number = member.initial.rstrip("u")
        if member.kind == "numbers":
            return " = {}"
        if member.kind == "enum":
            first = next(value for value in member.numbers.values if value.value == int(number or "0"))
            return f" = {self.enum_name(member.numbers)}.{self.value_name(member.numbers, first)}"
        return f" = {number}" if number.isdigit() and number != "0" else ""

    def setter_text(self, struct: Struct, member: Member) -> List[str]:
        field = self.field_name(member)
        many = member.kind == "numbers"
        returned = "@return the changed copy" if self.options(struct.name) in names.COPIES else "@return this"
        given = "long... value" if many else f"{self.type_of(member)} value"
        lines = [*javadoc(self.field_prose(struct, member), "@param value the value", returned),
                 f"public S {field}({given}) {{"]
        if self.check_of(member, field):
            lines.append(f"  {self.check_of(member, field)}")
        if many:
            limit = f"Constants.{self.described.extents[f'{struct.name}.{member.name}']}"
            lines += [f"  if (value.length > {limit}) {{",
                      f'    throw Errors.invalid("{field} has " + value.length + " entries; at most " + {limit}',
                      '        + " are possible");', "  }"]
        return [*lines, "  S target = target();", f"  target.{field} = value{'.clone()' if many else ''};",
                "  return target;", "}"]

    def fill_text(self, struct: Struct, members: List[Member]) -> List[str]:
        lines = ["", "/** Sets the fields of the struct. */", f"void fill({struct.name} c) {{"]
        for member in members:
            value = field = self.field_name(member)
            if member.kind == "numbers":
                limit = self.described.extents[f"{struct.name}.{member.name}"]
                lines.append(f"  c.set{property_of(member.companion)}({field}.length);")
                value = f"java.util.Arrays.copyOf({field}, Constants.{limit})"
            elif member.kind in ("enum", "boolean"):
                value = f"{field}.number()" if member.kind == "enum" else f"{field} ? 1 : 0"
            lines.append(f"  c.set{property_of(member.name)}({value});")
        return [*lines, "}"]

    def options_text(self, struct: Struct) -> List[str]:
        """The part of an options class that is nothing but fields: hand-written code makes the class of it."""
        name = f"{self.options(struct.name)}Fields"
        members = [member for member in self.members(struct) if member.is_input]
        fields = [self.field_name(member) for member in members]
        lines = [f"{self.type_of(member)} {field}{self.first_value(member)};" for member, field in zip(members, fields)]
        lines += ["", "/** What a method changes and returns. */", "abstract S target();"]
        for member in members:
            lines += ["", *self.setter_text(struct, member)]
        if struct.name in names.RESULTS:
            lines += ["", *javadoc("Begins with other ones.", "@param other whose", "@return this"),
                      f"public S like({self.result(struct.name)} other) {{", '  Errors.required("other", other);', "  S target = target();",
                      *(f"  target.{field} = other.{field}();" for field in fields), "  return target;", "}"]
        if self.options(struct.name) in names.COPIES:
            lines += ["", "/** Takes the fields of another one. */", f"void assign({name}<S> other) {{",
                      *(f"  {field} = other.{field};" for field in fields), "}"]
        lines += self.fill_text(struct, members)
        text = self.described_fields(members)
        text[0], text[-1] = f"return {text[0]}", f"{text[-1]};"
        lines += ["", "/** All fields, for toString(). */", "String fields() {", *indented(text, "  "), "}"]
        return ["/** The plain fields. Those that are set are of {@link #target()}: this, or a copy. */",
                f"abstract class {name}<S extends {name}<S>> {{", *indented(lines, "  "), "}"]

    def constants_text(self) -> List[str]:
        lines = ["/** Numbers of the headers that are no type of this package. */", "final class Constants {"]
        for number in self.described.numbers_without_a_type(self):
            if number.value < 2**31:
                lines.append(f"  static final int {number.name} = {number.value};")
            else:
                lines.append(f"  static final long {number.name} = {self.literal(number.value)};")
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
            header = f"clpool/{struct.header}"
            result, options = self.result(struct.name), self.options(struct.name)
            if result:
                add(f"{result}Fields" if result in names.EXTENDED["java"] else result, header, self.result_text(struct))
            if options:
                self.writes_options = True
                add(f"{options}Fields", header, self.options_text(struct))
                self.writes_options = False
        for status, languages in names.ERRORS.items():
            name, base = languages["java"]
            if base:
                add(name, "clpool/status.h", self.exception_text(status, name, base))
        add("Constants", "the public headers", self.constants_text())
        return made
