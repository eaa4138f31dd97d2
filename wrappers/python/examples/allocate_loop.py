# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Allocates in a loop, from a pool and from the driver, and prints the difference."""
import time
from typing import Any, Callable

import clpool

COUNT, SIZE = 2000, 1 << 20

device, context, queue = clpool.create_default_context()
allocator = clpool.ImmediateAllocator(queue)
pool = clpool.MemoryPool(allocator)


def microseconds(allocate: Callable[[int], Any]) -> float:
    begin = time.perf_counter()
    for _ in range(COUNT):
        with allocate(SIZE) as block:
            assert block.size == SIZE
    return (time.perf_counter() - begin) / COUNT * 1e6


without = microseconds(allocator)
with_pool = microseconds(pool.allocate)
print(device)
print(f"{COUNT} allocations of {SIZE} bytes: {without:.2f} us each from the driver, {with_pool:.2f} us from the pool, "
      f"{without / with_pool:.0f} times faster")
print(pool)
assert pool.statistics.driver_allocations == 1
