# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""clpool: the memory layer for OpenCL. Pools that make allocation nearly free and waste little, the allocators under them,
memory objects and transfers around them, and what one must know of a device.

    >>> import clpool
    >>> device, context, queue = clpool.create_default_context()
    >>> pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))
    >>> with pool.allocate(1 << 20) as block:
    ...     event = clpool.enqueue_fill(queue, block, b"\\0")

Contexts, queues, devices, events and kernels may be clpool's, PyOpenCL's, or plain integers. clpool.pyopencl has drop-in
allocators for pyopencl.array.
"""
from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any as _Any

from ._errors import (BadFormatError, CallbackError, ClpoolError, InputOutputError, InternalError, InvalidOperationError,
                      InvalidValueError, NotFoundError, NotSupportedError, OpenCLError, OutOfHostMemoryError,
                      OutOfMemoryError, WouldBlockError)
from ._results import DeviceFacts, DeviceLimits, HeapStatistics, PoolStatistics, ReplayResult, Stretch, TraceEvent, TraceStatistics
from . import kinds as _kinds  # noqa: F401  the classes of memory that functions of C give
from .allocators import (Allocator, AllocatorBase, AllocatorInterface, CLAllocator, CustomAllocator, DeferredAllocator,
                         ImmediateAllocator, LimitAllocator, PageLockedAllocator, SVMAllocator, TraceAllocator)
from .characterize import CLCharacterizationWarning
from .constants import (WHOLE_SIZE, addressing_mode, channel_order, channel_type, device_svm_capabilities, device_type,
                        filter_mode, image_info, map_flags, mem_flags, mem_info, mem_migration_flags, mem_object_type,
                        model, pipe_info, sampler_info, status, strategy, svm_mem_flags, touch)
from .devices import (CommandQueue, Context, Device, Event, choose_device, create_default_context, get_default_device,
                      list_devices, list_devices_for_tests, make_default_context)
from .heap import Heap, HeapRange
from .images import Image, ImageFormat, create_image, get_supported_image_formats, image_from_array
from .maps import MemoryMap, mapping_of
from .memoize import (Cache, clear_context_caches, clear_first_arg_caches, context_dependent_memoize,
                      first_arg_dependent_memoize, first_arg_dependent_memoize_nested)
from .memory import (Buffer, CustomMemory, MemoryObject, PageLocked, PooledBuffer, PooledCustom, PooledDeviceAllocation,
                     PooledHostAllocation, SubRegion)
from .messages import (cl_error_name, last_cl_error, last_error_message, set_message_callback, status_string, version,
                       version_number)
from .occupancy import DeviceData, Occupancy, OccupancyRecord, occupancy, suggest_group_sizes
from .pipes import Pipe
from .pools import DeviceMemoryPool, MemoryPool, PageLockedMemoryPool, Pool, SVMPool, alloc_size, bin_number, bitlog2
from .samplers import Sampler
from .svm import (SVM, PooledSVM, SVMAllocation, SVMMap, SVMPointer, csvm_empty, csvm_empty_like, fsvm_empty,
                  fsvm_empty_like, svm_capabilities, svm_empty, svm_empty_like)
from .trace import Trace, TraceWriter
from .transfer import (MappedImage, enqueue_copy, enqueue_copy_buffer_p2p_amd, enqueue_fill, enqueue_fill_buffer,
                       enqueue_fill_image, enqueue_map_buffer, enqueue_map_image, enqueue_migrate_mem_objects,
                       enqueue_svm_memfill, enqueue_svm_migrate_mem, enqueue_svm_migratemem)

if TYPE_CHECKING:
    from . import pyopencl as pyopencl, pytest_plugin as pytest_plugin, tools as tools
else:
    def __getattr__(name: str) -> _Any:
        """Submodules that are imported when they are first asked for: some need PyOpenCL, and few programs use them."""
        if name not in ("pyopencl", "pytest_plugin", "tools"):
            raise AttributeError(f"module 'clpool' has no attribute '{name}'")
        try:
            return _import_module(f"{__name__}.{name}")
        except ImportError as error:
            raise AttributeError(f"clpool.{name} cannot be imported: {error}") from error

    def __dir__() -> _Any:
        return sorted({*globals(), "pyopencl", "pytest_plugin", "tools"})

__version__ = version()
__all__ = [
    "Allocator", "AllocatorBase", "AllocatorInterface", "BadFormatError", "Buffer", "CLAllocator",
    "CLCharacterizationWarning", "Cache", "CallbackError", "ClpoolError", "CommandQueue", "Context",
    "CustomAllocator", "CustomMemory", "DeferredAllocator", "Device", "DeviceData", "DeviceFacts", "DeviceLimits", "DeviceMemoryPool", "Event",
    "Heap", "HeapRange", "HeapStatistics", "Image", "ImageFormat", "ImmediateAllocator", "InputOutputError",
    "InternalError", "InvalidOperationError", "InvalidValueError", "LimitAllocator", "MappedImage", "MemoryMap",
    "MemoryObject", "MemoryPool", "NotFoundError", "NotSupportedError", "Occupancy", "OccupancyRecord", "OpenCLError",
    "OutOfHostMemoryError", "OutOfMemoryError", "PageLocked", "PageLockedAllocator", "PageLockedMemoryPool", "Pipe",
    "Pool", "PoolStatistics", "PooledBuffer", "PooledCustom", "PooledDeviceAllocation", "PooledHostAllocation",
    "PooledSVM", "ReplayResult", "SVM", "SVMAllocation", "SVMAllocator", "SVMMap", "SVMPointer", "SVMPool", "Sampler",
    "Stretch", "SubRegion", "Trace", "TraceAllocator", "TraceEvent", "TraceStatistics", "TraceWriter", "WHOLE_SIZE",
    "WouldBlockError", "addressing_mode", "alloc_size", "bin_number", "bitlog2", "channel_order", "channel_type",
    "choose_device", "cl_error_name", "clear_context_caches", "clear_first_arg_caches", "context_dependent_memoize",
    "create_default_context", "create_image", "csvm_empty", "csvm_empty_like", "device_svm_capabilities",
    "device_type", "enqueue_copy", "enqueue_copy_buffer_p2p_amd", "enqueue_fill", "enqueue_fill_buffer",
    "enqueue_fill_image", "enqueue_map_buffer", "enqueue_map_image", "enqueue_migrate_mem_objects",
    "enqueue_svm_memfill", "enqueue_svm_migrate_mem", "enqueue_svm_migratemem", "filter_mode",
    "first_arg_dependent_memoize", "first_arg_dependent_memoize_nested", "fsvm_empty", "fsvm_empty_like",
    "get_default_device", "get_supported_image_formats", "image_from_array", "image_info", "last_cl_error",
    "last_error_message", "list_devices", "list_devices_for_tests", "make_default_context", "map_flags", "mapping_of",
    "mem_flags", "mem_info", "mem_migration_flags", "mem_object_type", "model", "occupancy", "pipe_info",
    "sampler_info", "set_message_callback", "status", "status_string", "strategy", "suggest_group_sizes",
    "svm_capabilities", "svm_empty", "svm_empty_like", "svm_mem_flags", "touch", "version", "version_number",
]
