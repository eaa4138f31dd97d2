# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Memory pools: allocation that is nearly free, and wastes little. pool(n) is pool.allocate(n).

A block goes back to its pool by release(), at the end of `with`, or when it is collected. It keeps its pool, allocator and
context alive. Pools may be used from any thread.
"""
import gc
import json
import threading
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, TypeVar

import numpy as np

from . import _native as _n
from ._errors import InvalidOperationError
from ._fields import filled
from ._numbers import CLPOOL_GUARD_DEFAULT, CLPOOL_GUARD_OFF, CLPOOL_GUARD_ON, CLPOOL_LEADING_BITS_NONE, stretch_state
from ._results import PoolStatistics, Stretch
from ._text import whole_text
from .allocators import (Allocator, CustomAllocator, ImmediateAllocator, PageLockedAllocator, refuse_without_buffers,
                         refuse_without_host_memory, refuse_without_svm, source_of)
from .arrays import as_dtype, as_order, bytes_of, to_extents
from .devices import default_queue
from .memory import MemoryObject, PooledBuffer, PooledCustom, PooledDeviceAllocation, PooledHostAllocation
from .svm import PooledSVM

P = TypeVar("P", bound="Pool")

_GUARD = {None: CLPOOL_GUARD_DEFAULT, True: CLPOOL_GUARD_ON, False: CLPOOL_GUARD_OFF}
_STATES = {state.value: state.name.lower() for state in stretch_state}


class _CollectsLast:
    """An `out_of_memory`, and a collection of garbage when that says no, once a request."""

    def __init__(self, asked: Callable[[int, int], Any]) -> None:
        self._asked = asked
        self._request = threading.local()

    def __call__(self, size: int, attempt: int) -> Any:
        if attempt > 1 and getattr(self._request, "has_collected", False):
            return False
        self._request.has_collected = False
        again = self._asked(size, attempt)
        if again:
            return again
        self._request.has_collected = True
        gc.collect()
        return True


class Pool(_n.Pool):
    """Base of all pools; over a CustomAllocator used as it is.

    Options, 0 or None meaning the default: `strategy` (clpool.strategy.COALESCING or BINNED: exactly PyOpenCL's),
    `leading_bits_in_bin_id` (binned only, 0…26), `max_bytes`, `max_held_bytes`, `min_chunk_bytes`, `alignment` (as far as the
    allocator aligns its chunks), `release_threshold`, `decay_ns`, `wait_ns` (how long a request without memory waits; 0: 10
    seconds), `queues` on which the memory is used, `name`, `guard` (True or False; None: as the variable CLPOOL_GUARD says): a
    guarded pool finds uses after the release and writes beyond the end, and tells them to `message`.

    Callbacks: `collect()` is asked when the driver is out of memory, `out_of_memory(size, attempt)` last, returning whether to
    try again; `message(severity, text)` takes the pool's messages. `collect` is gc.collect by default, which runs first, or,
    where there is an `out_of_memory`, once that says no: each collection takes as long as the program has many objects. (A
    function that calls it runs first in any case.)
    """

    _block_class: type = PooledCustom

    @staticmethod
    def _refuse_others(allocator: Allocator) -> None:
        """TypeError where the allocator's memory is not of the kind that the blocks show. (A CustomAllocator's may be any.)"""

    def __init__(self, allocator: Allocator, leading_bits_in_bin_id: Optional[int] = None, *, strategy: int = 0,
                 max_bytes: int = 0, max_held_bytes: int = 0, min_chunk_bytes: int = 0, alignment: int = 0,
                 release_threshold: int = 0, decay_ns: int = 0, trace_messages: bool = False,
                 collect: Optional[Callable[[], Any]] = gc.collect,
                 out_of_memory: Optional[Callable[[int, int], Any]] = None,
                 message: Optional[Callable[[int, str], Any]] = None, queues: Optional[Sequence[Any]] = None,
                 name: Optional[str] = None, guard: Optional[bool] = None, wait_ns: int = 0) -> None:
        if not isinstance(allocator, Allocator):
            raise TypeError(f"a pool is made over an allocator of clpool, not {type(allocator).__name__}")
        if not isinstance(source_of(allocator), CustomAllocator):
            self._refuse_others(allocator)
        if allocator.is_deferred:
            warnings.warn("pool over a deferred allocator: out-of-memory may come where the pool cannot answer it; "
                          "use ImmediateAllocator", UserWarning, stacklevel=2)
        bits = 0 if leading_bits_in_bin_id is None else leading_bits_in_bin_id
        if leading_bits_in_bin_id == 0:
            bits = CLPOOL_LEADING_BITS_NONE
        if guard is not None and not isinstance(guard, bool):
            raise TypeError(f"guard must be True, False or None, not {guard!r}")
        if queues is not None and not hasattr(queues, "__iter__"):
            raise TypeError(f"queues must be a sequence of queues, not {type(queues).__name__}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name must be a str or None, not {type(name).__name__}")
        if collect is gc.collect and callable(out_of_memory):
            collect, out_of_memory = None, _CollectsLast(out_of_memory)
        options = filled(_n.clpool_pool_options(), strategy=strategy, leading_bits_in_bin_id=bits, guard=_GUARD[guard],
                         trace_messages=bool(trace_messages), max_bytes=max_bytes, max_held_bytes=max_held_bytes,
                         min_chunk_bytes=min_chunk_bytes, alignment=alignment, release_threshold=release_threshold,
                         decay_ns=decay_ns, wait_ns=wait_ns)
        super().__init__(allocator._handle, self._block_class, options, collect, out_of_memory, message, queues, name)
        self._addressless = not allocator.addressable
        self._leading_bits = 4 if leading_bits_in_bin_id is None else leading_bits_in_bin_id
        self.allocator = allocator

    @property
    def statistics(self) -> PoolStatistics:
        """All figures of this moment."""
        return PoolStatistics._of(self._figures())

    def _figures(self) -> Any:
        stats = _n.clpool_pool_stats()
        _n.clpool_pool_statistics(self, stats)
        return stats

    @property
    def held_blocks(self) -> int:
        """Blocks that were given back and are kept."""
        return int(self._figures().held_blocks)

    @property
    def active_blocks(self) -> int:
        """Blocks that are handed out."""
        return int(self._figures().active_blocks)

    @property
    def managed_bytes(self) -> int:
        """Bytes that the pool has from its allocator."""
        return int(self._figures().managed_bytes)

    @property
    def active_bytes(self) -> int:
        """Bytes that were requested for the blocks that are handed out."""
        return int(self._figures().active_bytes)

    @property
    def held_bytes(self) -> int:
        """Bytes that the pool has and that are in no block handed out."""
        return int(self._figures().held_bytes)

    def free_held(self) -> None:
        """Gives every chunk that has no block handed out back to the allocator."""
        _n.clpool_pool_free_held(self)

    def stop_holding(self) -> None:
        """Stops keeping released memory, until resume_holding(), and gives back what is held."""
        _n.clpool_pool_stop_holding(self)

    def resume_holding(self) -> None:
        """Keeps released memory again after stop_holding()."""
        _n.clpool_pool_resume_holding(self)

    def trim(self, keep_bytes: int = 0) -> None:
        """Gives free chunks back, largest first, until at most keep_bytes are held."""
        _n.clpool_pool_trim(self, keep_bytes)

    def tick(self) -> None:
        """Does what a background thread would: takes in completed releases, gives back what is old."""
        _n.clpool_pool_tick(self)

    def check(self) -> None:
        """Checks the pool's books against a recount; InternalError if they differ."""
        _n.clpool_pool_check(self)

    def bin_number(self, size: int) -> int:
        """The bin of a size."""
        return bin_number(size, self._leading_bits)

    def alloc_size(self, number: int) -> int:
        """The largest size in a bin."""
        return alloc_size(number, self._leading_bits)

    def visit(self, visitor: Callable[[Stretch], Any]) -> None:
        """Shows each stretch of memory, chunk by chunk, until the visitor returns something true."""
        _n.visit_pool(self, lambda state, *rest: visitor(Stretch(_STATES.get(state, str(state)), *rest)))

    @property
    def stretches(self) -> List[Stretch]:
        """A picture of all memory of this moment."""
        found: List[Stretch] = []
        self.visit(found.append)
        return found

    def dump(self) -> Dict[str, Any]:
        """The same picture and the statistics, with the schema "clpool-pool-1"."""
        text = whole_text(lambda capacity: _n.clpool_pool_dump_json(self, capacity))
        return dict(json.loads(text))

    def __enter__(self: P) -> P:
        return self

    def __exit__(self, *_exception: Any) -> None:
        if not self.is_released:
            self.release()

    def __repr__(self) -> str:
        if self.is_released:
            return f"<clpool.{type(self).__name__}: released>"
        try:
            stats = self._figures()
        except InvalidOperationError as refusal:  # in a child of fork()
            return f"<clpool.{type(self).__name__}: {refusal}>"
        return (f"<clpool.{type(self).__name__}: {stats.active_blocks} blocks with {stats.active_bytes} bytes active, "
                f"{stats.managed_bytes} bytes managed>")


