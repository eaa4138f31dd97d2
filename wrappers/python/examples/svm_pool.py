# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Shared virtual memory from a pool: the host writes, the device fills, the host reads, without copies."""
import sys

import clpool

device, context, queue = clpool.create_default_context()
if not clpool.characterize.has_coarse_grain_buffer_svm(device):
    print(f"{device} has no shared virtual memory")
    sys.exit(0)

pool = clpool.SVMPool(clpool.SVMAllocator(context, queue=queue))
with pool.allocate(1 << 16) as block:
    with block.map_rw(queue) as view:
        view[:] = 1
    clpool.enqueue_fill(queue, block, b"\x02", 1 << 15)
    with block.map_ro(queue) as view:
        total = int(view.sum(dtype="int64"))
    print(f"{device}: {block}, sum {total}")
assert total == 3 << 15
assert pool.active_blocks == 0
