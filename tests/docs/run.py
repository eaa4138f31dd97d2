# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""run.py EXPECTED COMMAND...: runs an example of docs/examples and compares what it prints with the file EXPECTED, in which
addresses are 0x…. Ends with 77 where the example does: the device lacks something."""
import difflib
import pathlib
import re
import subprocess
import sys


def without_addresses(text):
    return re.sub(r"0x[0-9a-f]{6,}", "0x…", text)


def main():
    expected = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    run = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, text=True, check=False)
    print(run.stdout, end="")
    if run.returncode != 0:
        return run.returncode
    printed = without_addresses(run.stdout)
    sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), printed.splitlines(True), sys.argv[1], "printed"))
    return 0 if printed == expected else 1


if __name__ == "__main__":
    sys.exit(main())
