# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""The public headers as the wrappers see them: what each field is, what everything is called in a language, and the
comments in its words. What a language writes of this is in the module of its name."""
import os
import pathlib
import re
import sys
import textwrap
from typing import Dict, List, NamedTuple, Optional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "capi" / "reader"))
import headers  # noqa: E402
import names  # noqa: E402

WIDTH = 110
UNSIGNED_64 = 2**64 - 1  # the largest number
# In the comment of a field: "One of CLPOOL_MODEL_…." or "…: one of CLPOOL_MODEL_…", and the same with "Set of … bits".
ENUM_SENTENCE = re.compile(r"(^|: |\. )([Oo]ne|Set) of (CLPOOL_\w+_)…( bits)?([.:] ?|$)")
# The same of OpenCL's numbers, those of opencl.h.
OPENCL_SENTENCE = re.compile(r"Set of (CL_\w+_)… bits")
# What the comment of a field begins with that is 0 or not.
BOOLEAN = re.compile(r"^(?:1|Not 0): ")
# What may be a name of C in a comment.
TOKEN = re.compile(r"clpool_\w+\.\w+|\bclpool_\w+(?:\(\))?|\bCLPOOL_\w+(?:_…)?|\bNULL\b|\bUINT32_MAX\b|\b[a-z]\w*_\w+(?:\(\))?")
# Links and code of the languages, which are not cut at the end of a line.
CODE = re.compile(r"\{@\w+ [^}]*\}|<see [^>]*/>|<c>[^<]*</c>")


class Problem(SystemExit):
    """Something in the headers that names.py does not tell what to do with."""

    def __init__(self, header: str, line: int, text: str) -> None:
        super().__init__(f"{header}:{line}: {text}")


class Enum(NamedTuple):
    """An enumeration; it is known by what the names of its numbers begin with."""
    prefix: str
    header: str
    line: int
    comment: str
    values: List[headers.Number]

    @property
    def is_flags(self) -> bool:
        return self.prefix in names.FLAGS


class Member(NamedTuple):
    """A field that users see. Its kind: enum, flags, opencl (bits of OpenCL's own), boolean, bit (of an enumeration), text,
    characters (an array that is a text), numbers (an array), real, signed, index (a 32-bit number or none), number32 or
    number64."""
    struct: str
    name: str
    kind: str
    enum: Optional[Enum]
    comment: str
    line: int
    is_input: bool
    companion: str  # of an array the field that has its length, of a bit the number's name, of OpenCL's what theirs begin with
    initial: str

    @property
    def numbers(self) -> Enum:
        """The enumeration of a field that has one."""
        assert self.enum is not None
        return self.enum


class Struct(NamedTuple):
    name: str
    header: str
    line: int
    comment: str
    members: List[Member]

    @property
    def is_figures(self) -> bool:
        """Of nothing but numbers behind its size: Java gets an array of them in one call."""
        return self.is_plain or self.name in names.ARRAYS_IN_JAVA

    @property
    def is_plain(self) -> bool:
        """Whose fields are all of 64 bits."""
        return all(member.kind == "number64" for member in self.members)


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def pascal(name: str) -> str:
    return "".join(names.PASCAL.get(part.upper(), part.capitalize()) for part in name.split("_") if part)


def camel(name: str) -> str:
    made = pascal(name)
    return made[:1].lower() + made[1:]


class Description:
    """Everything in a folder of headers."""

    def __init__(self, folder: str) -> None:
        self.enums: Dict[str, Enum] = {}
        self.structs: Dict[str, Struct] = {}
        self.constants: Dict[str, headers.Number] = {}
        self.handles: List[str] = []
        self.raw: Dict[str, headers.Struct] = {}
        self.initial: Dict[str, List[str]] = {}
        self.extents: Dict[str, str] = {}
        texts = headers.texts(folder)
        for header, text in texts.items():
            self.handles += headers.handles(text)
            for macro in headers.macros(text):
                self.constants[macro.name] = macro
            for found in headers.enumerations(header, text):
                prefix = self.prefix_of(found)
                self.enums[prefix] = Enum(prefix, header, found.line, self.plain(found.comment), found.values)
        for header, text in texts.items():
            initial = headers.initial_values(header, text)
            for struct in headers.structs(header, text):
                values = initial.get(struct.name.upper() + "_INIT", [])
                self.raw[struct.name], self.initial[struct.name] = struct, values
                self.extents.update((f"{struct.name}.{field.name}", field.extent) for field in struct.fields)
                self.structs[struct.name] = Struct(struct.name, header, struct.line, self.plain(struct.comment),
                                                   self.members(struct, values))
        self.declared = [function for header in texts for function in headers.functions(header, texts[header])]
        self.functions = {function.name for function in self.declared}
        self.numbers = {value.name: (enum, value) for enum in self.enums.values() for value in enum.values}

    def numbers_without_a_type(self, language: "Language") -> List[headers.Number]:
        """Macros, and the values of enumerations that the language does not have."""
        values = [value for enum in self.enums.values() for value in enum.values
                  if not language.has_enum(enum) or value not in language.values(enum)]
        return sorted([*self.constants.values(), *values])

    @staticmethod
    def plain(comment: str) -> str:
        return " ".join(headers.plain(comment).split())

    @staticmethod
    def prefix_of(found: headers.Enumeration) -> str:
        first = found.values[0].name
        if first in names.PREFIXES:
            return names.PREFIXES[first]
        return os.path.commonprefix([value.name for value in found.values]).rpartition("_")[0] + "_"

    def enum_of(self, told: str) -> Optional[Enum]:
        known = [prefix for prefix in self.enums if told.startswith(prefix)]
        return self.enums[max(known, key=len)] if known else None

    def members(self, struct: headers.Struct, values: List[str]) -> List[Member]:
        found: List[Member] = []
        counts = {}
        for field in struct.fields:
            told = re.match(r"Number of entries of (\w+) that count", self.plain(field.comment))
            if told:
                counts[told.group(1)] = field.name
        for index, field in enumerate(struct.fields):
            comment = self.plain(field.comment)
            if field.name == "struct_size" or comment.startswith("Version of this struct") or comment == "Must be 0." or field.name in counts.values():
                continue
            told = ENUM_SENTENCE.search(comment)
            enum = self.enum_of(told.group(3)) if told else None
            if told and enum is None:
                raise Problem(struct.header, field.line, f"no enumeration is {told.group(3)}…")
            bits = OPENCL_SENTENCE.search(comment)
            if bits and bits.group(1) not in names.OPENCL_BITS:
                raise Problem(struct.header, field.line, f"opencl.h has no {bits.group(1)}…")
            found.append(Member(
                struct.name, field.name, "opencl" if bits else self.kind_of(field, comment, enum), enum, comment, field.line,
                is_input="Ignored as input." not in comment,
                companion=bits.group(1) if bits else counts.get(field.name, ""),
                initial=values[index] if len(values) > index else ""))
        return found

    @staticmethod
    def kind_of(field: headers.Field, comment: str, enum: Optional[Enum]) -> str:
        if enum is not None:
            return "flags" if enum.is_flags else "enum"
        if field.extent:
            return {"uint64_t": "numbers", "char": "characters"}.get(field.type, "other")
        if field.type == "uint32_t" and "UINT32_MAX for" in comment:
            return "index"
        if field.type == "uint32_t" and BOOLEAN.match(comment):
            return "boolean"
        return {"uint32_t": "number32", "uint64_t": "number64", "int64_t": "signed", "cl_double": "real",
                "const char*": "text"}.get(field.type, "other")


class Language:
    """What a language calls things, and its way to write comments. Modules of languages derive theirs."""

    name = ""
    null = ""
    no_index = "-1"

    def __init__(self, description: Description) -> None:
        self.described = description

    # ---- which classes there are

    def has_enum(self, enum: Enum) -> bool:
        return enum.prefix not in names.NO_ENUM and enum.prefix not in names.NO_ENUM_IN.get(self.name, {})

    @staticmethod
    def values(enum: Enum) -> List[headers.Number]:
        """The numbers that are values of the language's type."""
        return [value for value in enum.values if value.name not in names.NO_VALUE]

    def by_hand(self, struct: str) -> bool:
        return struct in names.BY_HAND or struct in names.BY_HAND_IN.get(self.name, {})

    def result(self, struct: str) -> Optional[str]:
        return None if self.by_hand(struct) else names.RESULTS.get(struct, {}).get(self.name)

    def options(self, struct: str) -> Optional[str]:
        return None if self.by_hand(struct) else names.OPTIONS.get(struct, {}).get(self.name)

    def class_of(self, struct: str) -> str:
        """The class that comments mean when they name the struct, generated or not; "" if there is none."""
        tables = (names.RESULTS, names.OPTIONS)
        return next((table[struct][self.name] for table in tables if self.name in table.get(struct, {})), "")

    def members(self, struct: Struct) -> List[Member]:
        """Those that the language's class has; bits that are booleans of their own come one by one."""
        by_hand = {**names.FIELDS_BY_HAND, **names.FIELDS_BY_HAND_IN.get(self.name, {})}
        found: List[Member] = []
        for member in struct.members:
            if f"{struct.name}.{member.name}" in by_hand:
                continue
            if member.kind == "other":
                raise Problem(struct.header, member.line, f"{struct.name}.{member.name} is of a type that has no "
                                                          "counterpart: names.py has to say that it is written by hand")
            if member.enum is not None and member.enum.prefix in names.BOOLEANS:
                found += [member._replace(name=value.name[len(member.enum.prefix):].lower(), kind="bit", companion=value.name,
                                          comment=Description.plain(value.comment), line=value.line)
                          for value in member.enum.values]
            else:
                found.append(member)
        order = names.ORDER.get((self.name, struct.name))
        places = {name: place for place, name in enumerate(order or ())}
        return sorted(found, key=lambda member: places.get(member.name, 0))

    # ---- names

    def enum_name(self, enum: Enum) -> str:
        given = names.ENUMS.get(enum.prefix, {}).get(self.name)
        return given or self.type_name(enum.prefix[len("CLPOOL_"):].strip("_").lower())

    def value_name(self, enum: Enum, value: headers.Number) -> str:
        short = value.name[len(enum.prefix):] if value.name.startswith(enum.prefix) else value.name[len("CLPOOL_"):]
        return self.constant_name(short)

    def field_name(self, member: Member) -> str:
        given = names.FIELDS.get((self.name, f"{member.struct}.{member.name}"))
        base, _, unit = member.name.rpartition("_")
        units = names.UNITS.get(self.name, {})
        return given or self.member_name(f"{base}_{units[unit]}" if base and unit in units else member.name)

    def type_name(self, name: str) -> str:
        return pascal(name)

    def member_name(self, name: str) -> str:
        return camel(name)

    def constant_name(self, name: str) -> str:
        return name

    # ---- comments

    def escaped(self, text: str) -> str:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    def code(self, text: str) -> str:
        raise NotImplementedError

    def value_link(self, enum: Enum, value: headers.Number) -> str:
        raise NotImplementedError

    def field_link(self, struct: str, member: Member, here: Optional[str]) -> str:
        raise NotImplementedError

    def constant_link(self, struct: str, constant: str, here: Optional[str]) -> str:
        raise NotImplementedError

    def opencl_link(self, prefix: str) -> str:
        """OpenCL's own bits, by what their names begin with."""
        raise NotImplementedError

    def prose(self, comment: str, header: str, line: int, struct: Optional[Struct] = None) -> str:
        """A comment in the language's words, on one line."""
        made, at = "", 0
        for match in TOKEN.finditer(comment):
            made += self.escaped(comment[at:match.start()])
            made += self.word(match.group(), header, line, struct)
            at = match.end()
        return made + self.escaped(comment[at:])

    def word(self, token: str, header: str, line: int, struct: Optional[Struct]) -> str:
        if token in ("NULL", "UINT32_MAX"):
            return self.code(self.null if token == "NULL" else self.no_index)
        if token in names.WORDS:
            return names.WORDS[token].get(self.name) or self.code(token)
        if token in names.CONSTANTS and self.result(names.CONSTANTS[token][0]):
            return self.constant_link(*names.CONSTANTS[token], here=struct.name if struct else None)
        if token in self.described.numbers:
            enum, value = self.described.numbers[token]
            if self.has_enum(enum) and value in self.values(enum):
                return self.value_link(enum, value)
        owner, _, field = token.partition(".")
        owners = [self.described.structs.get(owner)] if field else [struct]
        for found in filter(None, owners):
            for member in self.members(found):
                if member.name == (field or token) and self.class_of(found.name):
                    return self.field_link(found.name, member, struct.name if struct else None)
        raise Problem(header, line, f"{token} has no name in {self.name}: give it one in names.py, or say it in other "
                                    "words")

    def enum_prose(self, enum: Enum) -> str:
        return self.prose(enum.comment, enum.header, enum.line)

    def value_prose(self, enum: Enum, value: headers.Number) -> str:
        if not value.comment:
            raise Problem(enum.header, value.line, f"{value.name} has no comment")
        return self.prose(Description.plain(value.comment), enum.header, value.line)

    def struct_prose(self, struct: Struct) -> str:
        return self.prose(struct.comment, struct.header, struct.line, struct)

    def field_prose(self, struct: Struct, member: Member) -> str:
        """A field's comment; where it only says which numbers there are, that of the enumeration."""
        comment = member.comment
        if not comment:
            raise Problem(struct.header, member.line, f"{struct.name}.{member.name} has no comment")
        if member.enum is not None and member.kind in ("enum", "flags"):
            comment = ENUM_SENTENCE.sub(lambda match: match.group(1).replace(": ", ". "), comment, count=1)
            comment = sentence(re.sub(r"\.\s*\.", ".", comment.strip())) or member.enum.comment
        elif member.kind == "boolean":
            comment = sentence(BOOLEAN.sub("", comment))
        told = OPENCL_SENTENCE.search(comment)
        if told is None:
            return self.prose(comment, struct.header, member.line, struct)
        return f"Set of {self.opencl_link(told.group(1))} bits" + self.prose(comment[told.end():], struct.header, member.line, struct)


def wrapped(text: str, indent: str, width: int = WIDTH) -> List[str]:
    """Lines of at most so many characters; what is code is not cut."""
    joined = CODE.sub(lambda match: match.group().replace(" ", "\0"), text)
    lines = textwrap.wrap(joined, width - len(indent), break_long_words=False, break_on_hyphens=False)
    return [indent + line.replace("\0", " ") for line in lines]


def code(text: str, indent: str = "") -> List[str]:
    """The lines of a literal that begins and ends with a line of its own, moved to an indent."""
    return indented(textwrap.dedent(text).split("\n")[1:-1], indent)


def indented(lines: List[str], indent: str) -> List[str]:
    return [indent + line if line else "" for line in lines]
