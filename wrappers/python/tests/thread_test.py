# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Eight threads, with the garbage collector at every allocation."""
import random
import subprocess
import sys
import threading

import numpy as np
import pytest

import clpool


def run(count, work):
    failures = []

    def guarded(number):
        try:
            work(number)
        except BaseException as failure:  # the test's own thread raises it
            failures.append(failure)
    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    if failures:
        raise failures[0]


@pytest.mark.parametrize("strategy", [clpool.strategy.COALESCING, clpool.strategy.BINNED])
def test_eight_threads_share_a_pool(queue, strategy, collector_at_every_allocation):
    pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue), strategy=strategy)

    def work(number):
        source, live = random.Random(number), []
        for _ in range(400):
            choice = source.random()
            if choice < 0.5 or not live:
                live.append(pool.allocate(source.choice((1, 64, 4096, 100_000))))
            elif choice < 0.7:
                live.pop(source.randrange(len(live))).release()
            elif choice < 0.9:
                del live[source.randrange(len(live))]
            else:
                assert pool.active_blocks >= len(live)
    run(8, work)
    assert pool.active_blocks == pool.active_bytes == 0
    pool.check()


def test_blocks_are_released_by_other_threads_than_allocated_them(pool, collector_at_every_allocation):
    blocks, lock = [], threading.Lock()

    def work(number):
        for _ in range(300):
            block = pool.allocate(256 * (1 + number % 3))
            with lock:
                blocks.append(block)
                other = blocks.pop(0) if len(blocks) > 20 else None
            if other is not None and number % 2:
                other.release()
    run(8, work)
    blocks.clear()
    assert pool.active_blocks == 0
    pool.check()


def test_a_map_is_unmapped_by_one_of_the_threads_that_release_it(queue, pool):
    block = pool.allocate(4096)
    for _ in range(100):
        mapped, barrier = block.map(queue), threading.Barrier(4)

        def work(_number):
            barrier.wait()
            try:
                mapped.release()
            except clpool.InvalidOperationError as refusal:
                assert "cannot be released while it is in use" in str(refusal) or "released already" in str(refusal)
        run(4, work)
        assert mapped.release().is_complete or mapped.release().wait() is None
    assert block.map_count == 0


def test_no_two_threads_have_the_same_bytes(context, needs_svm, collector_at_every_allocation):
    pool = clpool.SVMPool(clpool.SVMAllocator(context, flags=clpool.mem_flags.READ_WRITE))

    def work(number):
        for _ in range(200):
            with pool.allocate(128) as block:
                view = np.frombuffer(block, np.uint8)
                view[:] = number
                assert (view == number).all()
                del view
    run(8, work)


def test_callbacks_of_eight_threads_and_failures_do_not_mix(make_numbers, collector_at_every_allocation):
    def work(number):
        error = type(f"Error{number}", (Exception,), {})

        def allocate(size, alignment):
            raise error()
        pool = clpool.Pool(clpool.CustomAllocator(allocate, lambda *_: None))
        for _ in range(50):
            with pytest.raises(error):
                pool.allocate(10)
    run(8, work)


def test_out_of_memory_in_eight_threads_at_once(make_numbers, collector_at_every_allocation):
    numbers = make_numbers(capacity=1 << 20)
    lock = threading.Lock()

    def locked(function):
        def call(*arguments):
            with lock:
                return function(*arguments)
        return call
    pool = clpool.Pool(clpool.CustomAllocator(locked(numbers.allocate), locked(numbers.deallocate)))

    def work(number):
        for _ in range(30):
            try:
                block = pool.allocate(1 << 18)
                block.release()
            except MemoryError:
                pass
    run(8, work)
    assert pool.active_blocks == 0
    pool.free_held()
    assert not numbers.live


def test_a_cache_computes_once_for_eight_threads(context):
    cache, computed = clpool.Cache("context"), []
    run(8, lambda _: cache.get(context, b"key", lambda: computed.append(1) or "result"))
    assert computed == [1]
    assert cache.find(context, b"key") == "result"


@pytest.mark.parametrize("work", [
    "pool.statistics",
    "pool.free_held(); pool.allocate(1 << 20)",
    "clpool.enqueue_fill(queue, block, b'x').wait()",
    "numbers.free_held(); numbers.allocate(4096)",
])
def test_a_program_may_end_while_daemon_threads_work(work):
    program = f"""
import threading, time
import clpool
device, context, queue = clpool.create_default_context()
pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))
block = pool.allocate(1 << 16)
numbers = clpool.Pool(clpool.CustomAllocator(lambda size, alignment: 1 << 20, lambda chunk, size: None))
def work():
    while True:
        {work}
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(.2)
"""
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr


def test_a_program_may_end_while_daemon_threads_are_within_functions_of_an_allocator():
    program = """
import sys, threading, time, types
import clpool
def allocate(size, alignment):
    time.sleep(.3)
    return 1 << 20
class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(.5)  # while the interpreter ends, the threads wake up
sys.modules["slow"] = types.ModuleType("slow")
sys.modules["slow"].slow = Slow()
def work():
    pool = clpool.Pool(clpool.CustomAllocator(allocate, lambda chunk, size: None))
    while True:
        pool.allocate(4096)
        pool.free_held()
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(.2)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
