# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""The memory runtime: buffers, parts, SVM, images, samplers, pipes, copies, fills, maps."""
import numpy as np
import pytest

import clpool
from clpool import mem_flags

RW = mem_flags.READ_WRITE


def random_bytes(size, seed=1):
    return np.random.RandomState(seed).randint(0, 256, size).astype(np.uint8)


def read(queue, memory, size=None):
    host = np.empty(memory.size if size is None else size, np.uint8)
    clpool.enqueue_copy(queue, host, memory)
    return host


def test_buffers_copy_to_buffers_and_host_exactly(context, queue):  # test_copy_buffer
    source = np.random.RandomState(1).rand(50_000).astype(np.float32)
    one = clpool.Buffer(context, mem_flags.READ_ONLY | mem_flags.COPY_HOST_PTR, hostbuf=source)
    two = clpool.Buffer(context, mem_flags.WRITE_ONLY, source.nbytes)
    clpool.enqueue_copy(queue, two, one)
    result = np.empty_like(source)
    clpool.enqueue_copy(queue, result, two)
    assert (result == source).all()
    assert one.size == source.nbytes and one.flags & mem_flags.READ_ONLY
    assert one.context.int_ptr == context.int_ptr
    assert one.type == clpool.mem_object_type.BUFFER
    # Of a buffer that no command used: PoCL's worker lets go of a command's buffers after the command's event is complete.
    assert clpool.Buffer(context, mem_flags.READ_WRITE, 64).reference_count == 1


def test_the_default_size_of_a_copy_is_the_smaller_side(context, queue, pool):
    block = pool.allocate(1024)
    clpool.enqueue_fill(queue, block, b"\x03")
    small = clpool.Buffer(context, RW, 512)
    clpool.enqueue_copy(queue, small, block)
    assert (read(queue, small) == 3).all()
    clpool.enqueue_copy(queue, block, small, byte_count=0).wait()


def test_host_copies_take_offsets_and_counts(context, queue):
    buffer = clpool.Buffer(context, RW, 100)
    clpool.enqueue_fill(queue, buffer, b"\0")
    clpool.enqueue_copy(queue, buffer, b"abcdef", dst_offset=10, byte_count=3)
    assert bytes(read(queue, buffer)[8:16]) == b"\0\0abc\0\0\0"
    host = bytearray(3)
    clpool.enqueue_copy(queue, host, buffer, src_offset=10)
    assert host == b"abc"


@pytest.mark.parametrize("place", [{"dst_offset": 99}, {"dst_offset": -1}, {"byte_count": 101}, {"dst_offset": 2**63}])
def test_ranges_outside_are_refused(context, queue, place):
    buffer = clpool.Buffer(context, RW, 100)
    with pytest.raises((clpool.InvalidValueError, ValueError)):
        clpool.enqueue_copy(queue, buffer, bytes(100), **{"byte_count": 100, **place})


def test_host_memory_must_be_writable_and_contiguous(context, queue):
    buffer = clpool.Buffer(context, RW, 100)
    with pytest.raises(BufferError):
        clpool.enqueue_copy(queue, b"constant", buffer)
    with pytest.raises((BufferError, ValueError)):
        clpool.enqueue_copy(queue, np.zeros(100, np.uint8)[::2], buffer)
    for dest, src in ((3, buffer), (buffer, None), (None, buffer)):
        with pytest.raises(TypeError):
            clpool.enqueue_copy(queue, dest, src)
    with pytest.raises(TypeError):
        clpool.enqueue_copy(queue, bytearray(3), b"abc")
    fortran = np.asfortranarray(np.arange(100, dtype=np.uint8).reshape(10, 10))
    clpool.enqueue_copy(queue, buffer, fortran)
    assert (read(queue, buffer) == fortran.ravel("F")).all()


def test_copies_that_do_not_block_keep_their_host_memory(context, queue):
    buffer = clpool.Buffer(context, RW, 1 << 20)
    for value in range(20):
        clpool.enqueue_copy(queue, buffer, np.full(1 << 20, value, np.uint8), is_blocking=False)
    assert (read(queue, buffer) == 19).all()


