# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""memcheck.py VENDORS COMMAND...: runs a wrapper's tests on the fake driver under valgrind's memcheck.

A virtual machine does much that memcheck must take for mistakes: it probes its stacks by writing below them, and keeps
memory that only its own code finds. So the reports are read here, and those count that have code of ours close to where
they happened: invalid accesses and unset values within a few frames, leaks of what was allocated there. 1: there are
such, or the tests failed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

OURS = re.compile(r"clpool|stub::|\b(?:java|csharp)_\w+ \(|_wrap\.cpp")
NEAR = 4  # frames from the access, for those that memcheck's own copies of functions and C's library have in between
NEAR_ALLOCATION = 6
LIBRARIES_ONLY = re.compile(r"\(in /(?!.*clpool)[^)]*\)$")


def reports(text):
    """Lists of lines, one list a report."""
    found = [[]]
    for line in text.splitlines():
        line = re.sub(r"^==\d+== ?", "", line)
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [report for report in found if report]


def is_ours(report):
    """Whether it happened in our code, or in what that called: the first stack tells."""
    near = NEAR_ALLOCATION if "lost in loss record" in report[0] else NEAR
    frames = []
    for line in report[1:]:
        if not re.match(r"\s+(at|by) ", line):
            if frames:
                break  # a second stack: where the memory comes from
            continue
        frames.append(line)
    return any(OURS.search(frame) and not LIBRARIES_ONLY.search(frame) for frame in frames[:near])


def main(vendors, command):
    environment = {**os.environ, "OCL_ICD_VENDORS": vendors, "OPENCL_VENDOR_PATH": vendors, "CLPOOL_TEST": "clpool stub",
                   "CLPOOL_DEVICE": "clpool stub", "JAVA_TOOL_OPTIONS": "-XX:+UseSerialGC"}
    with tempfile.TemporaryDirectory() as folder:
        checker = ["valgrind", "-q", "--trace-children=yes", "--smc-check=all-non-file", "--error-limit=no",
                   "--leak-check=full", "--show-leak-kinds=definite", "--num-callers=20", f"--log-file={folder}/%p"]
        status = subprocess.run(checker + command, env=environment, check=False).returncode
        found = [report for path in sorted(pathlib.Path(folder).iterdir())
                 for report in reports(path.read_text(encoding="utf-8", errors="replace"))]
    ours = [report for report in found if is_ours(report)]
    for report in ours:
        print("\n".join(report), end="\n\n")
    print(f"memcheck: {len(ours)} reports of our code, {len(found) - len(ours)} of the virtual machine's; the tests ended with {status}")
    return 1 if ours or status != 0 or not found else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
