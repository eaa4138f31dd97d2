# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What SWIG gets of the headers, which it reads itself: which functions, structs and fields it leaves out, and lists of handles,
structs and exceptions, to apply a language's macros to."""
import pathlib
import re
from typing import Dict, List, Set

import names
from description import Description, headers

HEAD = ["/* SPDX-FileCopyrightText: The libclpool authors", " * SPDX-License-Identifier: Apache-2.0 */",
        "/* Made of the public headers by wrappers/generate. */"]


WRAPPERS = pathlib.Path(__file__).resolve().parents[1]
NOT_WRAPPED = WRAPPERS / "not_wrapped.txt"


# Where a comment says that a function may wait, or calls more of OpenCL than what answers at once.
WAITS = re.compile(r"\b(May block|Blocks|block as long|waits)\b")
CALLS = re.compile(r"OpenCL calls: .*\b(those\b|releases\b|cl(?!Get\w+Info\b|SetKernelArg)[A-Z])")


# Numbers that functions write, and what SWIG takes them for.
NUMBERS = {"uint64_t*": "uint64_t", "uint32_t*": "uint32_t", "size_t*": "size_t", "cl_bitfield*": "uint64_t"}


class Swig:
    def __init__(self, description: Description) -> None:
        self.described = description

    def exceptions(self) -> List[str]:
        """C#'s, of statuses that have one of their own."""
        return [f"CLPOOL_EXCEPTION({status}, {languages['csharp'][0]})" for status, languages in names.ERRORS.items()]

    def structs(self) -> List[str]:
        """Those that programs fill in or read, each of which begins as its …_init() leaves it. Of results nothing can be set;
        what code sets that is written by hand, and the others are left out."""
        seen = names.RESULTS.keys() | names.OPTIONS.keys() | names.SWIG_STRUCTS
        lines: List[str] = []
        for name, raw in self.described.raw.items():
            if name in seen and f"{name}_init" in self.described.functions:
                for field in raw.fields:
                    lines += self.field(name, field)
                lines.append(f"CLPOOL_STRUCT({name})")
            else:
                lines.append(f"%ignore {name};")
        return lines

    @staticmethod
    def field(struct: str, field: headers.Field) -> List[str]:
        whole = f"{struct}::{field.name}"
        is_pointer = field.type.endswith("*")
        if field.comment and Description.plain(field.comment) == "Must be 0." or is_pointer and whole.replace("::", ".") in names.FIELDS_BY_HAND:
            return [f"%ignore {whole};"]
        is_text = field.type == "const char*"
        if field.name == "struct_size" or struct in names.RESULTS and (is_text or struct not in names.OPTIONS):
            return [f"%immutable {whole};"]
        return [f"CLPOOL_TEXT({struct}, {field.name})"] if is_text else []

    def functions(self) -> List[str]:
        """Those that no language wraps, and the initial values of structs, which the structs' constructors call."""
        left_out = re.findall(r"^(clpool_\w+) +(?=[^\[ ])", NOT_WRAPPED.read_text(encoding="utf-8"), re.MULTILINE)
        initial = [f"{name}_init" for name in self.described.structs]
        return [f"%ignore {name};" for name in sorted({*left_out, *initial} & self.described.functions)]

    def left_out_of(self, language: str) -> List[str]:
        """Those that this language does not wrap, and those that its code beside SWIG's calls, in forms of its own."""
        entries = re.findall(r"^(clpool_\w+) +\[([\w ]+)\]", NOT_WRAPPED.read_text(encoding="utf-8"), re.MULTILINE)
        left_out = {name for name, languages in entries if language in languages.split()}
        texts = [path.read_text(encoding="utf-8") for path in sorted((WRAPPERS / language / "native").glob("*.cpp"))]
        called = set(re.findall(r"\bclpool_\w+", headers.without_comments("\n".join(texts)))) & self.described.functions
        return [f"%ignore {name};" for name in sorted(left_out & self.described.functions | called - names.CALLED_BY_ALL)]

    def blocking(self) -> List[str]:
        """What may wait, call a driver for long, or run callbacks, and, of this, what makes memory."""
        lines: List[str] = []
        for function in self.described.declared:
            comment = Description.plain(function.comment)
            if any(parameter.type == "clpool_mem**" for parameter in function.parameters):
                lines.append(f"CLPOOL_TAKES_MEMORY({function.name})")
            elif WAITS.search(comment) or CALLS.search(comment) or function.name in names.LONG:
                lines.append(f"CLPOOL_MAY_BLOCK({function.name})")
        return lines

    def results(self) -> List[str]:
        """Parameters that are single numbers for results, as SWIG's OUTPUT typemaps; arrays have a capacity behind them. A
        language sees to OUTPUT for these types."""
        found: Dict[str, Set[str]] = {}
        for function in self.described.declared:
            behind = [parameter.name for parameter in function.parameters[1:]] + [""]
            for parameter, after in zip(function.parameters, behind):
                if parameter.type in NUMBERS and after != "capacity":
                    found.setdefault(parameter.type, set()).add(parameter.name)
        return [f"%apply {NUMBERS[kind]} *OUTPUT {{ {', '.join(f'{kind} {name}' for name in sorted(given))} }};"
                for kind, given in found.items()]

    def figures(self) -> List[str]:
        """Results of nothing but 64-bit numbers."""
        return [f"CLPOOL_FIGURES_OF({name})" for name, struct in self.described.structs.items()
                if name in names.RESULTS and struct.is_plain]

    def files(self) -> Dict[str, str]:
        handles = [f"CLPOOL_HANDLE({name})" for name in self.described.handles]
        lists = {"functions.i": self.functions(), "handles.i": handles, "structs.i": self.structs(),
                 "figures.i": self.figures(), "exceptions.i": self.exceptions(),
                 "blocking.i": self.blocking(), "results.i": self.results(),
                 **{f"left_out_of_{language}.i": self.left_out_of(language) for language in ("python", "java", "csharp")}}
        return {f"described/{name}": "\n".join([*HEAD, *lines, ""]) for name, lines in lists.items()}
