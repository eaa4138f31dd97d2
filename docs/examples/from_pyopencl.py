# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""A program with PyOpenCL's arrays, its pool replaced."""
import sys

try:
    import numpy as np
    import pyopencl as cl  # type: ignore[import]
    import pyopencl.array as cl_array  # type: ignore[import]
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import clpool.pyopencl
# Before: from pyopencl.tools import ImmediateAllocator, MemoryPool
from clpool.pyopencl.tools import ImmediateAllocator, MemoryPool

device, _, _ = clpool.create_default_context()
queue = cl.CommandQueue(cl.Context([cl.Device.from_int_ptr(device.int_ptr)]))

pool = MemoryPool(ImmediateAllocator(queue))
a = cl_array.arange(queue, 1000, dtype=np.float32, allocator=pool)
for _ in range(100):
    a = a + 1  # a new array in each step, from the pool
print(f"sum {float(cl_array.sum(a).get()):.0f}")

# Or in one line, without a pool of one's own:
b = cl_array.zeros(queue, 1000, np.float32, allocator=clpool.pyopencl.use(queue))
assert (b.get() == 0).all()
