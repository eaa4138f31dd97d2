# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Memory of clpool as PyOpenCL's objects, which its arrays, kernels and commands take."""
import collections
import contextlib
import weakref
from typing import Any, NamedTuple, Tuple

import numpy as np
import pyopencl as cl  # type: ignore[import]

from .. import _native as _n
from .._errors import ClpoolError
from ..allocators import ImmediateAllocator, refuse_without_buffers
from ..constants import mem_flags
from ..images import Image
from ..memory import MemoryObject
from ..pools import MemoryPool
from ..svm import SVMAllocation as _ClpoolsSVMAllocation, SVMPointer
from .errors import as_pyopencls, raises_pyopencls


def _refuse_pickle(thing: Any) -> str:
    raise TypeError(f"cannot pickle a clpool.pyopencl.{type(thing).__name__}: it belongs to this process")


class _Part(NamedTuple):
    """Of which memory a buffer is a part, and where in that it begins."""

    whole: MemoryObject
    offset: int


def _is_ours(buffer: Any) -> bool:
    """Whether memory of clpool is under it: not under one that was made by the class, as a pyopencl.Buffer is."""
    return hasattr(buffer, "_clpool_memory")


class Buffer(cl.Buffer):  # type: ignore[misc]
    """A pyopencl.Buffer over memory of clpool, which it keeps. Parts keep it too, and may have parts again."""

    __slots__ = ()

    _clpool_memory = property(_n.foreign_memory)
    __reduce__ = _refuse_pickle

    def _require_live(self) -> None:
        """After its release an object of PyOpenCL's must not ask the driver, which may have nothing at its handle any more."""
        if _is_ours(self) and self._clpool_memory.is_released:
            self._clpool_memory.int_ptr  # raises

    @property
    @raises_pyopencls
    def offset(self) -> int:
        """Bytes from the start of the memory that this is a part of; 0 for a block of a pool, wherever that lies."""
        self._require_live()
        if not _is_ours(self):
            return int(super().offset)
        part = _n.foreign_note(self)
        return 0 if part is None else int(part.offset)

    @property
    @raises_pyopencls
    def associated_memobject(self) -> Any:
        """The memory that this is a part of; None for a block of a pool, of whose chunk nothing is shown, and for a part of memory
        that was released."""
        self._require_live()
        if not _is_ours(self):
            return super().associated_memobject
        part = _n.foreign_note(self)
        if part is None or part.whole.is_released:
            return None
        return as_buffer(MemoryObject.from_int_ptr(part.whole))

    @raises_pyopencls
    def get_info(self, param: Any) -> Any:
        """What PyOpenCL tells of it."""
        self._require_live()
        return super().get_info(param)

    @raises_pyopencls
    def get_host_array(self, *args: Any, **kwargs: Any) -> Any:
        """The host memory of a buffer that lies there."""
        self._require_live()
        return super().get_host_array(*args, **kwargs)

    @raises_pyopencls
    def get_sub_region(self, origin: int, size: int, flags: int = 0) -> Any:
        """A part of so many bytes."""
        if not _is_ours(self):
            return super().get_sub_region(origin, size, flags)
        return self._part(self._clpool_memory.get_sub_region(origin, size, flags), origin)

    @raises_pyopencls
    def __getitem__(self, index: slice) -> Any:
        if not _is_ours(self):
            return super().__getitem__(index)
        memory = self._clpool_memory
        return self._part(memory[index], index.indices(memory.size)[0])

    def _part(self, part: MemoryObject, origin: int) -> Any:
        whole = _n.foreign_note(self) or _Part(self._clpool_memory, 0)
        return _n.foreign_object(Buffer, part, _Part(whole.whole, whole.offset + origin))

    def release(self) -> None:
        """Gives the memory back, to its pool or the driver; when parts are gone that still use it."""
        try:
            _n.release_foreign(self)
        except ClpoolError as error:
            raise as_pyopencls(error) from None

    def __enter__(self) -> "Buffer":
        return self

    def __exit__(self, *_exception: Any) -> None:
        if not _is_ours(self) or not self._clpool_memory.is_released:
            self.release()


def _asks_only_live(name: str) -> property:
    ask = getattr(cl.Buffer, name).fget

    @raises_pyopencls
    def answer(self: Buffer) -> Any:
        self._require_live()
        return ask(self)

    return property(answer, doc=f"pyopencl.Buffer.{name}")


