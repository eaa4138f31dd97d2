# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""The shortest useful program in Python."""
import numpy as np

import clpool

device, context, queue = clpool.create_default_context()
pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))

after = np.zeros(1, np.int32)
for step in range(1000):  # only the first step asks the driver for memory
    with pool.allocate(1 << 20) as block:
        clpool.enqueue_fill(queue, block, np.int32(42))
        clpool.enqueue_copy(queue, after, block, byte_count=4)

stats = pool.statistics
print(f"read {after[0]}; {stats.allocations} blocks from {stats.driver_allocations} allocations of the driver")
