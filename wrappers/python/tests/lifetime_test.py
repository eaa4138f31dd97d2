# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Ownership: what keeps what alive, what finalizers do, how programs end."""
import ctypes
import gc
import re
import subprocess
import sys
import time
import weakref

import numpy as np
import pytest

import clpool


def is_gone(reference, look=clpool._native.finish_releases):
    """Whether the object ends soon: drivers tell that a command has ended, or let go of a buffer, in their own time."""
    for _ in range(1000):
        look()
        if reference() is None:
            return True
        time.sleep(.01)
    return False


def test_a_block_keeps_pool_allocator_and_context_alive():
    device, context, queue = clpool.create_default_context()
    block = clpool.MemoryPool(clpool.ImmediateAllocator(queue)).allocate(4096)
    own = clpool.CommandQueue(queue.int_ptr)
    del context, queue
    gc.collect()
    clpool.enqueue_fill(own, block, b"\x05").wait()
    host = np.empty(4096, np.uint8)
    clpool.enqueue_copy(own, host, block)
    assert (host == 5).all()


def test_forgotten_blocks_come_back(pool):
    for _ in range(1000):
        pool.allocate(1 << 16)
    assert pool.active_blocks == 0
    assert pool.statistics.driver_allocations == 1


def test_forgotten_blocks_in_cycles_come_back(pool):
    class Node:
        pass
    for _ in range(50):
        node = Node()
        node.itself, node.block = node, pool.allocate(4096)
    del node
    gc.collect()
    assert pool.active_blocks == 0


def test_forgotten_direct_memory_is_given_back(queue, numbers):
    allocator = clpool.CustomAllocator(numbers.allocate, numbers.deallocate)
    memory = allocator(100)
    assert numbers.live
    del memory
    for _ in range(100):  # the interpreter carries the release out between two steps
        pass
    assert not numbers.live


def test_blocks_can_be_referred_to_weakly(pool):
    block = pool.allocate(10)
    reference, pool_reference = weakref.ref(block), weakref.ref(pool)
    assert reference() is block and pool_reference() is pool
    del block
    assert reference() is None


def test_what_was_released_keeps_its_place_in_sets_and_equals_only_itself(opencl, queue, pool):
    for make in (lambda: pool.allocate(100), lambda: clpool.enqueue_fill(queue, pool.allocate(100), b"x")):
        one, other, late = make(), make(), make()
        known, weakly = {one, other}, weakref.WeakKeyDictionary({one: 1, other: 2})
        for thing in (one, other, late):
            thing.release()
        assert one != other and one == one and late != one and hash(late) == hash(late)
        assert weakly[one] == 1 and weakly.get(other) == 2 and weakly.get(late) is None
        known.remove(one)
        assert known == {other}
        assert opencl[0] != one and clpool.SVM(bytearray(8)) != one


def test_release_with_live_views_is_a_buffer_error(context, needs_svm):
    pool = clpool.SVMPool(clpool.SVMAllocator(context))
    block = pool.allocate(1000)
    array = np.frombuffer(block, np.uint8)
    with pytest.raises(BufferError):
        block.release()
    array2 = array[10:]
    del array
    with pytest.raises(BufferError):
        block.release()
    del array2
    block.release()


def test_an_exception_leaves_a_with_although_there_are_views(context, needs_svm):
    pool = clpool.SVMPool(clpool.SVMAllocator(context))
    with pytest.raises(KeyError):
        with pool.allocate(1000) as block:
            array = block.as_array()
            raise KeyError
    assert not block.is_released and pool.active_blocks == 1
    with pytest.raises(BufferError):
        with block:
            pass
    del array
    assert pool.active_blocks == 1  # it still has a name
    del block
    gc.collect()
    assert pool.active_blocks == 0


def test_a_view_keeps_its_block(context, needs_svm):
    pool = clpool.SVMPool(clpool.SVMAllocator(context))
    array = pool.allocate(1000).as_array(np.float32, (10, 25))
    assert array.shape == (10, 25)
    assert pool.active_blocks == 1
    array[:] = 3
    del array
    assert pool.active_blocks == 0


