# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Memory: buffers, parts of them, SVM, images, pipes and pooled blocks, as objects that own it.

Everything is given back by release(), at the end of `with`, or when it is collected; using what was released raises
InvalidOperationError. Memory with an address on the host (SVM, page-locked, custom) has the buffer protocol: memoryview(m),
numpy.frombuffer(m, dtype), and DLPack's: numpy.from_dlpack(m), torch.from_dlpack(m). While such views exist, release() raises
BufferError; numpy.ndarray(shape, dtype, buffer=m) tells nobody that it uses the memory: m.as_array() does.
"""
from typing import Any, ClassVar, Dict, List, Optional, Tuple, Type, TypeVar

import numpy as np

from . import _native as _n
from ._errors import InvalidValueError
from .arrays import array_at, as_dtype, as_order, to_extents
from .constants import WHOLE_SIZE, mem_flags, mem_info
from .maps import MemoryMap

M = TypeVar("M", bound="MemoryObject")


class MemoryObject(_n.Memory):
    """Base of all memory."""

    __slots__ = ()

    #: Why objects of a class that were not released have no memory.
    _no_memory: ClassVar[Optional[str]] = None

    @staticmethod
    def from_int_ptr(int_ptr_value: Any, retain: bool = True) -> "MemoryObject":
        """Memory for a plain cl_mem of any type, or an object with int_ptr such as a pyopencl.Buffer, which is kept: a block of
        a pool is its own for as long. A number keeps the cl_mem alone, which a pool hands out again once its block is
        gone. With retain=False the reference becomes the object's own."""
        memory: MemoryObject = _n.clpool_mem_wrap(int_ptr_value, retain)
        if hasattr(int_ptr_value, "int_ptr"):
            memory._kept = (int_ptr_value,)
        return memory

    def get_info(self, name: int) -> Any:
        """A property: what the attribute of the same name is (clpool.mem_info, image_info, pipe_info)."""
        attribute = self._ATTRIBUTES.get(name)
        return getattr(self, attribute) if attribute is not None else self.get_info_number(name)

    #: Properties that are no plain numbers.
    _ATTRIBUTES: ClassVar[Dict[int, str]] = {
        mem_info.CONTEXT: "context", mem_info.ASSOCIATED_MEMOBJECT: "associated_memobject",
                   mem_info.PROPERTIES: "properties", mem_info.HOST_PTR: "host_ptr"}

    def get_info_number(self, name: int) -> int:
        """A property that is one number, handle or address, as the number that OpenCL gives."""
        return int(_n.clpool_mem_info_number(self, name))

    def get_info_bytes(self, name: int) -> bytes:
        """Any CL_MEM_… property as the bytes that OpenCL gives."""
        return info_bytes(_n.clpool_mem_info, self, name)

    @property
    def type(self) -> int:
        """CL_MEM_TYPE."""
        return self.get_info_number(mem_info.TYPE)

    @property
    def flags(self) -> int:
        """CL_MEM_FLAGS."""
        return self.get_info_number(mem_info.FLAGS)

    @property
    def map_count(self) -> int:
        """CL_MEM_MAP_COUNT."""
        return self.get_info_number(mem_info.MAP_COUNT)

    @property
    def reference_count(self) -> int:
        """CL_MEM_REFERENCE_COUNT."""
        return self.get_info_number(mem_info.REFERENCE_COUNT)

    @property
    def offset(self) -> int:
        """CL_MEM_OFFSET."""
        return self.get_info_number(mem_info.OFFSET)

    @property
    def uses_svm_pointer(self) -> bool:
        """CL_MEM_USES_SVM_POINTER (OpenCL 2.0)."""
        return bool(self.get_info_number(mem_info.USES_SVM_POINTER))

    @property
    def properties(self) -> List[int]:
        """CL_MEM_PROPERTIES (OpenCL 3.0): the list with which the memory was made, with the 0 at its end; empty for none."""
        return [int(value) for value in np.frombuffer(self.get_info_bytes(mem_info.PROPERTIES), np.uint64)]

    @property
    def host_ptr(self) -> int:
        """Refused, as in PyOpenCL: see get_host_array(). get_info_number(mem_info.HOST_PTR) is the address."""
        raise InvalidValueError("host_ptr is not given: use get_host_array()")

    @property
    def associated_memobject(self) -> Optional["MemoryObject"]:
        """The memory that this is a part of, or lies over; None if there is none."""
        kept = self._kept
        if isinstance(kept, MemoryObject):
            return kept
        if self.is_pooled or not self.int_ptr:
            return None
        handle = self.get_info_number(mem_info.ASSOCIATED_MEMOBJECT)
        return MemoryObject.from_int_ptr(handle) if handle else None

    @property
    def context(self) -> Optional[_n.Context]:
        """The context; None for custom memory."""
        handle = _n.clpool_mem_context(self)
        return _n.Context(handle) if handle else None

    @property
    def hostbuf(self) -> Any:
        """The host object that a buffer made with USE_HOST_PTR lies in."""
        kept = self._kept
        return kept.obj if isinstance(kept, _n.HostView) else None

    def get_sub_region(self, origin: int, size: int = WHOLE_SIZE, flags: int = 0) -> "MemoryObject":
        """A part, which keeps the whole alive. `origin` must be a multiple of the device's base address alignment."""
        part: MemoryObject = _n.clpool_mem_sub_region(self, origin, size, flags)
        part._kept = self._kept if isinstance(self, SubRegion) and isinstance(self._kept, MemoryObject) else self
        part._addressless = self._addressless
        part._calls_python = self._calls_python
        part._lent = self._lent
        return part

    def __getitem__(self, index: slice) -> "MemoryObject":
        if not isinstance(index, slice):
            raise TypeError("memory is cut by slices of bytes, such as memory[128:256]")
        start, stop, step = index.indices(self.size)
        if step != 1:
            raise InvalidValueError(f"the step is {step}, it must be 1")
        if stop <= start:
            raise InvalidValueError(f"the slice {start}:{stop} is empty")
        return self.get_sub_region(start, stop - start)

    @property
    def root(self) -> Tuple[int, int]:
        """(cl_mem, offset): the buffer object in which the memory lies, and where."""
        handle, offset = _n.clpool_mem_root(self)
        return int(handle), int(offset)

    def get_host_array(self, shape: Any, dtype: Any, order: str = "C") -> "np.ndarray[Any, Any]":
        """An array over the host memory of a buffer or image made with USE_HOST_PTR; read-only where that cannot be written."""
        address, size = _n.clpool_mem_host_memory(self)
        view: Any = self
        while isinstance(view, MemoryObject):
            view = view._kept
        return array_at(address, size, shape, dtype, order, self, isinstance(view, _n.HostView) and bool(view.readonly))

    def as_array(self, dtype: Any = np.uint8, shape: Any = None, order: str = "C") -> "np.ndarray[Any, Any]":
        """An array over memory with an address on the host."""
        host: Any = self
        array: "np.ndarray[Any, Any]" = np.frombuffer(host, dtype)
        return array if shape is None else array.reshape(to_extents(shape), order=as_order(order))

    def __dlpack__(self, *, stream: Any = None, **wishes: Any) -> Any:
        """The bytes as a DLPack capsule (array API standard), for memory with an address on the host; BufferError for others.
        Nothing is waited for: commands that use the memory must be complete."""
        host: Any = self.as_array()
        return host.__dlpack__(stream=stream, **wishes)

    def __dlpack_device__(self) -> Tuple[int, int]:
        """DLPack's number of the processor, whose memory it is to all who can take the address: (kDLCPU, 0)."""
        return (1, 0)

    def set_kernel_arg(self, kernel: Any, index: int) -> None:
        """Passes the memory to a kernel (an integer, or an object with int_ptr)."""
        _n.clpool_mem_set_kernel_arg(self, kernel, index)

    def map(self, queue: Any, flags: int = 3, offset: int = 0, size: int = WHOLE_SIZE, is_blocking: bool = True,
            wait_for: Any = None) -> "MemoryMap":
        """Maps bytes: `with memory.map(queue) as bytes_: …` gives them as an array and unmaps at the end."""
        event, handle = _n.clpool_mem_map(queue, self, flags, offset, size, is_blocking, wait_for)
        return MemoryMap(handle, event, self)

    def tag(self, number: int) -> None:
        """Marks a block of a pool for pictures and leak lists."""
        _n.clpool_mem_set_tag(self, number)

    def used_on(self, queue: Any) -> None:
        """Says that commands on a queue other than the pool's use the block: it is reused only when they are complete."""
        _n.clpool_mem_used_on(self, queue)

    def release_after(self, *events: Any) -> None:
        """Releases a block of a pool, which reuses it only when all events are complete."""
        _n.clpool_mem_release_after(self, events)
        self.release()

    def bind_to_queue(self, queue: Any) -> None:
        """From now on the memory is used on this queue, and freed behind it."""
        _n.clpool_mem_bind_queue(self, queue)

    def unbind_from_queue(self) -> None:
        """Waits for the queue that the memory is bound to, and forgets it."""
        _n.clpool_mem_unbind_queue(self)

    def enqueue_release(self, queue: Any = None, wait_for: Any = None) -> _n.Event:
        """Releases behind the commands of a queue and the events of `wait_for`; the event is complete when the memory is
        free. Without a queue, behind the one that it is bound to. If it fails, nothing is released."""
        event: _n.Event = self._release_on(queue, wait_for)
        return event


