#!/usr/bin/python3
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Runs PyOpenCL's own tests three times and compares how many cases of each pass: as they are, with clpool.pyopencl.tools in place of
pyopencl.tools, and with all arrays that name no allocator in memory of clpool.pyopencl.use(queue).

    git clone --depth 1 --branch v$(/usr/bin/python3 -c 'import pyopencl.version as v; print(v.VERSION_TEXT)') \\
        https://github.com/inducer/pyopencl
    PYTHONPATH=build/dev/wrappers/python /usr/bin/python3 wrappers/python/tests/with_pyopencl_tests.py pyopencl/test

takes those of the installed version, and minutes on a CPU. The device is what PYOPENCL_TEST says. Ends with 0 only if no test
does worse than with PyOpenCL alone."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from collections import Counter

import clpool

ARRAYS_IN_A_POOL = """
import pyopencl.array
import clpool.pyopencl

original = pyopencl.array.Array.__init__

def in_a_pool(self, cq, shape, dtype, order="C", allocator=None, *others, **options):
    if allocator is None and isinstance(cq, pyopencl.CommandQueue):
        allocator = clpool.pyopencl.use(cq)
    return original(self, cq, shape, dtype, order, allocator, *others, **options)

pyopencl.array.Array.__init__ = in_a_pool
"""


def passed(folder: pathlib.Path, name: str) -> "Counter[str]":
    """How many cases of each function of a file pass. The cases' own names have the device's, as each package writes it."""
    report = folder / "report.xml"
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:clpool",
                    f"--junit-xml={report}", name], cwd=folder, stdout=subprocess.DEVNULL, check=False)
    if not report.exists():
        sys.exit(f"pytest did not get as far as a report of {name} in {folder.name}")
    cases = xml.parse(report).iter("testcase")
    return Counter(str(case.get("name")).partition("[")[0] for case in cases
                   if all(child.tag.startswith("system") for child in case))


def prepared(source: pathlib.Path, target: pathlib.Path, names: "list[str]", with_tools: bool, in_a_pool: bool) -> None:
    shutil.copytree(source, target)
    for name in names if with_tools else []:
        text = (source / name).read_text()
        (target / name).write_text(text.replace("pyopencl.tools", "clpool.pyopencl.tools"))
    if in_a_pool:
        (target / "conftest.py").write_text(ARRAYS_IN_A_POOL)


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs PyOpenCL's own tests with clpool.")
    parser.add_argument("folder", type=pathlib.Path, help="PyOpenCL's folder test/")
    parser.add_argument("files", nargs="*", help="of it; by default all test_*.py")
    arguments = parser.parse_args()
    names = arguments.files or sorted(path.name for path in arguments.folder.glob("test_*.py"))
    missing = [name for name in names if not (arguments.folder / name).is_file()]
    if missing or not names:
        parser.error(f"{arguments.folder} has no {', '.join(missing) or 'test_*.py'}")
    worse = 0
    package = str(pathlib.Path(clpool.__file__).resolve().parent.parent)
    os.environ.update(PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=package)
    with tempfile.TemporaryDirectory() as work:
        root = pathlib.Path(work)
        prepared(arguments.folder, root / "pyopencl alone", names, False, False)
        prepared(arguments.folder, root / "clpool's tools", names, True, False)
        prepared(arguments.folder, root / "clpool's pool", names, True, True)
        for name in names:
            alone = passed(root / "pyopencl alone", name)
            print(f"{name}: {sum(alone.values())} pass with PyOpenCL alone", end="", flush=True)
            for kind in ("clpool's tools", "clpool's pool"):
                here = passed(root / kind, name)
                print(f", {sum(here.values())} with {kind}", end="", flush=True)
                for test, fewer in sorted((alone - here).items()):
                    worse += fewer
                    print(f"\n  {test}: {fewer} of {alone[test]} do not pass with {kind}", end="")
            print(flush=True)
    print(f"{worse} tests do worse with clpool" if worse else "no test does worse with clpool")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