class MemoryPool(Pool):
    """A pool of buffers over an ImmediateAllocator."""

    _block_class = PooledBuffer
    _refuse_others = staticmethod(refuse_without_buffers)

    if TYPE_CHECKING:  # what runs is the extension module's: a call through Python would cost as much as the pool

        def allocate(self, size: int) -> PooledBuffer:
            """Hands out a block of so many bytes, with undefined content; 0 gives a block of 1 byte."""
            ...

        def allocate_on(self, queue: Any, size: int) -> PooledBuffer:
            """The same for a block that commands on this queue will use, and on no other unless used_on() says so: in a
            pool over several queues it waits for this one alone when it is released."""
            ...

        def __call__(self, size: int) -> PooledBuffer:
            """The same as allocate()."""
            ...


class DeviceMemoryPool(MemoryPool):
    """PyCUDA's name of a pool of device memory: without arguments on the queue of make_default_context(), which is called
    if need be. Blocks are given back by free() too, have len(), and as integers are their cl_mem."""

    _block_class = PooledDeviceAllocation

    def __init__(self, allocator: Optional[Allocator] = None, leading_bits_in_bin_id: Optional[int] = None,
                 **options: Any) -> None:
        super().__init__(ImmediateAllocator(default_queue()) if allocator is None else allocator, leading_bits_in_bin_id,
                         **options)

    if TYPE_CHECKING:

        def allocate(self, size: int) -> PooledDeviceAllocation:
            """Hands out a block of so many bytes, with undefined content; 0 gives a block of 1 byte."""
            ...

        def allocate_on(self, queue: Any, size: int) -> PooledDeviceAllocation:
            """The same for a block that commands on this queue will use, and on no other unless used_on() says so."""
            ...

        def __call__(self, size: int) -> PooledDeviceAllocation:
            """The same as allocate()."""
            ...


