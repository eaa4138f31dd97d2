# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Memory: buffers, parts of them, SVM, images, pipes and pooled blocks, as objects that own it.

Everything is given back by release(), at the end of `with`, or when it is collected; using what was released raises
InvalidOperationError. Memory with an address on the host (SVM, page-locked, custom) has the buffer protocol: memoryview(m),
numpy.frombuffer(m, dtype). While such views exist, release() raises BufferError.
"""
from typing import Any, List, Literal, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native as _n
from ._text import whole_list
from .constants import WHOLE_SIZE, image_info, mem_flags, mem_info, pipe_info

_INFO = {name.lower(): value for name, value in vars(mem_info).items() if name.isupper()}


class MemoryObject(_n.Memory):
    """Base of all memory."""

    __slots__ = ()

    def get_info(self, name: int) -> int:
        """A property (clpool.mem_info, image_info or pipe_info) that is one number, handle or address."""
        return int(_n.clpool_mem_info_number(self, name))

    def get_info_bytes(self, name: int) -> bytes:
        """Any CL_MEM_… property as the bytes that OpenCL gives."""
        return _info_bytes(_n.clpool_mem_info, self, name)

    @property
    def type(self) -> int:
        """CL_MEM_TYPE."""
        return self.get_info(mem_info.TYPE)

    @property
    def flags(self) -> int:
        """CL_MEM_FLAGS."""
        return self.get_info(mem_info.FLAGS)

    @property
    def map_count(self) -> int:
        """CL_MEM_MAP_COUNT."""
        return self.get_info(mem_info.MAP_COUNT)

    @property
    def reference_count(self) -> int:
        """CL_MEM_REFERENCE_COUNT."""
        return self.get_info(mem_info.REFERENCE_COUNT)

    @property
    def offset(self) -> int:
        """CL_MEM_OFFSET."""
        return self.get_info(mem_info.OFFSET)

    @property
    def context(self) -> Optional[_n.Context]:
        """The context; None for custom memory."""
        handle = _n.clpool_mem_context(self)
        return _n.Context(handle) if handle else None

    @property
    def hostbuf(self) -> Any:
        """The host object that a buffer made with USE_HOST_PTR lies in."""
        kept = self._kept
        return kept.obj if isinstance(kept, memoryview) else None

    def get_sub_region(self, origin: int, size: int = WHOLE_SIZE, flags: int = 0) -> "MemoryObject":
        """A part, which keeps the whole alive. `origin` must be a multiple of the device's base address alignment."""
        part: MemoryObject = _n.clpool_mem_sub_region(self, origin, size, flags)
        part._kept = self
        part._addressless = self._addressless
        part._calls_python = self._calls_python
        return part

    def __getitem__(self, index: slice) -> "MemoryObject":
        if not isinstance(index, slice):
            raise TypeError("memory is cut by slices of bytes, such as memory[128:256]")
        start, stop, step = index.indices(self.size)
        if step != 1:
            raise ValueError(f"the step is {step}, it must be 1")
        if stop <= start:
            raise ValueError(f"the slice {start}:{stop} is empty")
        return self.get_sub_region(start, stop - start)

    @property
    def root(self) -> Tuple[int, int]:
        """(cl_mem, offset): the buffer object in which the memory lies, and where."""
        handle, offset = _n.clpool_mem_root(self)
        return int(handle), int(offset)

    def get_host_array(self, shape: Any, dtype: Any, order: str = "C") -> "np.ndarray[Any, Any]":
        """An array over the host memory of a buffer or image made with USE_HOST_PTR."""
        address, size = _n.clpool_mem_host_memory(self)
        return array_at(address, size, shape, dtype, order, self)

    def as_array(self, dtype: Any = np.uint8, shape: Any = None, order: str = "C") -> "np.ndarray[Any, Any]":
        """An array over memory with an address on the host."""
        host: Any = self
        array: "np.ndarray[Any, Any]" = np.frombuffer(host, dtype)
        return array if shape is None else array.reshape(to_extents(shape), order=as_order(order))

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
        """Releases behind the commands of a queue; the event is complete when the memory is free."""
        event: _n.Event = self._release_on(queue, wait_for)
        return event


for _name, _value in _INFO.items():
    if not hasattr(MemoryObject, _name):
        setattr(MemoryObject, _name, property(lambda self, _value=_value: self.get_info(_value)))  # type: ignore[misc]


def _info_bytes(ask: Any, memory: MemoryObject, name: int) -> bytes:
    needed = ask(memory, name, 0)
    needed = needed[-1] if isinstance(needed, (list, tuple)) else needed
    data, _ = ask(memory, name, needed)
    return bytes(data)


