# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What is forgotten in any thread comes back in any thread's next call, in pieces, and at the program's end."""
import gc
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import clpool


def in_a_thread(work):
    """Runs work() in a thread while this one waits, so that it carries nothing out but what it had begun before;
    returns its result."""
    results = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join(100)
    assert results, "the thread failed"
    return results[0]


def nothing_lives(numbers):
    """Whether nothing of `numbers` lives, at the latest when the main thread, too, is through with what it began."""
    end = time.monotonic() + 10
    while numbers.live and time.monotonic() < end:
        time.sleep(0.001)
    return not numbers.live


def test_a_thread_gets_back_what_it_forgot(numbers):
    allocator = clpool.CustomAllocator(numbers.allocate, numbers.deallocate)

    def work():
        most = 0
        for _ in range(100):
            memory = allocator(100)
            most = max(most, len(numbers.live))
            del memory
        return most
    assert in_a_thread(work) <= 50


def test_a_thread_gets_back_what_another_forgot(numbers, context):
    allocator = clpool.CustomAllocator(numbers.allocate, numbers.deallocate)

    def work():
        in_a_thread(lambda: allocator(100) and None or True)
        clpool.Buffer(context, 1, 64)  # any call
        return nothing_lives(numbers)
    assert in_a_thread(work)


def test_a_thread_that_only_takes_from_a_pool_gives_back_what_others_forgot(numbers, pool):
    allocator = clpool.CustomAllocator(numbers.allocate, numbers.deallocate)

    def work():
        pool.allocate(100).release()  # this thread's cache has one
        in_a_thread(lambda: allocator(100) and None or True)
        pool.allocate(100).release()  # a hit
        return nothing_lives(numbers)
    assert in_a_thread(work)


def test_one_call_carries_out_a_piece_only(numbers):
    """No thread works for all the others."""
    given_back_by = []

    def deallocate(chunk, size):
        given_back_by.append(threading.get_ident())
        numbers.deallocate(chunk, size)
    allocator = clpool.CustomAllocator(numbers.allocate, deallocate)

    def work():
        counts = []
        for _ in range(20):
            blocks = [allocator(10) for _ in range(1000)]
            blocks.clear()
            given_back_by.clear()
            allocator(10)
            counts.append(given_back_by.count(threading.get_ident()))
        return counts
    counts = in_a_thread(work)
    assert 0 < max(counts) <= 64


def test_memory_that_waits_to_be_given_back_is_not_missing(queue):
    """More than one call carries out, and nothing is left without it."""
    size = 1 << 16
    allocator = clpool.LimitAllocator(clpool.ImmediateAllocator(queue), 200 * size)

    def work():
        blocks = [allocator(size) for _ in range(200)]
        with pytest.raises(MemoryError):
            allocator(size)
        blocks.clear()
        return allocator(150 * size).size
    assert in_a_thread(work) == 150 * size


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_in_cycles_is_not_missing(queue, enabled):
    allocator = clpool.LimitAllocator(clpool.ImmediateAllocator(queue), 1 << 16)

    class Node:
        pass
    (gc.enable if enabled else gc.disable)()
    try:
        node = Node()
        node.itself, node.block = node, allocator(1 << 16)
        del node
        assert allocator(1 << 16).size == 1 << 16
    finally:
        gc.enable()


@pytest.mark.parametrize("what", ["Buffer", "map", "event", "pool"])
def test_objects_of_every_kind_come_back_in_a_thread(context, queue, what):
    pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))
    block = pool.allocate(4096)

    def make():
        if what == "Buffer":
            return clpool.Buffer(context, 1, 4096)
        if what == "map":
            return block.map(queue)
        if what == "event":
            return clpool.enqueue_copy(queue, block, np.zeros(4096, np.uint8), is_blocking=False)
        return clpool.MemoryPool(clpool.ImmediateAllocator(queue)).allocate(4096)

    def work():
        for _ in range(300):
            make()
        return True
    assert in_a_thread(work)
    assert block.map_count <= 1


