#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that every file that names the version names that of CMakeLists.txt, and that both texts about the Python package are
the same: versions.py ROOT."""
import pathlib
import re
import sys

# File, what stands before the version, how much of it, and what follows. CMake, setup.py, Conan's recipe and the builders of
# packages/ read CMakeLists.txt themselves.
PLACES = (
    ("capi/include/clpool/status.h", "#define CLPOOL_VERSION_MAJOR ", "{major}", "\n"),
    ("capi/include/clpool/status.h", "#define CLPOOL_VERSION_MINOR ", "{minor}", "\n"),
    ("capi/include/clpool/status.h", "#define CLPOOL_VERSION_PATCH ", "{patch}", "\n"),
    ("capi/program/clpool.1", r'\.TH CLPOOL 1 "[0-9-]+" "libclpool ', "{major}.{minor}", '"'),
    ("wrappers/csharp/src/AssemblyInfo.cs", r'AssemblyVersion\("', "{major}.0.0.0", '"'),
    ("wrappers/csharp/src/AssemblyInfo.cs", r'AssemblyFileVersion\("', "{full}.0", '"'),
    ("packaging/packages/debian/debian/changelog", r"^libclpool \(", "{full}", r"-\d+\)"),
    ("packaging/packages/rpm/clpool.spec", r"\nVersion: +", "{full}", "\n"),
    ("packaging/packages/rpm/clpool.spec", r"%changelog\n\*.* - ", "{full}", r"-\d+\n"),
    ("packaging/packages/recipes/conda/meta.yaml", r'{% set version = "', "{full}", '"'),
    ("packaging/packages/recipes/vcpkg/vcpkg.json", r'"version": "', "{full}", '"'),
)
BEFORE = "## Before 1.0: what changed while nothing was released"
RELEASE = re.compile(r"^## \[(\d+)\.(\d+)\.(\d+)\] - \d{4}-\d\d-\d\d$", re.M)


def in_places(root: pathlib.Path, full: str) -> list:
    """What is wrong in PLACES."""
    major, minor, patch = full.split(".")
    wrong = []
    for name, before, form, after in PLACES:
        found = re.search(f"{before}([0-9.]+){after}", (root / name).read_text(encoding="utf-8"))
        due = form.format(full=full, major=major, minor=minor, patch=patch)
        if found is None:
            wrong.append(f"{name}: no version after {before!r}")
        elif found.group(1) != due:
            wrong.append(f"{name}: {found.group(1)} after {before!r}, CMakeLists.txt has {due}")
    return wrong


def in_changelog(text: str, full: str) -> list:
    """What is wrong with CHANGELOG.md's headings: the newest release is the version, the others are older, each than the one
    above it. There may be none yet. The last heading may be BEFORE."""
    headings = re.findall(r"^## .*$", text, re.M)
    headings = headings[:-1] if headings[-1:] == [BEFORE] else headings
    releases = [tuple(map(int, found.groups())) for found in map(RELEASE.match, headings) if found]
    if len(releases) != len(headings) - headings.count("## [Unreleased]") or headings.count("## [Unreleased]") > 1 or \
            "## [Unreleased]" in headings[1:]:
        return ["CHANGELOG.md: its headings are not [Unreleased] once, then [x.y.z] - yyyy-mm-dd: " + "; ".join(headings)]
    if any(above <= below for above, below in zip(releases, releases[1:])):
        return [f"CHANGELOG.md: the releases are not in their order: {releases}"]
    if releases and ".".join(map(str, releases[0])) != full:
        return [f"CHANGELOG.md: its newest release is {releases[0]}, CMakeLists.txt has {full}"]
    return []


def in_metadata(root: pathlib.Path) -> list:
    """What wrappers/python/METADATA, which CMake installs, says otherwise than pyproject.toml, of which pip makes its own."""
    project = (root / "pyproject.toml").read_text(encoding="utf-8")
    installed = (root / "wrappers/python/METADATA").read_text(encoding="utf-8")

    def value(pattern: str) -> str:
        found = re.search(pattern, project, re.M)
        return found.group(1) if found else f"(pyproject.toml has no {pattern})"

    required = re.findall(r'"([^"]+)"', value(r"^dependencies = \[(.*)\]$"))
    extra = re.search(r'^\[project\.optional-dependencies\]\n(\w+) = \["([^"]+)"\]$', project, re.M)
    due = [f"Name: {value(r'^name = .(.*).$')}", f"Summary: {value(r'^description = .(.*).$')}",
           f"License: {value(r'^license = .text = .(.*).}$')}", f"Requires-Python: {value(r'^requires-python = .(.*).$')}",
           *(f"Requires-Dist: {name}" for name in required),
           *([f"Provides-Extra: {extra.group(1)}", f'Requires-Dist: {extra.group(2)}; extra == "{extra.group(1)}"'] if extra else [])]
    fixed = ("Metadata-Version: 2.1", "Version: @PROJECT_VERSION@", "Home-page: @PROJECT_HOMEPAGE_URL@")
    there = [line for line in installed.splitlines() if line and line not in fixed]
    return [f"wrappers/python/METADATA lacks \"{line}\"" for line in due if line not in there] + [
        f"wrappers/python/METADATA has \"{line}\", which pyproject.toml has not" for line in there if line not in due]


def main() -> int:
    """Says what is wrong."""
    root = pathlib.Path(sys.argv[1])
    found = re.search(r"^project\(clpool VERSION (\d+\.\d+\.\d+) ", (root / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)
    if found is None:
        print("CMakeLists.txt names no version x.y.z")
        return 1
    full = found.group(1)
    wrong = in_places(root, full) + in_changelog((root / "CHANGELOG.md").read_text(encoding="utf-8"), full)
    wrong += in_metadata(root)
    print("\n".join(wrong) or f"{len(PLACES)} places and CHANGELOG.md have {full}; METADATA is that of pyproject.toml")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
