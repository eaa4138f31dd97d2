# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""for_mono.py leaves out the marks of nullable reference types, and nothing else."""

import pathlib
import subprocess
import sys
import tempfile

CASES = {
    "string? name = a ? b : c;": "string name = a ? b : c;",
    "int? bits; bool? guard; ulong?[] all;": "int? bits; bool? guard; ulong?[] all;",
    "T? Find<T>(Func<object?>? how, ClEvent[]? waitFor = null)": "T Find<T>(Func<object> how, ClEvent[] waitFor = null)",
    "return slot!.Source != null && !open ? call!(x!) : list[0]!;": "return slot.Source != null && !open ? call(x) : list[0];",
    "a?.b(); a = b ?? c; x = (Pool?)y; // a string? b": "a?.b(); a = b ?? c; x = (Pool)y; // a string b",
    "    /// or none? then, nothing": "    /// or none? then, nothing",
}

with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder, "in.cs")
    source.write_text("\n".join(CASES) + "\n", encoding="utf-8")
    out = pathlib.Path(folder, "out")
    subprocess.run([sys.executable, sys.argv[1], out, source], check=True)
    for given, found in zip(CASES, (out / "in.cs").read_text(encoding="utf-8").splitlines(), strict=True):
        assert found == CASES[given], f"{given!r} became {found!r}"
