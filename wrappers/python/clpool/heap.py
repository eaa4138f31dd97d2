# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""The pools' engine without a device: ranges of a number space that the caller owns. A heap is used by one thread at a time."""
from . import _native as _n
from ._fields import of_class
from ._results import HeapStatistics


class HeapRange:
    """A range that a heap handed out."""

    __slots__ = ("_handle", "_heap", "__weakref__")

    def __init__(self, handle: _n.Handle, heap: "Heap") -> None:
        self._handle = handle
        self._heap = heap

    @property
    def space(self) -> int:
        """Number of its space."""
        return int(_n.clpool_heap_range_space(self._handle))

    @property
    def offset(self) -> int:
        """Units from the start of its space."""
        return int(_n.clpool_heap_range_offset(self._handle))

    @property
    def size(self) -> int:
        """Units, at least what was asked for."""
        return int(_n.clpool_heap_range_size(self._handle))

    def free(self) -> None:
        """Gives the range back."""
        self._heap.free(self)


class Heap:
    """Heap(granule=1): hands out ranges by best fit. Ranges that nobody frees end with the heap."""

    def __init__(self, granule: int = 1) -> None:
        self._handle: _n.Handle = _n.clpool_heap_create(granule)

    def add_space(self, size: int) -> int:
        """Gives the heap a space; returns its number."""
        return int(_n.clpool_heap_add_space(self._handle, size))

    def remove_space(self, space: int) -> None:
        """Takes a wholly free space away."""
        _n.clpool_heap_remove_space(self._handle, space)

    def allocate(self, size: int) -> HeapRange:
        """Hands out a range of at least so many units."""
        return HeapRange(_n.clpool_heap_allocate(self._handle, size), self)

    def free(self, range_: HeapRange) -> None:
        """Takes a range back."""
        _n.clpool_heap_free(self._handle, of_class(range_, HeapRange, "range_")._handle)
        range_._handle.forget()

    @property
    def statistics(self) -> HeapStatistics:
        """Figures of this moment."""
        stats = _n.clpool_heap_stats()
        _n.clpool_heap_statistics(self._handle, stats)
        return HeapStatistics._of(stats)

    def check(self) -> None:
        """Checks the heap's books against a recount."""
        _n.clpool_heap_check(self._handle)
