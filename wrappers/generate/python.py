# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What Python gets of the headers: two modules of its package, of numbers and of results."""
from typing import Dict, List, Optional

import names
from description import Enum, Language, Member, Struct, code, pascal, wrapped

HEAD = ["# SPDX-FileCopyrightText: The libclpool authors", "# SPDX-License-Identifier: Apache-2.0",
        "# Made of the public headers by wrappers/generate."]
TYPES = {"number32": "int", "number64": "int", "signed": "int", "real": "float", "text": "str",
         "numbers": "Tuple[int, ...]", "boolean": "bool", "enum": "str", "flags": "int", "characters": "str",
         "index": "Optional[int]"}


def docstring(text: str, indent: str) -> List[str]:
    if len(text) + len(indent) < 100 and not text.endswith('"'):
        return [f'{indent}"""{text}"""']
    lines = wrapped('"""' + text, indent)
    return [*lines, f'{indent}"""'] if text.endswith('"') or len(lines[-1]) > 105 else [*lines[:-1], lines[-1] + '"""']


def remark(text: str, indent: str) -> List[str]:
    """What documentation tools read in front of a name."""
    return wrapped(text, f"{indent}#: ")


class Python(Language):
    name = "python"
    null = no_index = "None"

    def type_name(self, name: str) -> str:
        return name

    def member_name(self, name: str) -> str:
        return name

    def escaped(self, text: str) -> str:
        return text.replace("\\", "\\\\")

    def code(self, text: str) -> str:
        return text

    def value_link(self, enum: Enum, value) -> str:
        return f"{self.enum_name(enum)}.{self.value_name(enum, value)}"

    def field_link(self, struct: str, member: Member, here: Optional[str]) -> str:
        return member.name if struct == here else f"{self.class_of(struct)}.{member.name}"

    def opencl_link(self, prefix: str) -> str:
        return names.OPENCL_BITS[prefix]["python"]

    def constant_link(self, struct: str, constant: str, here: Optional[str]) -> str:
        return "None"

    def enum_text(self, enum: Enum) -> List[str]:
        base = "Flags" if enum.is_flags else "Number"
        lines = [f"class {self.enum_name(enum)}({base}):", *docstring(self.enum_prose(enum), "    "), ""]
        for value in self.values(enum):
            lines += [*remark(self.value_prose(enum, value), "    "),
                      f"    {self.value_name(enum, value)} = {value.value}"]
        return [*lines, "", ""]

    def numbers_text(self) -> List[str]:
        enums = [enum for enum in self.described.enums.values() if self.has_enum(enum)]
        lines = ['"""The library\'s numbers. clpool.constants has those for users."""', "from ._number import Flags, Number",
                 "", "", "__all__ = ["]
        lines += [f'    "{name}",' for name in sorted(self.enum_name(enum) for enum in enums)]
        lines += ["]", "", ""]
        for enum in enums:
            lines += self.enum_text(enum)
        return lines + [f"{number.name} = {number.value}" for number in self.described.numbers_without_a_type(self)]

    # ---- exceptions

    def errors_text(self) -> List[str]:
        lines = code("""
            \"\"\"Exceptions: a class for each status, which is also of the built-in class that programs expect.\"\"\"
            from typing import Dict, Type


            class ClpoolError(Exception):
                \"\"\"What libclpool could not do. .status is one of clpool.status, .code the OpenCL error code behind it, 0 if
                there is none.\"\"\"

                __module__ = "clpool"

                #: What the call came to: one of clpool.status.
                status: int = 0
                #: The OpenCL error code behind it; 0 if there is none.
                code: int = 0


            """)
        numbers = {}
        enum = self.described.enums["CLPOOL_ERROR_"]
        for value in enum.values:
            if value.name in names.ERRORS_IN_PYTHON:
                numbers[value.value] = f"{names.PASCAL_VALUES.get(value.name) or pascal(value.name[len(enum.prefix):])}Error"
                lines += [f"class {numbers[value.value]}(ClpoolError, {names.ERRORS_IN_PYTHON[value.name]}):",
                          *docstring(self.value_prose(enum, value), "    "), "", '    __module__ = "clpool"', "", ""]
        return [*lines, "OF_STATUS: Dict[int, Type[ClpoolError]] = {",
                *(f"    {number}: {name}," for number, name in numbers.items()), "}"]

    # ---- results

    def type_of(self, member: Member) -> str:
        kind = self.opencl_link(member.companion) if member.kind == "opencl" else TYPES[member.kind]
        return f"Optional[{kind}]" if f"{member.struct}.{member.name}" in names.OPTIONAL_IN_PYTHON else kind

    def value_of(self, member: Member) -> str:
        """What a field's value in SWIG's struct becomes."""
        value = f"struct.{member.name}"
        if member.kind in ("boolean", "opencl"):
            return f"{self.type_of(member)}({value})"
        return f"_index({value})" if member.kind == "index" else value

    def reader_text(self, name: str, members: List[Member]) -> List[str]:
        """Where no number has a name in words, which hand-written code gives it."""
        if any(member.kind == "enum" for member in members):
            return []
        values = wrapped(", ".join(self.value_of(member) for member in members), "")
        return ["", "    @staticmethod", f'    def _of(struct: Any) -> "{name}":', f"        return {name}(",
                *(f"            {line}" for line in values[:-1]), f"            {values[-1]})"]

    def result_text(self, struct: Struct) -> List[str]:
        """A dictionary if users fill it in as well, else a named tuple whose fields have documentation."""
        name, members = self.result(struct.name) or "", self.members(struct)
        about = docstring(self.struct_prose(struct), "    ")
        if self.options(struct.name):
            lines = [f"class {name}(TypedDict, total=False):", *about, ""]
            for member in members:
                kind = "int" if member.kind in ("enum", "boolean") else self.type_of(member)
                lines += [*remark(self.field_prose(struct, member), "    "), f"    {member.name}: {kind}"]
            return [*lines, "", ""]
        lines = [f"class {name}(NamedTuple):", *about, "",
                 *(f"    {member.name}: {self.type_of(member)}" for member in members), *self.reader_text(name, members), "", "",
                 f"_describe({name}, {{"]
        for member in members:
            parts = wrapped(self.field_prose(struct, member).replace('"', '\\"'), "")
            lines += [f'    "{member.name}":', *(f'        "{part} "' for part in parts[:-1]), f'        "{parts[-1]}",']
        return [*lines, "})", "", ""]

    def results_text(self) -> List[str]:
        lines = code("""
            \"\"\"What the library tells, as named tuples; what it is told in numbers, as dictionaries.\"\"\"
            from typing import Any, Dict, NamedTuple, Optional, Tuple, TypedDict

            from ._opencl import device_svm_capabilities, device_type


            def _describe(kind: Any, fields: Dict[str, str]) -> None:
                for name, text in fields.items():
                    getattr(kind, name).__doc__ = text


            def _index(number: int) -> Optional[int]:
                return None if number == 2**32 - 1 else number


            """)
        for struct in self.described.structs.values():
            if self.result(struct.name):
                lines += self.result_text(struct)
        while not lines[-1]:
            lines.pop()
        return lines

    def files(self) -> Dict[str, str]:
        modules = {"_numbers.py": self.numbers_text(), "_errors.py": self.errors_text(), "_results.py": self.results_text()}
        return {name: "\n".join([*HEAD, *lines, ""]) for name, lines in modules.items()}