def as_order(order: str) -> Literal["C", "F"]:
    """"C" or "F", in any case."""
    if order in ("C", "c"):
        return "C"
    if order in ("F", "f"):
        return "F"
    raise ValueError(f"order is {order!r}, it must be 'C' or 'F'")


def to_extents(shape: Any) -> Tuple[int, ...]:
    """A shape, or one number, as a tuple without negative numbers."""
    extents = (int(shape),) if np.ndim(shape) == 0 else tuple(int(extent) for extent in shape)
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
    """An array over `size` bytes at an address, which keeps `owner` alive as its base."""
    dtype = as_dtype(dtype)
    extents = to_extents(shape)
    needed = dtype.itemsize * int(np.prod(extents, dtype=object))
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


class Buffer(MemoryObject):
    """Buffer(context, flags, size=0, hostbuf=None): a cl_mem buffer. Kept alive with USE_HOST_PTR: hostbuf."""

    __slots__ = ()

    def __new__(cls, context: Any, flags: int, size: int = 0, hostbuf: Any = None) -> "Buffer":
        memory = _n.clpool_buffer_create(context, flags, size, hostbuf)
        kept = memoryview(hostbuf) if flags & mem_flags.USE_HOST_PTR else None
        made = _n.adopt(cls, memory, kept)
        if kept is not None:
            _n.keep_until_gone(made, kept)
        return made

    @staticmethod
    def from_int_ptr(int_ptr: Any, retain: bool = True) -> MemoryObject:
        """Memory for a plain cl_mem of any type, or an object with int_ptr such as a pyopencl.Buffer."""
        memory: MemoryObject = _n.clpool_mem_wrap(int_ptr, retain)
        return memory


class SubRegion(MemoryObject):
    """A part of other memory, which it keeps alive."""

    __slots__ = ()


class PooledBuffer(MemoryObject):
    """A buffer that returns to its pool."""

    __slots__ = ()


class SVMPointer(MemoryObject):
    """Shared virtual memory."""

    __slots__ = ()

    @property
    def buf(self) -> "np.ndarray[Any, Any]":
        """All bytes as an array."""
        return self.as_array()

    def map_ro(self, queue: Any, is_blocking: bool = True, wait_for: Any = None) -> "MemoryMap":
        """Maps for reading."""
        return self.map(queue, 1, is_blocking=is_blocking, wait_for=wait_for)

    def map_rw(self, queue: Any, is_blocking: bool = True, wait_for: Any = None) -> "MemoryMap":
        """Maps for reading and writing."""
        return self.map(queue, 3, is_blocking=is_blocking, wait_for=wait_for)

    def as_buffer(self, _context: Any = None, *, flags: int = 0, size: int = WHOLE_SIZE) -> MemoryObject:
        """A buffer over the same bytes, which keeps the SVM alive."""
        memory: MemoryObject = _n.clpool_svm_as_buffer(self, flags, size)
        memory._kept = self
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

    size = nbytes = capacity = svm_ptr = int_ptr = 0
    is_released = False

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
    """SVM(context, mem, system=True): ordinary host memory as devices with fine-grain system SVM see it; with
    system=False an array over memory that clSVMAlloc of this context gave."""

    __slots__ = ()

    def __new__(cls, context: Any, mem: Any, system: bool = True) -> "SVM":
        address, size = _n.address_of(mem, True)
        return _n.adopt(cls, _n.clpool_svm_wrap(context, address, size, system), memoryview(mem))

    @property
    def mem(self) -> Any:
        """The host object."""
        return self.hostbuf


class PooledSVM(SVMPointer):
    """SVM that returns to its pool."""

    __slots__ = ()


class PageLocked(MemoryObject):
    """Page-locked host memory."""

    __slots__ = ()


class PooledHostAllocation(PageLocked):
    """Page-locked host memory that returns to its pool."""

    __slots__ = ()

    def free(self) -> None:
        """PyOpenCL's name of release()."""
        self.release()

    def __len__(self) -> int:
        return self.size


class CustomMemory(MemoryObject):
    """Memory of a custom allocator: svm_ptr is its chunk's number plus the offset in the chunk."""

    __slots__ = ()


class PooledCustom(CustomMemory):
    """Memory of a custom allocator that returns to its pool."""

    __slots__ = ()


class Pipe(MemoryObject):
    """Pipe(context, flags, packet_size, max_packets)."""

    __slots__ = ()

    def __new__(cls, context: Any, flags: int, packet_size: int, max_packets: int) -> "Pipe":
        return _n.adopt(cls, _n.clpool_pipe_create(context, flags, packet_size, max_packets), None)

    @property
    def packet_size(self) -> int:
        """Bytes of a packet."""
        return self.get_info(pipe_info.PACKET_SIZE)

    @property
    def max_packets(self) -> int:
        """How many packets it holds."""
        return self.get_info(pipe_info.MAX_PACKETS)

    def get_pipe_info(self, name: int) -> bytes:
        """Any CL_PIPE_… property as bytes."""
        return _info_bytes(_n.clpool_pipe_info, self, name)


