# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""The names of pyopencl.tools and pycuda.tools in one place, over clpool's own objects. For objects that PyOpenCL's arrays
and kernels take, see clpool.pyopencl.tools."""
from .allocators import (AllocatorBase, AllocatorInterface, CLAllocator, CustomAllocator, DeferredAllocator,
                         ImmediateAllocator, LimitAllocator, PageLockedAllocator, SVMAllocator, TraceAllocator)
from .devices import get_default_device, make_default_context
from .memoize import (clear_context_caches, clear_first_arg_caches, context_dependent_memoize,
                      first_arg_dependent_memoize, first_arg_dependent_memoize_nested)
from .memory import PooledBuffer, PooledDeviceAllocation, PooledHostAllocation
from .occupancy import DeviceData, OccupancyRecord
from .pools import DeviceMemoryPool, MemoryPool, PageLockedMemoryPool, SVMPool, alloc_size, bin_number, bitlog2
from .pytest_plugin import mark_cuda_test, mark_opencl_test
from .pytest_plugin import pytest_generate_tests as pytest_generate_tests_for_pyopencl
from .svm import PooledSVM

__all__ = [
    "AllocatorBase", "AllocatorInterface", "CLAllocator", "CustomAllocator", "DeferredAllocator", "DeviceData",
    "DeviceMemoryPool", "ImmediateAllocator", "LimitAllocator", "MemoryPool", "OccupancyRecord", "PageLockedAllocator",
    "PageLockedMemoryPool", "PooledBuffer", "PooledDeviceAllocation", "PooledHostAllocation", "PooledSVM", "SVMAllocator",
    "SVMPool", "TraceAllocator", "alloc_size", "bin_number", "bitlog2", "clear_context_caches", "clear_first_arg_caches",
    "context_dependent_memoize", "first_arg_dependent_memoize", "first_arg_dependent_memoize_nested", "get_default_device",
    "make_default_context", "mark_cuda_test", "mark_opencl_test", "pytest_generate_tests_for_pyopencl",
]
