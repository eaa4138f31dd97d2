# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Figures and texts that are passed on: each comes out as what went in."""
import numpy as np
import pytest

import clpool
from clpool import mem_flags


def test_device_data_has_the_figures_of_its_limits():
    data = clpool.DeviceData.of_compute_capability(3, 5)
    limits = data._limits
    assert [data.max_threads, data.warp_size, data.warps_per_mp, data.thread_blocks_per_mp, data.registers, data.shared_memory,
            data.smem_alloc_granularity, data.smem_granularity] == [
        limits.max_threads_per_group, limits.warp_size, limits.max_warps_per_mp, limits.max_groups_per_mp,
        limits.registers_per_mp, limits.local_per_mp, limits.local_unit, limits.local_access_threads]
    assert data.thread_blocks_per_mp == 16 and data.smem_alloc_granularity == 256
    assert data.register_allocation_unit == "warp"
    assert clpool.DeviceData.of_compute_capability(1, 3).register_allocation_unit == "block"
    assert repr(data) == f"<clpool.DeviceData: warps of 32, 64 on a multiprocessor ({data.source})>"
    record = clpool.OccupancyRecord(data, 128)
    assert repr(record) == f"<clpool.OccupancyRecord: {record.tb_per_mp} groups by {record.limited_by}, occupancy 1.000>"


def test_trim_keeps_what_is_said(numbers):
    pool = numbers.pool()
    blocks = [pool.allocate(8 << 20) for _ in range(3)]
    del blocks
    held = pool.held_bytes
    assert held > 0
    pool.trim(held)
    assert pool.held_bytes == held
    pool.trim()
    assert pool.held_bytes == 0


def test_flush_hands_rows_to_the_system(tmp_path):
    path = tmp_path / "log.csv"
    writer = clpool.TraceWriter(path)
    writer.write("allocate", 4096, 64, 0)
    writer.flush()
    assert b",allocate,0x1000,64,0," in path.read_bytes()
    writer.close()


def test_logs_may_lie_in_memory(tmp_path):
    path = tmp_path / "log.csv"
    with clpool.TraceWriter(path) as writer:
        writer.write("allocate", 4096, 64, 0)
        writer.write("free", 4096, 64, 0)
    for text in (path.read_bytes(), path.read_text()):
        assert [event.size for event in clpool.Trace.parse(text)] == [64, 64]


def test_only_whole_vectors_of_one_type_are_channels():
    from clpool.images import _vector_channels
    assert _vector_channels(np.dtype([("x", np.float32), ("y", np.float32)])) == 2
    for other in (np.dtype(np.float32), np.dtype([("x", np.float32), ("y", np.int32)]), np.dtype([("x", np.float64)] * 1),
                  np.dtype({"names": ["x", "y"], "formats": [np.float32] * 2, "offsets": [0, 8]})):
        assert _vector_channels(other) == 0


def test_images_have_up_to_three_dimensions(context):
    with pytest.raises(ValueError, match="has 4 entries, it must have 1 to 3"):
        clpool.create_image(context, mem_flags.READ_WRITE, clpool.ImageFormat(0x10B5, 0x10DA), (1, 2, 3, 4))


def test_svm_of_an_array_is_equal_to_pointers_to_the_same_place(context):
    array = np.zeros(16, np.float32)
    one, same, other = clpool.SVM(array), clpool.SVM(array), clpool.SVM(array[4:])
    assert one == same and one != other and one != array.ctypes.data
    assert not one != same and not one == other and not one == array.ctypes.data


def test_svm_of_an_array_needs_a_context_for_a_buffer(context):
    svm = clpool.SVM(np.zeros(16, np.float32))
    with pytest.raises(TypeError, match="a context is needed: the host memory belongs to none"):
        svm.as_buffer()


def test_devices_are_shown_by_what_they_are(opencl):
    assert repr(opencl[0]) == f"<clpool.Device: {opencl[0].description}>" and opencl[0].description


def test_a_closed_writer_is_closed(tmp_path):
    writer = clpool.TraceWriter(tmp_path / "log.csv")
    writer.close()
    writer.close()
    with pytest.raises(clpool.ClpoolError, match="released"):
        writer.write("allocate", 1, 1)


def test_maps_let_go_of_their_memory(context, queue):
    buffer = clpool.Buffer(context, mem_flags.READ_WRITE, 64)
    mapped = buffer.map(queue)
    mapped.release()
    assert mapped._memory is None


