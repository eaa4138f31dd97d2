# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Copies whose sides are of unequal length, host memory that must be writable, maps as arrays."""
import sys
import threading

import numpy as np
import pytest

import clpool
from clpool import map_flags, mem_flags

RW = mem_flags.READ_WRITE


def test_more_than_a_buffer_has_is_not_written(context, queue):
    buffer = clpool.Buffer(context, RW, 48)
    with pytest.raises(clpool.InvalidValueError, match="800 bytes"):
        clpool.enqueue_copy(queue, buffer, np.zeros(100))
    with pytest.raises(clpool.InvalidValueError):
        clpool.enqueue_copy(queue, buffer, np.zeros(6), dst_offset=8)


def test_more_than_a_buffer_has_is_not_read(context, queue):
    buffer, host = clpool.Buffer(context, RW, 48), np.full(100, -1.0)
    with pytest.raises(clpool.InvalidValueError, match="800 bytes"):
        clpool.enqueue_copy(queue, host, buffer)
    assert (host == -1).all()


def test_a_host_object_that_is_shorter_is_copied_whole(context, queue):
    buffer = clpool.Buffer(context, RW, 48)
    clpool.enqueue_fill(queue, buffer, b"\0")
    clpool.enqueue_copy(queue, buffer, b"\1\2\3\4", dst_offset=8)
    part, whole = bytearray(6), bytearray(48)
    clpool.enqueue_copy(queue, part, buffer, src_offset=7)
    clpool.enqueue_copy(queue, whole, buffer)
    assert part == b"\0\1\2\3\4\0" and whole == bytes(8) + b"\1\2\3\4" + bytes(36)


def test_between_buffers_as_much_as_both_have_is_copied(context, queue):
    short, long = clpool.Buffer(context, RW, 16), clpool.Buffer(context, RW, 64)
    clpool.enqueue_fill(queue, long, b"\7")
    clpool.enqueue_copy(queue, short, long)
    host = bytearray(16)
    clpool.enqueue_copy(queue, host, short)
    assert host == b"\7" * 16


def test_svm_is_copied_to_and_from_what_is_as_long(context, queue, needs_svm):
    svm, host = clpool.SVMAllocation(context, 64, queue=queue), np.arange(64, dtype=np.uint8)
    other = clpool.SVMAllocation(context, 32, queue=queue)
    for dest, src in ((svm, host[:32].copy()), (np.zeros(32, np.uint8), svm), (svm, other), (other, svm),
                      (svm, clpool.Buffer(context, RW, 32)), (clpool.Buffer(context, RW, 32), svm)):
        with pytest.raises(clpool.InvalidValueError):
            clpool.enqueue_copy(queue, dest, src)
    clpool.enqueue_copy(queue, svm, host)
    clpool.enqueue_copy(queue, other, svm, byte_count=16)
    back = np.zeros(32, np.uint8)
    clpool.enqueue_copy(queue, back, other)
    assert (back[:16] == host[:16]).all()


@pytest.mark.parametrize("integer", [int, np.uint8, np.int64, np.uint64])
def test_offsets_of_copies_with_svm_are_integers_of_any_type(context, queue, needs_svm, integer):
    svm, other = clpool.SVMAllocation(context, 64, queue=queue), clpool.SVMAllocation(context, 40, queue=queue)
    clpool.enqueue_fill(queue, svm, b"\0")
    clpool.enqueue_copy(queue, svm, b"\7" * 40, dst_offset=integer(24))
    clpool.enqueue_copy(queue, other, svm, src_offset=integer(24))
    back = bytearray(16)
    clpool.enqueue_copy(queue, back, other, src_offset=integer(24))
    assert back == b"\7" * 16
    with pytest.raises(TypeError):
        clpool.enqueue_copy(queue, back, other, src_offset=24.0)


def test_page_locked_memory_is_copied_whole(context, queue):
    pinned = clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(queue)).allocate_block(100)
    with pytest.raises(clpool.InvalidValueError):
        clpool.enqueue_copy(queue, clpool.Buffer(context, RW, 64), pinned)
    clpool.enqueue_copy(queue, clpool.Buffer(context, RW, 128), pinned)


