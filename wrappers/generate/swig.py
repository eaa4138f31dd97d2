# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What SWIG gets of the headers, which it reads itself: which functions it leaves out, and lists of handles, structs and
statuses, to apply a language's macros to."""
import pathlib
import re
from typing import Dict, List

import names
from description import Description, pascal

HEAD = ["/* SPDX-FileCopyrightText: The libclpool authors", " * SPDX-License-Identifier: Apache-2.0 */",
        "/* Made of the public headers by wrappers/generate. */"]


NOT_WRAPPED = pathlib.Path(__file__).resolve().parents[1] / "not_wrapped.txt"


class Swig:
    def __init__(self, description: Description) -> None:
        self.described = description

    def kind(self, status: str) -> str:
        return names.KINDS.get(status) or pascal(status[len("CLPOOL_ERROR_"):])

    def statuses(self) -> List[str]:
        return [f"CLPOOL_STATUS_KIND({value.name}, {self.kind(value.name)})"
                for value in self.described.enums["CLPOOL_ERROR_"].values if value.name != "CLPOOL_SUCCESS"]

    def structs(self) -> List[str]:
        """Those that programs fill in or read; each begins as its …_init() leaves it."""
        seen = names.RESULTS.keys() | names.OPTIONS.keys() | names.SWIG_STRUCTS
        return [f"CLPOOL_STRUCT({name})" for name in self.described.structs
                if name in seen and f"{name}_init" in self.described.functions]

    def functions(self) -> List[str]:
        """Those that no language wraps, and the initial values of structs, which the structs' constructors call."""
        left_out = re.findall(r"^(clpool_\w+) +(?=[^\[ ])", NOT_WRAPPED.read_text(encoding="utf-8"), re.MULTILINE)
        initial = [f"{name}_init" for name in self.described.structs]
        return [f"%ignore {name};" for name in sorted({*left_out, *initial} & self.described.functions)]

    def figures(self) -> List[str]:
        """Results of nothing but 64-bit numbers."""
        return [f"CLPOOL_FIGURES_OF({name})" for name, struct in self.described.structs.items()
                if name in names.RESULTS and struct.is_plain]

    def files(self) -> Dict[str, str]:
        handles = [f"CLPOOL_HANDLE({name})" for name in self.described.handles]
        lists = {"functions.i": self.functions(), "handles.i": handles, "structs.i": self.structs(),
                 "figures.i": self.figures(), "statuses.i": self.statuses()}
        return {f"described/{name}": "\n".join([*HEAD, *lines, ""]) for name, lines in lists.items()}
