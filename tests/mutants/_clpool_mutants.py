# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What mutated Python modules ask: is this mutant the one to be run? As mutant.hpp does for C++. As a plugin of pytest
(-p _clpool_mutants) it also writes the numbers that each test reached to the file CLPOOL_MUTANTS_TESTS."""
import json
import os
import time

active = int(os.environ.get("CLPOOL_MUTANT", "0"))
reached = set()


def is_active(number):
    reached.add(number)
    return number == active


if "CLPOOL_MUTANTS_TESTS" in os.environ:
    import pytest

    def write(case, seconds, numbers):
        with open(os.environ["CLPOOL_MUTANTS_TESTS"], "a", encoding="utf-8") as file:
            json.dump({"case": case, "seconds": seconds, "reached": sorted(numbers)}, file)
            file.write("\n")

    def pytest_collection_finish():
        write(None, 0, reached)  # when the modules were imported

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(item):
        reached.clear()
        start = time.monotonic()
        yield
        write(item.nodeid, time.monotonic() - start, reached)