def test_old_names_of_offsets_are_taken_with_a_warning(context, queue):
    buffer, host = clpool.Buffer(context, RW, 16), bytearray(4)
    clpool.enqueue_fill(queue, buffer, b"\0")
    with pytest.warns(DeprecationWarning, match="use dst_offset"):
        clpool.enqueue_copy(queue, buffer, b"\5", device_offset=3)
    with pytest.warns(DeprecationWarning, match="use src_offset"):
        clpool.enqueue_copy(queue, host, buffer, device_offset=2)
    assert host == b"\0\5\0\0"
    with pytest.warns(DeprecationWarning, match="use dst_offset"):
        clpool.enqueue_copy(queue, clpool.Buffer(context, RW, 16), buffer, dest_offset=4, byte_count=4)
    with pytest.raises(TypeError, match="only one"):
        clpool.enqueue_copy(queue, buffer, b"\5", device_offset=3, dst_offset=3)


def side(context, kind):
    """Something to copy from or to, of 256 bytes."""
    format_ = clpool.ImageFormat(clpool.channel_order.RGBA, clpool.channel_type.UNSIGNED_INT8)
    return {"memory": lambda: clpool.Buffer(context, RW, 256), "the host": lambda: np.zeros(256, np.uint8),
            "an image": lambda: clpool.create_image(context, RW, format_, shape=(8, 8))}[kind]()


@pytest.mark.parametrize("src, dest, own, boxes", [
    ("memory", "memory", "byte_count dst_offset src_offset", False),
    ("the host", "memory", "byte_count dst_offset", False),
    ("memory", "the host", "byte_count src_offset", False),
    ("memory", "memory", "src_origin dst_origin src_pitches dst_pitches", True),
    ("the host", "memory", "buffer_origin host_origin buffer_pitches host_pitches", True),
    ("memory", "the host", "buffer_origin host_origin buffer_pitches host_pitches", True),
    ("an image", "an image", "src_origin dest_origin", True),
    ("an image", "memory", "origin offset", True),
    ("memory", "an image", "origin offset", True),
    ("an image", "the host", "origin pitches", True),
    ("the host", "an image", "origin pitches", True),
])
def test_a_copy_takes_what_is_said_of_its_place_and_refuses_what_belongs_to_others(context, queue, src, dest, own, boxes):
    if "an image" in (src, dest) and not clpool.get_supported_image_formats(context, RW, clpool.mem_object_type.IMAGE2D):
        pytest.skip("the device has no images")
    values = dict.fromkeys("src_origin dst_origin dest_origin buffer_origin host_origin origin".split(), (0, 0))
    values.update(dict.fromkeys("src_pitches dst_pitches buffer_pitches host_pitches pitches".split(), (32,)))
    values.update(byte_count=4, dst_offset=0, src_offset=0, offset=0)
    target, source, region = side(context, dest), side(context, src), {"region": (4, 2)} if boxes else {}
    for name, value in values.items():
        if name in own.split():
            clpool.enqueue_copy(queue, target, source, **region, **{name: value}).wait()
        else:
            with pytest.raises(TypeError, match=f"^{name} does not go with a copy from {src} to {dest}.*{own.split()[-1]}"):
                clpool.enqueue_copy(queue, target, source, **region, **{name: value})


def read_only_array():
    array = np.zeros(4, np.uint8)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("host", [b"immutable bytes!", read_only_array(), memoryview(b"1234")])
def test_memory_that_devices_write_must_be_writable(context, host):
    with pytest.raises(BufferError, match="cannot be written"):
        clpool.Buffer(context, RW | mem_flags.USE_HOST_PTR, hostbuf=host)
    with pytest.raises(BufferError, match="cannot be written"):
        clpool.Buffer(context, mem_flags.USE_HOST_PTR, hostbuf=host)
    clpool.Buffer(context, mem_flags.READ_ONLY | mem_flags.USE_HOST_PTR, hostbuf=host)
    clpool.Buffer(context, RW | mem_flags.COPY_HOST_PTR, hostbuf=host)


