# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""The names of pyopencl.tools. Allocators and pools give what PyOpenCL's arrays and kernels take; names that have nothing to
do with memory are PyOpenCL's own."""
from typing import Any

import pyopencl.tools as _theirs  # type: ignore[import]
from pyopencl.tools import *  # noqa: F401,F403

from .. import allocators as _allocators
from .. import pools as _pools
from .._errors import ClpoolError
from ..constants import mem_flags as _mem_flags
from ..memoize import clear_first_arg_caches as _clear_first_arg_caches
from ..memoize import (context_dependent_memoize, first_arg_dependent_memoize, first_arg_dependent_memoize_nested)
from ..pools import bitlog2
from ..pytest_plugin import pytest_generate_tests as pytest_generate_tests_for_pyopencl
from .errors import as_pyopencls as _as_pyopencls
from .errors import inherits_pyopencls_errors as _inherits_pyopencls_errors
from .errors import raises_pyopencls as _raises_pyopencls
from .interop import PooledBuffer, PooledSVM, SVMAllocation, as_buffer, as_svm



def clear_first_arg_caches() -> None:
    """Empties clpool's caches of results and PyOpenCL's, of which PyOpenCL itself makes use."""
    _clear_first_arg_caches()
    _theirs.clear_first_arg_caches()


AllocatorBase = AllocatorInterface = _allocators.AllocatorInterface


@_inherits_pyopencls_errors
class DeferredAllocator(_allocators.DeferredAllocator):
    """clpool's, giving pyopencl.Buffer. PyOpenCL 2022 calls the context `queue`."""

    @_raises_pyopencls
    def __init__(self, context: Any = None, mem_flags: int = _mem_flags.READ_WRITE, *, queue: Any = None) -> None:
        super().__init__(queue if context is None else context, mem_flags)

    @_raises_pyopencls
    def __call__(self, size: int) -> Any:
        return None if size == 0 else as_buffer(super().__call__(size))  # type: ignore[arg-type]

    allocate = __call__


class CLAllocator(DeferredAllocator):
    """The old name of DeferredAllocator."""


@_inherits_pyopencls_errors
class ImmediateAllocator(_allocators.ImmediateAllocator):
    """clpool's, giving pyopencl.Buffer."""

    @_raises_pyopencls
    def __call__(self, size: int) -> Any:
        return None if size == 0 else as_buffer(super().__call__(size))  # type: ignore[arg-type]

    allocate = __call__


@_inherits_pyopencls_errors
class MemoryPool(_pools.MemoryPool):
    """clpool's, giving pyopencl.Buffer; takes clpool's options. Strategy and bins are clpool's own unless
    strategy=clpool.strategy.BINNED is asked for."""

    @_raises_pyopencls
    def __init__(self, allocator: Any, *args: Any, **keywords: Any) -> None:
        _allocators.refuse_without_buffers(allocator)
        super().__init__(allocator, *args, **keywords)

    @_raises_pyopencls
    def allocate_on(self, queue: Any, size: int) -> Any:
        """The same for a block that commands on this queue will use, and on no other."""
        return as_buffer(super().allocate_on(queue, size))

    @_raises_pyopencls
    def try_allocate(self, size: int) -> Any:
        """The same if that takes neither waiting nor a driver call, else None."""
        block = super().try_allocate(size)
        return None if block is None else as_buffer(block)

    _allocate_as = _pools.Pool._allocate_as  # as it is, for allocate()

    def allocate(self, size: int) -> Any:
        """A pyopencl.Buffer that returns to the pool when it is collected."""
        try:
            return self._allocate_as(size, PooledBuffer)
        except ClpoolError as error:
            raise _as_pyopencls(error) from None

    __call__ = allocate


@_inherits_pyopencls_errors
class SVMAllocator(_allocators.SVMAllocator):
    """clpool's, giving objects with the members of pyopencl.SVMAllocation."""

    @_raises_pyopencls
    def __init__(self, context: Any, alignment: int = 0, flags: int = 1, queue: Any = None) -> None:
        super().__init__(context, alignment, flags, queue)
        self.queue = queue

    @_raises_pyopencls
    def __call__(self, size: int) -> Any:
        memory = super().__call__(size)
        return None if memory is None else as_svm(memory, self.queue)

    allocate = __call__


@_inherits_pyopencls_errors
class SVMPool(_pools.SVMPool):
    """clpool's, giving objects with the members of pyopencl.tools.PooledSVM."""

    @_raises_pyopencls
    def __init__(self, allocator: Any, *args: Any, **keywords: Any) -> None:
        _allocators.refuse_without_svm(allocator)
        super().__init__(allocator, *args, **keywords)
        self._queue = getattr(_allocators.source_of(allocator), "queue", None)

    @_raises_pyopencls
    def allocate_on(self, queue: Any, size: int) -> Any:
        """The same for a block that commands on this queue will use, and on no other."""
        return as_svm(super().allocate_on(queue, size), queue)

    @_raises_pyopencls
    def try_allocate(self, size: int) -> Any:
        """The same if that takes neither waiting nor a driver call, else None."""
        block = super().try_allocate(size)
        return None if block is None else as_svm(block, self._queue)

    _allocate_as = _pools.Pool._allocate_as  # as it is, for allocate()

    def allocate(self, size: int) -> Any:
        """A block that returns to the pool when it is collected or released."""
        try:
            return self._allocate_as(size, PooledSVM, self._queue)
        except ClpoolError as error:
            raise _as_pyopencls(error) from None

    __call__ = allocate


__all__ = [
    "AllocatorBase", "AllocatorInterface", "CLAllocator", "DeferredAllocator", "ImmediateAllocator", "MemoryPool",
    "PooledBuffer", "PooledSVM", "SVMAllocation", "SVMAllocator", "SVMPool", "bitlog2", "clear_first_arg_caches",
    "context_dependent_memoize", "first_arg_dependent_memoize", "first_arg_dependent_memoize_nested",
    "pytest_generate_tests_for_pyopencl",
]
__all__ += [_name for _name in vars(_theirs) if not _name.startswith("_") and _name not in __all__ and _name in globals()]
