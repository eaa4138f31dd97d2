# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m clpool`` is the program clpool: the one in the package (a wheel's), else the one on the PATH."""
from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Becomes the program, or ends with 127 where there is none."""
    own = Path(__file__).with_name("bin") / "clpool"
    program = str(own) if own.is_file() else shutil.which("clpool")
    if program is None:
        print(f"python -m clpool: there is no program clpool, neither {own} nor on the PATH", file=sys.stderr)
        sys.exit(127)
    os.execv(program, ["clpool", *sys.argv[1:]])


if __name__ == "__main__":
    main()
