# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Shared virtual memory (OpenCL 2.0): made, pooled, or given by others; arrays over it."""
from typing import Any, Dict, Optional

import numpy as np

from . import _native as _n
from ._errors import InvalidValueError
from ._fields import of_class
from .arrays import as_dtype, as_order, bytes_of, to_extents
from .constants import WHOLE_SIZE, mem_flags
from .devices import handle_of
from .maps import MemoryMap
from .memory import MemoryObject


class SVMMap:
    """SVM that the host uses for a while: `with` gives `array`, and unmaps at the end. Unmapped once, and at the latest when
    it is collected."""

    #: The memory; None once it is unmapped.
    svm: "Optional[SVMPointer]"
    #: Its bytes, or the very array that SVM() was made of.
    array: "np.ndarray[Any, Any]"
    #: Where it was mapped.
    queue: Any
    #: Complete when the host may use the bytes.
    event: _n.Event

    def __init__(self, svm: "SVMPointer", array: "np.ndarray[Any, Any]", queue: Any, mapping: MemoryMap) -> None:
        self._mapping = mapping
        self.svm, self.array, self.queue, self.event = svm, array, queue, mapping.event

    @property
    def int_ptr(self) -> int:
        """The address of the first byte."""
        return self._mapping.int_ptr

    @property
    def size(self) -> int:
        """Bytes that are mapped."""
        return self._mapping.size

    def release(self, queue: Any = None, wait_for: Any = None) -> _n.Event:
        """Unmaps, on the queue of the map if none is given; doing it again does nothing more."""
        unmapped = self._mapping.release(queue, wait_for)
        self.svm = None
        return unmapped

    def __enter__(self) -> "np.ndarray[Any, Any]":
        return self.array

    def __exit__(self, *_exception: Any) -> None:
        self.release()

    def __repr__(self) -> str:
        return f"<clpool.SVMMap: {'unmapped' if self.svm is None else self.svm}>"


class SVMPointer(MemoryObject):
    """Shared virtual memory."""

    __slots__ = ()

    def map(self, queue: Any, flags: int = 3, offset: int = 0,  # type: ignore[override]
            size: Optional[int] = None, is_blocking: bool = True, wait_for: Any = None) -> SVMMap:
        """Maps bytes: `with svm.map(queue) as array: …` gives them as an array and unmaps at the end."""
        mapping = super().map(queue, flags, offset, WHOLE_SIZE if size is None else size, is_blocking, wait_for)
        return SVMMap(self, mapping.array(), queue, mapping)

    @property
    def buf(self) -> "np.ndarray[Any, Any]":
        """All bytes as an array."""
        return self.as_array()

    def map_ro(self, queue: Any, is_blocking: bool = True, wait_for: Any = None, size: Optional[int] = None) -> SVMMap:
        """Maps for reading."""
        return self.map(queue, 1, size=size, is_blocking=is_blocking, wait_for=wait_for)

    def map_rw(self, queue: Any, is_blocking: bool = True, wait_for: Any = None, size: Optional[int] = None) -> SVMMap:
        """Maps for reading and writing."""
        return self.map(queue, 3, size=size, is_blocking=is_blocking, wait_for=wait_for)

    def as_buffer(self, ctx: Any = None, *, flags: Optional[int] = None, size: Optional[int] = None) -> MemoryObject:
        """A buffer over the same bytes in the SVM's context, which `ctx` must be if it is given. It keeps the SVM alive."""
        if ctx is not None and (self.context is None or _n.cl_handle(ctx, "cl_context") != self.context.int_ptr):
            raise InvalidValueError("ctx is another context than that of the SVM")
        memory: MemoryObject = _n.clpool_svm_as_buffer(self, flags or 0, WHOLE_SIZE if size is None else size)
        memory._kept = self
        if self._lent:
            _n.keep_until_gone(memory, self._kept)
        return memory


class SVMAllocation(SVMPointer):
    """SVMAllocation(context, size, alignment=0, flags=READ_WRITE, queue=None): SVM of its own. 0 bytes give an
    object without memory, whose address and size are 0."""

    __slots__ = ()

    def __new__(cls, context: Any, size: int, alignment: int = 0, flags: int = mem_flags.READ_WRITE,
                queue: Any = None) -> Any:
        memory = _n.clpool_svm_create(context, flags, size, alignment, queue)
        return _n.adopt(_NoSVM, None, None) if memory is None else _n.adopt(cls, memory, None)