class ImageFormat:
    """ImageFormat(channel_order, channel_type): of a pixel."""

    __slots__ = ("channel_order", "channel_data_type")

    def __init__(self, channel_order: int, channel_type: int) -> None:
        self.channel_order = channel_order
        self.channel_data_type = channel_type

    def _struct(self) -> Any:
        made = _n.cl_image_format()
        made.image_channel_order = self.channel_order
        made.image_channel_data_type = self.channel_data_type
        return made

    @property
    def channel_count(self) -> int:
        """Number of channels."""
        return int(_n.clpool_image_channel_count(self.channel_order))

    @property
    def dtype_size(self) -> int:
        """Bytes of one channel; for packed types those of the pixel."""
        return int(_n.clpool_image_channel_size(self.channel_data_type))

    @property
    def itemsize(self) -> int:
        """Bytes of one pixel."""
        return int(_n.clpool_image_item_size(self._struct()))

    def __repr__(self) -> str:
        order = _n.clpool_image_channel_order_name(self.channel_order) or hex(self.channel_order)
        kind = _n.clpool_image_channel_type_name(self.channel_data_type) or hex(self.channel_data_type)
        return f"ImageFormat({order}, {kind})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImageFormat) and (self.channel_order, self.channel_data_type) == (
            other.channel_order, other.channel_data_type)

    def __hash__(self) -> int:
        return hash((self.channel_order, self.channel_data_type))


class Image(MemoryObject):
    """An image of any type: see create_image() and image_from_array()."""

    __slots__ = ()

    @property
    def shape(self) -> Tuple[int, ...]:
        """Pixels, x first; layers count as a dimension."""
        dimensions, shape = _n.clpool_image_shape(self)
        return tuple(shape[:dimensions])

    @property
    def format(self) -> ImageFormat:
        """The format of a pixel."""
        made = _n.cl_image_format()
        _n.clpool_image_format(self, made)
        return ImageFormat(made.image_channel_order, made.image_channel_data_type)

    def get_image_info(self, name: int) -> bytes:
        """Any CL_IMAGE_… property as bytes."""
        return _info_bytes(_n.clpool_image_info, self, name)

    @property
    def width(self) -> int:
        """Pixels of a row."""
        return self.get_info(image_info.WIDTH)

    @property
    def height(self) -> int:
        """Rows; 0 for 1-D images."""
        return self.get_info(image_info.HEIGHT)

    @property
    def depth(self) -> int:
        """Slices; 0 for other than 3-D images."""
        return self.get_info(image_info.DEPTH)

    @property
    def array_size(self) -> int:
        """Layers; 0 for other than arrays."""
        return self.get_info(image_info.ARRAY_SIZE)

    @property
    def element_size(self) -> int:
        """Bytes of a pixel."""
        return self.get_info(image_info.ELEMENT_SIZE)

    @property
    def row_pitch(self) -> int:
        """Bytes from row to row."""
        return self.get_info(image_info.ROW_PITCH)

    @property
    def slice_pitch(self) -> int:
        """Bytes from slice to slice."""
        return self.get_info(image_info.SLICE_PITCH)


def create_image(context: Any, flags: int, format: ImageFormat, shape: Optional[Sequence[int]] = None,
                 pitches: Optional[Sequence[int]] = None, hostbuf: Any = None, is_array: bool = False,
                 buffer: Optional[MemoryObject] = None) -> Image:
    """Makes an image; `shape` has x first, and is the host array's if left out."""
    if shape is None:
        if hostbuf is None:
            raise ValueError("an image needs a shape or an array to take it from")
        shape = hostbuf.shape
    if not 1 <= len(shape) <= 3:
        raise ValueError(f"shape {tuple(shape)} has {len(shape)} entries, it must have 1 to 3")
    pitches = tuple(pitches or ())
    if len(pitches) > 2:
        raise ValueError(f"{len(pitches)} pitches are too many: row and slice")
    options = _n.clpool_image_options()
    options.dimensions = len(shape)
    options.flags = flags
    options.format = format._struct()
    options.shape = shape
    options.is_array = is_array
    options.row_pitch = pitches[0] if pitches else 0
    options.slice_pitch = pitches[1] if len(pitches) > 1 else 0
    if hostbuf is not None:
        writable = bool(flags & mem_flags.USE_HOST_PTR) and not flags & mem_flags.READ_ONLY
        options.host, options.host_size = _n.address_of(hostbuf, writable)
    if buffer is not None:
        options.buffer = buffer
    image: Image = _n.clpool_image_create(context, options)
    image._kept = memoryview(hostbuf) if hostbuf is not None and flags & mem_flags.USE_HOST_PTR else buffer
    if isinstance(image._kept, memoryview):
        _n.keep_until_gone(image, image._kept)
    return image


