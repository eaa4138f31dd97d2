# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Facts about devices: what the answers are on the fake driver, which can be any device; a process for each."""
import os
import subprocess
import sys

import pytest

from clpool._numbers import answer_source

pytestmark = pytest.mark.skipif("clpool stub" not in os.environ.get("CLPOOL_TEST", ""),
                                reason="for the fake driver alone (CLPOOL_TEST)")


def answer(options, expression, platform="clpool stub"):
    """What an expression of `c` (clpool.characterize), the device `d` and its context `x` is on a device with such options, whose
    platform has that name."""
    program = f"import clpool; from clpool import characterize as c; d, x, _ = clpool.create_default_context(); print(repr({expression}))"
    chosen = {"CLPOOL_TEST": platform, "CLPOOL_STUB": f"name={platform},{options}" if options else f"name={platform}"}
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, **chosen}, capture_output=True, text=True,
                          timeout=100, check=True)
    return eval(done.stdout)  # pylint: disable=eval-used


def test_nvidias_devices_tell_their_compute_capability():
    assert answer("nvidia=1", "c.nv_compute_capability(d)") == (9, 0)
    assert answer("", "c.nv_compute_capability(d)") is None


def test_a_cache_of_built_programs_is_there_absent_or_unknown():
    assert answer("nvidia=1", "c.has_src_build_cache(d)") is True
    assert answer("", "c.has_src_build_cache(d)") is None
    assert answer("", "c.has_src_build_cache(d)", "AMD Accelerated Parallel Processing") is False


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


def test_pocl_of_a_version_that_cannot_be_read_is_asked_by_a_kernel():
    asked = ("(lambda made: c._n.clpool_characterize_struct_argument_bug(d, x, made) or (made.value, made.source, made.basis))"
             "(c._n.clpool_answer())")
    assert answer("", asked, "Portable Computing Language") == (0, answer_source.KERNEL_QUERY, "CL_KERNEL_NUM_ARGS")


def test_the_version_of_pocl_may_be_unknown():
    first = ("(lambda ct, ids: ct.CDLL('libOpenCL.so.1').clGetPlatformIDs(1, ids, None) or ids[0])"
             "(*(lambda ct: (ct, (ct.c_void_p * 1)()))(__import__('ctypes')))")
    version = f"c.get_pocl_version({first}, 'unknown')"
    assert answer("", version) is None
    assert answer("", version, "Portable Computing Language") == "unknown"


def test_doubt_about_pocls_version_is_a_warning(monkeypatch):
    from clpool import characterize
    monkeypatch.setattr(characterize._n, "clpool_characterize_pocl_version", lambda platform, made: (0, 0))
    monkeypatch.setattr(characterize._n, "clpool_answer", lambda: type("Made", (), {"source": answer_source.NONE}))
    with pytest.warns(characterize.CLCharacterizationWarning, match="PoCL's version cannot be read"):
        assert characterize.get_pocl_version("platform", (1, 2)) == (1, 2)
    monkeypatch.setattr(characterize._n, "clpool_answer", lambda: type("Made", (), {"source": answer_source.QUERY}))
    assert characterize.get_pocl_version("platform") == (0, 0)


def test_the_default_device_is_counted_where_the_environment_names_none():
    names = "[clpool.get_default_device(n).facts.name for n in (0, 1, 2)]"
    assert len(set(answer("devices=3", names))) == 3
    program = "import clpool; print(clpool.get_default_device(1).facts.name)"
    with_a_name = {**os.environ, "CLPOOL_STUB": "devices=3", "CLPOOL_DEVICE": "clpool stub:2"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=with_a_name, capture_output=True, text=True,
                          timeout=100, check=True)
    assert done.stdout == "clpool stub device 2\n"


def test_a_long_name_is_cut_between_its_letters():
    """clpool_device_facts has room for 127 bytes of a platform's name."""
    assert answer("", "d.facts.platform", "\u00e9" * 63) == "\u00e9" * 63
    assert answer("", "d.facts.platform", "\u00e9" * 64) == "\u00e9" * 63
    assert answer("", "d.facts.platform", "x" + "\u00e9" * 64) == "x" + "\u00e9" * 63
    assert answer("", "d.facts.platform", "x" * 200) == "x" * 127