class _NoSVM(SVMAllocation):
    """SVM of no bytes."""

    __slots__ = ()

    size = nbytes = capacity = svm_ptr = int_ptr = 0  # pyright: ignore
    is_released = False  # pyright: ignore
    _no_memory = "SVM of 0 bytes has no memory"

    def release(self) -> None:
        """Does nothing."""

    def enqueue_release(self, queue: Any = None, wait_for: Any = None) -> Any:
        """Does nothing: there is no event."""

    def __enter__(self) -> "_NoSVM":
        return self

    def __exit__(self, *_exception: Any) -> None:
        pass

    def __repr__(self) -> str:
        return "<clpool.SVMAllocation: 0 bytes>"

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


class SVM(SVMPointer):
    """SVM(mem) or SVM(context, mem, system=True): a writable, contiguous host object as SVM.

    An array that lies in memory which clpool made by clSVMAlloc (svm_empty(), .buf) is SVM of that memory's context. All
    other host memory needs devices with fine-grain system SVM; without a context it belongs to that of the queue or kernel
    with which it is used. SVM(context, mem, system=False) is for arrays over memory that others made by clSVMAlloc."""

    __slots__ = ()

    def __new__(cls, context: Any = None, mem: Any = None, system: bool = True) -> "SVM":
        if mem is None:
            mem, context = context, None
        if mem is None:
            raise TypeError("SVM() needs a host object")
        address, size = _n.address_of(mem, True)
        owner = _svm_behind(mem)
        home = owner.context if owner is not None else None
        if owner is not None and home is not None and (context is None or handle_of(context) == home.int_ptr):
            part = owner.get_sub_region(address - owner.svm_ptr, size)  # so that the owner knows of its uses
            return _n.adopt(cls, part, _n.HostView(mem))
        if context is None:
            return _UnboundSVM._of(mem, address, size)
        made = _n.adopt(cls, _n.clpool_svm_wrap(context, address, size, system), _n.HostView(mem))
        made._lent = True
        return made

    @property
    def mem(self) -> Any:
        """The host object."""
        return self.hostbuf

    def map(self, queue: Any, flags: int = 3, offset: int = 0,  # type: ignore[override]
            size: Optional[int] = None, is_blocking: bool = True, wait_for: Any = None) -> SVMMap:
        """Maps it; the map's array is the host object itself where all of it is mapped."""
        made = super().map(queue, flags, offset, size, is_blocking, wait_for)
        if offset == 0 and size is None:
            made.array = self.mem
        return made


class _UnboundSVM(SVM):
    """Host memory of which no context is known: it becomes SVM of the context with which it is used."""

    __slots__ = ("_mem", "_address", "_bytes", "_bound")

    _mem: Any
    _address: int
    _bytes: int
    _bound: Dict[int, SVM]
    _no_memory = "the host memory belongs to no context: SVM(context, mem) does"

    @staticmethod
    def _of(mem: Any, address: int, size: int) -> "_UnboundSVM":
        made = _n.adopt(_UnboundSVM, None, None)
        made._mem, made._address, made._bytes, made._bound = mem, address, size, {}
        return made

    def _in(self, thing: Any, kind: str) -> SVM:
        """The memory in the context of a queue or kernel."""
        context = _n.context_of(thing, kind)
        if context not in self._bound:
            self._bound[context] = SVM(context, self._mem)
        return self._bound[context]

    def map(self, queue: Any, flags: int = 3, offset: int = 0,  # type: ignore[override]
            size: Optional[int] = None, is_blocking: bool = True, wait_for: Any = None) -> SVMMap:
        return self._in(queue, "cl_command_queue").map(queue, flags, offset, size, is_blocking, wait_for)

    def as_buffer(self, ctx: Any = None, *, flags: Optional[int] = None, size: Optional[int] = None) -> MemoryObject:
        if ctx is None:
            raise TypeError("a context is needed: the host memory belongs to none")
        return SVM(ctx, self._mem).as_buffer(ctx, flags=flags, size=size)

    def set_kernel_arg(self, kernel: Any, index: int) -> None:
        self._in(kernel, "cl_kernel").set_kernel_arg(kernel, index)

    def release(self) -> None:
        self._bound.clear()

    @property
    def mem(self) -> Any:
        return self._mem

    hostbuf = mem  # pyright: ignore

    @property
    def size(self) -> int:
        return self._bytes

    nbytes = capacity = size  # type: ignore[assignment]

    @property
    def svm_ptr(self) -> int:
        return self._address

    @property
    def int_ptr(self) -> int:
        return 0

    @property
    def is_released(self) -> bool:
        return False

    @property
    def context(self) -> Optional[_n.Context]:
        return None

    def as_array(self, dtype: Any = np.uint8, shape: Any = None, order: str = "C") -> "np.ndarray[Any, Any]":
        array: "np.ndarray[Any, Any]" = np.frombuffer(self._mem, dtype)
        return array if shape is None else array.reshape(to_extents(shape), order=as_order(order))

    def __repr__(self) -> str:
        return f"<clpool.SVM: {self._bytes} bytes of host memory at {self._address:#x}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SVMPointer) and not other.is_released and self.svm_ptr == other.svm_ptr

    def __hash__(self) -> int:
        return hash(self._address)