def test_copies_of_boxes_take_no_old_names(context, queue):
    buffer = clpool.Buffer(context, mem_flags.READ_WRITE, 64)
    host = np.zeros(64, np.uint8)
    with pytest.raises(TypeError, match="device_offset does not go with a copy"):
        clpool.enqueue_copy(queue, host, buffer, device_offset=0, buffer_origin=(0, 0), host_origin=(0, 0), region=(8, 8))
    with pytest.warns(DeprecationWarning, match="device_offset is an old name, use src_offset"):
        clpool.enqueue_copy(queue, host, buffer, device_offset=0)


def test_the_default_queue_makes_its_context():
    from clpool import devices
    kept, devices._current = devices._current, None
    try:
        assert devices.default_queue().int_ptr and devices.current_context() is not None
    finally:
        devices._current = kept


def test_shapes_have_no_negative_extents(context, queue, tmp_path):
    with pytest.raises(ValueError, match=r"shape \(2, -3\) has a negative extent"):
        clpool.Buffer(context, mem_flags.READ_WRITE, 64).map(queue).array(np.uint8, (2, -3))


def test_strides_may_be_zero_and_not_negative():
    from clpool.arrays import bytes_of
    assert bytes_of((4, 3), np.dtype(np.int32), (0, 4)) == 12
    with pytest.raises(ValueError, match=r"strides are \(-1, 4\) for the shape"):
        bytes_of((4, 3), np.dtype(np.int32), (-1, 4))
    with pytest.raises(ValueError, match=r"strides are \(4,\) for the shape"):
        bytes_of((4, 3), np.dtype(np.int32), (4,))


def test_allocators_around_another_are_as_deferred_as_that(context, queue, tmp_path):
    for inner in (clpool.DeferredAllocator(context), clpool.ImmediateAllocator(queue)):
        for around in (clpool.LimitAllocator(inner, 1 << 20), clpool.TraceAllocator(inner, tmp_path / "log.csv")):
            assert around.is_deferred == inner.is_deferred and around.inner is inner


def test_checks_are_the_librarys(monkeypatch, numbers):
    from clpool import heap, pools
    asked = []
    monkeypatch.setattr(pools._n, "clpool_pool_check", lambda of: asked.append(of))
    monkeypatch.setattr(heap._n, "clpool_heap_check", lambda of: asked.append(of))
    pool, numbered = numbers.pool(), clpool.Heap()
    pool.check()
    numbered.check()
    assert asked == [pool, numbered._handle]


def test_figures_of_architectures_may_be_given_with_their_carve_outs():
    limits = clpool.DeviceData.of("sm_80").limits
    assert len(limits["local_carve_outs"]) > 2
    limits["local_carve_outs"] = limits["local_carve_outs"][:2]
    limits["local_carve_out_count"] = 7
    assert clpool.DeviceData.from_limits(**limits).limits["local_carve_outs"] == limits["local_carve_outs"]


def test_device_data_is_of_the_device_that_is_given_or_chosen(monkeypatch, opencl):
    from clpool import devices
    assert clpool.DeviceData(opencl[0]).limits == clpool.DeviceData(opencl[0]).limits
    monkeypatch.setattr(devices, "choose_device", lambda: opencl[0])
    assert clpool.DeviceData().source == clpool.DeviceData(opencl[0]).source
    monkeypatch.setattr(devices, "choose_device", lambda: pytest.fail("a device was given"))
    assert clpool.DeviceData(opencl[0]).source in ("query", "kernel query", "table", "guess")


def test_pipes_have_no_properties(context):
    with pytest.raises(ValueError, match=r"properties are \[1, 2\], OpenCL has none for pipes"):
        clpool.Pipe(context, 0, 16, 10, (1, 2))


def test_pools_and_maps_show_what_they_have(numbers, context, queue):
    pool = numbers.pool()
    block = pool.allocate(100)
    assert repr(pool) == f"<clpool.{type(pool).__name__}: 1 blocks with 100 bytes active, {pool.managed_bytes} bytes managed>"
    block.release()
    pool.release()
    assert repr(pool) == f"<clpool.{type(pool).__name__}: released>"


def test_page_locked_pools_are_called_for_arrays(queue):
    pool = clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(queue))
    array = pool((3, 5), np.int16, "F")
    assert array.shape == (3, 5) and array.dtype == np.int16 and array.flags.f_contiguous
    assert pool.active_blocks == 1