def test_the_base_of_a_mapped_array_is_the_map(context, queue):
    buffer = clpool.Buffer(context, RW, 400)
    array, event = clpool.enqueue_map_buffer(queue, buffer, map_flags.WRITE, 0, (10, 10), np.float32)
    assert isinstance(array.base, clpool.MemoryMap) and event == array.base.event
    part = array[3:, 2]
    assert clpool.mapping_of(part) is array.base
    assert repr(array.base) == f"<clpool.MemoryMap: 400 bytes at {array.ctypes.data:#x}>"
    with array.base as bytes_:  # the bytes, not the map as in PyOpenCL
        assert isinstance(bytes_, np.ndarray) and bytes_.dtype == np.uint8 and bytes_.base is array.base
        array[:] = 5
    assert "unmapped" in repr(array.base)
    host = np.zeros(100, np.float32)
    clpool.enqueue_copy(queue, host, buffer)
    assert (host == 5).all()
    with pytest.raises(ValueError):
        clpool.mapping_of(host)


def test_an_array_keeps_its_map(context, queue):
    buffer = clpool.Buffer(context, RW, 400)
    array = clpool.enqueue_map_buffer(queue, buffer, map_flags.WRITE, 0, 100, np.float32)[0]
    array[:] = 2  # the map is not unmapped as long as an array is there
    base = array.base
    del array
    assert base.size == 400
    base.release()
    assert base.release() is base.release()


def test_a_mapped_array_has_the_strides_that_are_asked_for(context, queue):
    buffer = clpool.Buffer(context, RW, 200)
    clpool.enqueue_copy(queue, buffer, np.arange(50, dtype=np.int32))
    array, _ = clpool.enqueue_map_buffer(queue, buffer, map_flags.READ, 8, (4, 5), np.int32, strides=(40, 8))
    assert array.strides == (40, 8) and array.base.size == 3 * 40 + 4 * 8 + 4  # the gaps within, and none behind the end
    assert (array == 2 + 10 * np.arange(4)[:, None] + 2 * np.arange(5)).all()
    array.base.release().wait()
    for strides in ((-40, 8), (40,), (40, 8, 4)):
        with pytest.raises(ValueError, match="strides are .* for the shape"):
            clpool.enqueue_map_buffer(queue, buffer, map_flags.READ, 8, (4, 5), np.int32, strides=strides)
    with pytest.raises(clpool.InvalidValueError, match="200"):
        clpool.enqueue_map_buffer(queue, buffer, map_flags.READ, 8, (5, 5), np.int32, strides=(40, 8))


@pytest.mark.parametrize("shape", [3.7, (2.5, 2), "12", b"12", ("3", 4), None, np.float32(3)])
def test_shapes_are_integers(context, queue, shape):
    buffer = clpool.Buffer(context, RW, 64)
    for use in (lambda: clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(queue)).allocate(shape),
                lambda: clpool.svm_empty(context, RW, shape, np.uint8),
                lambda: clpool.enqueue_map_buffer(queue, buffer, map_flags.READ, 0, shape, np.uint8)):
        with pytest.raises(TypeError, match="^shape is .*integer"):
            use()


@pytest.mark.parametrize("place", [{"region": (2.9, 1)}, {"region": "2"}, {"buffer_origin": (0.9, 0)}, {"host_origin": 1.5}])
def test_places_of_boxes_are_integers(context, queue, place):
    with pytest.raises(TypeError, match="integer"):
        clpool.enqueue_copy(queue, clpool.Buffer(context, RW, 64), bytes(64), **{"region": (2, 1), **place})