def test_a_part_keeps_its_block(pool):
    part = pool.allocate(4096)[128:256]
    assert part.size == 128
    assert pool.active_blocks == 1
    del part
    assert pool.active_blocks == 0


def test_handles_know_when_they_were_released():
    heap = clpool.Heap()
    heap._handle.release()
    with pytest.raises(clpool.InvalidOperationError):
        heap.statistics
    with pytest.raises(clpool.InvalidOperationError):
        heap._handle.release()


def test_direct_construction_of_what_only_the_library_makes_is_refused():
    for kind in (clpool.PooledBuffer, clpool.MemoryObject, clpool.PooledSVM, clpool.Image):
        with pytest.raises(TypeError):
            kind()


@pytest.mark.parametrize("what", [
    "blocks = [pool.allocate(1000) for _ in range(10)]",
    "block = pool.allocate(1000); del pool",
    "direct = clpool.Buffer(context, 1, 1000)",
    "array = clpool.svm_empty(context, 1, 100, 'f4'); array[:] = 1",
    "svm = clpool.SVMPool(clpool.SVMAllocator(context)).allocate(100); view = memoryview(svm)",
    "mapped = clpool.Buffer(context, 1, 1000).map(queue)",
    "pool.itself = lambda: pool; block = pool.allocate(1)",
    "live = {}\n"
    "custom = clpool.Pool(clpool.CustomAllocator(lambda s, a: live.setdefault(4096, 4096), lambda c, s: live.pop(c)))\n"
    "block = custom.allocate(10)",
    "import clpool.autoinit; block = pool.allocate(1); clpool.set_message_callback(print)",
    "event = clpool.enqueue_copy(queue, bytearray(1000), pool.allocate(1000), is_blocking=False)",
    "clpool.first_arg_dependent_memoize(lambda c: pool.allocate(10))(context)",
    "cache = clpool.Cache(); cache.get(context, b'', lambda: pool.allocate(10))",
])
def test_a_program_that_ends_with_live_objects_ends_cleanly(what, request):
    if "svm" in what:
        request.getfixturevalue("needs_svm")
    program = f"""
import clpool
device, context, queue = clpool.create_default_context()
pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))
{what}
"""
    done = subprocess.run([sys.executable, "-X", "dev", "-c", program], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "Error" not in done.stderr


@pytest.mark.parametrize("what", [
    "clpool.set_message_callback(lambda severity, text: None)",
    "custom = clpool.Pool(clpool.CustomAllocator(lambda size, alignment: 4096, lambda chunk, size: None))\n"
    "of_custom = custom.allocate(10)",
])
def test_a_log_is_whole_after_the_program_whoever_knows_its_globals(what, tmp_path):
    path = tmp_path / "log.csv"
    program = f"""
import clpool
device, context, queue = clpool.create_default_context()
pool = clpool.MemoryPool(clpool.TraceAllocator(clpool.ImmediateAllocator(queue), {str(path)!r}))
block = pool.allocate(100)
{what}
"""
    done = subprocess.run([sys.executable, "-X", "dev", "-c", program], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert [event.action for event in clpool.Trace(str(path))] == ["allocate", "free"]


@pytest.mark.parametrize("make", [
    lambda context, queue: clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(queue)).allocate((10, 10), np.float32),
    lambda context, queue: clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(queue)).allocate_on(queue, 400),
    lambda context, queue: clpool.svm_empty(context, 1, 100, np.float32),
])
def test_memory_under_an_array_can_be_released_when_the_array_is_gone(context, queue, needs_svm, make):
    array = make(context, queue)
    base, part = array.base, array[2:]
    del array
    with pytest.raises(BufferError, match="1 views"):
        base.release()
    view = memoryview(base)
    with pytest.raises(BufferError, match="2 views"):
        base.release()
    view.release()
    del part
    base.release()
    assert base.is_released