def test_parts_and_slices(context, queue):  # test_sub_buffers
    data = random_bytes(30_000)
    buffer = clpool.Buffer(context, mem_flags.READ_ONLY | mem_flags.COPY_HOST_PTR, hostbuf=data)
    part = buffer[4096:4096 + 2560]
    assert part.size == 2560
    assert (read(queue, part) == data[4096:4096 + 2560]).all()
    inner = part.get_sub_region(1024, 128)
    assert (read(queue, inner) == data[5120:5248]).all()
    assert buffer[28 * 1024:].size == 30_000 - 28 * 1024
    handle, offset = inner.root
    assert (handle, offset) == (buffer.int_ptr, 5120)
    for bad, why in ((slice(0, 10, 2), "step is 2"), (slice(10, 10), "empty"), (slice(20, 10), "empty")):
        with pytest.raises(ValueError, match=why):
            buffer[bad]
    with pytest.raises(TypeError):
        buffer[0]
    try:
        buffer.get_sub_region(1, 10)  # Oclgrind and rusticl allow it
    except clpool.OpenCLError as error:
        assert error.code == -13


def test_what_opencl_refuses_has_its_code(context, queue):
    buffer = clpool.Buffer(context, mem_flags.READ_WRITE, 4096)
    with pytest.raises(clpool.OpenCLError) as caught:
        clpool.enqueue_copy(queue, buffer, buffer, byte_count=32, dst_offset=16)
    assert caught.value.code == -8


def test_pooled_blocks_have_the_whole_interface(queue, pool):
    block = pool.allocate(8192)
    clpool.enqueue_fill(queue, block, np.int32(7))
    assert (read(queue, block).view(np.int32) == 7).all()
    part = block[4096:4224]
    clpool.enqueue_fill(queue, part, np.int32(8))
    assert (read(queue, block).view(np.int32)[1024:1056] == 8).all()
    again = clpool.Buffer.from_int_ptr(block.int_ptr)
    assert again == block and hash(again) == hash(block)
    clpool.enqueue_migrate_mem_objects(queue, [block, again]).wait()


def test_host_arrays_of_buffers_over_host_memory(context):  # test_buffer_get_host_array
    data = np.arange(100, dtype=np.float32)
    buffer = clpool.Buffer(context, RW | mem_flags.USE_HOST_PTR, hostbuf=data)
    assert buffer.hostbuf is data
    array = buffer.get_host_array((10, 10), np.float32)
    assert (array.ravel() == data).all()
    with pytest.raises(ValueError):
        buffer.get_host_array(101, np.float32)
    with pytest.raises(clpool.InvalidOperationError):
        clpool.Buffer(context, RW | mem_flags.COPY_HOST_PTR, hostbuf=data).get_host_array(100, np.float32)


def test_a_host_array_of_a_buffer_over_memory_that_cannot_be_written_cannot_be_either(context):
    fixed = bytes(4096)
    for host, writeable in ((fixed, False), (bytearray(fixed), True)):
        buffer = clpool.Buffer(context, mem_flags.READ_ONLY | mem_flags.USE_HOST_PTR, hostbuf=host)
        for memory in (buffer, buffer[:1024], buffer[:1024][:512]):
            array = memory.get_host_array(16, np.uint8)
            assert array.flags.writeable == array[2:].flags.writeable == writeable
    assert fixed == bytes(4096)


@pytest.mark.filterwarnings("error")
def test_yes_and_no_may_be_numpys(context, queue):
    buffer, host = clpool.Buffer(context, RW, 64), np.zeros(16, np.float32)
    for choice in (np.bool_(True), np.bool_(False), True, False, 1, 0):
        clpool.enqueue_copy(queue, buffer, host, is_blocking=choice).wait()
        mapped = buffer.map(queue, is_blocking=choice)
        queue.finish()  # rusticl refuses to unmap what has not been mapped yet
        mapped.release().wait()
    unused = clpool.Buffer(context, RW, 64)
    assert clpool.MemoryObject.from_int_ptr(unused.int_ptr, retain=np.bool_(True)).reference_count == 2


def test_fills_honour_their_size(context, queue):
    buffer = clpool.Buffer(context, RW, 64)
    clpool.enqueue_fill_buffer(queue, buffer, b"\0", 0, 64)
    clpool.enqueue_fill(queue, buffer, b"ab", 4, offset=2)
    assert bytes(read(queue, buffer)[:8]) == b"\0\0abab\0\0"
    with pytest.raises(clpool.InvalidValueError):
        clpool.enqueue_fill(queue, buffer, b"abc")


