# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What memory, images and formats say of themselves, and what their makers refuse."""
import gc

import numpy as np
import pytest

import clpool
from clpool import channel_order, channel_type, image_info, mem_flags, mem_object_type

RW = mem_flags.READ_WRITE
RGBA = clpool.ImageFormat(channel_order.RGBA, channel_type.UNSIGNED_INT8)


@pytest.fixture
def needs_images(context):
    if not clpool.get_supported_image_formats(context, RW, mem_object_type.IMAGE2D):
        pytest.skip("the device has no images")


def test_a_buffer_says_what_it_is(context, queue):
    buffer = clpool.Buffer(context, mem_flags.READ_ONLY, 8192)
    assert (buffer.type, buffer.flags, buffer.map_count, buffer.offset) == (mem_object_type.BUFFER, mem_flags.READ_ONLY, 0, 0)
    part = buffer.get_sub_region(4096, 100)
    assert part.offset == 4096 and part.associated_memobject is buffer
    with buffer.map(queue):
        assert buffer.map_count in (0, 1)  # a hint by the specification (CL_MEM_MAP_COUNT); rusticl counts none
    assert buffer.hostbuf is None
    again = clpool.Buffer.from_int_ptr(buffer)
    assert again.int_ptr == buffer.int_ptr and buffer.reference_count > 1


def test_custom_memory_has_no_context(numbers):
    assert numbers.pool().allocate(64).context is None


def test_a_part_keeps_the_whole(context):
    host = np.zeros(8192, np.uint8)
    part = clpool.Buffer(context, RW | mem_flags.USE_HOST_PTR, hostbuf=host).get_sub_region(4096, 64)
    gc.collect()
    assert part._kept.hostbuf is host


def test_formats_are_told_apart_by_order_and_type():
    assert RGBA == clpool.ImageFormat(channel_order.RGBA, channel_type.UNSIGNED_INT8)
    assert hash(RGBA) == hash(clpool.ImageFormat(channel_order.RGBA, channel_type.UNSIGNED_INT8))
    assert RGBA != clpool.ImageFormat(channel_order.R, channel_type.UNSIGNED_INT8)
    assert RGBA != clpool.ImageFormat(channel_order.RGBA, channel_type.FLOAT)
    assert RGBA != "RGBA" and RGBA != (channel_order.RGBA, channel_type.UNSIGNED_INT8)
    assert (RGBA.channel_count, RGBA.dtype_size, RGBA.itemsize) == (4, 1, 4)
    assert repr(RGBA) == "ImageFormat(CL_RGBA, CL_UNSIGNED_INT8)"
    assert repr(clpool.ImageFormat(1, 2)) == "ImageFormat(0x1, 0x2)"


def test_an_image_says_its_shape(context, needs_images):
    image = clpool.create_image(context, RW, RGBA, (8, 4))
    assert (image.shape, image.width, image.height, image.depth, image.array_size) == ((8, 4), 8, 4, 0, 0)
    assert image.format == RGBA and image.element_size == 4
    assert image.row_pitch >= 32 and image.get_image_info(image_info.WIDTH) == 8
    volume = clpool.create_image(context, RW, RGBA, (8, 4, 2))
    assert (volume.shape, volume.depth) == ((8, 4, 2), 2) and volume.slice_pitch >= 4 * 32
    layers = clpool.create_image(context, RW, RGBA, (8, 4, 3), is_array=True)
    assert (layers.shape, layers.array_size, layers.depth) == ((8, 4, 3), 3, 0)


def test_an_image_of_host_memory_takes_its_shape_and_content(context, queue, needs_images):
    formats = clpool.ImageFormat(channel_order.RGBA, channel_type.UNSIGNED_INT32)
    host = np.arange(4 * 8 * 4, dtype=np.uint32)
    image = clpool.create_image(context, RW | mem_flags.COPY_HOST_PTR, formats, (8, 4), hostbuf=host)
    result = np.empty_like(host)
    clpool.enqueue_copy(queue, result, image, origin=(0, 0), region=(8, 4))
    assert (result == host).all() and image._kept is None
    padded = np.zeros((4, 12, 4), np.uint32)
    padded[:, :8] = host.reshape(4, 8, 4)
    image = clpool.create_image(context, RW | mem_flags.COPY_HOST_PTR, formats, (8, 4), pitches=(12 * 16,), hostbuf=padded)
    clpool.enqueue_copy(queue, result, image, origin=(0, 0), region=(8, 4))
    assert (result == host).all()
    with pytest.raises(ValueError):
        clpool.create_image(context, RW, formats, (8, 4), pitches=(1, 2, 3))
    with pytest.raises(ValueError):
        clpool.create_image(context, RW, formats, (8, 4, 2, 1))


