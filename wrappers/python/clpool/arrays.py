# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays over memory at an address: shapes, data types, and what keeps the memory."""
import math
from typing import Any, Literal, Optional, Sequence, Tuple

import numpy as np


def as_order(order: str) -> Literal["C", "F"]:
    """"C" or "F", in any case."""
    if order in ("C", "c"):
        return "C"
    if order in ("F", "f"):
        return "F"
    raise ValueError(f"order is {order!r}, it must be 'C' or 'F'")


def to_extents(shape: Any) -> Tuple[int, ...]:
    """A shape, or one number, as a tuple without negative numbers."""
    if isinstance(shape, int) or np.ndim(shape) == 0:
        extents: Tuple[int, ...] = (int(shape),)
    else:
        extents = tuple(int(extent) for extent in shape)
    if any(extent < 0 for extent in extents):
        raise ValueError(f"shape {extents} has a negative extent")
    return extents


def as_dtype(dtype: Any) -> "np.dtype[Any]":
    """A data type without Python objects: memory of devices holds no references."""
    made: "np.dtype[Any]" = np.dtype(dtype)
    if made.hasobject:
        raise TypeError(f"arrays over memory cannot have the data type {made}: it refers to Python objects")
    return made


def array_at(address: int, size: int, shape: Any, dtype: Any, order: str, owner: Any,
             strides: Optional[Sequence[int]] = None) -> "np.ndarray[Any, Any]":
    """An array over `size` bytes at an address, which keeps `owner` alive."""
    dtype = as_dtype(dtype)
    extents = to_extents(shape)
    needed = bytes_of(extents, dtype)
    if strides is not None:
        needed = dtype.itemsize + sum((extent - 1) * step for extent, step in zip(extents, strides) if extent > 0)
    if needed > size:
        raise ValueError(f"an array of shape {extents} needs {needed} bytes, there are {size}")
    view = _View(address, needed, owner)
    bytes_: Any = np.asarray(view) if needed else None
    return np.ndarray(extents, dtype, buffer=bytes_, order=as_order(order), strides=strides)


class _View:
    """Bytes at an address, for NumPy."""

    def __init__(self, address: int, size: int, owner: Any) -> None:
        self.owner = owner
        self._unpin = getattr(owner, "_unpin", None)
        if self._unpin is not None:  # memory, which cannot be released while the view exists
            owner._pin()
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (address, False)}

    def __del__(self) -> None:
        if self._unpin is not None:
            self._unpin()


def bytes_of(extents: Tuple[int, ...], dtype: "np.dtype[Any]") -> int:
    """Bytes of an array without gaps."""
    return math.prod(extents, start=dtype.itemsize)