def run(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_forgotten_at_the_end_comes_back():
    out = run("""
import threading
import clpool
def put(chunk, size): print("back", size)
allocator = clpool.CustomAllocator(lambda size, alignment: size << 20, put)
def work():
    for size in (1, 2, 3):
        allocator(size)
        allocator(size + 10)
def at_exit():
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
import atexit
atexit.register(at_exit)
""")
    assert sorted(int(line.split()[1]) for line in out.splitlines()) == [1, 2, 3, 11, 12, 13]


def test_a_program_ends_while_threads_forget_memory():
    run("""
import threading, time
import clpool
device, context, queue = clpool.create_default_context()
allocator = clpool.ImmediateAllocator(queue)
def work():
    while True:
        allocator(1000)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(.3)
""")


RUNS_COMMANDS_AT_THE_END = """
import ctypes, os
opencl = ctypes.CDLL("libOpenCL.so.1")
opencl.clCreateUserEvent.restype = ctypes.c_void_p
class Gate:
    def __init__(self, context, queue):
        self.handle = opencl.clCreateUserEvent(ctypes.c_void_p(context), None)
        self.needs = ctypes.c_void_p(self.handle), ctypes.c_void_p(queue)
        opencl.clRetainCommandQueue(self.needs[1])
    def __del__(self, complete=opencl.clSetUserEventStatus, finish=opencl.clFinish, write=os.write):
        event, queue = self.needs
        write(1, b"done" if complete(event, 0) == finish(queue) == 0 else b"failed")
"""


@pytest.mark.parametrize("how", [
    "event = copy()",
    "events = [copy() for _ in range(3)]",
    "thing.event = copy()",
    "thing.event, thing.itself = copy(), thing",
    "event = copy(); raise SystemExit",
    "event = copy(); raise ValueError",
    "copy()",
    "class Releases:\n    def __del__(self, event=copy()): event.release()\nthing.releases = Releases()",
])
def test_host_memory_that_a_command_uses_outlives_the_interpreter(how):
    done = subprocess.run([sys.executable, "-c", f"""
import mmap, sys
import clpool
exec({RUNS_COMMANDS_AT_THE_END!r}, apart := {{}})  # what is in sys ends after all else, but for what it refers to
device, context, queue = clpool.create_default_context()
sys.gate = apart["Gate"](context.int_ptr, queue.int_ptr)
buffer, gate = clpool.Buffer(context, 1, 1 << 20), sys.gate.handle
def copy():
    return clpool.enqueue_copy(queue, mmap.mmap(-1, 1 << 20), buffer, is_blocking=False, wait_for=[gate])
class Thing:
    pass
thing = Thing()
{how}
"""], capture_output=True, text=True, timeout=100)
    assert (done.stdout, done.returncode) == ("done", 1 if "ValueError" in how else 0), done.stderr


def test_a_pool_in_use_cannot_be_released(make_numbers):
    inside, go_on = threading.Event(), threading.Event()
    numbers = make_numbers()

    def allocate(size, alignment):
        inside.set()
        go_on.wait(100)
        return numbers.allocate(size, alignment)
    pool = clpool.Pool(clpool.CustomAllocator(allocate, numbers.deallocate))
    blocks = []
    thread = threading.Thread(target=lambda: blocks.append(pool.allocate(100)))
    thread.start()
    inside.wait(100)
    with pytest.raises(clpool.InvalidOperationError, match="Pool cannot be released while it is in use"):
        pool.release()
    assert not pool.is_released
    go_on.set()
    thread.join(100)
    assert blocks[0].size == 100
    pool.release()


@pytest.mark.parametrize("callback", ["collect", "out_of_memory"])
def test_a_pool_cannot_be_released_by_its_own_callbacks(queue, callback):
    allocator = clpool.LimitAllocator(clpool.ImmediateAllocator(queue), 1 << 20)
    pool = clpool.MemoryPool(allocator, **{callback: lambda *_: pool.release()})
    block = pool.allocate(1 << 19)
    with pytest.raises(clpool.InvalidOperationError, match="while it is in use"):
        pool.allocate(1 << 20)
    assert not pool.is_released
    block.release()
    pool.allocate(1 << 20).release()


def test_allocators_and_caches_in_use_cannot_be_released(context):
    def get(size, alignment):
        allocator._handle.release()
    allocator = clpool.CustomAllocator(get, lambda chunk, size: None)
    with pytest.raises(clpool.InvalidOperationError, match="allocator cannot be released while it is in use"):
        allocator(10)
    cache = clpool.Cache()
    with pytest.raises(clpool.InvalidOperationError, match="cache cannot be released while it is in use"):
        cache.get(context, b"", cache._handle.release)
