# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""For programs with PyOpenCL: allocators whose results are pyopencl.Buffer objects, so that pyopencl.array, kernels and
everything else takes them. One line is enough:

    a = pyopencl.array.zeros(queue, 1000, numpy.float32, allocator=clpool.pyopencl.use(queue))

`Allocator(pool)` is what arrays take for a pool of one's own; the modules tools and characterize have the names of
PyOpenCL's, so that an import line is all that changes:

    from clpool.pyopencl.tools import ImmediateAllocator, MemoryPool
"""
from .interop import Allocator, Buffer, PooledBuffer, PooledSVM, SVMAllocation, as_buffer, use

__all__ = ["Allocator", "Buffer", "PooledBuffer", "PooledSVM", "SVMAllocation", "as_buffer", "use"]
