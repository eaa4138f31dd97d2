# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Pools: counters, options, sizes, what PyOpenCL's and PyCUDA's own tests ask."""
import random

import numpy as np
import pytest

import clpool


def test_counters_are_exact_at_each_step(pool):
    window = []
    for size, count in ((64, 100), (128, 100)):
        for _ in range(count):
            window.append(pool.allocate(size))
            if len(window) > 10:
                window.pop(0)
            assert pool.active_blocks == len(window)
            assert pool.active_bytes == sum(block.size for block in window)
    managed = pool.managed_bytes
    window.clear()
    assert (pool.active_blocks, pool.active_bytes, pool.managed_bytes) == (0, 0, managed)
    pool.stop_holding()
    assert pool.managed_bytes == 0
    pool.allocate(64).release()
    assert (pool.held_blocks, pool.managed_bytes) == (0, 0)
    pool.resume_holding()
    pool.allocate(64).release()
    assert pool.held_blocks == 1 and pool.managed_bytes > 0
    pool.check()


def test_a_hit_asks_the_driver_for_nothing(pool):
    pool.allocate(4096).release()
    before = pool.statistics.driver_allocations
    for _ in range(100):
        pool(4096).release()
    assert pool.statistics.driver_allocations == before
    assert pool.statistics.hits >= 100


def test_blocks_know_requested_and_reserved_size(pool):
    with pool.allocate(1000) as block:
        assert block.size == block.nbytes == 1000
        assert block.capacity >= 1000
        assert block.is_pooled and block.int_ptr
        assert "1000 bytes" in repr(block)
    assert block.is_released and "released" in repr(block)


def test_zero_bytes_give_a_block_from_pools_and_none_from_allocators(queue, context):
    pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))
    assert pool.allocate(0).size == 0
    assert clpool.ImmediateAllocator(queue)(0) is None
    assert clpool.DeferredAllocator(context)(0) is None
    assert clpool.ImmediateAllocator(queue)(15).size == 15


def test_zero_bytes_give_svm_from_pools_and_none_from_allocators(context, needs_svm):
    svm = clpool.SVMAllocator(context)
    assert svm(0) is None
    clpool.SVMPool(svm)(0).release()


@pytest.mark.parametrize("size, error", [(-1, ValueError), (-2**70, ValueError), (2**64, OverflowError),
                                         (2**70, OverflowError), (2**63, clpool.ClpoolError),
                                         (2**64 - 1, clpool.ClpoolError), ("8", TypeError), (1.5, TypeError),
                                         (None, TypeError)])
def test_impossible_sizes_are_refused_and_change_nothing(pool, size, error):
    before = pool.statistics
    with pytest.raises(error):
        pool.allocate(size)
    assert pool.statistics[:4] == before[:4]


def test_sizes_may_be_numbers_of_numpy(pool):
    assert pool.allocate(np.int64(100)).size == 100
    assert pool(np.uint8(7)).size == 7
    with pytest.raises(ValueError):
        pool.allocate(np.int32(-1))


def test_a_released_block_cannot_be_used(pool):
    block = pool.allocate(100)
    block.release()
    for use in (block.release, lambda: block.size, lambda: block.int_ptr, lambda: block[0:10],
                lambda: block.root, lambda: block.__enter__(), lambda: memoryview(block)):
        with pytest.raises(clpool.InvalidOperationError):
            use()
    assert block == block


def test_a_pool_whose_class_did_not_make_it_says_so(queue):
    class Forgetful(clpool.MemoryPool):
        def __init__(self):
            pass
    for use in (lambda pool: pool.allocate(1), lambda pool: pool(1), lambda pool: pool.statistics, lambda pool: pool.release()):
        with pytest.raises(clpool.InvalidOperationError, match="__init__"):
            use(Forgetful())


def test_wrong_arguments_are_named(queue):
    allocator = clpool.ImmediateAllocator(queue)
    for name, use in (("name", lambda: clpool.MemoryPool(allocator, name=5)),
                      ("max_bytes", lambda: clpool.MemoryPool(allocator, max_bytes="5")),
                      ("max_bytes", lambda: clpool.LimitAllocator(allocator, None)),
                      ("touch", lambda: clpool.ImmediateAllocator(queue, touch="byte")),
                      ("key", lambda: clpool.Cache().get(queue, "key", int)), ("key", lambda: clpool.Cache().find(queue, 5)),
                      ("size", lambda: clpool.MemoryPool(allocator).allocate(1.5))):
        with pytest.raises(TypeError, match=f"^{name} must be "):
            use()


