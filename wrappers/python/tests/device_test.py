# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Devices: choice, characterization, bank conflicts, device data, occupancy, caches, logs, heaps, the plug-in."""
import csv
import ctypes
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

import clpool
from clpool import characterize


def test_choice_finds_what_it_lists(opencl):
    device = clpool.choose_device()
    devices = clpool.list_devices()
    assert devices[0] == device
    assert device.description and hash(device) == hash(clpool.Device(device.int_ptr))
    assert device in clpool.list_devices_for_tests()
    with pytest.raises(clpool.NotFoundError) as caught:
        clpool.choose_device("no such device anywhere")
    assert isinstance(caught.value, LookupError)


def asked(device, name, kind):
    """What OpenCL itself answers."""
    value = kind()
    assert ctypes.CDLL("libOpenCL.so.1").clGetDeviceInfo(ctypes.c_void_p(device.int_ptr), name, ctypes.c_size_t(ctypes.sizeof(value)),
                                                         ctypes.byref(value), None) == 0
    return value.value


def test_facts_of_a_device_are_those_that_opencl_tells(opencl):
    device = opencl[0]
    facts = device.facts
    assert isinstance(facts, clpool.DeviceFacts)
    assert device.description == f"{facts.name} [{facts.platform}]"
    text = ctypes.c_char * 1024
    for name, fact in ((0x102B, facts.name), (0x102C, facts.vendor), (0x102D, facts.driver_version), (0x102F, facts.version)):
        assert asked(device, name, text).decode()[:127].strip() == fact[:127].strip()
    for name, kind, fact in ((0x1000, ctypes.c_uint64, facts.type), (0x1002, ctypes.c_uint32, facts.compute_units),
                             (0x101F, ctypes.c_uint64, facts.memory_bytes), (0x1010, ctypes.c_uint64, facts.largest_allocation_bytes),
                             (0x1023, ctypes.c_uint64, facts.local_memory_bytes), (0x1019, ctypes.c_uint32, 8 * facts.alignment),
                             (0x1035, ctypes.c_uint32, facts.has_unified_memory)):
        assert asked(device, name, kind) == fact
    assert facts.version.startswith(f"OpenCL {facts.version_major}.{facts.version_minor}")
    assert isinstance(facts.type, clpool.device_type) and isinstance(facts.svm_capabilities, clpool.device_svm_capabilities)
    assert facts.svm_capabilities == clpool.svm_capabilities(device)
    assert facts.has_unified_memory in (True, False) and isinstance(facts.has_out_of_order_queues, bool)
    assert facts.platform_index >= 0 and facts.device_index >= 0
    assert "sub-device" in clpool.DeviceFacts.platform_index.__doc__
    with pytest.raises(clpool.InvalidValueError):
        clpool.Device(0).facts


def test_a_part_of_a_device_is_at_no_place_of_the_list(opencl):
    library, parts = ctypes.CDLL("libOpenCL.so.1"), (ctypes.c_void_p * 1024)()
    by_one_unit = (ctypes.c_ssize_t * 3)(0x1086, 1, 0)
    count = ctypes.c_uint32()
    most = asked(opencl[0], 0x1043, ctypes.c_uint32)  # CL_DEVICE_PARTITION_MAX_SUB_DEVICES; rusticl has no function for it
    if most < 2 or library.clCreateSubDevices(
            ctypes.c_void_p(opencl[0].int_ptr), by_one_unit, 1024, parts, ctypes.byref(count)) != 0:
        pytest.skip("the device cannot be cut into parts (CL_DEVICE_PARTITION_EQUALLY)")
    facts = clpool.Device(parts[0]).facts
    for part in parts[:count.value]:
        library.clReleaseDevice(ctypes.c_void_p(part))
    assert facts.platform_index is None and facts.device_index is None and facts.compute_units == 1


def test_automatic_initialization():
    import clpool.autoinit
    assert clpool.autoinit.queue.int_ptr and clpool.autoinit.device.int_ptr


