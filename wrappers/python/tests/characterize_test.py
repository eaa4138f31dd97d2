# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Facts about devices: what the answers are on the fake driver, which can be any device; a process for each."""
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif("clpool stub" not in os.environ.get("CLPOOL_TEST", ""),
                                reason="for the fake driver alone (CLPOOL_TEST)")


def answer(options, expression):
    """What an expression of `c` (clpool.characterize) and the device `d` is on a device with such options."""
    program = f"import clpool; from clpool import characterize as c; d, x, _ = clpool.create_default_context(); print({expression})"
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "CLPOOL_STUB": options}, capture_output=True,
                          text=True, timeout=100, check=True)
    return eval(done.stdout)  # pylint: disable=eval-used


def test_nvidias_devices_tell_their_compute_capability():
    assert answer("nvidia=1", "c.nv_compute_capability(d)") == (9, 0)
    assert answer("", "c.nv_compute_capability(d)") is None


def test_a_cache_of_built_programs_is_there_absent_or_unknown():
    assert answer("nvidia=1", "c.has_src_build_cache(d)") is True
    assert answer("", "c.has_src_build_cache(d)") is None


def test_doubles_are_there_or_absent():
    assert answer("with=cl_khr_fp64", "c.has_double_support(d)") is True
    assert answer("with=cl_amd_fp64", "c.has_amd_double_support(d)") is True
    assert answer("", "c.has_amd_double_support(d)") is False


def test_local_memory_has_banks():
    numbers = "(c.local_memory_bank_count(d), c.local_memory_access_granularity(d), c.simultaneous_work_items_on_local_access(d))"
    assert answer("nvidia=1", numbers) == (32, 4, 32)


def test_conflicts_are_told_with_their_reason():
    multiplicity, why = answer("nvidia=1", "c.why_not_local_access_conflict_free(d, 4, (32, 32))")
    assert multiplicity == 32 and why
    assert answer("nvidia=1", "c.why_not_local_access_conflict_free(d, 4, (32, 32), (32, 33))") == (1, None)
