# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Allocators: where memory comes from. A pool is made over one; called with a size, each gives memory that goes straight
back to the driver when released (None for 0 bytes)."""
from abc import ABC, abstractmethod
from typing import Any, Optional

from . import _native as _n
from ._fields import Path, of_class
from ._numbers import CLPOOL_TOUCH_WAIT, touch as _touch
from .constants import mem_flags as _mem_flags
from .devices import default_queue
from .memory import MemoryObject


class AllocatorInterface(ABC):
    """What can be called with a size and gives memory."""

    @abstractmethod
    def __call__(self, size: int) -> Any:
        """Memory of so many bytes; None for 0."""


AllocatorBase = AllocatorInterface


class Allocator(AllocatorInterface):
    """Base of the library's allocators."""

    _handle: _n.Handle

    #: Whether memory may turn out missing at its first use.
    is_deferred = False

    #: Whether the numbers of memory without a cl_mem are addresses of this process.
    addressable = True

    def __call__(self, size: int) -> Optional[MemoryObject]:
        """Memory of so many bytes; None for 0."""
        memory: Optional[MemoryObject] = _n.clpool_allocator_allocate(self._handle, size)
        if memory is not None:
            memory._kept = self
            memory._addressless = not self.addressable
            memory._calls_python = self._handle.calls_python
        return memory

    allocate = __call__

    def _keep(self, inner: "Allocator") -> None:
        self.inner = inner
        self.is_deferred = inner.is_deferred
        self.addressable = inner.addressable
        self._handle.calls_python = inner._handle.calls_python

    def __repr__(self) -> str:
        return f"<clpool.{type(self).__name__}>"


class DeferredAllocator(Allocator):
    """Buffers by clCreateBuffer: out-of-memory may come late, where no pool can answer it."""

    is_deferred = True

    def __init__(self, context: Any, mem_flags: int = _mem_flags.READ_WRITE) -> None:
        self._handle = _n.clpool_allocator_create_deferred(context, mem_flags)


class CLAllocator(DeferredAllocator):
    """The old name of DeferredAllocator."""


class ImmediateAllocator(Allocator):
    """Buffers that are forced into existence when they are made, by the command that `touch` (one of clpool.touch) names.
    With `wait` each allocation waits for that command, and so for what was enqueued on the queue before, too: memory that is
    not to be had is then its error and no later command's. NotSupportedError if the device lacks the command, or if its
    driver crashes in it."""

    def __init__(self, queue: Any, mem_flags: int = _mem_flags.READ_WRITE, touch: int = _touch.BYTE, wait: bool = False) -> None:
        if not hasattr(touch, "__index__"):
            raise TypeError(f"touch must be one of clpool.touch, not {touch!r}")
        self._handle = _n.clpool_allocator_create_touching(queue, mem_flags, touch | (CLPOOL_TOUCH_WAIT if wait else 0))


class SVMAllocator(Allocator):
    """Shared virtual memory by clSVMAlloc. With a queue (in order), memory is used on it and freed behind it."""

    def __init__(self, context: Any, alignment: int = 0, flags: int = _mem_flags.READ_WRITE, queue: Any = None) -> None:
        self._handle = _n.clpool_allocator_create_svm(context, flags, alignment, queue)


class PageLockedAllocator(Allocator):
    """Page-locked host memory: buffers with ALLOC_HOST_PTR that stay mapped as long as they live. Without a queue on that of
    make_default_context(), which is called if need be. PyCUDA's first argument is flags: a number is no queue here
    (CommandQueue.from_int_ptr() makes one of a handle)."""

    def __init__(self, queue: Any = None, flags: int = _mem_flags.READ_WRITE) -> None:
        if queue is not None and not hasattr(queue, "int_ptr"):
            raise TypeError(f"queue must be a command queue or None, not {queue!r}; flags are given by name: flags=…")
        self._handle = _n.clpool_allocator_create_pinned(default_queue() if queue is None else queue, flags)


class CustomAllocator(Allocator):
    """Memory from your own functions: allocate(size, alignment) -> a number that is not 0 (MemoryError: out of memory),
    deallocate(chunk, size). Any number space will do; views of memory (memoryview, as_array) need addressable=True, which
    says that the numbers are addresses of this process. Exceptions of allocate reach the caller of the pool."""

    def __init__(self, allocate: Any, deallocate: Any, addressable: bool = False) -> None:
        self.addressable = addressable
        self._handle = _n.create_custom_allocator(allocate, deallocate)


class LimitAllocator(Allocator):
    """Never lets more than max_bytes be taken from another allocator at a time."""

    def __init__(self, inner: Allocator, max_bytes: int) -> None:
        self._handle = _n.clpool_allocator_create_limit(of_class(inner, Allocator, "inner")._handle, max_bytes)
        self._keep(inner)


class TraceAllocator(Allocator):
    """Writes every allocation and release of another allocator to a log that Trace reads. Finished when the allocator,
    its pools and their memory are gone."""

    def __init__(self, inner: Allocator, path: Path) -> None:
        self._handle = _n.clpool_allocator_create_trace(of_class(inner, Allocator, "inner")._handle, path)
        self._keep(inner)


def source_of(allocator: Any) -> Any:
    """The allocator from which the memory of a pool or of others comes."""
    source = getattr(allocator, "allocator", allocator)
    while isinstance(getattr(source, "inner", None), Allocator):
        source = source.inner
    return source


def refuse_without_buffers(allocator: Any) -> None:
    """TypeError where memory of a pool or an allocator is no cl_mem."""
    source = source_of(allocator)
    if isinstance(source, (SVMAllocator, PageLockedAllocator, CustomAllocator)):
        raise TypeError(f"{type(allocator).__name__} gives no buffers: memory of {type(source).__name__} has no cl_mem; SVM for "
                        "PyOpenCL's arrays is in clpool.pyopencl.tools")


def refuse_without_svm(allocator: Any) -> None:
    """TypeError where memory of an allocator is not shared virtual memory."""
    if not isinstance(source_of(allocator), SVMAllocator):
        raise TypeError(f"{type(allocator).__name__} gives no SVM: an SVMAllocator is needed, itself or within others")


def refuse_without_host_memory(allocator: Any) -> None:
    """TypeError where memory of an allocator has no address on the host."""
    source = source_of(allocator)
    if isinstance(source, (DeferredAllocator, ImmediateAllocator)):
        raise TypeError(f"{type(allocator).__name__} gives no host memory: a PageLockedAllocator is needed, itself or within others")
