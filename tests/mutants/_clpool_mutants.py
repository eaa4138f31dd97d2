# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What mutated Python modules ask: is this mutant the one to be run? As mutant.hpp does for C++. As a plugin of pytest
(-p _clpool_mutants) it also writes the numbers that each test reached to the file CLPOOL_MUTANTS_TESTS, with those that
processes reached that the test started: these leave them in the folder CLPOOL_MUTANTS_CHILDREN."""
import atexit
import json
import os
import time

active = int(os.environ.get("CLPOOL_MUTANT", "0"))
reached = set()


def is_active(number):
    reached.add(number)
    return number == active


def leave(folder):
    with open(os.path.join(folder, str(os.getpid())), "w", encoding="utf-8") as file:
        json.dump(sorted(reached), file)


if "CLPOOL_MUTANTS_CHILDREN" in os.environ:
    atexit.register(leave, os.environ["CLPOOL_MUTANTS_CHILDREN"])


if "CLPOOL_MUTANTS_TESTS" in os.environ:
    import tempfile

    import pytest

    tests = os.environ.pop("CLPOOL_MUTANTS_TESTS")  # a pytest that a test starts is a child as any
    children = tempfile.TemporaryDirectory()
    os.environ["CLPOOL_MUTANTS_CHILDREN"] = children.name

    def write(case, seconds, numbers):
        with open(tests, "a", encoding="utf-8") as file:
            json.dump({"case": case, "seconds": seconds, "reached": sorted(numbers)}, file)
            file.write("\n")

    def of_children():
        found = set()
        for entry in os.scandir(children.name):
            with open(entry.path, encoding="utf-8") as file:
                found.update(json.load(file))
            os.remove(entry.path)
        return found

    def pytest_collection_finish():
        write(None, 0, reached)  # when the modules were imported

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(item):
        reached.clear()
        start = time.monotonic()
        yield
        write(item.nodeid, time.monotonic() - start, reached | of_children())
