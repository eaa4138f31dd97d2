# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Maps: memory of a device that the host reads and writes for a while."""
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np

from . import _native as _n
from ._errors import InvalidOperationError
from .arrays import array_over, as_dtype

if TYPE_CHECKING:
    from .memory import MemoryObject


class MemoryMap(_n.Mapped):
    """A mapping, also the `.base` of arrays over it: `with` gives its bytes as an array (for images: with array(dtype)), and
    unmaps at the end. It has the buffer protocol: memoryview(map). Arrays and views must not be used after the end. Unmapped
    once, and at the latest when it is collected."""

    #: Complete when the host may use the bytes.
    event: _n.Event

    def __init__(self, handle: _n.Handle, event: _n.Event, memory: "MemoryObject") -> None:
        super().__init__(handle)
        self._memory: Optional["MemoryObject"] = memory
        self._unmapped: Optional[_n.Event] = None
        self.event = event

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
        if shape is None:
            if dtype.itemsize == 0:
                raise ValueError(f"a shape is needed: any number of items of {dtype}, which have no bytes, could be meant")
            shape = self.size // dtype.itemsize
        return array_over(self, self.size, shape, dtype, order, strides)

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
        try:
            return f"<clpool.{type(self).__name__}: {self.size} bytes at {self.int_ptr:#x}>"
        except InvalidOperationError as refusal:  # in a child of fork()
            return f"<clpool.{type(self).__name__}: {refusal}>"

    def __enter__(self) -> "np.ndarray[Any, Any]":
        return self.array()

    def __exit__(self, *_exception: Any) -> None:
        self.release()


def mapping_of(array: "np.ndarray[Any, Any]") -> MemoryMap:
    """The map behind an array over one, or over a part of such an array."""
    base: Any = array
    while base is not None and not isinstance(base, MemoryMap):
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    if base is None:
        raise ValueError("the array is not of a map")
    return base
