# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""docs/python-names.md is true, and the names that only it has do what they should."""
import gc
import importlib
import inspect
import os
import pathlib
import re
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import clpool
from clpool import mem_flags

HERE = pathlib.Path(__file__).parent
PAGE = (HERE / "../../../docs/python-names.md").resolve()
RW = mem_flags.READ_WRITE


def rows():
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `"):
            yield cells


def paths(cell):
    """The dotted names of a cell; one that begins with a dot belongs to what the last whole one belongs to."""
    parent = ""
    for name in re.findall(r"`([^`]+)`", cell):
        if name.startswith("clpool"):
            yield name
            last = name.rpartition(".")
            parent = last[0] if not last[2][0].isupper() else name
        elif name.startswith("."):
            yield parent + name


def resolve(path):
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError as missing:
            if missing.name == "pyopencl":
                pytest.skip("PyOpenCL is not installed")
            continue
        for index, part in enumerate(parts[length:]):
            known = {name for kind in getattr(found, "__mro__", ()) for name in vars(kind).get("__annotations__", ())}
            if not hasattr(found, part) and part in known and index == len(parts) - length - 1:
                return None  # an attribute of its objects
            found = getattr(found, part)
        return found
    raise AttributeError(path)


ALL_PATHS = sorted({path for cells in rows() for path in paths(cells[1])})


def test_the_page_has_the_names():
    assert len(ALL_PATHS) > 200


@pytest.mark.parametrize("path", ALL_PATHS)
def test_every_name_of_the_page_is_there(path):
    resolve(path)


def test_every_test_of_the_page_is_there():
    for cells in rows():
        tests = re.findall(r"`(\w+\.py)::(\w+)`", cells[2])
        assert tests or "not offered" in cells[1], cells[0]
        for file, name in tests:
            assert re.search(rf"^def {name}\(", (HERE / file).read_text(), re.M), f"{file}::{name}"


def test_the_table_of_all_wrappers_names_what_is_there():
    rows = [line.split("|")[2] for line in (HERE / "../../README.md").read_text().split("## Names")[1].split("\n## ")[0].splitlines()
            if re.match(r"\| [a-zA-Z]", line)]
    assert len(rows) > 30
    for name in re.findall(r"`([\w.]+)`", " ".join(rows).replace("`guard`", "")):
        thing = clpool
        for part in name.split("."):
            thing = importlib.import_module("clpool." + part) if thing is clpool and not hasattr(clpool, part) else getattr(thing, part)


@pytest.mark.parametrize("struct, function", [
    ("clpool_pool_options", clpool.Pool.__init__),
    ("clpool_performance_options", clpool.characterize.measure_performance),
    ("clpool_bank_memory", clpool.characterize.bank_conflicts),
])
def test_the_options_of_c_are_arguments(struct, function):
    sys.path.insert(0, str(HERE / "../../../capi/reader"))
    import headers
    folder = (HERE / "../../../capi/include/clpool").resolve()
    fields, = [found.fields for name, text in headers.texts(folder).items() for found in headers.structs(name, text)
               if found.name == struct]
    for field in fields[1:]:
        if "Must be 0" not in field.comment and field.name not in ("callbacks", "user", "queue_count"):
            assert field.name in inspect.signature(function).parameters


def test_the_lines_of_the_readme_run():
    from readme_lines import lines
    exec(lines(), {})


def public_objects():
    for name in clpool.__all__:
        yield f"clpool.{name}", getattr(clpool, name)


@pytest.mark.parametrize("name, thing", public_objects())
def test_signatures_can_be_asked_for(name, thing):
    if inspect.isclass(thing):
        if issubclass(thing, (int, dict, Exception)):
            return
        for member, function in inspect.getmembers(thing, callable):
            if not member.startswith("_"):
                inspect.signature(function)
    elif callable(thing):
        inspect.signature(thing)


def test_everything_can_be_referred_to_weakly():
    for name, thing in public_objects():
        if inspect.isclass(thing) and not issubclass(thing, (int, tuple, dict, Exception)):
            assert thing.__weakrefoffset__ != 0, name


@pytest.mark.parametrize("name", ["pyopencl", "pytest_plugin", "tools"])
def test_submodules_are_imported_when_they_are_asked_for(name):
    if name == "pyopencl":
        pytest.importorskip("pyopencl")
    text = f"import clpool, sys; assert 'clpool.{name}' not in sys.modules; assert clpool.{name}.__name__ == 'clpool.{name}'"
    subprocess.run([sys.executable, "-c", text], check=True)


def test_a_submodule_that_cannot_be_imported_says_why():
    text = ("import sys; sys.modules['pyopencl'] = None; import clpool; assert not hasattr(clpool, 'pyopencl')\n"
            "try: clpool.pyopencl\nexcept AttributeError as error: assert 'pyopencl' in str(error.__cause__); print(error)\n"
            "try: clpool.nothing\nexcept AttributeError as error: print(error)")
    printed = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True).stdout.splitlines()
    assert printed[0].startswith("clpool.pyopencl cannot be imported: ")
    assert printed[1] == "module 'clpool' has no attribute 'nothing'"


def test_all_names_what_is_there():
    assert sorted(clpool.__all__) == list(clpool.__all__)
    namespace = {}
    exec("from clpool import *", namespace)
    assert set(clpool.__all__) <= set(namespace)


def test_constants_have_names():
    assert repr(mem_flags.READ_WRITE) == "<mem_flags.READ_WRITE: 1>"
    assert "READ_WRITE|COPY_HOST_PTR" in repr(RW | mem_flags.COPY_HOST_PTR)
    assert mem_flags.to_string(RW | mem_flags.COPY_HOST_PTR) == "READ_WRITE | COPY_HOST_PTR"
    assert mem_flags.to_string(0) == ""
    with pytest.raises(ValueError, match="no name for bit 0x80000"):
        mem_flags.to_string(1 << 19)
    assert mem_flags.to_string(1 | 1 << 19, "%#x") == "READ_WRITE | 0x80000"
    assert repr(clpool.channel_type.FLOAT) == "<channel_type.FLOAT: 4318>"
    assert clpool.mem_object_type.to_string(0x10F0) == "BUFFER"
    with pytest.raises(ValueError, match="no name for 7"):
        clpool.mem_object_type.to_string(7)
    assert clpool.mem_object_type.to_string(7, "<%d>") == "<7>"
    assert clpool.device_type.to_string(clpool.device_type.ALL) == "ALL"
    assert mem_flags.USE_PERSISTENT_MEM_AMD == 1 << 6
    assert clpool.sampler_info.LOD_MIN_KHR is clpool.sampler_info.LOD_MIN  # as the other names of extensions
    assert clpool.sampler_info.to_string(0x1157) == "LOD_MAX" and clpool.sampler_info.MIP_FILTER_MODE_KHR == 0x1155


def test_memory_answers_with_objects(context):
    info = clpool.mem_info
    buffer = clpool.Buffer(context, RW, 4096)
    part = buffer[1024:2048]
    assert part.associated_memobject is buffer and buffer.associated_memobject is None
    assert part.get_info(info.ASSOCIATED_MEMOBJECT) is buffer
    assert clpool.Buffer.from_int_ptr(part.int_ptr).associated_memobject == buffer
    assert buffer.get_info(info.CONTEXT) == context and buffer.get_info(info.SIZE) == 4096
    for ask in (lambda: buffer.host_ptr, lambda: buffer.get_info(info.HOST_PTR)):
        with pytest.raises(clpool.InvalidValueError, match="get_host_array"):
            ask()
    try:
        assert buffer.properties == buffer.get_info(info.PROPERTIES) == []
    except clpool.NotSupportedError as refusal:
        assert "3.0" in str(refusal)
    try:
        assert buffer.uses_svm_pointer is False
    except clpool.NotSupportedError as refusal:
        assert "2.0" in str(refusal)
    assert buffer.hostbuf is None
    with pytest.raises(clpool.ClpoolError):
        buffer.get_info(0x9999)


def test_a_pooled_block_is_a_part_of_nothing(pool):
    assert pool.allocate(4096).associated_memobject is None


def test_every_object_is_made_of_its_handle(opencl, queue):
    device, context, _ = opencl
    buffer = clpool.Buffer(context, RW, 64)
    sampler = clpool.Sampler(context, False, clpool.addressing_mode.CLAMP, clpool.filter_mode.NEAREST)
    event = clpool.enqueue_fill(queue, buffer, b"x")
    for thing in (context, queue, event, sampler, device, buffer):
        again = type(thing).from_int_ptr(int_ptr_value=thing.int_ptr)
        assert type(again) is type(thing) and again == thing and again.int_ptr == thing.int_ptr
    assert type(clpool.Image.from_int_ptr(buffer)) is clpool.Buffer  # what it is decides
    before = sampler.reference_count
    again = clpool.Sampler.from_int_ptr(sampler.int_ptr)
    assert sampler.reference_count == before + 1
    again.release()
    assert sampler.reference_count == before


def test_samplers_say_what_they_are(context):
    mode, filters = clpool.addressing_mode.CLAMP_TO_EDGE, clpool.filter_mode.LINEAR
    sampler = clpool.Sampler(context, True, mode, filters)
    assert (sampler.normalized_coords, sampler.addressing_mode, sampler.filter_mode) == (True, mode, filters)
    assert sampler.context == context and sampler.reference_count == 1
    assert not clpool.Sampler(context, np.bool_(False), mode, filters).normalized_coords
    assert sampler.get_info(clpool.sampler_info.ADDRESSING_MODE) == mode
    with pytest.raises(clpool.OpenCLError):
        sampler.get_info(1)
    for ask in (lambda: sampler.properties, lambda: sampler.lod_min, lambda: sampler.mip_filter_mode, lambda: sampler.lod_min_khr,
                lambda: sampler.lod_max_khr, lambda: sampler.mip_filter_mode_khr):
        try:
            ask()
        except clpool.OpenCLError as refusal:  # older, or without the extension
            assert "clGetSamplerInfo" in str(refusal)


@pytest.fixture
def needs_images(context):
    if not clpool.get_supported_image_formats(context, RW, clpool.mem_object_type.IMAGE2D):
        pytest.skip("the device has no images")


def test_an_image_names_its_buffer(context, needs_images):
    format_ = clpool.ImageFormat(clpool.channel_order.RGBA, clpool.channel_type.FLOAT)
    image = clpool.create_image(context, RW, format_, (8, 4))
    assert image.buffer is None and image.num_mip_levels in (0, 1) and image.num_samples in (0, 1)
    assert image.get_image_info(clpool.image_info.FORMAT) == format_
    buffer = clpool.Buffer(context, RW, 8 * 16)
    try:
        over = clpool.create_image(context, RW, format_, (8,), buffer=buffer)
    except clpool.ClpoolError as refusal:
        pytest.skip(f"no images over buffers: {refusal}")
    assert over.buffer is buffer and over.associated_memobject is buffer
    assert over.get_image_info(clpool.image_info.BUFFER) is buffer


def test_images_are_made_by_their_old_name_too(context, needs_images):
    format_ = clpool.ImageFormat(clpool.channel_order.RGBA, clpool.channel_type.FLOAT)
    with pytest.warns(DeprecationWarning, match="create_image"):
        assert clpool.Image(context, RW, format_, (8, 4)).shape == (8, 4)


@pytest.mark.parametrize("names, count, element", [("xyzw", 4, np.float32), ("xy", 2, np.int16), ("xyzp", 4, np.uint8)])
def test_items_of_vector_types_are_pixels(context, queue, needs_images, names, count, element):
    vector = np.dtype([(name, element) for name in names])
    orders = {2: clpool.channel_order.RG, 4: clpool.channel_order.RGBA}
    types = {np.float32: clpool.channel_type.FLOAT, np.int16: clpool.channel_type.SIGNED_INT16,
             np.uint8: clpool.channel_type.UNSIGNED_INT8}
    format_ = clpool.ImageFormat(orders[count], types[element])
    if format_ not in clpool.get_supported_image_formats(context, mem_flags.READ_ONLY, clpool.mem_object_type.IMAGE2D):
        pytest.skip(f"the device has no images of {format_}")
    array = np.zeros((5, 7), vector)
    array[names[0]] = np.arange(35).reshape(5, 7)
    image = clpool.image_from_array(context, array)
    assert image.shape == (7, 5) and image.format == format_
    back = np.zeros_like(array)
    clpool.enqueue_copy(queue, back, image, origin=(0, 0), region=(7, 5))
    assert (back == array).all()
    with pytest.raises(ValueError, match=f"items of the array have {count}"):
        clpool.image_from_array(context, array, count + 1)
    with pytest.raises(TypeError):
        clpool.image_from_array(context, np.zeros((2, 2), [("a", "f4"), ("b", "i4")]))


def test_copies_between_devices_of_amd_are_refused_elsewhere(context, queue):
    source, target = clpool.Buffer(context, RW, 64), clpool.Buffer(context, RW, 64)
    with pytest.raises(clpool.NotSupportedError):
        clpool.enqueue_copy_buffer_p2p_amd(None, queue, source, target)


@pytest.mark.parametrize("how, copied", [({}, 2 ** 64 - 1), ({"byte_count": 24}, 24), ({"size": 24}, 24)])
def test_copies_between_devices_of_amd_are_as_long_as_is_asked(context, queue, monkeypatch, how, copied):
    source, target, orders = clpool.Buffer(context, RW, 64), clpool.Buffer(context, RW, 64), []
    monkeypatch.setattr(clpool.transfer._n, "clpool_mem_copy_p2p", lambda *order: orders.append(order))
    clpool.enqueue_copy_buffer_p2p_amd(None, queue, source, target, **how)
    assert orders == [(queue, target, 0, source, 0, copied, None)]


def test_default_contexts_are_made_and_become_current():
    context = clpool.make_default_context()
    assert isinstance(context, clpool.Context)
    assert clpool.DeviceMemoryPool().allocate(10).context == context
    asked = []
    assert clpool.make_default_context(lambda device: asked.append(device) or "mine") == "mine" and len(asked) == 1

    def refuse(device):
        raise ValueError("not this one")
    with pytest.raises(RuntimeError, match="not this one"):
        clpool.make_default_context(refuse)


def test_no_context_is_current_before_one_is_made_nor_that_of_another_process(context, queue, monkeypatch):
    from clpool import devices
    for kept, current in ((None, None), ((os.getpid() + 1, context, queue), None), ((os.getpid(), context, queue), context)):
        monkeypatch.setattr(devices, "_current", kept)
        assert devices.current_context() is current


def test_the_default_device_is_the_chosen_one():
    with pytest.warns(DeprecationWarning, match="choose_device"):
        assert clpool.get_default_device() == clpool.choose_device()


def test_pools_need_no_arguments():
    pool = clpool.DeviceMemoryPool()
    block = pool.allocate(1000)
    assert isinstance(block, clpool.PooledDeviceAllocation)
    assert len(block) == 1000 and int(block) == block.int_ptr
    block.free()
    with pytest.raises(clpool.InvalidOperationError):
        block.free()
    assert (pool.active_blocks, pool.held_blocks) == (0, 1)
    pinned = clpool.PageLockedMemoryPool()
    array = pinned.allocate((10, 10), np.float32)
    host = array.base
    assert isinstance(host, clpool.PooledHostAllocation)
    assert len(host) == 400 and int(host) == array.ctypes.data
    with pinned.allocate_block(8) as block:
        memoryview(block)[:] = b"12345678"
        assert bytes(block) == b"12345678"
    assert clpool.PageLockedAllocator()(100).size == 100


def test_results_of_functions_without_a_context_are_those_of_the_current_one(context):
    computed = []

    @clpool.context_dependent_memoize
    def answer(number=1):
        computed.append(number)
        return object()
    clpool.make_default_context()
    first = answer()
    assert answer() is first and answer(2) is not first
    clpool.make_default_context()
    assert answer() is not first
    assert computed == [1, 2, 1]
    clpool.clear_context_caches()
    answer()
    assert computed == [1, 2, 1, 1]

    @clpool.context_dependent_memoize
    def of(context, number):
        computed.append(context)
        return number
    assert of(context, 1) == of(context, 1) == 1
    assert computed[4:] == [context]


def test_results_are_computed_once_also_by_threads(context):
    computed, go_on = [], threading.Event()

    @clpool.first_arg_dependent_memoize
    def answer(context, number=1):
        computed.append(number)
        go_on.wait(100)
        if number == 13:
            raise ValueError
        return object()
    results = []
    threads = [threading.Thread(target=lambda: results.append(answer(context))) for _ in range(8)]
    for thread in threads:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join(100)
    assert len(computed) == 1 and len(set(map(id, results))) == 1
    assert answer(context=context) is results[0]
    with pytest.raises(TypeError, match="first argument"):
        answer(number=3)
    for _ in range(2):
        with pytest.raises(ValueError):
            answer(context, 13)
    assert computed.count(13) == 2

    @clpool.first_arg_dependent_memoize
    def itself(context):
        return itself(context)
    with pytest.raises(RecursionError):
        itself(context)


def test_the_plug_in_knows_the_old_fixture(tmp_path):
    (tmp_path / "old_test.py").write_text(
        "pytest_plugins = ['clpool.pytest_plugin']\n"
        "def test_old(ctx_getter):\n"
        "    assert ctx_getter().int_ptr\n")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "old_test.py"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout and "use ctx_factory" in done.stdout


def test_a_context_of_the_plug_in_comes_after_what_was_left_in_cycles(opencl):
    from clpool.pytest_plugin import ContextFactory

    def left():
        pass
    left.itself = left
    gone = weakref.ref(left)
    gc.disable()
    try:
        del left
        assert gone() is not None
        assert ContextFactory(opencl[0])().int_ptr
        assert gone() is None
    finally:
        gc.enable()


def test_a_marked_test_runs_in_a_context():
    from clpool.tools import mark_cuda_test
    seen = []

    @mark_cuda_test
    def body(number):
        seen.append(clpool.DeviceMemoryPool().allocate(number).size)
    body(5)
    assert seen == [5]
    assert {mark.name for mark in body.pytestmark} == {"cuda", "opencl"}
