#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that tests/support/driver.cpp wraps every OpenCL call by which the library makes, uses or releases something,
so that the fault tests see it: wrapped_calls.py CORE DRIVER."""
import pathlib
import re
import sys

FOLDERS = ("cl", "allocator", "memory", "pool")
CALL = re.compile(r"\b(cl(?:Create|Enqueue|Retain|Release|SVM|SetUserEvent)\w+)\(")
OLD = {"clCreateImage2D", "clCreateImage3D"}  # what OpenCL 1.1 has instead of clCreateImage


def main():
    core, driver = (pathlib.Path(argument) for argument in sys.argv[1:])
    wrapped = set(re.findall(r"\bcl[A-Z]\w+", driver.read_text()))
    missing = set()
    for folder in FOLDERS:
        for source in sorted((core / folder).rglob("*.[ch]pp")):
            code = re.sub(r"//.*", "", source.read_text())
            missing |= {(call, f"core/{source.relative_to(core)}") for call in CALL.findall(code)
                        if call not in wrapped | OLD}
    for call, place in sorted(missing):
        print(f"{place} calls {call}, which tests/support/driver.cpp does not wrap")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
