# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""SVM of other makers, maps of SVM, releases behind queues."""
import gc

import numpy as np
import pytest

import clpool

pytestmark = pytest.mark.usefixtures("needs_svm")


def test_svm_of_an_array_over_svm_needs_no_context(context, queue):
    array = clpool.csvm_empty(context, 100, np.float32)
    svm = clpool.SVM(array)
    assert svm.context == context and svm.mem is array and svm.size == 400
    with svm.map_rw(queue) as mapped:
        assert mapped is array  # the very object
        mapped[:] = 3
    part = clpool.SVM(array[10:20])
    assert part.svm_ptr == svm.svm_ptr + 40 and part.size == 40
    back = np.zeros(10, np.float32)
    clpool.enqueue_copy(queue, back, part)
    assert (back == 3).all()


@pytest.mark.parametrize("arguments", [lambda context, array: (array,), lambda context, array: (context, array),
                                       lambda context, array: (context, array, False)])
def test_svm_of_an_array_is_not_given_to_others_while_a_command_writes_it(context, queue, gate, arguments):
    svm = clpool.SVM(*arguments(context, clpool.csvm_empty(context, 1 << 16, np.uint8)))
    address = svm.svm_ptr
    fills(queue, svm, [gate[0]])
    del svm
    gc.collect()
    clpool._native.finish_releases()
    assert clpool.SVMAllocation(context, 1 << 16).svm_ptr != address
    gate[1]()
    queue.finish()


def test_host_memory_gets_the_context_of_its_use(opencl, context, queue):
    host = np.arange(100, dtype=np.uint8)
    svm = clpool.SVM(host)
    assert (svm.size, svm.nbytes, svm.svm_ptr) == (100, 100, host.ctypes.data)
    assert svm.mem is host and svm.context is None and not svm.is_released
    assert (svm.buf == host).all() and svm == clpool.SVM(host) and hash(svm) == hash(clpool.SVM(host))
    if clpool.svm_capabilities(opencl[0]) & clpool.device_svm_capabilities.FINE_GRAIN_SYSTEM:
        with svm.map_rw(queue) as mapped:
            assert mapped is host
        clpool.enqueue_svm_memfill(queue, svm, b"\7").wait()
        assert (host == 7).all()
    else:
        for use in (lambda: svm.map_ro(queue), lambda: clpool.enqueue_svm_memfill(queue, svm, b"\7"),
                    lambda: clpool.enqueue_copy(queue, svm, bytes(100))):
            with pytest.raises(clpool.NotSupportedError):
                use()


def test_svm_that_is_equal_has_one_hash(context):
    host = np.zeros(100, np.uint8)
    unbound, bound = clpool.SVM(host), clpool.SVM(context, host, system=False)
    assert unbound == bound and bound == unbound and hash(unbound) == hash(bound)
    array = clpool.csvm_empty(context, 100, np.uint8)
    for one in (array.base, clpool.SVM(array), clpool.SVM(context, array)):
        for other in (array.base, clpool.SVM(array), clpool.SVM(context, array)):
            assert one == other and hash(one) == hash(other)
    memory = clpool.SVMAllocation(context, 100)
    memory.release()
    assert unbound != memory and memory != unbound and bound != memory and memory != bound


def test_host_memory_must_be_writable():
    with pytest.raises(TypeError):
        clpool.SVM()
    assert clpool.SVM(mem=bytearray(4)).size == 4
    with pytest.raises((BufferError, ValueError)):
        clpool.SVM(b"immutable")