def test_rectangles_of_two_dimensions(context, queue):  # test_enqueue_copy_rect_2d
    source = random_bytes(256 * 128).reshape(128, 256)
    one = clpool.Buffer(context, RW, 300 * 200)
    two = clpool.Buffer(context, RW, 300 * 400)
    target = np.zeros((256, 512), np.uint8)
    clpool.enqueue_copy(queue, one, source, buffer_origin=(7, 3), host_origin=(20, 13), region=(128, 96),
                        buffer_pitches=(300,), host_pitches=(256,))
    clpool.enqueue_copy(queue, two, one, src_origin=(7, 3), dst_origin=(31, 17), region=(128, 96), src_pitches=(300,),
                        dst_pitches=(300,))
    clpool.enqueue_copy(queue, target, two, buffer_origin=(31, 17), host_origin=(11, 19), region=(128, 96),
                        buffer_pitches=(300,), host_pitches=(512,))
    assert (target[19:19 + 96, 11:11 + 128] == source[13:13 + 96, 20:20 + 128]).all()
    with pytest.raises(clpool.InvalidValueError):
        clpool.enqueue_copy(queue, target[:3], two, buffer_origin=(0, 0), host_origin=(0, 0), region=(128, 96),
                            host_pitches=(512,))


def test_rectangles_of_three_dimensions(context, queue):
    source = random_bytes(16 * 8 * 5).reshape(5, 8, 16)
    buffer = clpool.Buffer(context, RW, 20 * 10 * 6)
    clpool.enqueue_copy(queue, buffer, source, buffer_origin=(3, 2, 1), host_origin=(2, 1, 1), region=(8, 4, 3),
                        buffer_pitches=(20, 200), host_pitches=(16, 128))
    target = np.zeros_like(source)
    clpool.enqueue_copy(queue, target, buffer, buffer_origin=(3, 2, 1), host_origin=(2, 1, 1), region=(8, 4, 3),
                        buffer_pitches=(20, 200), host_pitches=(16, 128))
    assert (target[1:4, 1:5, 2:10] == source[1:4, 1:5, 2:10]).all()


def test_maps_are_context_managers(context, queue):
    buffer = clpool.Buffer(context, RW, 400)
    with buffer.map(queue) as view:
        view[:] = 9
    assert (read(queue, buffer) == 9).all()
    mapping = buffer.map(queue, offset=100, size=40)
    assert mapping.array(np.uint32).shape == (10,)
    mapping.release().wait()
    mapping.release().wait()
    with pytest.raises(clpool.InvalidOperationError):
        mapping.array()


def test_maps_with_pyopencls_names(context, queue):  # test_map_dtype
    buffer = clpool.Buffer(context, RW, 400)
    array, event = clpool.enqueue_map_buffer(queue, buffer, 3, 0, (10, 10), np.uint32, order="F")
    event.wait()
    assert array.shape == (10, 10) and array.dtype == np.uint32 and array.flags.f_contiguous
    array[:] = 5
    clpool.mapping_of(array).release()
    assert (read(queue, buffer).view(np.uint32) == 5).all()


def test_svm_is_host_memory_too(context, queue, needs_svm):  # test_coarse_grain_svm
    memory = clpool.SVMAllocation(context, 12_000, 64)
    assert memory.svm_ptr % 64 == 0 and memory.int_ptr == 0 and memory.size == 12_000
    clpool.enqueue_svm_memfill(queue, memory, np.float32(0)).wait()
    clpool.enqueue_svm_memfill(queue, memory, np.float32(17), byte_count=400).wait()
    with memory.map_rw(queue) as view:
        floats = view.view(np.float32)
        assert (floats[:100] == 17).all() and (floats[100:] == 0).all()
        floats[:] = 2
    host = np.empty(3000, np.float32)
    clpool.enqueue_copy(queue, host, memory)
    assert (host == 2).all()
    buffer = memory.as_buffer(context)
    assert (read(queue, buffer).view(np.float32) == 2).all()
    clpool.enqueue_svm_migratemem(queue, svms=[memory], flags=0).wait()
    memory.bind_to_queue(queue)
    memory.unbind_from_queue()
    assert memory.buf.shape == (12_000,)
    del buffer
    memory.enqueue_release(queue).wait()
    assert memory.is_released
    with clpool.SVMAllocation(context, 0) as nothing:
        assert isinstance(nothing, clpool.SVMAllocation) and nothing.size == nothing.svm_ptr == 0
    nothing.release()