def test_host_arrays_hold_their_buffer(context):
    buffer = clpool.Buffer(context, 1 | clpool.mem_flags.USE_HOST_PTR, hostbuf=np.zeros(100))
    part = buffer.get_host_array(10, float)[5:]
    with pytest.raises(BufferError):
        buffer.release()
    del part
    buffer.release()


def test_host_memory_of_a_copy_outlives_its_released_event(context, queue, gate):
    buffer = clpool.Buffer(context, 1, 800)
    host = np.zeros(100)
    reference = weakref.ref(host)
    event = clpool.enqueue_copy(queue, buffer, host, is_blocking=False, wait_for=[gate[0]])
    del host
    event.release()
    gc.collect()
    assert reference() is not None
    gate[1]()
    queue.finish()
    assert is_gone(reference)


DATES = ["M8[ns]", "m8[s]", [("when", "M8[ns]"), ("what", "f4")]]  # memoryview() takes none of them


def copy_between(queue, memory, host, wait_for, to_host, **place):
    dest, src = (host, memory) if to_host else (memory, host)
    return clpool.enqueue_copy(queue, dest, src, is_blocking=False, wait_for=wait_for, **place)


@pytest.mark.parametrize("to_host", [True, False])
@pytest.mark.parametrize("dtype", DATES)
def test_host_memory_of_every_data_type_outlives_a_copy(context, queue, gate, dtype, to_host):
    buffer, host = clpool.Buffer(context, 1, 1600), np.zeros(100, dtype)
    reference = weakref.ref(host)
    event = copy_between(queue, buffer, host, [gate[0]], to_host)
    del host
    gc.collect()
    assert reference() is not None
    gate[1]()
    event.wait()
    assert reference() is None


@pytest.mark.parametrize("to_host", [True, False])
@pytest.mark.parametrize("how", ["bytes", "box", "image"])
def test_host_memory_outlives_a_copy_that_was_interrupted_behind_its_command(context, queue, gate, how, to_host):
    if how == "image" and not clpool.get_supported_image_formats(context, 1, clpool.mem_object_type.IMAGE2D):
        pytest.skip("the device has no images")
    host = np.zeros((10, 10), np.float32)
    memory = clpool.image_from_array(context, host, mode="rw") if how == "image" else clpool.Buffer(context, 1, 400)
    place = {"bytes": {}, "box": {"region": (40, 10)}, "image": {"region": (10, 10)}}[how]
    reference = weakref.ref(host)

    def interrupt(_frame, event, function):  # as a signal's handler may
        if event == "c_return" and re.match("clpool_(mem|image)_(read|write)", function.__name__):
            sys.setprofile(None)
            raise KeyboardInterrupt
    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            copy_between(queue, memory, host, [gate[0]], to_host, **place)
    finally:
        sys.setprofile(None)
    del host
    gc.collect()
    assert reference() is not None
    gate[1]()
    queue.finish()
    assert is_gone(reference)


@pytest.mark.parametrize("dtype", DATES)
def test_buffers_and_svm_lie_in_arrays_of_every_data_type(context, needs_svm, dtype):
    host = np.zeros(100, dtype)
    buffer = clpool.Buffer(context, 1 | clpool.mem_flags.USE_HOST_PTR, hostbuf=host)
    assert buffer.hostbuf is host and buffer.size == host.nbytes
    array = clpool.csvm_empty(context, 100, dtype)
    assert clpool.SVM(array).mem is array


@pytest.mark.parametrize("use", [lambda svm, queue, events: clpool.enqueue_fill(queue, svm, b"x", wait_for=events),
                                 lambda svm, queue, events: clpool.enqueue_fill(queue, svm[64:], b"x", wait_for=events),
                                 lambda svm, queue, events: clpool.enqueue_fill(queue, svm.as_buffer(), b"x", wait_for=events),
                                 lambda svm, queue, events: clpool.enqueue_fill(queue, svm.as_buffer()[:256], b"x",
                                                                                wait_for=events),
                                 lambda svm, queue, events: svm.map(queue, wait_for=events, is_blocking=False).event,
                                 lambda svm, queue, events: [clpool.enqueue_fill(queue, part, b"x", wait_for=events)
                                                             for part in [svm[64:]] if svm.release() is None][0],
                                 lambda svm, queue, events: clpool.enqueue_copy(queue, svm, bytes(800), is_blocking=False,
                                                                                wait_for=events)])
