# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Reference cycles through callbacks, memory and handles are collected, and nothing of them is lost."""
import gc
import weakref

import numpy as np
import pytest

import clpool


class Witness:
    """What lives exactly as long as the cycle that has it: weak references to the cycle itself may end before."""

    __slots__ = ("__weakref__",)


def is_collected(make):
    """Whether what make() gives is collected once nothing refers to it."""
    made = make()
    made.witness = Witness()
    reference = weakref.ref(made.witness)
    del made
    for _ in range(3):
        gc.collect()
        clpool._native.finish_releases()
    return reference() is None


class Owner:
    """Something with attributes, and methods to be used as callbacks."""

    def callback(self, *_arguments):
        return 0


def test_through_a_pools_callbacks_and_blocks(queue):
    def make():
        owner = Owner()
        owner.pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue), out_of_memory=owner.callback,
                                       message=owner.callback)
        owner.blocks = [owner.pool.allocate(100) for _ in range(3)]
        return owner
    assert is_collected(make)


def test_through_attributes_of_a_pool(queue):
    def make():
        pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))
        pool.kept = [pool.allocate(100)]
        return pool
    assert is_collected(make)


class Shop:
    """An allocator of one's own as one would write it; it must be whole whenever its functions are called."""

    closed = []

    def __init__(self, wrap=lambda allocator: allocator):
        self.live = {}
        self.allocator = wrap(clpool.CustomAllocator(self.get, self.put))

    def get(self, size, alignment):
        chunk = 1 << 20 | len(self.live) << 12
        self.live[chunk] = size
        return chunk

    def put(self, chunk, size):
        Shop.closed.append(self.live.pop(chunk))


@pytest.mark.parametrize("wrap", [lambda allocator: allocator, lambda allocator: clpool.LimitAllocator(allocator, 1 << 30)])
@pytest.mark.parametrize("what", ["nothing", "memory", "block", "part", "pool only"])
def test_through_an_allocators_functions(wrap, what):
    def make():
        shop = Shop(wrap)
        if what == "memory":
            shop.memory = shop.allocator(77)
        elif what != "nothing":
            shop.pool = clpool.Pool(shop.allocator)
            block = shop.pool.allocate(77)
            shop.block = {"block": block, "part": block[10:20], "pool only": None}[what]
        return shop
    Shop.closed.clear()
    assert is_collected(make)
    assert len(Shop.closed) == (0 if what == "nothing" else 1)


def test_what_is_still_used_is_not_collected():
    shop = Shop()
    memory = shop.allocator(77)
    reference = weakref.ref(shop)
    del shop
    gc.collect()
    assert reference().live
    Shop.closed.clear()
    memory.release()
    assert Shop.closed == [77]
    del memory
    gc.collect()
    clpool._native.finish_releases()
    assert reference() is None


def test_through_the_results_of_a_cache(context):
    def make():
        owner = Owner()
        owner.cache = clpool.Cache()
        owner.cache.get(context, b"1", lambda: owner)
        owner.cache.get(context, b"2", lambda: [owner])
        return owner
    assert is_collected(make)


class Array(np.ndarray):
    """An array with attributes."""


def test_through_the_host_memory_of_a_buffer(context):
    def make():
        array = np.zeros(1000).view(Array)
        array.buffer = clpool.Buffer(context, clpool.mem_flags.READ_WRITE | clpool.mem_flags.USE_HOST_PTR, hostbuf=array)
        return array
    assert is_collected(make)


def test_through_a_part_and_its_whole(pool):
    def make():
        owner = Owner()
        owner.part = pool.allocate(4096)[128:256]
        owner.whole, owner.part._kept = owner.part._kept, owner
        return owner
    assert is_collected(make)
    assert pool.active_blocks == 0


def test_through_a_command_that_is_not_complete(context, queue, gate):
    buffer = clpool.Buffer(context, 1, 8000)
    memory = np.zeros(1000)
    host, reference = memory.view(Array), weakref.ref(memory)
    del memory
    host.event = clpool.enqueue_copy(queue, buffer, host, is_blocking=False, wait_for=[gate[0]])
    del host
    gc.collect()
    assert reference() is not None  # the command still uses it
    gate[1]()
    queue.finish()
    gc.collect()
    assert reference() is None


def test_finalizers_of_a_cycle_find_its_blocks_whole(pool):
    found = []

    class Closing:
        def __del__(self):
            found.append(self.block.size)
            self.block.release()
    closing = Closing()
    closing.itself, closing.block = closing, pool.allocate(100)
    del closing
    gc.collect()
    assert found == [100]
    assert pool.active_blocks == 0