def test_memory_with_an_address_goes_to_others_by_dlpack(context, queue):
    pool = clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(queue))
    block = pool.allocate_block(1000)
    assert block.__dlpack_device__() == (1, 0)
    shared = np.from_dlpack(block)
    assert shared.shape == (1000,) and shared.dtype == np.uint8
    block.as_array()[:] = random_bytes(1000)
    assert (shared == random_bytes(1000)).all()
    with pytest.raises(BufferError):
        block.release()
    del shared
    block.release()
    with pytest.raises(clpool.InvalidOperationError):
        np.from_dlpack(block)
    with pytest.raises(BufferError, match="no address on the host: map it"):
        np.from_dlpack(clpool.Buffer(context, RW, 64))
    with clpool.Buffer(context, RW, 64).map(queue) as mapped:
        assert np.from_dlpack(mapped).nbytes == 64


def test_svm_arrays(context, opencl, needs_svm):
    for dtype in (np.float32, np.dtype((np.void, 12)), np.dtype((np.void, 300))):
        array = clpool.csvm_empty(context, (3, 4), dtype, order="F")
        assert array.shape == (3, 4) and isinstance(array.base, clpool.SVMPointer)
    assert clpool.csvm_empty_like(context, np.zeros((2, 3), order="F")).flags.f_contiguous
    if clpool.characterize.has_fine_grain_buffer_svm(opencl[0]):
        assert clpool.fsvm_empty(context, 5, np.int8).shape == (5,)
    assert clpool.svm_empty(context, 1, (0, 4), np.int8).shape == (0, 4)
    with pytest.raises(ValueError):
        clpool.csvm_empty(context, 3, np.int8, order="K")
    with pytest.raises(ValueError):
        clpool.csvm_empty(context, -3, np.int8)


def test_system_svm_is_refused_where_the_device_lacks_it(context, opencl):
    host = np.zeros(16)
    if clpool.characterize.has_fine_grain_system_svm(opencl[0]):
        assert clpool.SVM(context, host).mem is host
    else:
        with pytest.raises(clpool.NotSupportedError):
            clpool.SVM(context, host)


def test_images(context, queue):  # test_image_2d
    formats = clpool.get_supported_image_formats(context, mem_flags.READ_ONLY, clpool.mem_object_type.IMAGE2D)
    assert clpool.ImageFormat(clpool.channel_order.RGBA, clpool.channel_type.FLOAT) in formats
    array = np.random.RandomState(3).rand(64, 48, 4).astype(np.float32)
    image = clpool.image_from_array(context, array, 4)
    assert image.shape == (48, 64) and image.width == 48 and image.height == 64
    assert image.format.itemsize == image.element_size == 16 and image.format.channel_count == 4
    result = np.empty_like(array)
    clpool.enqueue_copy(queue, result, image, origin=(0, 0), region=(48, 64))
    assert (result == array).all()
    with clpool.enqueue_map_image(queue, image, clpool.map_flags.READ, (0, 0), (48, 64)) as view:
        assert view.size >= array.nbytes
    three = clpool.image_from_array(context, np.ones((4, 5, 3), np.float32), 3)
    assert three.format.channel_count == 4
    with pytest.raises(TypeError):
        clpool.image_from_array(context, np.zeros((2, 2)))
    with pytest.raises(ValueError, match="the array must be C-contiguous"):
        clpool.image_from_array(context, np.zeros((2, 2), np.float32).T[:, ::-1])


def test_images_are_filled_and_copied_through_buffers(context, queue):
    image = clpool.create_image(context, RW, clpool.ImageFormat(clpool.channel_order.RGBA,
                                                                clpool.channel_type.UNSIGNED_INT8), (8, 4))
    clpool.enqueue_fill_image(queue, image, np.array([1, 2, 3, 4], np.uint32), (0, 0), (8, 4))
    buffer = clpool.Buffer(context, RW, 8 * 4 * 4)
    clpool.enqueue_copy(queue, buffer, image, offset=0, origin=(0, 0), region=(8, 4))
    assert (read(queue, buffer).reshape(-1, 4) == [1, 2, 3, 4]).all()
    other = clpool.create_image(context, RW, image.format, (8, 4))
    clpool.enqueue_copy(queue, other, image, src_origin=(0, 0), dest_origin=(0, 0), region=(8, 4))
    clpool.enqueue_copy(queue, other, buffer, offset=0, origin=(0, 0), region=(8, 4)).wait()
    assert "CL_RGBA" in repr(image.format)
    with pytest.raises(ValueError):
        clpool.create_image(context, RW, image.format)
    with pytest.raises(clpool.InvalidValueError):
        clpool.enqueue_fill_image(queue, image, np.zeros(3, np.uint32), (0, 0), (8, 4))


