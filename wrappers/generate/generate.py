# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""generate.py LANGUAGE HEADER_FOLDER FOLDER: writes what a language (python, java, csharp) or SWIG gets of the public
headers. The folder is the generator's own: files that it no longer makes are removed."""
import pathlib
import sys
from typing import Any, Dict

import csharp
import description
import java
import opencl
import python
import swig

WRITERS: Dict[str, Any] = {"python": python.Python, "java": java.Java, "csharp": csharp.CSharp, "swig": swig.Swig}


def main(language: str, header_folder: str, folder: str) -> int:
    files = {**WRITERS[language](description.Description(header_folder)).files(), **opencl.FILES[language]()}
    root = pathlib.Path(folder)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in root.rglob("*"):
        if path.is_file() and path.relative_to(root).as_posix() not in files:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