@pytest.mark.parametrize("kind", [tuple, np.array, lambda numbers: np.array(numbers, np.uint16)])
def test_shapes_and_places_of_images_are_any_sequence_of_integers(context, queue, needs_images, kind):
    image, color = clpool.create_image(context, RW, RGBA, kind((4, 2))), np.arange(4, dtype=np.uint32)
    assert image.shape == (4, 2)
    clpool.enqueue_fill_image(queue, image, color, kind((0, 0)), kind((4, 2)))
    read = np.zeros((1, 2, 4), np.uint8)
    clpool.enqueue_copy(queue, read, image, origin=kind((2, 1)), region=kind((2, 1)))
    assert (read == color).all()
    assert clpool.enqueue_map_image(queue, image, clpool.map_flags.READ, kind((0, 1)), kind((4, 1))).size == 16
    with pytest.raises(TypeError):
        clpool.enqueue_copy(queue, read, image, region=np.array((2.0, 1.0)))


def test_a_copy_of_an_image_needs_a_region(context, queue, needs_images):
    image = clpool.create_image(context, RW, RGBA, 4)
    assert image.shape == (4,)
    with pytest.raises(TypeError, match="a copy of an image needs a region"):
        clpool.enqueue_copy(queue, image, bytes(16))


def test_an_image_over_host_memory_keeps_it(context, needs_images):
    host = bytearray(8 * 4 * 4)
    image = clpool.create_image(context, RW | mem_flags.USE_HOST_PTR, RGBA, (8, 4), hostbuf=host)
    with pytest.raises(BufferError):
        host.append(0)
    image.release()


def test_an_image_of_an_array_has_the_access_it_was_given(context, needs_images):
    array = np.zeros((4, 8, 4), np.float32)
    for mode, flag in (("r", mem_flags.READ_ONLY), ("w", mem_flags.WRITE_ONLY), ("rw", RW)):
        image = clpool.image_from_array(context, array, 4, mode)
        assert image.flags & (mem_flags.READ_ONLY | mem_flags.WRITE_ONLY | RW) == flag
    with pytest.raises(ValueError):
        clpool.image_from_array(context, array, 4, "x")
    with pytest.raises(ValueError):
        clpool.image_from_array(context, array, 3)
    integers = clpool.image_from_array(context, np.zeros((4, 8, 4), np.uint8), 4)
    assert integers.format.channel_data_type == channel_type.UNSIGNED_INT8
    normalized = clpool.image_from_array(context, np.zeros((4, 8, 4), np.uint8), 4, norm_int=True)
    assert normalized.format.channel_data_type == channel_type.UNORM_INT8


def test_arrays_of_svm_have_the_shape_type_and_order_that_was_asked_for(context, opencl, needs_svm):
    like = np.zeros((2, 3), np.int16, order="F")
    made = clpool.csvm_empty_like(context, like)
    assert made.shape == (2, 3) and made.dtype == np.int16 and made.flags.f_contiguous
    assert clpool.svm_empty_like(context, RW, np.zeros((2, 3))).flags.c_contiguous
    with pytest.raises(ValueError):
        clpool.csvm_empty_like(context, np.zeros((4, 4))[::2, ::2])
    assert clpool.csvm_empty(context, 4, np.float32, alignment=128).ctypes.data % 128 == 0
    if clpool.characterize.has_fine_grain_buffer_svm(opencl[0]):
        assert clpool.fsvm_empty_like(context, like).shape == (2, 3)
    assert clpool.svm_capabilities(opencl[0]) & 1