def test_a_released_pool_cannot_be_used_but_its_blocks_can(queue):
    pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))
    block = pool.allocate(4096)
    pool.release()
    with pytest.raises(clpool.InvalidOperationError):
        pool.allocate(1)
    with pytest.raises(clpool.InvalidOperationError):
        pool.held_blocks
    assert "released" in repr(pool)
    clpool.enqueue_fill(queue, block, b"\x07").wait()
    host = np.zeros(4096, np.uint8)
    clpool.enqueue_copy(queue, host, block)
    assert (host == 7).all()
    block.release()


def test_limits_become_memory_errors_with_figures(queue):
    pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue), max_bytes=1 << 20)
    with pytest.raises(MemoryError, match="1048576") as caught:
        pool.allocate(1 << 21)
    assert isinstance(caught.value, clpool.OutOfMemoryError)
    assert caught.value.status == clpool.status.OUT_OF_MEMORY
    assert pool.active_blocks == 0


def test_the_binned_strategy_has_pyopencls_bins(numbers):
    pool = numbers.pool(strategy=clpool.strategy.BINNED)
    pool.allocate(1024).release()
    assert pool.managed_bytes == 1087
    assert pool.held_blocks == 1
    none = numbers.pool(strategy=clpool.strategy.BINNED, leading_bits_in_bin_id=0)
    none.allocate(1024).release()
    assert none.managed_bytes == 2047
    assert none.bin_number(1024) == 10 and none.alloc_size(10) == 2047


def test_bins_hold_what_they_promise():  # test_mempool_2 with its true bound
    source = random.Random(1)
    sizes = [source.getrandbits(31) >> source.randrange(32) for _ in range(300)] + [2**30]
    for bits in range(9):
        for size in sizes:
            number = clpool.bin_number(size, bits)
            rounded = clpool.alloc_size(number, bits)
            assert size <= rounded < max(size, 1) * (1 + 2.0**-bits) + 1
            assert clpool.bin_number(rounded, bits) == number


def test_bitlog2():
    for value, expected in ((0, 0), (1, 0), (17, 4), (0xAFFE, 15), (0x3AFFE, 17), (0xCC3AFFE, 27), (2**63, 63)):
        assert clpool.bitlog2(value) == expected


def test_32_bits_are_not_the_limit(numbers):  # test_mempool_32bit_issues
    pool = numbers.pool()
    for exponent in range(30, 35):
        for difference in range(-5, 5):
            size = 2**exponent + difference
            with pool.allocate(size) as block:
                assert block.size == size <= block.capacity


def test_a_deferred_allocator_under_a_pool_warns(context):
    with pytest.warns(UserWarning, match="deferred"):
        clpool.MemoryPool(clpool.DeferredAllocator(context))


def test_free_held_trim_and_tick_give_memory_back(pool):
    blocks = [pool.allocate(1 << 16) for _ in range(8)]
    blocks.clear()
    pool.tick()
    pool.trim(0)
    pool.free_held()
    assert pool.managed_bytes == 0
    assert pool.held_blocks == 0


def test_the_picture_of_a_pool_names_its_blocks(pool):
    block = pool.allocate(5000)
    block.tag(42)
    active = [stretch for stretch in pool.stretches if stretch.state == "active"]
    assert [(stretch.requested, stretch.tag) for stretch in active] == [(5000, 42)]
    dump = pool.dump()
    assert dump["schema"] == "clpool-pool-1"
    assert dump["statistics"]["active_bytes"] == 5000


def test_try_allocate_gives_none_instead_of_waiting(pool):
    assert pool.try_allocate(4096) is None
    pool.allocate(4096).release()
    assert pool.try_allocate(4096).size == 4096


def test_try_allocate_of_page_locked_memory_gives_arrays(queue):
    pool = clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(queue))
    assert pool.try_allocate((3, 4), np.float32) is None
    pool.allocate((3, 4), np.float32)
    array = pool.try_allocate((3, 4), np.float32, "F")
    assert array.shape == (3, 4) and array.dtype == np.float32 and array.flags.f_contiguous
    assert pool.try_allocate((0, 4)).shape == (0, 4)