def test_every_question_has_an_answer(opencl):
    device, context, _ = opencl
    assert characterize.get_simd_group_size(device, 4) >= 1
    assert characterize.reasonable_work_group_size_multiple(device, context) >= 1
    assert characterize.ask_simd_group_sizes(device)
    assert isinstance(characterize.has_double_support(device), bool)
    assert isinstance(characterize.has_amd_double_support(device), bool)
    assert characterize.usable_local_mem_size(device) > 0
    assert characterize.has_struct_arg_count_bug(device, context) in (False, "pocl", "apple")
    assert characterize.has_src_build_cache(device) in (True, False, None)
    assert all(option.startswith("-cl-") for option in characterize.get_fast_inaccurate_build_options(device))
    for ask in (characterize.ask_local_access_granularity, characterize.ask_local_access_work_items,
                characterize.ask_local_bank_count, characterize.ask_double_support, characterize.ask_sub_groups,
                characterize.ask_usable_local_memory):
        answer = ask(device)
        assert answer.source in ("query", "kernel query", "table", "guess", "not applicable", "none")
    assert characterize.nv_compute_capability(device) is None or len(characterize.nv_compute_capability(device)) == 2
    for has in (characterize.has_coarse_grain_buffer_svm, characterize.has_fine_grain_buffer_svm,
                characterize.has_fine_grain_system_svm, characterize.has_fine_grain_buffer_svm_atomics,
                characterize.has_fine_grain_system_svm_atomics):
        assert isinstance(has(device), bool)
    assert characterize.why_not_local_access_conflict_free(device, 4, (32, 32))[0] >= 1


@pytest.mark.parametrize("size, shape, stored, as_pyopencl, expected", [
    (4, (32, 32), None, True, 32), (4, (32, 32), (32, 33), True, 1), (4, (16, 16), None, True, 8),
    (8, (32,), None, True, 2), (8, (32,), None, False, 1), (1, (32,), None, True, 4), (1, (32,), None, False, 1)])
def test_bank_conflicts(size, shape, stored, as_pyopencl, expected):
    model = clpool.model.PYOPENCL if as_pyopencl else clpool.model.CURRENT
    multiplicity, why = characterize.bank_conflicts(size, shape, stored, model=model)
    assert multiplicity == expected
    assert bool(why) == (expected > 1)
    with pytest.raises(clpool.InvalidValueError):
        characterize.bank_conflicts(0, shape)


def test_guesses_warn(monkeypatch):
    guess = characterize.Answer(16, "guess", "", "a cautious figure")
    monkeypatch.setattr(characterize, "ask_local_bank_count", lambda device: guess)
    with pytest.warns(clpool.CLCharacterizationWarning):
        assert characterize.local_memory_bank_count(None) == 16


def test_speed_is_measured(opencl):
    device, context, _ = opencl
    speed = characterize.measure_performance(context, device, repetitions=1, warm_ups=1, transfer_bytes=4096, least_ns=1)
    assert speed.transfer_bytes == 4096 and speed.write_bandwidth > 0


def test_pycudas_occupancy():
    data = clpool.DeviceData.of_compute_capability(2, 0, clpool.model.PYOPENCL)
    record = clpool.OccupancyRecord(data, 128, registers=20)
    assert (record.tb_per_mp, record.limited_by, record.warps_per_mp) == (8, "device", 32)
    assert record.occupancy == pytest.approx(.6667, abs=1e-4)
    assert record.tb_per_mp_limits == [(8, "device"), (12, "warps"), (12, "regs")]
    with pytest.raises(ValueError):
        clpool.OccupancyRecord(data, 2000)
    with pytest.raises(ValueError):
        clpool.OccupancyRecord(data, -1)
    assert (data.max_threads, data.warp_size, data.warps_per_mp, data.registers) == (1024, 32, 48, 32768)
    assert data.align_bytes(8) == 128 and data.align(65) == 128 and data.align_dtype(17, 4) == 32
    assert data.coalesce(17) == 32 and data.make_valid_tex_channel_count(3) == 4
    assert data.align_words(16) == 8 and data.smem_alloc_granularity == 128
    with pytest.raises(ValueError):
        data.make_valid_tex_channel_count(5)