def test_samplers_tell_all_they_were_made_with(context):
    sampler = clpool.Sampler(context, True, clpool.addressing_mode.CLAMP, clpool.filter_mode.LINEAR)
    asked = {clpool.sampler_info.PROPERTIES: (7).to_bytes(8, "little") + (9).to_bytes(8, "little"),
             clpool.sampler_info.LOD_MIN: np.float32(0.5).tobytes(), clpool.sampler_info.LOD_MAX: np.float32(2.5).tobytes(),
             clpool.sampler_info.MIP_FILTER_MODE: (0x1141).to_bytes(4, "little")}

    class Answering(clpool.Sampler):
        def _info(self, name):
            return asked[name]
    made = Answering(context, True, clpool.addressing_mode.CLAMP, clpool.filter_mode.LINEAR)
    assert (made.properties, made.lod_min, made.lod_max, made.mip_filter_mode) == ([7, 9], 0.5, 2.5, 0x1141)
    assert (sampler.addressing_mode, sampler.filter_mode) == (clpool.addressing_mode.CLAMP, clpool.filter_mode.LINEAR)


def test_a_map_of_svm_shows_itself_and_ends_with_its_block(context, queue, needs_svm):
    svm = clpool.SVMAllocation(context, 64)
    mapped = svm.map_rw(queue)
    assert mapped.int_ptr == svm.svm_ptr and repr(mapped) == f"<clpool.SVMMap: {svm}>"
    unmapped = mapped.release()
    assert isinstance(unmapped, clpool.Event) and repr(mapped) == "<clpool.SVMMap: unmapped>"
    with svm.map_rw(queue) as array:
        inside = svm.map_rw(queue)
        inside.release()
        assert len(array) == 64
    mapped = svm.map_rw(queue)
    with mapped:
        pass
    assert mapped.svm is None


def test_a_buffer_over_svm_keeps_it(context, queue, needs_svm):
    svm = clpool.SVMAllocation(context, 64)
    clpool.enqueue_fill(queue, svm, b"x").wait()
    buffer = svm.as_buffer()
    del svm
    read = np.zeros(64, np.uint8)
    clpool.enqueue_copy(queue, read, buffer)
    assert (read == ord("x")).all() and buffer._kept is not None


def test_the_array_of_a_map_is_the_host_object_only_where_all_of_it_is_mapped(context, queue, needs_svm):
    host = clpool.SVMAllocation(context, 64).as_array()
    svm = clpool.SVM(context, host)
    for arguments, whole in (({}, True), ({"offset": 8}, False), ({"size": 32}, False)):
        mapped = svm.map(queue, **arguments)
        assert (mapped.array is host) == whole
        mapped.release()


def test_svm_of_an_array_passes_everything_on_to_the_one_in_a_context(monkeypatch, context, queue):
    from clpool import svm as module
    array = np.zeros(16, np.float32)
    svm = clpool.SVM(array)
    asked = []

    class Bound:
        def __init__(self, ctx=None, mem=None):
            asked.append(("bound", ctx, mem is array))

        def map(self, *arguments):
            asked.append(("map", *arguments))
            return "mapped"

        def set_kernel_arg(self, *arguments):
            asked.append(("argument", *arguments))

        def as_buffer(self, *arguments, **keywords):
            asked.append(("buffer", *arguments, keywords))
            return "buffer"
    monkeypatch.setattr(module._n, "context_of", lambda thing, kind: (thing, kind))
    monkeypatch.setattr(module, "SVM", Bound)
    assert svm.map(queue, 1, 4, 8, False, ["event"]) == "mapped"
    svm.set_kernel_arg("kernel", 3)
    assert svm.as_buffer(context, flags=1, size=8) == "buffer"
    assert asked == [("bound", (queue, "cl_command_queue"), True), ("map", queue, 1, 4, 8, False, ["event"]),
                     ("bound", ("kernel", "cl_kernel"), True), ("argument", "kernel", 3),
                     ("bound", context, True), ("buffer", context, {"flags": 1, "size": 8})]
    svm.release()
    assert not svm._bound
    assert repr(svm) == f"<clpool.SVM: 64 bytes of host memory at {array.ctypes.data:#x}>"


def test_events_of_logs_know_their_slots():
    text = "Thread,Time,Action,Pointer,Size,Stream\n0,1,allocate,0x1,8,0\n0,1,allocate failure,(nil),8,0\n0,1,free,0x1,8,0\n"
    assert [event.slot for event in clpool.Trace.parse(text)] == [0, None, 0]


def test_a_writer_that_cannot_write_says_so_when_it_is_closed(tmp_path):
    resource = pytest.importorskip("resource")
    path = tmp_path / "log.csv"
    writer = clpool.TraceWriter(path)
    writer.flush()
    writer.write("allocate", 4096, 64, 0)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, limits[1]))
    try:
        with pytest.raises(clpool.ClpoolError, match="cannot be written: File too large"):
            writer.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    writer.close()


