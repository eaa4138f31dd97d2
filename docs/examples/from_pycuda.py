# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""PyCUDA's names for pools, on any OpenCL device."""
import numpy as np

import clpool.tools

# Before: import pycuda.autoinit; from pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool
pool = clpool.tools.DeviceMemoryPool()
staging = clpool.tools.PageLockedMemoryPool()

queue = clpool.devices.default_queue()
array = staging.allocate(1000, np.float32)
array[:] = 2
block = pool.allocate(array.nbytes)
clpool.enqueue_copy(queue, block, array)
result = np.empty_like(array)
clpool.enqueue_copy(queue, result, block)
block.free()
print(f"sum {result.sum():.0f}, {pool.active_blocks} blocks in use")
