# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays over memory at an address: shapes, data types, and what keeps the memory."""
import math
import operator
from typing import Any, Literal, Optional, Sequence, Tuple

import numpy as np


def as_order(order: str) -> Literal["C", "F"]:
    """"C" or "F", in any case."""
    if order in ("C", "c"):
        return "C"
    if order in ("F", "f"):
        return "F"
    raise ValueError(f"order is {order!r}, it must be 'C' or 'F'")


def to_integers(values: Any, name: str) -> Tuple[int, ...]:
    """A sequence of integers, or one, as a tuple; nothing is cut off."""
    given = (values,) if np.ndim(values) == 0 else tuple(values)
    try:
        return tuple(operator.index(value) for value in given)
    except TypeError:
        raise TypeError(f"{name} is {values!r}, it must be an integer or a sequence of integers") from None


def to_extents(shape: Any) -> Tuple[int, ...]:
    """A shape, or one number, as a tuple without negative numbers."""
    extents = to_integers(shape, "shape")
    if any(extent < 0 for extent in extents):
        raise ValueError(f"shape {extents} has a negative extent")
    return extents


def to_pitches(pitches: Any) -> Tuple[int, int]:
    """(row, slice) of up to two pitches; 0 for those that are left out."""
    given = () if pitches is None else to_integers(pitches, "a pitch")
    if len(given) > 2:
        raise ValueError(f"{len(given)} pitches are too many: row and slice")
    row, slice_ = (*given, 0, 0)[:2]
    return row, slice_


def as_dtype(dtype: Any) -> "np.dtype[Any]":
    """A data type without Python objects: memory of devices holds no references."""
    made: "np.dtype[Any]" = np.dtype(dtype)
    if made.hasobject:
        raise TypeError(f"arrays over memory cannot have the data type {made}: it refers to Python objects")
    return made


def array_over(memory: Any, size: int, shape: Any, dtype: Any, order: str,
               strides: Optional[Sequence[int]] = None) -> "np.ndarray[Any, Any]":
    """An array over the first of `size` bytes that an object has by the buffer protocol, which becomes its base."""
    dtype = as_dtype(dtype)
    extents = to_extents(shape)
    needed = bytes_of(extents, dtype, strides)
    if needed > size:
        raise ValueError(f"an array of shape {extents} needs {needed} bytes, there are {size}")
    return np.ndarray(extents, dtype, buffer=memory if needed else None, order=as_order(order), strides=strides)


def array_at(address: int, size: int, shape: Any, dtype: Any, order: str, owner: Any,
             readonly: bool = False) -> "np.ndarray[Any, Any]":
    """An array over `size` bytes at an address, which keeps `owner` alive."""
    return array_over(np.asarray(_View(address, size, owner, readonly)), size, shape, dtype, order)


class _View:
    """Bytes at an address, for NumPy."""

    def __init__(self, address: int, size: int, owner: Any, readonly: bool) -> None:
        self.owner = owner
        self._unpin = getattr(owner, "_unpin", None)
        if self._unpin is not None:  # memory, which cannot be released while the view exists
            owner._pin()
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (address, readonly)}

    def __del__(self) -> None:
        if self._unpin is not None:
            self._unpin()


def bytes_of(extents: Tuple[int, ...], dtype: "np.dtype[Any]", strides: Optional[Sequence[int]] = None) -> int:
    """Bytes of an array, with its gaps if strides are given."""
    if strides is None:
        return math.prod(extents, start=dtype.itemsize)
    steps = to_integers(strides, "strides")
    if len(steps) != len(extents) or any(step < 0 for step in steps):
        raise ValueError(f"strides are {steps} for the shape {extents}: one for each extent is needed, and none is negative, as "
                         "the first item is at the first byte")
    return dtype.itemsize + sum((extent - 1) * step for extent, step in zip(extents, steps)) if all(extents) else 0
