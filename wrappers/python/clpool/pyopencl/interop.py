# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Blocks of clpool as pyopencl.Buffer objects."""
from typing import Any

import pyopencl as cl  # type: ignore[import]

from ..memory import MemoryObject


make_buffer = cl.Buffer.from_int_ptr


def as_buffer(memory: MemoryObject) -> Any:
    """An ordinary pyopencl.Buffer over the same cl_mem. It keeps the memory; when it is collected, a block returns to its
    pool. Its release() gives up the cl_mem only, and parts made by PyOpenCL's get_sub_region() do not keep it: keep it
    alive as long as them (memory[a:b] does so by itself)."""
    buffer = cl.Buffer.from_int_ptr(memory.int_ptr, True)
    buffer._clpool_memory = memory
    return buffer


class Allocator:
    """Allocator(pool or allocator): what pyopencl.array takes as `allocator`. Called with a size, it gives a pyopencl.Buffer
    that returns to the pool when it is collected; None for 0."""

    __slots__ = ("pool", "_allocate_as")

    def __init__(self, pool: Any) -> None:
        self.pool = pool
        self._allocate_as = getattr(pool, "allocate_as", None)

    def __call__(self, size: int) -> Any:
        if size == 0:
            return None
        if self._allocate_as is None:
            return as_buffer(self.pool(size))
        return self._allocate_as(size, make_buffer, "_clpool_memory")

    allocate = __call__

    def __repr__(self) -> str:
        return f"<clpool.pyopencl.Allocator of {self.pool!r}>"