def for_queue(queue: Any, thing: Any) -> Any:
    """The same, or memory in the queue's context for host memory of which no context was known."""
    return thing._in(queue, "cl_command_queue") if isinstance(thing, _UnboundSVM) else thing


def _svm_behind(mem: Any) -> Optional[SVMPointer]:
    """The SVM that an array lies in, or None."""
    base = mem
    while base is not None and not isinstance(base, SVMPointer):
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    return base


class PooledSVM(SVMPointer):
    """SVM that returns to its pool."""

    __slots__ = ()

    def free(self) -> None:
        """PyCUDA's name of release()."""
        self.release()


def _svm_array(context: Any, flags: int, shape: Any, dtype: Any, order: str, alignment: Optional[int],
               queue: Any) -> "np.ndarray[Any, Any]":
    dtype = as_dtype(dtype)
    extents = to_extents(shape)
    size = bytes_of(extents, dtype)
    if alignment is None:
        alignment = int(_n.clpool_svm_alignment_for(dtype.itemsize))
    memory = _n.clpool_svm_create(context, flags, size, alignment, queue)
    if memory is None:
        return np.empty(extents, dtype, as_order(order))
    array: "np.ndarray[Any, Any]" = np.ndarray(extents, dtype, buffer=memory, order=as_order(order))
    memory._lie_under(array)
    return array


def svm_empty(ctx: Any, flags: int, shape: Any, dtype: Any, order: str = "C", alignment: Optional[int] = None,
              queue: Any = None) -> "np.ndarray[Any, Any]":
    """An array over new SVM, which is its .base."""
    return _svm_array(ctx, flags, shape, dtype, order, alignment, queue)


def svm_empty_like(ctx: Any, flags: int, ary: "np.ndarray[Any, Any]", alignment: Optional[int] = None,
                   queue: Any = None) -> "np.ndarray[Any, Any]":
    """svm_empty() with an array's shape, type and order."""
    if not (of_class(ary, np.ndarray, "ary").flags.c_contiguous or ary.flags.f_contiguous):
        raise ValueError("the array must be contiguous")
    return svm_empty(ctx, flags, ary.shape, ary.dtype, "C" if ary.flags.c_contiguous else "F", alignment, queue)


def csvm_empty(ctx: Any, shape: Any, dtype: Any, order: str = "C", alignment: Optional[int] = None,
               queue: Any = None) -> "np.ndarray[Any, Any]":
    """An array over coarse-grain SVM: to be mapped while the host uses it."""
    return svm_empty(ctx, 1, shape, dtype, order, alignment, queue)


def csvm_empty_like(ctx: Any, ary: "np.ndarray[Any, Any]", alignment: Optional[int] = None) -> "np.ndarray[Any, Any]":
    """csvm_empty() with an array's shape, type and order."""
    return svm_empty_like(ctx, 1, ary, alignment)


def fsvm_empty(ctx: Any, shape: Any, dtype: Any, order: str = "C", alignment: Optional[int] = None,
               queue: Any = None) -> "np.ndarray[Any, Any]":
    """An array over fine-grain SVM."""
    return svm_empty(ctx, 1 | 1 << 10, shape, dtype, order, alignment, queue)


def fsvm_empty_like(ctx: Any, ary: "np.ndarray[Any, Any]", alignment: Optional[int] = None) -> "np.ndarray[Any, Any]":
    """fsvm_empty() with an array's shape, type and order."""
    return svm_empty_like(ctx, 1 | 1 << 10, ary, alignment)


def svm_capabilities(device: Any) -> int:
    """Which kinds of SVM a device has: bits of CL_DEVICE_SVM_…; 0 before OpenCL 2.0."""
    return int(_n.clpool_svm_capabilities(device))
