# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Nanoseconds of an allocation and release that is a hit, with peers in the same run: PyOpenCL's pools and a dictionary of
lists. Each row is the median of the measurements of several processes (hit.py PROCESSES), each the median of its own; the
empty loop is included in every row. Time is the thread's CPU time, so that other load on the machine counts as little as it
can."""
import statistics
import subprocess
import sys
import time

import clpool

REPETITIONS, COUNT, SIZE = 9, 100_000, 4096


class Lists:
    """The pure-Python baseline: released buffers in a dictionary of lists, without counters, limits or safety."""

    def __init__(self, make):
        self.make, self.free = make, {}

    def allocate(self, size):
        waiting = self.free.get(size)
        return waiting.pop() if waiting else self.make(size)

    def release(self, block, size):
        self.free.setdefault(size, []).append(block)


def empty_loop():
    for _ in range(COUNT):
        pass


def release_of(allocate):
    def run():
        for _ in range(COUNT):
            block = allocate(SIZE)
            block.release()
    return run


def del_of(allocate):
    def run():
        for _ in range(COUNT):
            block = allocate(SIZE)
            del block
    return run


def with_of(allocate):
    def run():
        for _ in range(COUNT):
            with allocate(SIZE):
                pass
    return run


def inline_lists(make):
    free = {SIZE: [make(SIZE)]}

    def run():
        for _ in range(COUNT):
            waiting = free.get(SIZE)
            block = waiting.pop() if waiting else make(SIZE)
            free[SIZE].append(block)
    return run


def lists(make):
    pool = Lists(make)

    def run():
        for _ in range(COUNT):
            block = pool.allocate(SIZE)
            pool.release(block, SIZE)
    return run


def rows():
    device, context, queue = clpool.create_default_context()
    pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))
    binned = clpool.MemoryPool(clpool.ImmediateAllocator(queue), strategy=clpool.strategy.BINNED)
    svm = clpool.SVMPool(clpool.SVMAllocator(context, queue=queue))
    svm_alone = clpool.SVMPool(clpool.SVMAllocator(context))
    yield "empty loop", empty_loop
    yield "clpool.MemoryPool, del", del_of(pool.allocate)
    yield "clpool.MemoryPool, release()", release_of(pool.allocate)
    yield "clpool.MemoryPool, with", with_of(pool.allocate)
    yield "clpool.MemoryPool, binned, release()", release_of(binned.allocate)
    yield "clpool.SVMPool with a queue, release()", release_of(svm.allocate)
    yield "clpool.SVMPool without one, release()", release_of(svm_alone.allocate)
    yield "dictionary of lists, written into the loop", inline_lists(clpool.ImmediateAllocator(queue))
    yield "dictionary of lists, as a class", lists(clpool.ImmediateAllocator(queue))
    try:
        import pyopencl as cl
        import pyopencl.tools as theirs
        import clpool.pyopencl.tools as ours
    except ImportError:
        return
    ctx = cl.Context([cl.Device.from_int_ptr(device.int_ptr)])
    cq = cl.CommandQueue(ctx)
    for name, tools in (("clpool.pyopencl.tools", ours), ("PyOpenCL", theirs)):
        pool = tools.MemoryPool(tools.ImmediateAllocator(cq))
        yield f"{name} MemoryPool (pyopencl.Buffer), del", del_of(pool.allocate)
        yield f"{name} MemoryPool (pyopencl.Buffer), release()", release_of(pool.allocate)
        if hasattr(tools, "SVMPool"):
            yield f"{name} SVMPool with a queue, del", del_of(tools.SVMPool(tools.SVMAllocator(ctx, queue=cq)))
            yield f"{name} SVMPool with a queue, release()", release_of(tools.SVMPool(tools.SVMAllocator(ctx, queue=cq)))
            yield f"{name} SVMPool without one, del", del_of(tools.SVMPool(tools.SVMAllocator(ctx)))


def nanoseconds(run):
    run()
    measured = []
    for _ in range(REPETITIONS):
        begin = time.thread_time_ns()
        run()
        measured.append((time.thread_time_ns() - begin) / COUNT)
    return statistics.median(measured)


def one_process():
    for name, run in rows():
        print(f"{name}\t{nanoseconds(run)}")


def main(processes):
    found = {}
    for _ in range(processes):
        lines = subprocess.run([sys.executable, __file__, "--one"], check=True, capture_output=True, text=True).stdout
        for line in lines.splitlines():
            name, value = line.split("\t")
            found.setdefault(name, []).append(float(value))
    print("| allocate + release, a hit, 4 KiB | ns |\n|---|---|")
    for name, values in found.items():
        print(f"| {name} | {statistics.median(values):.0f} |")


if sys.argv[1:] == ["--one"]:
    one_process()
else:
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