_ELEMENTS = {np.dtype(name): getattr(_n, f"CLPOOL_ELEMENT_{name.upper()}")
             for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "float32")}


def image_from_array(context: Any, ary: "np.ndarray[Any, Any]", num_channels: Optional[int] = None, mode: str = "r",
                     norm_int: bool = False) -> Image:
    """An image of a C-contiguous array, whose shape is the array's the other way round. With num_channels > 1 the last
    dimension counts the channels; three become four."""
    if not ary.flags.c_contiguous:
        raise ValueError("the array must be C-contiguous")
    if ary.dtype not in _ELEMENTS:
        raise TypeError(f"images have no pixels of {ary.dtype}")
    access = {"r": mem_flags.READ_ONLY, "w": mem_flags.WRITE_ONLY, "rw": mem_flags.READ_WRITE}
    if mode not in access:
        raise ValueError(f"mode is {mode!r}, it must be 'r', 'w' or 'rw'")
    channels = 1 if num_channels is None else num_channels
    shape = ary.shape
    if channels != 1:
        if shape[-1] != channels:
            raise ValueError(f"the last dimension is {shape[-1]}, but there are to be {channels} channels")
        shape = shape[:-1]
    made = _n.clpool_image_array()
    made.element = _ELEMENTS[ary.dtype]
    made.channels = channels
    made.normalized = norm_int
    made.access = access[mode]
    made.dimensions = len(shape)
    made.shape = shape
    made.data, made.size = _n.address_of(ary)
    image: Image = _n.clpool_image_create_from_array(context, made)
    return image


def get_supported_image_formats(context: Any, flags: int, image_type: int) -> List[ImageFormat]:
    """The formats that a context supports."""
    return [ImageFormat(*pair)
            for pair in whole_list(lambda room: _n.clpool_image_formats(context, flags, image_type, room))]


class Sampler(_n.SamplerHandle):
    """Sampler(context, normalized_coords, addressing_mode, filter_mode) or Sampler(context, properties)."""

    def __new__(cls, context: Any, normalized_coords: Union[bool, Sequence[int], None] = None, addressing_mode: int = 0,
                filter_mode: int = 0) -> "Sampler":
        if isinstance(normalized_coords, (bool, int)):
            handle = _n.clpool_sampler_create(context, normalized_coords, addressing_mode, filter_mode)
        else:
            handle = _n.clpool_sampler_create_with_properties(context, normalized_coords)
        made: Sampler = super().__new__(cls, handle, False)
        return made


class MemoryMap:
    """A mapping: `with` gives its bytes as an array (for images: with array(dtype)), and unmaps at the end. The array must
    not be used after that. Unmapped once, and at the latest when it is collected."""

    def __init__(self, handle: _n.Handle, event: _n.Event, memory: MemoryObject) -> None:
        self._handle = handle
        self._memory: Optional[MemoryObject] = memory
        self._unmapped: Optional[_n.Event] = None
        #: Complete when the host may use the bytes.
        self.event = event

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
        """The bytes as an array, which keeps the map alive."""
        dtype = as_dtype(dtype)
        extents = self.size // dtype.itemsize if shape is None else shape
        return array_at(self.int_ptr, self.size, extents, dtype, order, self, strides)

    def release(self, queue: Any = None, wait_for: Any = None) -> _n.Event:
        """Unmaps, and lets go of the memory; doing it again does nothing more."""
        if self._unmapped is None:
            self._unmapped = _n.clpool_map_unmap(self._handle, queue, wait_for)
            self._handle.release()
            self._memory = None
        return self._unmapped

    def __enter__(self) -> "np.ndarray[Any, Any]":
        return self.array()

    def __exit__(self, *_exception: Any) -> None:
        self.release()


_n.set_memory_classes({
    _n.CLPOOL_MEM_KIND_BUFFER: Buffer, _n.CLPOOL_MEM_KIND_SUB_REGION: SubRegion, _n.CLPOOL_MEM_KIND_IMAGE: Image,
    _n.CLPOOL_MEM_KIND_PIPE: Pipe, _n.CLPOOL_MEM_KIND_SVM: SVMPointer, _n.CLPOOL_MEM_KIND_PINNED: PageLocked,
    _n.CLPOOL_MEM_KIND_CUSTOM: CustomMemory})
