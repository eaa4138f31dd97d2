# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""For programs with PyOpenCL: allocators whose results are ordinary pyopencl.Buffer objects, so that pyopencl.array, kernels
and everything else takes them. `Allocator(pool)` is what arrays take as `allocator`; the modules tools and characterize have
the names of PyOpenCL's, so that an import line is all that changes:

    from clpool.pyopencl.tools import ImmediateAllocator, MemoryPool
"""
from .interop import Allocator, as_buffer

__all__ = ["Allocator", "as_buffer"]
