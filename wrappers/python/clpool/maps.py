# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Maps: memory of a device that the host reads and writes for a while."""
import threading
from typing import TYPE_CHECKING, Any, Dict, Optional, Sequence

import numpy as np

from . import _native as _n
from .arrays import array_at, as_dtype

if TYPE_CHECKING:
    from .memory import MemoryObject


_making_an_array = threading.Lock()


class MemoryMap:
    """A mapping, also the `.base` of arrays over it: `with` gives its bytes as an array (for images: with array(dtype)), and
    unmaps at the end. Arrays must not be used after that. Unmapped once, and at the latest when it is collected."""

    #: Complete when the host may use the bytes.
    event: _n.Event

    def __init__(self, handle: _n.Handle, event: _n.Event, memory: "MemoryObject") -> None:
        self._handle = handle
        self._memory: Optional["MemoryObject"] = memory
        self._unmapped: Optional[_n.Event] = None
        self._wanted: Optional[Dict[str, Any]] = None
        self.event = event

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        return self._wanted or {"version": 3, "shape": (self.size,), "typestr": "|u1", "data": (self.int_ptr, False)}

    @property
    def int_ptr(self) -> int:
        """The address of the first byte."""
        return int(_n.clpool_map_pointer(self._handle))

    @property
    def size(self) -> int:
        """Bytes, with gaps between rows."""
        return int(_n.clpool_map_size(self._handle))

    @property
    def row_pitch(self) -> int:
        """Bytes from row to row of an image; 0 for other memory."""
        return int(_n.clpool_map_row_pitch(self._handle))

    @property
    def slice_pitch(self) -> int:
        """Bytes from slice to slice of an image; 0 where there are none."""
        return int(_n.clpool_map_slice_pitch(self._handle))

    def array(self, dtype: Any = np.uint8, shape: Any = None, order: str = "C",
              strides: Optional[Sequence[int]] = None) -> "np.ndarray[Any, Any]":
        """The bytes as an array, whose base is the map."""
        dtype = as_dtype(dtype)
        extents = self.size // dtype.itemsize if shape is None else shape
        checked = array_at(self.int_ptr, self.size, extents, dtype, order, self, strides)
        if checked.size == 0:
            return checked
        with _making_an_array:  # NumPy makes the object that it asks for memory the array's base
            self._wanted = {"version": 3, "shape": checked.shape, "strides": checked.strides,
                            "typestr": dtype.str, "data": (self.int_ptr, False)}
            try:
                array = np.asarray(self)
            finally:
                self._wanted = None
        if array.dtype != dtype:  # one with fields, or of another package
            array.dtype = dtype  # type: ignore[misc]
        return array

    def release(self, queue: Any = None, wait_for: Any = None) -> _n.Event:
        """Unmaps, and lets go of the memory; doing it again does nothing more."""
        if self._unmapped is not None:
            return self._unmapped
        unmapped: _n.Event = _n.clpool_map_unmap(self._handle, queue, wait_for)
        self._unmapped = unmapped
        self._handle.release()
        self._memory = None
        return unmapped

    def __repr__(self) -> str:
        if self._unmapped is not None:
            return f"<clpool.{type(self).__name__}: unmapped>"
        return f"<clpool.{type(self).__name__}: {self.size} bytes at {self.int_ptr:#x}>"

    def __enter__(self) -> "np.ndarray[Any, Any]":
        return self.array()

    def __exit__(self, *_exception: Any) -> None:
        self.release()


def mapping_of(array: "np.ndarray[Any, Any]") -> MemoryMap:
    """The map behind an array over one, or over a part of such an array."""
    base: Any = array
    while base is not None and not isinstance(base, MemoryMap):
        base = getattr(base, "base", None)
    if base is None:
        raise ValueError("the array is not of a map")
    return base