for _name in ("context", "flags", "host_ptr", "map_count", "properties", "reference_count", "size", "type",
              "uses_svm_pointer"):
    if hasattr(cl.Buffer, _name):
        setattr(Buffer, _name, _asks_only_live(_name))


class PooledBuffer(Buffer):
    """A pyopencl.Buffer over a block, which returns to its pool when it is collected or released."""

    __slots__ = ()

    @raises_pyopencls
    def bind_to_queue(self, queue: Any) -> None:
        """From now on the block is used on this queue, and given back behind it."""
        self._clpool_memory.bind_to_queue(queue)

    @raises_pyopencls
    def unbind_from_queue(self) -> None:
        """Waits for the queue that the block is bound to, and forgets it."""
        self._clpool_memory.unbind_from_queue()


def as_buffer(memory: MemoryObject) -> Any:
    """A pyopencl.Buffer over the same cl_mem, which keeps the memory: a block returns to its pool when the buffer and all
    parts of it are collected or released."""
    try:
        kind = PooledBuffer if memory.is_pooled else Buffer
    except AttributeError:
        raise TypeError(f"as_buffer() needs memory of clpool, not {memory!r}") from None
    if isinstance(memory, Image):  # whose cl_mem may be where a buffer was whose object is kept
        raise TypeError(f"a buffer is needed, which {memory!r} is not")
    whole = getattr(memory, "_kept", None)
    if isinstance(whole, MemoryObject) and not whole.is_released:
        return _n.foreign_object(kind, memory, _Part(whole, memory.offset - whole.offset))
    return _n.foreign_object(kind, memory)


for _class in (Buffer, PooledBuffer):
    _n.add_foreign_class(_class, cl.Buffer.from_int_ptr, True)


class SVMAllocation(cl.SVM):  # type: ignore[misc]
    """SVMAllocation(context, size, alignment=0, flags=READ_WRITE, queue=None): a pyopencl.SVMPointer over SVM of clpool, with
    the members of pyopencl.SVMAllocation. As there, the address can still be read after the release, and must not be used any
    more."""

    __slots__ = ()

    @raises_pyopencls
    def __init__(self, context: Any, size: int, alignment: int = 0, flags: int = mem_flags.READ_WRITE,
                 queue: Any = None) -> None:
        memory = _ClpoolsSVMAllocation(context, size, alignment, flags, queue)
        if memory.size == 0:
            raise ValueError(f"SVM of {size} bytes has no address")
        super().__init__(_array_of(_n.unpinned_view(memory)))
        _n.give_foreign_memory(self, memory, queue)

    _clpool_memory = property(_n.foreign_memory)
    __reduce__ = _refuse_pickle

    @property
    def _queue(self) -> Any:
        return _n.foreign_note(self)

    @_queue.setter
    def _queue(self, queue: Any) -> None:
        _n.set_foreign_note(self, queue)

    @property
    @raises_pyopencls
    def mem(self) -> "np.ndarray[Any, np.dtype[np.uint8]]":
        """Its bytes as an array, which does not keep the memory."""
        return _array_of(_n.unpinned_view(self._clpool_memory))

    @mem.setter
    def mem(self, _array: Any) -> None:
        """For the constructor of pyopencl.SVM, which sets it."""

    @raises_pyopencls
    def map(self, queue: Any, flags: int, is_blocking: bool = True, wait_for: Any = None, size: Any = None) -> Any:
        """Maps the first `size` bytes, or all: a pyopencl.SVMMap, whose array has all bytes all the same, as PyOpenCL's."""
        array = self.mem
        made = cl.SVMPointer.map(self, queue, flags=flags, is_blocking=is_blocking, wait_for=wait_for, size=size)
        made.array = array
        return made

    def map_ro(self, queue: Any, is_blocking: bool = True, wait_for: Any = None, size: Any = None) -> Any:
        """The same for reading."""
        return self.map(queue, cl.map_flags.READ, is_blocking, wait_for, size)

    def map_rw(self, queue: Any, is_blocking: bool = True, wait_for: Any = None, size: Any = None) -> Any:
        """The same for reading and writing."""
        return self.map(queue, cl.map_flags.READ | cl.map_flags.WRITE, is_blocking, wait_for, size)

    @raises_pyopencls
    def release(self) -> None:
        """Gives the memory back, to its pool or the driver."""
        _n.release_foreign(self)

    @raises_pyopencls
    def enqueue_release(self, queue: Any = None, wait_for: Any = None) -> Any:
        """Gives it back behind a queue and events; returns the pyopencl.Event of that."""
        return cl.Event.from_int_ptr(self._clpool_memory.enqueue_release(queue, wait_for).int_ptr)

    @raises_pyopencls
    def bind_to_queue(self, queue: Any) -> None:
        """From now on the memory is used on this queue, and given back behind it."""
        self._clpool_memory.bind_to_queue(queue)
        self._queue = queue

    @raises_pyopencls
    def unbind_from_queue(self) -> None:
        """Waits for the queue that the memory is bound to, and forgets it."""
        self._clpool_memory.unbind_from_queue()
        self._queue = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, cl.SVMPointer) and self.svm_ptr == other.svm_ptr  # pyright: ignore

    def __hash__(self) -> int:
        return hash(self.svm_ptr)