@pytest.mark.parametrize("pitches", [(16, 0), np.array([16, 0]), np.array([16]), np.uint16(16), 16])
def test_pitches_are_any_sequence_of_integers(context, queue, pitches):
    buffer, host = clpool.Buffer(context, RW, 64), bytearray(8)
    clpool.enqueue_copy(queue, buffer, bytes(range(64)))
    clpool.enqueue_copy(queue, host, buffer, region=(4, 2), buffer_origin=(0, 1), buffer_pitches=pitches)
    assert list(host) == [16, 17, 18, 19, 32, 33, 34, 35]
    for wrong, error in (((16, 0, 0), ValueError), (16.5, TypeError), ("16", TypeError), ((-16,), ValueError)):
        with pytest.raises(error):
            clpool.enqueue_copy(queue, host, buffer, region=(4, 2), buffer_pitches=wrong)
    if clpool.get_supported_image_formats(context, RW, clpool.mem_object_type.IMAGE2D):
        pixels = clpool.ImageFormat(clpool.channel_order.RGBA, clpool.channel_type.UNSIGNED_INT8)
        image = clpool.create_image(context, RW | mem_flags.COPY_HOST_PTR, pixels, (4, 2), pitches=pitches, hostbuf=bytearray(32))
        assert image.shape == (4, 2)


@pytest.mark.parametrize("dtype", ["f4", ">i2", "?", "M8[ns]", "S5", [("x", "f4"), ("y", "i2")], np.dtype("i4,f8", align=True)])
def test_a_mapped_array_has_any_type_without_objects(context, queue, dtype):
    dtype = np.dtype(dtype)
    buffer = clpool.Buffer(context, RW, 4 * dtype.itemsize)
    clpool.enqueue_fill(queue, buffer, b"\1")
    array, _ = clpool.enqueue_map_buffer(queue, buffer, map_flags.READ, 0, (2, 2), dtype, "F")
    assert array.dtype == dtype and array.shape == (2, 2) and array.flags.f_contiguous
    assert array.tobytes() == b"\1" * 4 * dtype.itemsize
    assert isinstance(array.base, clpool.MemoryMap)