def test_places_have_up_to_three_entries():
    from clpool.transfer import _three
    assert _three((1, 2), 0) == (1, 2, 0) and _three(5, 1) == (5, 1, 1)
    with pytest.raises(ValueError, match="has 4 entries, at most 3 are possible"):
        _three((1, 2, 3, 4), 0)


def test_a_copy_needs_memory_on_one_side(queue):
    with pytest.raises(TypeError, match="neither bytearray nor bytes is memory of clpool"):
        clpool.enqueue_copy(queue, bytearray(4), b"1234")


def test_copies_by_amds_extension_pass_everything_on(monkeypatch, queue):
    from clpool import transfer
    asked = []
    monkeypatch.setattr(transfer._n, "clpool_mem_copy_p2p", lambda *arguments: asked.append(arguments) or "event")
    assert clpool.enqueue_copy_buffer_p2p_amd("platform", queue, "from", "to", 8, ["event"]) == "event"
    assert clpool.enqueue_copy_buffer_p2p_amd("platform", queue, "from", "to") == "event"
    assert asked == [(queue, "to", 0, "from", 0, 8, ["event"]), (queue, "to", 0, "from", 0, transfer.WHOLE_SIZE, None)]


def test_kernels_are_asked_through_the_library(monkeypatch):
    from clpool import characterize
    for name in ("simd_group_size_of_kernel", "usable_local_memory_of_kernel"):
        asked = []
        monkeypatch.setattr(characterize._n, "clpool_characterize_" + name, lambda *arguments, to=asked: to.append(arguments[:2]))
        assert isinstance(getattr(characterize, "ask_" + name)("device", "kernel"), characterize.Answer)
        assert asked == [("device", "kernel")]


def test_image_properties_are_told_as_bytes(context):
    if not clpool.get_supported_image_formats(context, mem_flags.READ_WRITE, clpool.mem_object_type.IMAGE2D):
        pytest.skip("the device has no images")
    image = clpool.create_image(context, mem_flags.READ_WRITE, clpool.ImageFormat(
        clpool.channel_order.RGBA, clpool.channel_type.UNSIGNED_INT8), (8, 4))
    assert int.from_bytes(image.get_image_info_bytes(clpool.image_info.WIDTH), "little") == 8


def test_a_block_is_released_behind_events(numbers):
    pool = numbers.pool()
    block = pool.allocate(64)
    with pytest.raises((TypeError, clpool.ClpoolError)):
        block.release_after("no event")
    assert not block.is_released
    block.release_after()
    assert block.is_released


def test_the_program_takes_the_place_of_the_module(monkeypatch):
    from clpool import __main__ as program
    ran = []
    monkeypatch.setattr(program.shutil, "which", lambda name: "/somewhere/" + name)
    monkeypatch.setattr(program.Path, "is_file", lambda path: False)
    monkeypatch.setattr(program.os, "execv", lambda *arguments: ran.append(arguments))
    monkeypatch.setattr(program.sys, "argv", ["clpool", "devices", "--json"])
    program.main()
    assert ran == [("/somewhere/clpool", ["clpool", "devices", "--json"])]


def test_an_array_at_an_address_keeps_its_owner():
    import gc
    import weakref

    from clpool.arrays import array_at

    class Owner:
        pass
    memory, owner = np.zeros(16, np.uint8), Owner()
    array, gone = array_at(memory.ctypes.data, 16, (16,), np.uint8, "C", owner), weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is not None and len(array) == 16
    del array
    gc.collect()
    assert gone() is None


def test_a_default_device_that_there_is_not_is_an_error(monkeypatch, opencl):
    from clpool import devices
    monkeypatch.setattr(devices, "choose_device", lambda: opencl[0])
    monkeypatch.setattr(devices, "list_devices", lambda **_: [opencl[0]])
    with pytest.warns(DeprecationWarning), pytest.raises(IndexError, match="default is 7, there are 1 devices"):
        clpool.get_default_device(7)


def test_host_memory_is_kept_only_where_it_is_used(context):
    import gc
    copied, used = bytearray(64), bytearray(64)
    buffers = [clpool.Buffer(context, mem_flags.COPY_HOST_PTR, hostbuf=copied),
               clpool.Buffer(context, mem_flags.USE_HOST_PTR, hostbuf=used)]
    copied.append(1)
    with pytest.raises(BufferError):
        used.append(1)
    del buffers
    gc.collect()