def test_todays_occupancy(opencl):
    data = clpool.DeviceData.of("sm_90")
    found = clpool.occupancy(data, 256, registers=32)
    assert (found.groups_per_mp, found.occupancy) == (8, 1.0)
    sizes, best = clpool.suggest_group_sizes(data, registers=64)
    assert 256 in sizes and best.occupancy == .5
    assert clpool.DeviceData(opencl[0]).warp_size >= 1
    limits = data.limits
    limits.pop("note")
    limits.pop("source")
    assert clpool.occupancy(clpool.DeviceData.from_limits(**limits), 256, registers=32).groups_per_mp == 8
    with pytest.raises(clpool.NotFoundError):
        clpool.DeviceData.of("sm_1")
    with pytest.raises(TypeError):
        clpool.DeviceData.from_limits(no_such_limit=1)
    other = clpool.DeviceData.of("sm_90")
    assert clpool.DeviceData.from_limits(**{**other.limits, "warp_size": 16}).warp_size == 16


def test_occupancy_names_and_refuses_as_pycuda_where_its_model_is_asked_for():
    model = clpool.model.PYCUDA_2014
    for asked, limit in ((model, "device"), (clpool.model.CURRENT, "groups")):
        data = clpool.DeviceData.of_compute_capability(2, 0, asked)
        assert clpool.OccupancyRecord(data, 32).limited_by == limit
    with pytest.raises(clpool.InvalidValueError):
        clpool.OccupancyRecord(clpool.DeviceData.of_compute_capability(2, 0, model), 32, shared_mem=1 << 20)
    assert clpool.OccupancyRecord(clpool.DeviceData.of_compute_capability(2, 0), 32, shared_mem=1 << 20).tb_per_mp == 0


def test_results_are_computed_once_per_object(context):
    calls = []

    @clpool.context_dependent_memoize
    def compute(first, *args, **keywords):
        calls.append((args, keywords))
        return len(calls)
    assert compute(context) == compute(context) == 1
    assert compute(context, 1, a=2) == compute(context, 1, a=2) == 2
    clpool.clear_first_arg_caches()
    assert compute(context) == 3


def test_results_of_nested_functions_are_shared_by_calls_of_the_outer_one(context):
    calls = []

    def outer():
        @clpool.first_arg_dependent_memoize_nested
        def nested(first, number):
            calls.append(number)
            return number
        with pytest.raises(TypeError):
            nested(context, number=1)
        return nested(context, 1)
    assert outer() == outer() == 1 and calls == [1]
    clpool.clear_first_arg_caches()
    outer()
    assert calls == [1, 1]


def test_the_librarys_cache(context, pool):
    cache = clpool.Cache("context")
    assert cache.get(context, b"a", lambda: [1]) is cache.get(context, b"a", lambda: [2])
    assert cache.get(context, b"none", lambda: None) is None
    assert len(cache) == 2
    with pytest.raises(KeyError):
        cache.get(context, b"b", lambda: {}["missing"])
    assert cache.find(context, b"b") is None
    with pytest.raises(clpool.InvalidOperationError):
        cache.get(context, b"b", lambda: cache.get(context, b"b", lambda: 1))
    cache.clear_object(context)
    assert len(cache) == 0
    assert cache.get(context, b"a", lambda: [3]) == [3]
    clpool.clear_first_arg_caches()
    assert len(cache) == 0
    pools = clpool.Cache("pool")
    assert pools.get(pool, b"", lambda: 5) == 5
    pools.clear()
    with pytest.raises(ValueError):
        clpool.Cache("planet")