def test_samplers(context):
    sampler = clpool.Sampler(context, False, clpool.addressing_mode.CLAMP, clpool.filter_mode.NEAREST)
    assert sampler.int_ptr
    assert clpool.Sampler(context, [0x1152, 1, 0x1153, clpool.addressing_mode.CLAMP, 0x1154,
                                    clpool.filter_mode.LINEAR]).int_ptr
    sampler.release()
    with pytest.raises(clpool.InvalidOperationError):
        sampler.int_ptr


def test_pipes_are_made_or_refused_with_the_reason(context):
    try:
        pipe = clpool.Pipe(context, 0, 16, 8)
    except clpool.NotSupportedError as refusal:
        assert "pipe" in str(refusal).lower()
    else:
        assert (pipe.packet_size, pipe.max_packets) == (16, 8)


def test_info_of_any_kind_comes_as_bytes(context):
    buffer = clpool.Buffer(context, RW, 100)
    assert int.from_bytes(buffer.get_info_bytes(clpool.mem_info.SIZE), "little") == 100
    assert buffer.get_info(clpool.mem_info.SIZE) == 100
    with pytest.raises(clpool.ClpoolError):
        buffer.get_info(0)


def test_wrong_things_are_type_errors(context, queue):
    for call in (lambda: clpool.Buffer("context", RW, 1), lambda: clpool.enqueue_fill(queue, b"x", b"x"),
                 lambda: clpool.enqueue_fill(queue, None, b"x"), lambda: clpool.ImmediateAllocator(context=1),
                 lambda: clpool.Buffer.from_int_ptr("x"), lambda: clpool.Buffer.from_int_ptr(1.0),
                 lambda: clpool.Buffer.from_int_ptr(np.float64(1)), lambda: clpool.Buffer.from_int_ptr(np.ones(2, int)),
                 lambda: clpool.Buffer.from_int_ptr(True), lambda: clpool.Buffer.from_int_ptr(np.bool_(True)),
                 lambda: clpool.enqueue_fill(queue, clpool.Buffer(context, RW, 1), b"x", wait_for=[True]),
                 lambda: clpool.PageLockedAllocator(np.int64(1)),
                 lambda: clpool.enqueue_migrate_mem_objects(queue, [1])):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(clpool.InvalidValueError):
        clpool.Buffer(context, RW, 0)


def test_none_for_an_object_that_must_be_there_is_a_type_error_which_names_it(context, queue):
    buffer = clpool.Buffer(context, RW, 64)
    pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))
    for call, name in ((lambda: clpool.Buffer(None, RW, 1), "context is None, a cl_context"),
                       (lambda: clpool.ImmediateAllocator(None), "queue is None, a cl_command_queue"),
                       (lambda: clpool.enqueue_fill(None, buffer, b"x"), "queue is None, a cl_command_queue"),
                       (lambda: clpool.enqueue_fill(queue, buffer, b"x", wait_for=[None]), "item 0 is None, a cl_event"),
                       (lambda: pool.allocate(64).used_on(None), "queue is None, a cl_command_queue"),
                       (lambda: pool.allocate_on(None, 64), "queue is None, a cl_command_queue"),
                       (lambda: pool.allocate(64).release_after(None), "item 0 is None, a cl_event"),
                       (lambda: clpool.characterize.has_double_support(None), "device is None, a cl_device_id"),
                       (lambda: clpool.Context.from_int_ptr(None), "int_ptr_value is None, a cl_context"),
                       (lambda: clpool.enqueue_fill(queue, buffer, None), "pattern is None"),
                       (lambda: clpool.Device(None), "the handle is None, a cl_device_id"),
                       (lambda: clpool.Device.from_int_ptr(None), "the handle is None, a cl_device_id"),
                       (lambda: clpool.Event.from_int_ptr(None), "int_ptr_value is None, a cl_event")):
        with pytest.raises(TypeError, match=name):
            call()
    with pytest.raises(ValueError, match="queue is 0"):
        pool.allocate_on(0, 64)