class PooledSVM(SVMAllocation):
    """The same over a block, which returns to its pool when it is collected or released."""

    __slots__ = ()

    def __init__(self, *_arguments: Any) -> None:
        raise TypeError("a PooledSVM is made by a pool")


def _array_of(view: Any) -> "np.ndarray[Any, np.dtype[np.uint8]]":
    return np.frombuffer(view, np.uint8)


def as_svm(memory: MemoryObject, queue: Any) -> Any:
    """A pyopencl.SVM over the same address, used on a queue or None, which keeps the memory."""
    if not isinstance(memory, SVMPointer):
        raise TypeError(f"SVM is needed, which {memory!r} is not")
    return _n.foreign_object(PooledSVM if memory.is_pooled else SVMAllocation, memory, queue)


for _svm_class in (SVMAllocation, PooledSVM):
    _n.add_foreign_class(_svm_class, lambda view: cl.SVM(_array_of(view)), False)


class Allocator:
    """Allocator(pool or allocator): what pyopencl.array takes as `allocator`. Called with a size, it gives a pyopencl.Buffer
    that returns to the pool when it is collected; None for 0."""

    __slots__ = ("pool", "_allocate_as", "__weakref__")

    def __init__(self, pool: Any) -> None:
        if not callable(pool):
            raise TypeError(f"Allocator() needs a pool or an allocator, not {pool!r}")
        refuse_without_buffers(pool)
        self.pool: Any = pool
        self._allocate_as = getattr(pool, "_allocate_as", None)

    def __call__(self, size: int) -> Any:
        if size == 0:
            return None
        try:
            if self._allocate_as is not None:
                return self._allocate_as(size, PooledBuffer)
            memory = self.pool(size)
            return memory if isinstance(memory, cl.MemoryObjectHolder) else as_buffer(memory)
        except ClpoolError as error:
            raise as_pyopencls(error) from None

    allocate = __call__

    def __repr__(self) -> str:
        return f"<clpool.pyopencl.Allocator of {self.pool!r}>"


_in_use: "weakref.WeakValueDictionary[Tuple[Any, ...], Allocator]" = weakref.WeakValueDictionary()
_latest: "collections.deque[Allocator]" = collections.deque(maxlen=4)


def _as_key(option: Any) -> Any:
    return tuple(getattr(item, "int_ptr", item) for item in option) if isinstance(option, (list, tuple)) else option


@raises_pyopencls
def use(queue: Any, **options: Any) -> Allocator:
    """A pool for the arrays of a queue, in one line: pyopencl.array.zeros(queue, n, dtype, allocator=use(queue)).

    The same queue gets the same pool (for each choice of `options`, which are clpool.MemoryPool's) as long as an array or a
    variable has it, or it is one of the last four that were asked for; after that its memory goes back to the driver.
    use(queue).pool.free_held() gives back what no array has."""
    if not hasattr(queue, "int_ptr"):
        raise TypeError(f"use() needs a command queue, not {queue!r}")
    handle = _n.cl_handle(queue, "cl_command_queue")
    key: Tuple[Any, ...] = (handle, *sorted((name, _as_key(option)) for name, option in options.items()))
    allocator = _in_use.get(key)
    if allocator is None:
        allocator = _in_use.setdefault(key, Allocator(MemoryPool(ImmediateAllocator(queue), **options)))
    with contextlib.suppress(ValueError):  # it is not among them, or another thread was faster
        _latest.remove(allocator)
    _latest.append(allocator)
    return allocator