def test_logs_are_written_read_and_replayed(tmp_path, numbers, pool):
    path = str(tmp_path / "log.csv")
    with clpool.TraceWriter(path) as log:
        for block in range(1, 5):
            log.write("allocate", block * 4096, 1000 * block, tag="block")
        log.write("allocate failure", 0, 1 << 40, status=clpool.status.OUT_OF_MEMORY)
        log.write("free", 4096, 1000)
        with pytest.raises(ValueError):
            log.write("lose", 0, 0)
    with open(path, newline="", encoding="utf-8") as rows:
        assert [row["Action"] for row in csv.DictReader(rows)].count("allocate") == 4
    trace = clpool.Trace(path)
    assert trace.statistics.peak_live_bytes == 10_000 and len(trace) == 6
    assert [event.size for event in trace][:2] == [1000, 2000] and trace[-1].action == "free"
    with pytest.raises(IndexError):
        trace[6]
    assert trace[1:6:2] == [trace[1], trace[3], trace[5]] and trace[6:] == []
    with pytest.raises(TypeError, match="a pool or an allocator, not with a int"):
        trace.replay(3)
    assert len(clpool.Trace.parse(bytearray(b"Thread,Time,Action,Pointer,Size,Stream\n"))) == 0
    with pytest.raises(TypeError, match="text must be str or bytes, not NoneType"):
        clpool.Trace.parse(None)
    asked = []
    for target in (pool, numbers.pool(), clpool.CustomAllocator(numbers.allocate, numbers.deallocate)):
        result = trace.replay(target, lambda done, total: asked.append((done, total)), 1)
        assert (result.allocations, result.peak_live_bytes) == (4, 10_000)
    assert asked
    with pytest.raises(clpool.CallbackError):
        trace.replay(pool, lambda done, total: True, 1)

    def fail(done, total):
        raise KeyError
    with pytest.raises(KeyError):
        trace.replay(pool, fail, 1)
    with pytest.raises(ValueError, match="progress_interval must not be negative: -1"):
        trace.replay(pool, lambda done, total: False, -1)
    with pytest.raises(clpool.BadFormatError, match="mine:1"):
        clpool.Trace.parse(b"not a log", "mine")
    with pytest.raises(OSError):
        clpool.Trace("/no/such/file")


@pytest.mark.parametrize("kind", [str, os.fsencode, pathlib.Path])
def test_paths_are_what_python_takes_for_one(tmp_path, numbers, kind):
    path = kind(tmp_path / os.fsdecode(b"l\xf6g.csv"))  # no UTF-8
    with clpool.TraceWriter(path) as log:
        log.write("allocate", 4096, 1000)
        log.close()  # once more at the end of `with`
    log.close()
    assert len(clpool.Trace(path)) == 1
    traced = clpool.TraceAllocator(clpool.CustomAllocator(numbers.allocate, numbers.deallocate), path)
    traced(1000).release()
    traced._handle.release()
    assert len(clpool.Trace(path)) == 2


def test_texts_are_not_cut_at_null_characters(tmp_path, numbers):
    (tmp_path / "a").write_text("Thread,Time,Action,Pointer,Size,Stream\n")
    path, inner = str(tmp_path / "a\0b"), clpool.CustomAllocator(numbers.allocate, numbers.deallocate)
    log = clpool.TraceWriter(tmp_path / "log.csv")
    for use in (lambda: clpool.Trace(path), lambda: clpool.TraceWriter(path), lambda: clpool.TraceAllocator(inner, path),
                lambda: clpool.Trace.parse(b"", "a\0b"), lambda: log.write("allocate", 1, 1, tag="a\0b"),
                lambda: clpool.choose_device("a\0b"), lambda: clpool.DeviceData.of("9.0\0b"), lambda: numbers.pool(name="a\0b")):
        with pytest.raises(ValueError, match="null"):
            use()
    with pytest.raises(TypeError, match="selector must be a str"):
        clpool.choose_device(5)


def test_what_is_of_another_kind_is_named(context, opencl):
    format_, inner = 0x10B5, clpool.Heap()
    for use, named in ((lambda: clpool.LimitAllocator(inner, 100), "inner must be a clpool.Allocator, not Heap"),
                       (lambda: clpool.TraceAllocator(5, "log"), "inner must be a clpool.Allocator, not int"),
                       (lambda: clpool.occupancy(opencl[0], 256), "devdata must be a clpool.DeviceData, not Device"),
                       (lambda: clpool.OccupancyRecord(opencl[0], 256), "devdata must be a clpool.DeviceData, not Device"),
                       (lambda: clpool.suggest_group_sizes("9.0"), "devdata must be a clpool.DeviceData, not str"),
                       (lambda: clpool.create_image(context, 1, format_, (8, 8)), "format must be a clpool.ImageFormat, not int"),
                       (lambda: clpool.create_image(context, 1, format_, hostbuf=b"12"), "a shape is needed: hostbuf, a bytes"),
                       (lambda: clpool.image_from_array(context, [1]), "ary must be a numpy.ndarray, not list"),
                       (lambda: clpool.svm_empty_like(context, 1, (3,)), "ary must be a numpy.ndarray, not tuple"),
                       (lambda: inner.free(5), "range_ must be a clpool.HeapRange, not int")):
        with pytest.raises(TypeError, match=named):
            use()