def test_arrays_of_svm_have_the_grain_that_was_asked_for(monkeypatch):
    asked, like = [], np.zeros(4, np.float32)
    monkeypatch.setattr(clpool.svm, "_svm_array", lambda ctx, flags, *rest: asked.append(flags))
    for make in (clpool.csvm_empty, clpool.fsvm_empty):
        make(None, 4, np.float32)
    for make_like in (clpool.csvm_empty_like, clpool.fsvm_empty_like):
        make_like(None, like)
    flags = clpool.svm_mem_flags
    assert asked == [flags.READ_WRITE, flags.READ_WRITE | flags.SVM_FINE_GRAIN_BUFFER] * 2


def test_svm_of_no_bytes_is_an_object_all_the_same(context, needs_svm):
    nothing = clpool.SVMAllocation(context, 0)
    assert not nothing.is_released and nothing.enqueue_release() is None
    assert nothing == nothing and nothing != clpool.SVMAllocation(context, 0)
    assert repr(nothing) == "<clpool.SVMAllocation: 0 bytes>" and len({nothing, nothing}) == 1


def test_the_map_behind_an_array_is_found_through_its_views(context, queue):
    buffer = clpool.Buffer(context, RW, 400)
    array, _event = clpool.enqueue_map_buffer(queue, buffer, 3, 0, (10, 10), np.uint32)
    assert clpool.mapping_of(array[2:, 1]).size == 400
    clpool.mapping_of(array).release()
    with pytest.raises(ValueError):
        clpool.mapping_of(np.zeros(3))


def test_a_map_takes_strides(context, queue):
    buffer = clpool.Buffer(context, RW, 64)
    clpool.enqueue_copy(queue, buffer, np.arange(64, dtype=np.uint8))
    array, _event = clpool.enqueue_map_buffer(queue, buffer, 1, 0, (4, 4), np.uint8, strides=(1, 4))
    assert (array == np.arange(16).reshape(4, 4).T).all()
    with pytest.raises(ValueError):
        clpool.mapping_of(array).array(np.uint8, (4, 4), strides=(1, 32))
    clpool.mapping_of(array).release()


def test_orders_are_c_or_f_in_any_case(context, queue):
    buffer = clpool.Buffer(context, RW, 16)
    with buffer.map(queue):
        pass
    for order, is_fortran in (("c", False), ("C", False), ("f", True), ("F", True)):
        array, _event = clpool.enqueue_map_buffer(queue, buffer, 1, 0, (4, 4), np.uint8, order=order)
        assert array.flags.f_contiguous == is_fortran
    with pytest.raises(ValueError):
        clpool.enqueue_map_buffer(queue, buffer, 1, 0, (4, 4), np.uint8, order="K")


def test_results_are_kept_for_each_set_of_arguments(context, queue):
    calls = []

    @clpool.context_dependent_memoize
    def compute(_context, *args, **keywords):
        calls.append((args, keywords))
        return len(calls)

    assert [compute(context), compute(context, 1), compute(context, a=1), compute(context, a=2), compute(context, 1, a=1)] == [
        1, 2, 3, 4, 5]
    assert [compute(context), compute(context, 1), compute(context, a=1), compute(context, a=2), compute(context, 1, a=1)] == [
        1, 2, 3, 4, 5]
    clpool.clear_context_caches()
    assert compute(context) == 6


def test_a_cache_forgets_all_or_one_object(context, queue):
    cache = clpool.Cache("any")
    for thing in (context, queue):
        assert cache.get(thing, b"k", lambda thing=thing: str(thing)) == str(thing)
    assert len(cache) == 2
    cache.clear_object(context)
    assert cache.find(context, b"k") is None and cache.find(queue, b"k") == str(queue)
    cache.clear()
    assert len(cache) == 0 and cache.find(queue, b"k") is None
    with pytest.raises(ValueError):
        clpool.Cache("nothing")


def test_svm_is_released_on_the_queue_that_it_is_bound_to(context, queue, needs_svm):
    memory = clpool.SVMAllocation(context, 64)
    memory.bind_to_queue(queue)
    memory.enqueue_release().wait()
    memory = clpool.SVMAllocation(context, 64)
    memory.bind_to_queue(queue)
    memory.unbind_from_queue()
    with pytest.raises(clpool.InvalidValueError):
        memory.enqueue_release()  # there is no queue: nothing is done
    assert not memory.is_released
    memory.release()