def test_opencl_objects_of_another_type_are_refused(context, queue, opencl):  # they would crash in the driver
    buffer = clpool.Buffer(context, RW, 64)
    event = clpool.enqueue_fill(queue, buffer, b"x")
    mapping = buffer.map(queue)
    wrong = [(lambda: clpool.ImmediateAllocator(context), "cl_command_queue"),
             (lambda: clpool.DeferredAllocator(queue), "cl_context"),
             (lambda: clpool.enqueue_fill(event, buffer, b"x"), "cl_command_queue"),
             (lambda: clpool.enqueue_fill(mapping, buffer, b"x"), "cl_command_queue"),
             (lambda: clpool.enqueue_fill(queue, buffer, b"x", wait_for=[queue]), "cl_event"),
             (lambda: buffer.set_kernel_arg(queue, 0), "cl_kernel"),
             (lambda: clpool.Buffer.from_int_ptr(queue), "cl_mem"),
             (lambda: clpool.Buffer(opencl[0], RW, 64), "cl_context"),
             (lambda: clpool.Context(queue), "cl_context"),
             (lambda: clpool.Device(context), "cl_device_id"),
             (lambda: clpool.Cache("queue").get(context, b"", int), "cl_command_queue"),
             (lambda: clpool.MemoryPool(clpool.ImmediateAllocator(queue), queues=[context]), "cl_command_queue")]
    for call, expected in wrong:
        with pytest.raises(TypeError, match=expected):
            call()


def test_arrays_of_python_objects_are_refused(context, queue):
    pinned = clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(queue))
    host = np.zeros(8)
    buffer = clpool.Buffer(context, RW | mem_flags.USE_HOST_PTR, hostbuf=host)
    for dtype in (object, [("a", "i4"), ("b", object)]):
        for call in (lambda: pinned.allocate(2, dtype), lambda: clpool.svm_empty(context, 1, 2, dtype),
                     lambda: clpool.enqueue_map_buffer(queue, buffer, 3, 0, 2, dtype),
                     lambda: buffer.get_host_array(2, dtype), lambda: buffer.map(queue).array(dtype),
                     lambda: clpool.enqueue_copy(queue, np.empty(2, dtype), buffer)):
            with pytest.raises(TypeError, match="objects"):
                call()


@pytest.mark.parametrize("number", [np.int64, np.uint64, np.array])
def test_handles_are_integers_of_any_type(opencl, number):
    device, context, queue = (type(thing).from_int_ptr(number(thing.int_ptr)) for thing in opencl)
    assert (device, context, queue) == tuple(opencl)
    buffer = clpool.Buffer(number(context.int_ptr), RW, 64)
    event = clpool.enqueue_fill(number(queue.int_ptr), clpool.MemoryObject.from_int_ptr(number(buffer.int_ptr)), b"x")
    host = bytearray(64)
    clpool.enqueue_copy(queue, host, buffer, wait_for=[number(event.int_ptr)])
    assert host == b"x" * 64
    assert clpool.MemoryObject.from_int_ptr(number(buffer.int_ptr))._kept is None


def test_memory_of_an_objects_handle_keeps_the_object(context, queue):
    pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))
    block = pool.allocate(4096)
    clpool.enqueue_fill(queue, block, b"\7").wait()
    wrapped = clpool.Buffer.from_int_ptr(block)
    assert wrapped == block and wrapped.associated_memobject != block
    del block
    other = pool.allocate(4096)
    clpool.enqueue_fill(queue, other, b"\1").wait()
    host = np.zeros(4096, np.uint8)
    clpool.enqueue_copy(queue, host, wrapped)
    assert pool.active_blocks == 2 and (host == 7).all()
    del wrapped
    assert pool.active_blocks == 1


def test_properties_of_samplers_come_in_pairs(context):
    key, value = 0x1152, 1  # CL_SAMPLER_NORMALIZED_COORDS
    for pairs in ((key, value), (key, value, 0)):
        assert clpool.Sampler(context, pairs).normalized_coords
    for wrong in ((key,), (key, value, 0x1153), (0, key, value, 0), (key, value, 0, 0)):
        with pytest.raises(ValueError, match=f"properties has {len(wrong)} entries"):
            clpool.Sampler(context, wrong)
    with pytest.raises(TypeError, match="not dict"):
        clpool.Sampler(context, {key: value})


def test_a_number_is_no_queue_of_page_locked_memory():
    with pytest.raises(TypeError, match="not 1; flags are given by name"):
        clpool.PageLockedAllocator(1)
