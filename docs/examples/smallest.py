# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
import clpool

device, context, queue = clpool.create_default_context()
pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))
with pool.allocate(1 << 20) as block:
    event = clpool.enqueue_fill(queue, block, b"\0")  # for PyOpenCL: clpool.pyopencl
    event.wait()
    print(f"{block.size} bytes, {'a cl_mem' if block.int_ptr else 'none'}")
