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