def info_bytes(ask: Any, memory: MemoryObject, name: int) -> bytes:
    needed = ask(memory, name, 0)
    needed = needed[-1] if isinstance(needed, (list, tuple)) else needed
    data, _ = ask(memory, name, needed)
    return bytes(data)


def host_memory_of(hostbuf: Any, flags: int) -> Tuple[int, int]:
    """(address, bytes) of a host object; with USE_HOST_PTR it must be writable, unless only kernels use the memory and they
    only read it (READ_ONLY)."""
    found = _n.address_of(hostbuf)
    if flags & mem_flags.USE_HOST_PTR and not flags & mem_flags.READ_ONLY:
        try:
            _n.address_of(hostbuf, True)
        except (BufferError, TypeError, ValueError) as refusal:
            raise BufferError(f"hostbuf, a {type(hostbuf).__name__}, cannot be written: USE_HOST_PTR needs writable memory "
                              "unless the flags have READ_ONLY") from refusal
    return found


class Buffer(MemoryObject):
    """Buffer(context, flags, size=0, hostbuf=None): a cl_mem buffer. With USE_HOST_PTR it lies in hostbuf, which it keeps
    alive, and which must be writable unless the flags have READ_ONLY."""

    __slots__ = ()

    def __new__(cls, context: Any, flags: int, size: int = 0, hostbuf: Any = None) -> "Buffer":
        if hostbuf is not None:
            host_memory_of(hostbuf, flags)
        memory = _n.clpool_buffer_create(context, flags, size, hostbuf)
        kept = _n.HostView(hostbuf) if hostbuf is not None and flags & mem_flags.USE_HOST_PTR else None
        made = _n.adopt(cls, memory, kept)
        if kept is not None:
            _n.keep_until_gone(made, kept)
        return made


