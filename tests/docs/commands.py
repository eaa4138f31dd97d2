# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""commands.py ROOT BUILD WORK PAGE...: installs the build into a folder, runs the `sh` blocks of the pages there as they
stand, with the examples in the current folder, and compares what each prints with the `text` block after it. Folders of
packages (/usr/share/java, …) are looked for in that installation."""
import os
import pathlib
import shutil
import subprocess
import sys

import pages

SKIPPED = 77  # by a program that finds no device
INSTALLED = ("/usr/share/java/", "/usr/lib/cli/")


def environment(prefix):
    libraries = [str(path.parent) for path in prefix.rglob("libclpool.so")]
    passed_on = ("OCL_", "POCL_", "OPENCL_", "CLPOOL_")
    return {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8",
            "LD_LIBRARY_PATH": ":".join([*libraries, str(prefix / "lib/jni")]), "LIBRARY_PATH": ":".join(libraries),
            "PKG_CONFIG_PATH": ":".join(f"{folder}/pkgconfig" for folder in libraries),
            "PYTHONPATH": ":".join(str(path.parent.parent) for path in prefix.rglob("clpool/__init__.py")),
            **{name: value for name, value in os.environ.items() if name.startswith(passed_on)}}


def run(block, folder, prefix):
    text = "\n".join(block.lines)
    for path in INSTALLED:
        text = text.replace(path, path.replace("/usr", str(prefix), 1))
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment(prefix), text=True,
                          stdout=subprocess.PIPE, check=False)
    print(f"{block.where()}: {done.returncode}\n{done.stdout}", end="")
    return done


def main():
    root, build, work = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
    shutil.rmtree(work, ignore_errors=True)
    prefix, failed, skipped = work / "usr", 0, False
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    for page in sys.argv[4:]:
        folder = work / pathlib.Path(page).stem
        folder.mkdir(parents=True)
        for source in (*(root / "docs/examples").iterdir(), root / "capi/examples/first_pool.c"):
            shutil.copy(source, folder)
        printed, commands = None, 0
        for block in pages.blocks(root / page):
            if block.language == "sh":
                done = run(block, folder, prefix)
                commands += 1
                failed += done.returncode not in (0, SKIPPED)
                skipped = skipped or done.returncode == SKIPPED
                printed = None if done.returncode == SKIPPED else done.stdout
            elif block.language == "text" and printed is not None and printed.splitlines() != block.lines:
                print(f"{block.where()}: this is not what was printed")
                failed += 1
        if not commands:
            print(f"{page}: no sh block was found")
            failed += 1
    return 1 if failed else SKIPPED if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