def test_sizes_may_be_given_by_name(pool, queue):
    assert pool.allocate(size=64).size == pool(size=64).size == pool.allocate_on(size=64, queue=queue).size == 64
    assert pool.allocate_on(queue, size=64).size == pool.try_allocate(size=64).size == 64
    for wrong, text in ((lambda: pool.allocate(), "needs the argument 'size'"), (lambda: pool.allocate(1, 2), "takes 1 arguments, 2 were"),
                        (lambda: pool.allocate(1, size=2), "more than one argument 'size'"),
                        (lambda: pool.try_allocate(count=1), "an unexpected argument 'count'"),
                        (lambda: pool.allocate_on(queue), "needs the argument 'size'"), (lambda: pool(), "argument 'size'"),
                        (lambda: pool.allocate_on(64, queue=queue), "more than one argument 'queue'"),
                        (lambda: pool(1, size=2), r"__call__\(\) takes at most 1"), (lambda: pool(count=1), "argument 'size'"),
                        (lambda: pool(1, 2), r"__call__\(\) takes at most 1")):
        with pytest.raises(TypeError, match=text):
            wrong()


def test_pools_are_made_over_allocators_only(pool):
    with pytest.raises(TypeError):
        clpool.MemoryPool(pool)
    with pytest.raises(TypeError):
        clpool.MemoryPool(None)
    with pytest.raises(TypeError):
        clpool.MemoryPool(pool.allocator, collect=3)
    with pytest.raises(ValueError):
        clpool.MemoryPool(pool.allocator, max_bytes=-1)
    with pytest.raises(ValueError, match="wait_ns"):
        clpool.MemoryPool(pool.allocator, wait_ns=-1)
    assert clpool.MemoryPool(pool.allocator, wait_ns=1, decay_ns=1).active_blocks == 0
    with pytest.raises(clpool.InvalidValueError):
        clpool.MemoryPool(pool.allocator, strategy=99)
    with pytest.raises(clpool.InvalidValueError):
        clpool.MemoryPool(pool.allocator, 27, strategy=clpool.strategy.BINNED)


def test_the_page_locked_pool_gives_arrays(queue):
    pool = clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(queue))
    array = pool.allocate((3, 4), np.float32, order="F")
    assert array.shape == (3, 4) and array.flags.f_contiguous and array.dtype == np.float32
    assert isinstance(array.base, clpool.PooledHostAllocation)
    assert len(array.base) == 48
    array[:] = 1
    view = array[1:]
    with pytest.raises(BufferError):
        array.base.release()
    del array
    assert pool.active_blocks == 1
    assert (view == 1).all()
    del view
    assert pool.active_blocks == 0
    assert pool.allocate(5).shape == (5,)
    assert pool.allocate(()).shape == ()
    with pytest.raises(ValueError):
        pool.allocate(5, np.int32, order="K")
    with pytest.raises(ValueError):
        pool.allocate((2, -1))
    with pool.allocate_block(8) as block:
        memoryview(block)[:] = b"12345678"
        assert bytes(block) == b"12345678"


def test_uses_on_other_queues_hold_a_block_back(pool, queue, opencl):
    _, _, other = clpool.create_default_context()
    block = pool.allocate(4096)
    block.used_on(queue)
    event = clpool.enqueue_fill(queue, block, b"\1")
    block.release_after(event)
    assert block.is_released
    queue.finish()
    other.finish()
    pool.tick()
    assert pool.allocate(4096).size == 4096


def hold(gate, queue, context):
    """Holds the queue up until the gate opens."""
    clpool.enqueue_fill(queue, clpool.Buffer(context, 1, 4096), b"\1", wait_for=[gate[0]])
    queue.flush()


def test_a_block_for_one_queue_is_reused_at_once_there_and_nowhere_else(numbers, queue, other_queue, context, gate):
    pool = numbers.pool(queues=[queue, other_queue])
    block = pool.allocate_on(queue, 4096)
    place = block.svm_ptr
    hold(gate, queue, context)
    block.release()
    elsewhere, anywhere = pool.allocate_on(other_queue, 4096), pool.allocate(4096)
    assert place not in (elsewhere.svm_ptr, anywhere.svm_ptr)
    assert pool.allocate_on(queue, 4096).svm_ptr == place
    gate[1]()
    queue.finish()
    pool.check()