class SVMPool(Pool):
    """A pool of shared virtual memory over an SVMAllocator."""

    _block_class = PooledSVM
    _refuse_others = staticmethod(refuse_without_svm)

    if TYPE_CHECKING:

        def allocate(self, size: int) -> PooledSVM:
            """Hands out a block of so many bytes, with undefined content; 0 gives a block of 1 byte."""
            ...

        def allocate_on(self, queue: Any, size: int) -> PooledSVM:
            """The same for a block that commands on this queue will use, and on no other unless used_on() says so: in a
            pool over several queues it waits for this one alone when it is released."""
            ...

        def __call__(self, size: int) -> PooledSVM:
            """The same as allocate()."""
            ...


class PageLockedMemoryPool(Pool):
    """A pool of page-locked host memory, over PageLockedAllocator() if none is given."""

    _block_class = PooledHostAllocation
    _refuse_others = staticmethod(refuse_without_host_memory)

    def __init__(self, allocator: Optional[Allocator] = None, leading_bits_in_bin_id: Optional[int] = None,
                 **options: Any) -> None:
        super().__init__(PageLockedAllocator() if allocator is None else allocator, leading_bits_in_bin_id, **options)

    def allocate_block(self, size: int) -> PooledHostAllocation:
        """A block without an array."""
        block: PooledHostAllocation = super().allocate(size)
        return block

    def allocate(  # pyright: ignore
            self, shape: Any, dtype: Any = np.uint8, order: str = "C") -> "np.ndarray[Any, Any]":
        """An uninitialized array whose .base is the block; it returns to the pool when array and views are gone."""
        array: "np.ndarray[Any, Any]" = self._array(self.allocate_block, shape, dtype, order)
        return array

    def allocate_on(  # pyright: ignore
            self, queue: Any, shape: Any, dtype: Any = np.uint8, order: str = "C") -> "np.ndarray[Any, Any]":
        """The same for an array that commands on this queue will use, and on no other."""
        allocate = super().allocate_on
        array: "np.ndarray[Any, Any]" = self._array(lambda size: allocate(queue, size), shape, dtype, order)
        return array

    def try_allocate(  # pyright: ignore
            self, shape: Any, dtype: Any = np.uint8, order: str = "C") -> "Optional[np.ndarray[Any, Any]]":
        """An array as of allocate() if that takes neither waiting nor a driver call, else None."""
        array: "Optional[np.ndarray[Any, Any]]" = self._array(super().try_allocate, shape, dtype, order)
        return array

    @staticmethod
    def _array(allocate: Callable[[int], Any], shape: Any, dtype: Any, order: str) -> Any:
        dtype, order = as_dtype(dtype), as_order(order)
        extents = to_extents(shape)
        size = bytes_of(extents, dtype)
        if size == 0:
            return np.empty(extents, dtype, order)
        block: Any = allocate(size)
        if block is None:
            return None
        array: "np.ndarray[Any, Any]" = np.ndarray(extents, dtype, buffer=block, order=order)
        block._lie_under(array)
        return array

    def __call__(self, shape: Any, dtype: Any = np.uint8, order: str = "C") -> "np.ndarray[Any, Any]":
        """The same."""
        return self.allocate(shape, dtype, order)


def bin_number(size: int, leading_bits_in_bin_id: int = 4) -> int:
    """The bin of a size in a binned pool."""
    return int(_n.clpool_bin_number(size, leading_bits_in_bin_id))


def alloc_size(number: int, leading_bits_in_bin_id: int = 4) -> int:
    """Bytes that blocks of a bin have: the largest size in it."""
    return int(_n.clpool_bin_alloc_size(number, leading_bits_in_bin_id))


def bitlog2(value: int) -> int:
    """Index of the highest bit that is set; 0 for 0."""
    return int(_n.clpool_bitlog2(value))