@pytest.mark.parametrize("of", [lambda context, svm: svm,
                                lambda context, svm: clpool.SVM(svm.as_array()),
                                lambda context, svm: clpool.SVM(memoryview(svm)),
                                lambda context, svm: clpool.SVM(context, svm.as_array(), system=False)],
                         ids=["itself", "SVM of its array", "SVM of its view", "SVM of its array in the context"])
def test_host_memory_that_is_svm_outlives_commands(context, queue, gate, needs_svm, of, use):
    opencl_library = ctypes.CDLL("libOpenCL.so.1")
    opencl_library.clSVMAlloc.restype = ctypes.c_void_p
    opencl_library.clSVMAlloc.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_uint]
    address = opencl_library.clSVMAlloc(context.int_ptr, 1, 800, 0)
    host = np.frombuffer((ctypes.c_char * 800).from_address(address), np.uint8)
    reference = weakref.ref(host)
    event = use(of(context, clpool.SVM(context, host, system=False)), queue, [gate[0]])
    del host
    gc.collect()
    assert reference() is not None
    gate[1]()
    event.wait()
    assert is_gone(reference)
    opencl_library.clSVMFree(ctypes.c_void_p(context.int_ptr), ctypes.c_void_p(address))


def test_host_memory_ends_with_its_command_whoever_waits_for_it(context, queue, gate):
    buffer, host = clpool.Buffer(context, 1, 800), np.zeros(100)
    reference = weakref.ref(host)
    clpool.enqueue_copy(queue, buffer, host, is_blocking=False, wait_for=[gate[0]])
    del host
    for _ in range(1000):  # what was put off is done between two steps of the interpreter
        pass
    assert reference() is not None
    gate[1]()
    assert ctypes.CDLL("libOpenCL.so.1").clFinish(ctypes.c_void_p(queue.int_ptr)) == 0
    assert is_gone(reference, look=lambda: None)  # nothing more is asked of the library


def test_host_memory_of_copies_may_run_what_it_likes_at_its_end(context, queue, gate):
    ended = []

    class Host(np.ndarray):
        def __del__(self):
            ended.append(self.nbytes)
            queue.finish()  # which lets go of finished host memory too
    buffer = clpool.Buffer(context, 1, 1024)
    for _ in range(50):
        clpool.enqueue_copy(queue, buffer, np.zeros(1024, np.uint8).view(Host), is_blocking=False, wait_for=[gate[0]])
    assert not ended
    gate[1]()
    queue.finish()
    assert ended == [1024] * 50


@pytest.mark.parametrize("use", ["part", "map", "command"])
def test_host_memory_outlives_a_released_buffer_that_is_still_used(context, queue, gate, use):
    host = np.zeros(4096)
    reference = weakref.ref(host)
    buffer = clpool.Buffer(context, 1 | clpool.mem_flags.USE_HOST_PTR, hostbuf=host)
    del host
    part = buffer[:4096] if use == "part" else None
    mapped = buffer.map(queue) if use == "map" else None
    if use == "command":
        clpool.enqueue_fill(queue, buffer, b"x", wait_for=[gate[0]])
    buffer.release()
    del buffer
    gc.collect()
    assert reference() is not None
    gate[1]()
    if part is not None:
        part.release()
    if mapped is not None:
        mapped.release(queue)
    del mapped  # rusticl's events, which it has, keep the memory of their command
    queue.finish()
    assert is_gone(reference)


def test_parts_of_parts_make_no_chain():
    memory = clpool.CustomAllocator(lambda size, alignment: 4096, lambda chunk, size: None)(1 << 20)
    part = memory
    for _ in range(300_000):
        part = part[1:]
    assert part.size == (1 << 20) - 300_000 and part.associated_memobject is memory
    del part, memory
