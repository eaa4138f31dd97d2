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
from ._native import (BadFormatError, CallbackError, ClpoolError, InputOutputError, InternalError, InvalidOperationError,
                      InvalidValueError, NotFoundError, NotSupportedError, OpenCLError, OutOfHostMemoryError,
                      OutOfMemoryError, WouldBlockError)
from .allocators import (Allocator, AllocatorBase, AllocatorInterface, CLAllocator, CustomAllocator, DeferredAllocator,
                         ImmediateAllocator, LimitAllocator, PageLockedAllocator, SVMAllocator, TraceAllocator)
from .characterize import CLCharacterizationWarning
from .constants import (WHOLE_SIZE, addressing_mode, channel_order, channel_type, device_type, filter_mode, image_info,
                        map_flags, mem_flags, mem_info, mem_migration_flags, mem_object_type, model, pipe_info, status,
                        strategy, svm_mem_flags)
from .devices import (CommandQueue, Context, Device, Event, choose_device, create_default_context, list_devices,
                      list_devices_for_tests)
from .heap import Heap, HeapRange, HeapStatistics
from .memoize import (Cache, clear_context_caches, clear_first_arg_caches, context_dependent_memoize,
                      first_arg_dependent_memoize, first_arg_dependent_memoize_nested)
from .memory import (SVM, Buffer, CustomMemory, Image, ImageFormat, MemoryMap, MemoryObject, PageLocked, Pipe,
                     PooledBuffer, PooledCustom, PooledHostAllocation, PooledSVM, Sampler, SubRegion, SVMAllocation,
                     SVMPointer, create_image, get_supported_image_formats, image_from_array)
from .messages import (cl_error_name, last_cl_error, last_error_message, set_message_callback, status_string, version,
                       version_number)
from .occupancy import DeviceData, Occupancy, OccupancyRecord, occupancy, suggest_group_sizes
from .pools import (MemoryPool, PageLockedMemoryPool, Pool, PoolStatistics, Stretch, SVMPool,
                    alloc_size, bin_number, bitlog2)
from .trace import ReplayResult, Trace, TraceEvent, TraceStatistics, TraceWriter
from .transfer import (csvm_empty, csvm_empty_like, enqueue_copy, enqueue_copy_buffer_p2p_amd, enqueue_fill,
                       enqueue_fill_buffer, enqueue_fill_image, enqueue_map_buffer, enqueue_map_image,
                       enqueue_migrate_mem_objects, enqueue_svm_memfill, enqueue_svm_migrate_mem, enqueue_svm_migratemem,
                       fsvm_empty, fsvm_empty_like, mapping_of, svm_capabilities, svm_empty, svm_empty_like)

__version__ = version()
__all__ = [name for name in dir() if not name.startswith("_")]
