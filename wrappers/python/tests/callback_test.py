# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Functions written in Python that the library calls: allocators, collectors, out-of-memory, messages, visits."""
import gc
import sys

import numpy as np
import pytest

import clpool


def test_a_custom_allocator_serves_a_pool(numbers):
    pool = numbers.pool()
    block = pool.allocate(1000)
    assert block.svm_ptr >= 4096
    assert sum(numbers.live.values()) == pool.managed_bytes
    block.release()
    pool.free_held()
    assert not numbers.live


def test_an_allocators_own_exception_reaches_the_caller():
    def allocate(size, alignment):
        raise KeyError("no such thing")
    pool = clpool.Pool(clpool.CustomAllocator(allocate, lambda chunk, size: None))
    for _ in range(3):
        with pytest.raises(KeyError, match="no such thing"):
            pool.allocate(1)
    assert pool.active_blocks == pool.managed_bytes == 0


def test_impossible_chunks_are_refused():
    for chunk, error, text in ((0, clpool.CallbackError, "reported success but chunk 0 for"), (-1, ValueError, "-1"),
                               (2**64, OverflowError, str(2**64)), ("x", TypeError, "str")):
        pool = clpool.Pool(clpool.CustomAllocator(lambda size, alignment, chunk=chunk: chunk, lambda *_: None))
        with pytest.raises(error, match=text):
            pool.allocate(1)


def test_memory_errors_are_answered_by_collecting(make_numbers):
    numbers = make_numbers(capacity=1 << 20)
    cycle = []

    def collect():
        cycle.clear()
    pool = numbers.pool(collect=collect)
    cycle.append(pool.allocate(1 << 20))
    assert pool.allocate(1 << 19).size == 1 << 19
    assert not cycle


def test_a_memory_error_that_was_not_answered_is_the_cause():
    class Exhausted(MemoryError):
        pass

    def allocate(size, alignment):
        raise Exhausted(f"the arena has no {size} bytes")
    pool = clpool.Pool(clpool.CustomAllocator(allocate, lambda chunk, size: None))
    with pytest.raises(clpool.OutOfMemoryError) as caught:
        pool.allocate(100)
    assert isinstance(caught.value.__cause__, Exhausted) and "100 bytes" in str(caught.value.__cause__)
    with pytest.raises(ValueError) as later:
        pool.allocate(-1)
    assert later.value.__cause__ is None


def test_calls_within_callbacks_keep_the_cause():
    def allocate(size, alignment):
        raise MemoryError("none")
    pool = None
    asked = []

    def out_of_memory(size, attempt):
        asked.append(pool.statistics)
        return False
    pool = clpool.Pool(clpool.CustomAllocator(allocate, lambda chunk, size: None), out_of_memory=out_of_memory)
    with pytest.raises(clpool.OutOfMemoryError) as caught:
        pool.allocate(100)
    assert asked and str(caught.value.__cause__) == "none"


def test_what_goes_with_a_memory_error_may_call_the_library(make_numbers):
    other = make_numbers().pool()

    class Refusal(MemoryError):
        def __del__(self):
            try:
                other.allocate(1 << 62)
            except clpool.ClpoolError:
                pass

    def allocate(size, alignment, tries=[Refusal, LookupError]):
        raise tries.pop(0)() if tries else LookupError("later")
    pool = clpool.Pool(clpool.CustomAllocator(allocate, lambda chunk, size: None))
    with pytest.raises(LookupError):
        pool.allocate(100)


def test_an_error_without_a_cause_shows_what_was_being_handled(pool):
    try:
        raise KeyError("before")
    except KeyError:
        with pytest.raises(clpool.ClpoolError) as caught:
            pool.allocate(1 << 62)
    assert isinstance(caught.value.__context__, KeyError) and not caught.value.__suppress_context__


def test_a_memory_error_that_was_answered_is_gone(make_numbers):
    gone = []

    class Refusal(MemoryError):
        def __del__(self):
            gone.append(True)

    numbers = make_numbers()

    def allocate(size, alignment, once=[True]):
        if once.pop() if once else False:
            raise Refusal
        return numbers.allocate(size, alignment)
    block = clpool.Pool(clpool.CustomAllocator(allocate, numbers.deallocate)).allocate(100)
    assert gone == [True] and block.size == 100


