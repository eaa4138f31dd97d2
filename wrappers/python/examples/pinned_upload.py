# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Uploads arrays through page-locked memory of a pool, and compares with ordinary host memory."""
import time
from typing import Any, Callable

import numpy as np

import clpool

COUNT = 20
SHAPE = (1024, 1024)

device, context, queue = clpool.create_default_context()
pool = clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(queue))
target = clpool.Buffer(context, clpool.mem_flags.READ_WRITE, 4 * SHAPE[0] * SHAPE[1])


def gigabytes_per_second(make: Callable[[], "np.ndarray[Any, Any]"]) -> float:
    source = make()
    source[:] = 1
    begin = time.perf_counter()
    for _ in range(COUNT):
        clpool.enqueue_copy(queue, target, source, is_blocking=False)
    queue.finish()
    return COUNT * source.nbytes / (time.perf_counter() - begin) / 1e9


ordinary = gigabytes_per_second(lambda: np.empty(SHAPE, np.float32))
pinned = gigabytes_per_second(lambda: pool.allocate(SHAPE, np.float32))
print(f"{device}: {ordinary:.1f} GB/s from ordinary memory, {pinned:.1f} GB/s from page-locked memory")

source = pool.allocate(SHAPE, np.float32)
source[:] = 1
clpool.enqueue_copy(queue, target, source, is_blocking=False)

result = pool.allocate(SHAPE, np.float32)
clpool.enqueue_copy(queue, result, target)
assert (result == 1).all()