def test_a_map_of_svm_has_pyopencls_members(context, queue):
    svm = clpool.SVMAllocation(context, 64, queue=queue)
    mapped = svm.map(queue, flags=clpool.map_flags.WRITE, size=16)
    assert isinstance(mapped, clpool.SVMMap)
    assert mapped.svm is svm and mapped.queue is queue and mapped.event.is_complete and mapped.array.size == 16
    event = mapped.release()
    assert mapped.release() is event and mapped.svm is None
    mapped = svm.map(queue)
    with pytest.raises(TypeError):
        mapped.release("no queue")
    assert mapped.svm is svm and mapped.size == 64
    mapped.release()
    with pytest.raises(clpool.InvalidValueError):
        svm.map(queue, size=65)
    buffer = svm.as_buffer(ctx=context, flags=None, size=None)
    with pytest.raises(clpool.InvalidValueError, match="another context"):
        svm.as_buffer(clpool.create_default_context()[1])
    with pytest.raises(TypeError):
        svm.as_buffer("context")
    assert buffer.size == 64


def test_a_part_of_a_buffer_over_svm_is_the_buffers(context):
    buffer = clpool.SVMAllocation(context, 8192).as_buffer(context)
    part = buffer.get_sub_region(4096, 64)
    assert part.offset == 4096 and part.associated_memobject is buffer


def test_what_has_no_memory_says_why(context, queue):
    nothing, host = clpool.SVMAllocation(context, 0), clpool.SVM(bytearray(64))
    for use in (lambda svm: svm.used_on(queue), lambda svm: svm.root, memoryview, lambda svm: svm.get_sub_region(0, 4)):
        with pytest.raises(clpool.InvalidOperationError, match="^SVM of 0 bytes has no memory$"):
            use(nothing)
        with pytest.raises(clpool.InvalidOperationError, match="belongs to no context: .*SVM.context, mem."):
            use(host)
    assert not nothing.is_released and not host.is_released
    assert nothing == nothing and not nothing != nothing and nothing != clpool.SVMAllocation(context, 0)  # noqa: PLR0124


def fills(queue, memory, wait_for):
    return clpool.enqueue_svm_memfill(queue, memory, b"\xaa", wait_for=wait_for)


@pytest.mark.parametrize("kind", ["SVMAllocation", "SVMAllocation on a queue", "PooledSVM"])
def test_enqueue_release_is_behind_the_events_and_commands_before_it(context, queue, gate, kind):
    memory = {"SVMAllocation": lambda: clpool.SVMAllocation(context, 1 << 16),
              "SVMAllocation on a queue": lambda: clpool.SVMAllocation(context, 1 << 16, queue=queue),
              "PooledSVM": lambda: clpool.SVMPool(clpool.SVMAllocator(context, queue=queue)).allocate(1 << 16)}[kind]()
    address = memory.svm_ptr
    event = memory.enqueue_release(queue, wait_for=[gate[0]])
    assert memory.is_released and not event.is_complete
    again = clpool.SVMAllocation(context, 1 << 16)
    assert again.svm_ptr != address
    gate[1]()
    event.wait()


def test_memory_that_a_command_still_writes_is_not_given_to_others(context, queue, gate):
    memory = clpool.SVMAllocation(context, 1 << 16)
    address = memory.svm_ptr
    fills(queue, memory, [gate[0]])
    memory.enqueue_release(queue)
    assert clpool.SVMAllocation(context, 1 << 16).svm_ptr != address
    gate[1]()
    queue.finish()


def test_an_enqueue_release_that_fails_releases_nothing(context):
    pool = clpool.SVMPool(clpool.SVMAllocator(context))
    block = pool.allocate(100)
    with pytest.raises(clpool.InvalidValueError):
        block.enqueue_release()  # there is no queue
    assert not block.is_released
    del block
    gc.collect()
    assert pool.active_blocks == 0


def test_enqueue_release_with_live_views_is_a_buffer_error(context, queue):
    memory = clpool.SVMAllocation(context, 64, queue=queue)
    view = memoryview(memory)
    with pytest.raises(BufferError):
        memory.enqueue_release()
    view.release()
    memory.enqueue_release().wait()
    with pytest.raises(clpool.InvalidOperationError):
        memory.enqueue_release()