def test_the_default_collector_is_the_interpreters(make_numbers):
    pool = make_numbers(capacity=1 << 20).pool()

    class Node:
        pass
    node = Node()
    node.itself, node.block = node, pool.allocate(1 << 20)
    gc.disable()
    try:
        del node
        assert pool.allocate(1 << 20)
    finally:
        gc.enable()


def test_out_of_memory_is_asked_last_and_may_ask_again(make_numbers):
    numbers = make_numbers(capacity=100)
    asked = []

    def out_of_memory(size, attempt):
        asked.append((size, attempt))
        numbers.capacity = 1 << 30
        return attempt < 2
    pool = numbers.pool(out_of_memory=out_of_memory)
    assert pool.allocate(5000)
    assert asked == [(5000, 1)]


def test_the_default_collection_comes_behind_the_out_of_memory_function(make_numbers):
    collections = []

    def note(phase, info):
        if phase == "start":
            collections.append(info["generation"])
    kept = []
    asked = []

    def out_of_memory(size, attempt):
        asked.append(attempt)
        return bool(kept) and kept.pop().release() is None
    pool = make_numbers(capacity=1 << 20).pool(out_of_memory=out_of_memory)
    gc.disable()
    gc.callbacks.append(note)
    try:
        for _ in range(20):
            kept.append(pool.allocate(1 << 20))
        assert asked == [1] * 19 and collections == []
        last = kept.pop()
        for _ in range(2):  # each request has its own collection
            del asked[:], collections[:]
            with pytest.raises(clpool.OutOfMemoryError):
                pool.allocate(1 << 20)
            assert asked == [1] and collections == [2]  # it said no
        node = [last]
        node.append(node)
        del node, last, asked[:]
        assert pool.allocate(1 << 20)  # which the collection makes room for
        assert asked == [1]
    finally:
        gc.callbacks.remove(note)
        gc.enable()


def test_exceptions_of_pool_callbacks_win_over_the_status(make_numbers):
    def fail(*_):
        raise ZeroDivisionError("from the callback")
    for options in ({"out_of_memory": fail}, {"collect": fail}):
        pool = make_numbers(capacity=10).pool(**options)
        with pytest.raises(ZeroDivisionError):
            pool.allocate(1000)
        with pytest.raises(ZeroDivisionError):
            pool.allocate(1000)


def test_an_exception_of_a_collector_that_did_not_matter_is_reported(make_numbers, monkeypatch):
    numbers = make_numbers(capacity=10)
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda report: reported.append(report.exc_value))

    def collect():
        numbers.capacity = 1 << 30
        raise ValueError("after the fact")
    pool = numbers.pool(collect=collect)
    assert pool.allocate(1000)
    assert [str(error) for error in reported] == ["after the fact"]


def test_a_failing_deallocate_is_reported_and_no_crash(monkeypatch):
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda report: reported.append(report.exc_type))

    def deallocate(chunk, size):
        raise RuntimeError
    pool = clpool.Pool(clpool.CustomAllocator(lambda size, alignment: 4096, deallocate))
    pool.allocate(10).release()
    pool.free_held()
    assert reported == [RuntimeError]


def test_callbacks_may_use_the_pool(make_numbers):
    numbers = make_numbers(capacity=1 << 16)
    kept = []

    def out_of_memory(size, attempt):
        kept.clear()
        pool.trim()
        assert pool.statistics.out_of_memory_events
        return attempt == 1
    pool = numbers.pool(out_of_memory=out_of_memory, collect=None)
    kept.append(pool.allocate(1 << 16))
    assert pool.allocate(1 << 16)