class SubRegion(MemoryObject):
    """A part of other memory, which it keeps alive."""

    __slots__ = ()


class PooledBuffer(MemoryObject):
    """A buffer that returns to its pool."""

    __slots__ = ()

    def free(self) -> None:
        """PyCUDA's name of release()."""
        self.release()


class PooledDeviceAllocation(PooledBuffer):
    """A block of a DeviceMemoryPool. As a number it is its cl_mem: OpenCL has no addresses of device memory."""

    __slots__ = ()

    def __len__(self) -> int:
        return self.size

    def __index__(self) -> int:
        return self.int_ptr

    __int__ = __index__


class PageLocked(MemoryObject):
    """Page-locked host memory."""

    __slots__ = ()


class PooledHostAllocation(PageLocked):
    """Page-locked host memory that returns to its pool."""

    __slots__ = ()

    def free(self) -> None:
        """PyCUDA's name of release()."""
        self.release()

    def __len__(self) -> int:
        return self.size

    def __int__(self) -> int:
        return self.svm_ptr


class CustomMemory(MemoryObject):
    """Memory of a custom allocator: svm_ptr is its chunk's number plus the offset in the chunk."""

    __slots__ = ()


class PooledCustom(CustomMemory):
    """Memory of a custom allocator that returns to its pool."""

    __slots__ = ()