def test_images_keep_host_memory_until_the_driver_is_through(monkeypatch):
    from clpool import images
    kept = []

    class Made:
        _kept = None
    monkeypatch.setattr(images._n, "clpool_image_create", lambda context, options: Made())
    monkeypatch.setattr(images._n, "keep_until_gone", lambda *arguments: kept.append(arguments))
    image_format = clpool.ImageFormat(clpool.channel_order.RGBA, clpool.channel_type.UNSIGNED_INT8)
    host = np.zeros((4, 4, 4), np.uint8)
    used = clpool.create_image("context", mem_flags.USE_HOST_PTR, image_format, (4, 4), hostbuf=host)
    copied = clpool.create_image("context", mem_flags.COPY_HOST_PTR, image_format, (4, 4), hostbuf=host)
    assert len(kept) == 1 and kept[0][0] is used and kept[0][1] is used._kept and copied._kept is None


def test_what_a_block_waits_for_is_told_to_the_library(monkeypatch):
    from clpool import memory
    asked = []

    class Block:
        release = staticmethod(lambda: asked.append("released"))
    block = Block()
    monkeypatch.setattr(memory._n, "clpool_mem_release_after", lambda *arguments: asked.append(arguments))
    clpool.MemoryObject.release_after(block, "one", "two")
    assert asked == [(block, ("one", "two")), "released"]


def test_blocks_are_freed_by_pycudas_name(queue, context, request):
    pool = clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(queue))
    block = pool.allocate(64).base
    while not isinstance(block, clpool.MemoryObject):
        block = block.obj if isinstance(block, memoryview) else block.base
    block.free()
    assert block.is_released and pool.active_blocks == 0
    request.getfixturevalue("needs_svm")
    pool = clpool.SVMPool(clpool.SVMAllocator(context, queue=queue))
    block = pool.allocate(64)
    block.free()
    assert block.is_released and pool.active_blocks == 0


def test_properties_of_pipes_are_numbers_or_a_list(monkeypatch):
    from clpool import pipes

    class Asked:
        get_info_number = staticmethod(lambda name: 7)
    monkeypatch.setattr(pipes, "info_bytes", lambda question, pipe, name: (3).to_bytes(8, "little") + (4).to_bytes(8, "little"))
    assert clpool.Pipe.get_pipe_info(Asked(), clpool.pipe_info.PACKET_SIZE) == 7
    assert clpool.Pipe.get_pipe_info(Asked(), clpool.pipe_info.PROPERTIES) == [3, 4]


def test_strides_of_mapped_images_go_over_gaps():
    from types import SimpleNamespace

    from clpool.transfer import _strides_of
    array, other = (SimpleNamespace(type=kind, element_size=4)
                    for kind in (clpool.mem_object_type.IMAGE1D_ARRAY, clpool.mem_object_type.IMAGE3D))

    def strides(image, row_pitch, slice_pitch, region, extents, order="C"):
        return list(_strides_of(SimpleNamespace(row_pitch=row_pitch, slice_pitch=slice_pitch), image, region, extents, 4, order))
    assert strides(array, 32, 64, (8, 4), (4, 8)) == [64, 4]
    assert strides(other, 16, 0, (4, 3, 2), (2, 3, 4)) == [48, 16, 4]
    assert strides(other, 16, 0, (4, 3, 2), (24,)) == [4]
    assert strides(other, 32, 0, (8, 2), (2, 3)) == [32, 4]
    assert strides(other, 32, 0, (8, 2), (0, 8)) == [32, 4]
    assert strides(other, 32, 0, (8, 2), (8, 0), "F") == [4, 32]
    with pytest.raises(ValueError, match="has 9 items in a row where the map has 4"):
        strides(other, 32, 0, (4, 3), (1, 9))


def test_the_plugins_marks_skip_without_a_device_and_clean_up(monkeypatch):
    from clpool import pytest_plugin as plugin
    done = []

    def test():
        done.append("run")
        return 5
    monkeypatch.setattr(plugin, "_clear_caches", lambda: done.append("cleared"))
    monkeypatch.setattr(plugin, "make_default_context", lambda: done.append("context"))
    monkeypatch.setattr(plugin, "devices", lambda: ["a device"])
    assert plugin.mark_opencl_test(test)() == 5 and done == ["run", "cleared"]
    del done[:]
    plugin.mark_cuda_test(test)()
    assert done == ["context", "run", "cleared"]
    del done[:]
    monkeypatch.setattr(plugin, "devices", lambda: [])
    with pytest.raises(pytest.skip.Exception, match="there is no OpenCL device"):
        plugin.mark_opencl_test(test)()
    assert not done
    assert repr(plugin.ContextFactory(type("Device", (), {"description": "D [P]"})())) == "<context factory for D [P]>"