@pytest.mark.parametrize("strides", [None, (8192,)])
def test_a_mapped_array_of_items_with_a_shape_stays_within_its_map(context, queue, strides):
    row, buffer = np.dtype((np.float32, (1024,))), clpool.Buffer(context, RW, 3 * 4096)
    array, _ = clpool.enqueue_map_buffer(queue, buffer, map_flags.READ, 0, 2, row, strides=strides)
    assert array.shape == (2, 1024) and array.strides == (8192 if strides else 4096, 4)
    whole = array.base
    assert isinstance(whole, clpool.MemoryMap) and whole.size == (3 if strides else 2) * 4096
    assert whole.array(row).shape == (whole.size // 4096, 1024)
    with pytest.raises(ValueError, match="needs 16384 bytes"):
        whole.array(row, 4)
    with pytest.raises(ValueError, match="a shape is needed"):
        whole.array("S0")
    assert whole.array("S0", 5).shape == (5,)


def test_arrays_of_maps_can_be_made_while_another_is_made(context, queue):
    mapped, other = (clpool.Buffer(context, RW, 400).map(queue) for _ in range(2))
    arrays, within = [], []

    def interrupt(*_event):  # as a signal's handler may, at every step
        sys.setprofile(None)
        within.extend((other.array(), mapped.array()))
        sys.setprofile(interrupt)

    def work():
        sys.setprofile(interrupt)
        arrays.append(mapped.array(np.float32, (10, 10)))
        sys.setprofile(None)
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(30)
    assert not thread.is_alive() and within
    assert arrays[0].shape == (10, 10) and arrays[0].base is mapped
    assert all(array.shape == (400,) and array.base in (mapped, other) for array in within)


def test_a_map_has_the_buffer_protocol(context, queue):
    buffer = clpool.Buffer(context, RW, 400)
    mapped = buffer.map(queue, map_flags.WRITE)
    assert np.frombuffer(mapped, np.float32).shape == (100,)
    array = np.asarray(mapped)
    assert clpool.mapping_of(array[4:]) is mapped
    array[:] = 7
    mapped.release()
    with pytest.raises(clpool.InvalidOperationError):
        memoryview(mapped)
    host = bytearray(400)
    clpool.enqueue_copy(queue, host, buffer)
    assert host == b"\7" * 400


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_mapped_image_of_three_dimensions_has_its_slices(context, queue, order):
    if not clpool.get_supported_image_formats(context, RW, clpool.mem_object_type.IMAGE3D):
        pytest.skip("the device has no 3-D images")
    pixels = np.arange(3 * 5 * 7 * 4, dtype=np.float32).reshape(3, 5, 7, 4)
    image = clpool.create_image(context, RW, clpool.ImageFormat(clpool.channel_order.RGBA, clpool.channel_type.FLOAT), shape=(7, 5, 3))
    clpool.enqueue_copy(queue, image, pixels, origin=(0, 0, 0), region=(7, 5, 3))
    # Fewer rows than the image has: on some drivers slices lie further apart than the region's rows take.
    shape = (2, 3, 6, 4) if order == "C" else (4, 6, 3, 2)
    mapped = clpool.enqueue_map_image(queue, image, map_flags.READ, (1, 2, 1), (6, 3, 2), shape, np.float32, order)
    expected = pixels[1:, 2:, 1:]
    assert (mapped.array == (expected if order == "C" else expected.T)).all()


def filled_image(context, queue, kind):
    """An image of RGBA bytes and its pixels, as (slice or layer, row, pixel, channel)."""
    kinds = clpool.mem_object_type
    shape = {kinds.IMAGE3D: (13, 7, 5), kinds.IMAGE2D_ARRAY: (13, 7, 5), kinds.IMAGE1D_ARRAY: (13, 5)}[kind]
    rgba = clpool.ImageFormat(clpool.channel_order.RGBA, clpool.channel_type.UNSIGNED_INT8)
    if rgba not in clpool.get_supported_image_formats(context, RW, kind):
        pytest.skip("the device has no such images")
    pixels = np.random.default_rng(0).integers(0, 256, (*shape[::-1], 4), dtype=np.uint8)
    image = clpool.create_image(context, RW, rgba, shape, is_array=kind != kinds.IMAGE3D)
    clpool.enqueue_copy(queue, image, pixels, origin=(0,) * len(shape), region=shape)
    return image, pixels if len(shape) == 3 else pixels[:, np.newaxis]


@pytest.mark.parametrize("region", [(6, 1, 3), (6, 3, 1), (1, 3, 2), (1, 1, 5), (13, 1, 5), (13, 7, 5), (1, 1, 1)])
@pytest.mark.parametrize("kind", ["IMAGE3D", "IMAGE2D_ARRAY", "IMAGE1D_ARRAY"])
def test_a_mapped_region_has_its_slices_however_thin_it_is(context, queue, kind, region):
    kind = clpool.mem_object_type[kind]
    image, pixels = filled_image(context, queue, kind)
    width, rows, slices = region
    if kind == clpool.mem_object_type.IMAGE1D_ARRAY:  # from the first layer on: rusticl 22.3 maps that whatever it is told
        rows, where = 1, ((13 - width, 0), (width, slices))
        expected = pixels[:slices, :, -width:]
    else:
        where = (13 - width, 7 - rows, 5 - slices), region
        expected = pixels[-slices:, -rows:, -width:]
    for dtype, pixel in ((np.uint8, 4), (np.uint32, 1)):
        typed = np.ascontiguousarray(expected).view(dtype)
        for shape in ((slices, rows, width, pixel), (slices, rows, width * pixel)):
            mapped = clpool.enqueue_map_image(queue, image, map_flags.READ, *where, shape, dtype)
            assert (mapped.array == typed.reshape(shape)).all()
            mapped = clpool.enqueue_map_image(queue, image, map_flags.READ, *where, shape[::-1], dtype, "F")
            assert (mapped.array == typed.reshape(shape).T).all()


def test_a_dimension_over_rows_needs_rows_without_gaps(context, queue):
    image, pixels = filled_image(context, queue, clpool.mem_object_type.IMAGE3D)
    for region in ((13, 7, 5), (6, 7, 5), (13, 3, 5)):
        mapped = clpool.enqueue_map_image(queue, image, map_flags.READ, (0, 0, 0), region)
        row, rows, slices = region[0] * 4, region[1], region[2]
        for shape, dense in (((slices, rows * row), mapped.row_pitch == row),
                             ((slices * rows, row), mapped.slice_pitch == mapped.row_pitch * rows)):
            if dense:
                array = clpool.enqueue_map_image(queue, image, map_flags.READ, (0, 0, 0), region, shape).array
                assert (array == pixels[:, :rows, :region[0]].reshape(shape)).all()
            else:
                with pytest.raises(ValueError, match="strides are needed, the pitches are"):
                    clpool.enqueue_map_image(queue, image, map_flags.READ, (0, 0, 0), region, shape)
        mapped.release()


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_mapped_image_has_the_shape_that_is_asked_for(context, queue, order):
    if not clpool.get_supported_image_formats(context, RW, clpool.mem_object_type.IMAGE2D):
        pytest.skip("the device has no images")
    pixels = np.arange(5 * 7 * 4, dtype=np.float32).reshape(5, 7, 4)
    image = clpool.image_from_array(context, pixels, 4, "rw")
    shape = (3, 6, 4) if order == "C" else (4, 6, 3)
    mapped = clpool.enqueue_map_image(queue, image, map_flags.READ, (1, 2), (6, 3), shape, np.float32, order)
    expected = pixels[2:5, 1:7]
    assert (mapped.array == (expected if order == "C" else expected.T)).all()
    array, event, row_pitch, slice_pitch = mapped
    assert row_pitch >= 6 * 16 and event.is_complete and slice_pitch >= 0
    with array.base:
        pass
    whole = clpool.enqueue_map_image(queue, image, map_flags.READ, (0, 0), (7, 5))
    assert isinstance(whole, clpool.MemoryMap)
    strided, *_ = clpool.enqueue_map_image(queue, image, map_flags.READ, (0, 0), (7, 5), (5, 7), np.float32,
                                           strides=(whole.row_pitch, 16))
    assert (strided == pixels[:, :, 0]).all()


def test_a_wait_list_may_change_while_it_is_read(context, queue):
    buffer = clpool.Buffer(context, mem_flags.READ_WRITE, 64)
    event = clpool.enqueue_fill(queue, buffer, b"1")
    waits = []

    class Clears:
        @property
        def int_ptr(self):
            waits.clear()
            return event.int_ptr
    waits[:] = [Clears(), event, event, event]
    clpool.enqueue_fill(queue, buffer, b"2", wait_for=waits).wait()
    with pytest.raises(TypeError, match="a sequence of cl_event, not clpool.Event"):
        clpool.enqueue_fill(queue, buffer, b"2", wait_for=clpool.enqueue_fill(queue, buffer, b"3"))
    assert waits == [] and event.is_complete


def test_views_of_arrays_of_objects_are_no_bytes(context, queue):
    buffer = clpool.Buffer(context, mem_flags.READ_WRITE, 64)
    for objects in (np.array([object()] * 8), np.zeros(8, [("number", "i4"), ("thing", object)])):
        for view in (memoryview(objects), memoryview(memoryview(objects))):
            with pytest.raises(TypeError, match="refers to Python objects"):
                clpool.enqueue_copy(queue, view, buffer)
            with pytest.raises(TypeError, match="refers to Python objects"):
                clpool.Buffer(context, mem_flags.READ_WRITE | mem_flags.USE_HOST_PTR, hostbuf=view)
    plain = np.zeros(64, np.uint8)
    clpool.enqueue_copy(queue, memoryview(plain), buffer)


def test_the_events_of_a_wait_list_live_as_long_as_the_call(context, queue):
    buffer = clpool.Buffer(context, mem_flags.READ_WRITE, 64)
    waits = (clpool.enqueue_fill(queue, buffer, b"1") for _ in range(50))
    clpool.enqueue_fill(queue, buffer, b"2", wait_for=waits).wait()
    pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue), queues=(queue for queue in (queue,)))
    assert pool.allocate(64).size == 64