def test_heaps_need_no_device():
    heap = clpool.Heap(16)
    assert heap.add_space(1024) == 0
    first, second = heap.allocate(100), heap.allocate(16)
    assert (first.space, first.offset % 16, first.size >= 100) == (0, 0, True)
    assert heap.statistics.active_ranges == 2
    heap.check()
    first.free()
    with pytest.raises(clpool.InvalidOperationError):
        first.free()
    with pytest.raises(clpool.InvalidOperationError):
        first.size
    with pytest.raises(clpool.OutOfMemoryError):
        heap.allocate(4096)
    with pytest.raises(clpool.InvalidOperationError):
        heap.remove_space(0)
    second.free()
    heap.remove_space(0)


def test_texts_and_versions():
    assert clpool.__version__ == clpool.version() == "1.0.0"
    assert clpool.version_number() == 1_000_000
    assert clpool.cl_error_name(-30) == "CL_INVALID_VALUE"
    assert clpool.status_string(3)
    with pytest.raises(clpool.InvalidValueError):
        clpool.Heap(3)
    assert "3" in clpool.last_error_message() and clpool.last_cl_error() == 0


def test_the_plug_in_leaves_names_alone_that_a_test_has_of_its_own(tmp_path):
    (tmp_path / "test_it.py").write_text(textwrap.dedent("""
        import pytest

        @pytest.fixture
        def platform():
            return "mine"

        @pytest.mark.parametrize("number, device", [(1, "cpu"), (2, "cuda")])
        @pytest.mark.parametrize(["ctx_factory"], [(3,)])
        def test_it(number, device, platform, ctx_factory):
            assert (number, device, platform, ctx_factory) in ((1, "cpu", "mine", 3), (2, "cuda", "mine", 3))

        class TestNames:
            pytestmark = pytest.mark.parametrize(argnames="device", argvalues=["cpu"])

            def test_it(self, device):
                assert device == "cpu"
    """))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "clpool.pytest_plugin", "-q", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert "3 passed" in done.stdout, done.stdout


@pytest.mark.parametrize("variable", ["CLPOOL_TEST", "PYOPENCL_TEST"])
def test_the_plug_in_runs_tests_on_the_named_devices(tmp_path, variable, opencl):
    (tmp_path / "test_it.py").write_text(textwrap.dedent("""
        import sys
        from clpool.tools import mark_opencl_test

        def test_context(ctx_factory):
            assert ctx_factory().int_ptr

        @mark_opencl_test
        def test_device(device, platform):
            assert device.int_ptr and platform.int_ptr
            theirs = sys.modules.get("pyopencl")
            assert theirs is None or isinstance(device, theirs.Device) and isinstance(platform, theirs.Platform)

        def test_nothing():
            pass
    """))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "clpool.pytest_plugin", "--co", "-q",
               str(tmp_path)]
    environment = {name: value for name, value in os.environ.items() if name not in ("CLPOOL_TEST", "PYOPENCL_TEST")}
    names = [subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100).stdout
             for _ in range(2)]
    assert names[0].split(" in ")[0] == names[1].split(" in ")[0], "names are the same in every process"
    assert "test_context[" in names[0]
    command.remove("--co")
    command.append("--strict-markers")
    done = subprocess.run(command, env={**environment, variable: "0:0"}, capture_output=True, text=True, timeout=100)
    assert "3 passed" in done.stdout, done.stdout
    wrong = subprocess.run(command, env={**environment, variable: "no such platform"}, capture_output=True, text=True,
                           timeout=100)
    assert wrong.returncode != 0 and "no such platform" in wrong.stdout