def test_a_block_that_is_known_to_be_idle_is_reused_at_once(numbers, queue, other_queue, context, gate):
    pool = numbers.pool(queues=[queue, other_queue])
    busy, idle = pool.allocate(4096), pool.allocate(4096)
    hold(gate, queue, context)
    place = idle.svm_ptr
    busy.release()
    idle.release_idle()
    assert idle.is_released
    assert pool.statistics.pending_bytes > 0, "the other waits for the queue"
    assert pool.allocate(4096).svm_ptr == place
    gate[1]()
    queue.finish()


def test_an_idle_release_is_refused_while_a_view_is_there():
    pool = clpool.Pool(Addressable().allocator)
    block = pool.allocate(100)
    view = memoryview(block)
    with pytest.raises(BufferError):
        block.release_idle()
    del view
    block.release_idle()
    with pytest.raises(clpool.ClpoolError):
        block.release_idle()


class Addressable:
    """Memory of bytearrays."""

    def __init__(self):
        self.chunks = {}
        self.allocator = clpool.CustomAllocator(self.allocate, self.deallocate, addressable=True)

    def allocate(self, size, alignment):
        chunk = np.zeros(size + alignment, np.uint8)
        place = -(-chunk.ctypes.data // alignment) * alignment
        self.chunks[place] = chunk
        return place

    def deallocate(self, place, _size):
        del self.chunks[place]


def findings_of_a_write_beyond_the_end(queue, **options):
    said = []
    pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue), message=lambda _, text: said.append(text), **options)
    block = pool.allocate(1000)
    block.tag(77)
    behind = clpool.Buffer.from_int_ptr(block.int_ptr, retain=True)
    if behind.size > 1000:
        clpool.enqueue_fill(queue, behind, b"\1", 1, offset=1000)
    queue.finish()
    behind.release()
    block.release()
    pool.free_held()
    return [text for text in said if text.startswith("guard: ")]


def test_a_guarded_pool_finds_a_write_beyond_the_end(queue):
    findings = findings_of_a_write_beyond_the_end(queue, guard=True)
    assert findings and "1000 bytes with tag 77" in findings[0]


def test_a_pool_that_is_not_guarded_finds_nothing(queue):
    assert findings_of_a_write_beyond_the_end(queue, guard=False) == []


def test_a_guard_is_on_off_or_as_the_environment_says(numbers):
    for guard in (1, "on", 0):
        with pytest.raises(TypeError):
            numbers.pool(guard=guard)


@pytest.mark.parametrize("option, value, kind", [
    ("max_bytes", -1, ValueError), ("max_bytes", 1 << 64, OverflowError), ("strategy", 1 << 32, OverflowError),
    ("decay_ns", 1.5, TypeError), ("wait_ns", None, TypeError), ("alignment", 3, clpool.InvalidValueError),
    ("name", "a\0b", ValueError), ("queues", 5, TypeError), ("collect", 5, TypeError), ("strategy", "BINNED", TypeError)])
def test_options_that_cannot_be_are_refused_by_name(numbers, option, value, kind):
    with pytest.raises(kind) as caught:
        numbers.pool(**{option: value})
    assert option in str(caught.value) or option == "name"


def test_page_locked_arrays_may_be_for_one_queue(queue):
    pool = clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(queue))
    array = pool.allocate_on(queue, (3, 4), np.float32)
    assert array.shape == (3, 4) and array.dtype == np.float32
    assert pool.active_bytes == 48
    assert pool.allocate_on(queue, 0).shape == (0,)
    del array
    with pytest.raises(TypeError):
        pool.allocate_on(None, 5)


def test_figures_and_calls_of_a_pool_are_the_pools(queue):
    allocator = clpool.ImmediateAllocator(queue)
    assert repr(allocator) == "<clpool.ImmediateAllocator>"
    with clpool.MemoryPool(allocator) as pool:
        pool.allocate(4096).release()
        assert pool.held_bytes == pool.statistics.held_bytes >= 4096
        pool.tick()
    for use in (pool.tick, lambda: pool.allocate(1)):
        with pytest.raises(clpool.InvalidOperationError):
            use()