def test_messages_go_to_the_pool_else_to_the_process(numbers):
    ours, everyones = [], []
    clpool.set_message_callback(lambda severity, text: everyones.append(text))
    try:
        pool = numbers.pool(trace_messages=True, message=lambda severity, text: ours.append((severity, text)))
        pool.allocate(100).release()
        assert ours and not everyones
        plain = numbers.pool(trace_messages=True)
        plain.allocate(100).release()
        assert everyones
    finally:
        clpool.set_message_callback(None)
    with pytest.raises(TypeError):
        clpool.set_message_callback(7)


def test_a_visitor_may_stop_and_may_fail(pool):
    blocks = [pool.allocate(256) for _ in range(4)]
    seen = []
    pool.visit(lambda stretch: seen.append(stretch) or len(seen) == 2)
    assert len(seen) == 2

    def fail(stretch):
        raise LookupError
    with pytest.raises(LookupError):
        pool.visit(fail)
    assert len(blocks) == 4


def test_limit_and_trace_decorate_any_allocator(numbers, tmp_path):
    log = tmp_path / "log.csv"
    inner = clpool.CustomAllocator(numbers.allocate, numbers.deallocate)
    traced = clpool.TraceAllocator(clpool.LimitAllocator(inner, 1 << 16), str(log))
    memory = traced(1000)
    with pytest.raises(MemoryError):
        traced(1 << 17)
    memory.release()
    traced._handle.release()
    figures = clpool.Trace(str(log)).statistics
    assert (figures.allocations, figures.releases, figures.allocate_failures) == (1, 1, 2)  # once more without garbage


def test_a_pool_and_its_callbacks_are_collected_together(make_numbers):
    import weakref

    class Owner:
        def collect(self):
            pass
    owner = Owner()
    owner.pool = make_numbers().pool(collect=owner.collect)
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None


def test_numbers_that_are_no_addresses_cannot_be_viewed(numbers, tmp_path):  # reading them would crash
    plain = clpool.CustomAllocator(numbers.allocate, numbers.deallocate)
    for allocator in (plain, clpool.LimitAllocator(plain, 1 << 30), clpool.TraceAllocator(plain, str(tmp_path / "log"))):
        for make in (allocator, clpool.Pool(allocator)):
            with make(4096) as memory:
                for view in (lambda: memoryview(memory), memory.as_array, memory[:1024].as_array):
                    with pytest.raises(BufferError, match="addressable"):
                        view()


def test_custom_memory_at_addresses_can_be_viewed():
    store = np.zeros(1 << 20, np.uint8)
    allocator = clpool.CustomAllocator(lambda size, alignment: -(-store.ctypes.data // alignment) * alignment,
                                       lambda chunk, size: None, addressable=True)
    with clpool.Pool(allocator)(1024) as block:
        block.as_array()[:] = 7
    assert store.sum() == 7 * 1024


def test_an_exception_outlives_what_later_functions_call(queue):
    def collect():
        raise KeyboardInterrupt("the user's")

    def out_of_memory(size, attempt):
        pool.free_held()
        return False
    pool = clpool.MemoryPool(clpool.LimitAllocator(clpool.ImmediateAllocator(queue), 1 << 20), collect=collect,
                             out_of_memory=out_of_memory)
    block = pool.allocate(1 << 19)
    with pytest.raises(KeyboardInterrupt, match="the user's"):
        pool.allocate(1 << 20)
    assert block.size == 1 << 19


def test_pools_refuse_allocators_whose_memory_their_blocks_cannot_show(context, queue, numbers):
    buffers, pinned = clpool.ImmediateAllocator(queue), clpool.PageLockedAllocator(queue)
    for pool, allocator, missing in (
            (clpool.MemoryPool, pinned, "gives no buffers"), (clpool.DeviceMemoryPool, pinned, "gives no buffers"),
            (clpool.MemoryPool, clpool.LimitAllocator(pinned, 1 << 20), "gives no buffers"),
            (clpool.SVMPool, buffers, "gives no SVM"), (clpool.SVMPool, pinned, "gives no SVM"),
            (clpool.PageLockedMemoryPool, clpool.LimitAllocator(buffers, 1 << 20), "gives no host memory")):
        with pytest.raises(TypeError, match=missing):
            pool(allocator)
