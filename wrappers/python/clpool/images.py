# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Images and the formats of their pixels."""
import warnings
from typing import Any, ClassVar, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _native as _n
from ._fields import filled, of_class
from ._text import whole_list
from .arrays import to_integers, to_pitches
from .constants import image_info, mem_flags
from .memory import MemoryObject, host_memory_of, info_bytes


class ImageFormat:
    """ImageFormat(channel_order, channel_type): of a pixel."""

    __slots__ = ("channel_order", "channel_data_type", "__weakref__")

    def __init__(self, channel_order: int, channel_type: int) -> None:
        self.channel_order: int = channel_order
        self.channel_data_type: int = channel_type

    def _struct(self) -> Any:
        return filled(_n.cl_image_format(), image_channel_order=self.channel_order, image_channel_data_type=self.channel_data_type)

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
    """An image of any type: see create_image() and image_from_array(). Image(…) itself is PyOpenCL's old name of
    create_image()."""

    __slots__ = ()

    def __new__(cls, context: Any, flags: int, format: "ImageFormat", shape: Optional[Sequence[int]] = None,
                pitches: Optional[Sequence[int]] = None, hostbuf: Any = None, is_array: bool = False,
                buffer: Optional[MemoryObject] = None) -> "Image":
        warnings.warn("Image() is an old name, use create_image()", DeprecationWarning, stacklevel=2)
        return create_image(context, flags, format, shape, pitches, hostbuf, is_array, buffer)

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

    _ATTRIBUTES: ClassVar[Dict[int, str]] = {**MemoryObject._ATTRIBUTES, image_info.FORMAT: "format", image_info.BUFFER: "buffer"}

    def get_image_info(self, name: int) -> Any:
        """A property (clpool.image_info): what the attribute of the same name is."""
        return self.get_info(name)

    def get_image_info_bytes(self, name: int) -> bytes:
        """Any CL_IMAGE_… property as the bytes that OpenCL gives."""
        return info_bytes(_n.clpool_image_info, self, name)

    @property
    def buffer(self) -> Optional[MemoryObject]:
        """The buffer that the image lies in; None if it lies in none."""
        if not self.get_info_number(image_info.BUFFER):
            return None
        return self.associated_memobject

    @property
    def num_mip_levels(self) -> int:
        """Levels of a mip-mapped image; 0 or 1 for others."""
        return self.get_info_number(image_info.NUM_MIP_LEVELS)

    @property
    def num_samples(self) -> int:
        """Samples of a pixel; 0 for images that are not multisampled."""
        return self.get_info_number(image_info.NUM_SAMPLES)

    @property
    def width(self) -> int:
        """Pixels of a row."""
        return self.get_info_number(image_info.WIDTH)

    @property
    def height(self) -> int:
        """Rows; 0 for 1-D images."""
        return self.get_info_number(image_info.HEIGHT)

    @property
    def depth(self) -> int:
        """Slices; 0 for other than 3-D images."""
        return self.get_info_number(image_info.DEPTH)

    @property
    def array_size(self) -> int:
        """Layers; 0 for other than arrays."""
        return self.get_info_number(image_info.ARRAY_SIZE)

    @property
    def element_size(self) -> int:
        """Bytes of a pixel."""
        return self.get_info_number(image_info.ELEMENT_SIZE)

    @property
    def row_pitch(self) -> int:
        """Bytes from row to row."""
        return self.get_info_number(image_info.ROW_PITCH)

    @property
    def slice_pitch(self) -> int:
        """Bytes from slice to slice."""
        return self.get_info_number(image_info.SLICE_PITCH)


def create_image(context: Any, flags: int, format: ImageFormat, shape: Optional[Sequence[int]] = None,
                 pitches: Optional[Sequence[int]] = None, hostbuf: Any = None, is_array: bool = False,
                 buffer: Optional[MemoryObject] = None) -> Image:
    """Makes an image; `shape` has x first, and is the host array's if left out."""
    if shape is None and hostbuf is None:
        raise ValueError("an image needs a shape or an array to take it from")
    pixels: Any = getattr(hostbuf, "shape", None) if shape is None else shape
    if pixels is None:
        raise TypeError(f"a shape is needed: hostbuf, a {type(hostbuf).__name__}, has none")
    pixels = to_integers(pixels, "shape")
    if not 1 <= len(pixels) <= 3:
        raise ValueError(f"shape {pixels} has {len(pixels)} entries, it must have 1 to 3")
    row, slice_ = to_pitches(pitches)
    options = filled(_n.clpool_image_options(), dimensions=len(pixels), flags=flags, format=of_class(format, ImageFormat, "format")._struct(),
                     shape=pixels, is_array=bool(is_array), row_pitch=row, slice_pitch=slice_)
    if hostbuf is not None:
        options.host, options.host_size = host_memory_of(hostbuf, flags)
    if buffer is not None:
        options.buffer = buffer
    view = _n.HostView(hostbuf) if hostbuf is not None and flags & mem_flags.USE_HOST_PTR else None
    image: Image = _n.clpool_image_create(context, options)
    image._kept = view if view is not None else buffer
    if view is not None:
        _n.keep_until_gone(image, view)
    return image


_ELEMENTS = {np.dtype(name): getattr(_n, f"CLPOOL_ELEMENT_{name.upper()}")
             for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "float32")}


def _vector_channels(dtype: "np.dtype[Any]") -> int:
    """Numbers of an OpenCL vector type, such as pyopencl.cltypes.float4, which NumPy sees as fields of one type one after
    the other; 0 for other types."""
    fields: List[Any] = [dtype.fields[name] for name in dtype.names] if dtype.fields is not None and dtype.names else []
    if not fields or len({field[0] for field in fields}) != 1:
        return 0
    element = fields[0][0]
    places = {field[1] for field in fields}
    whole = places == {index * element.itemsize for index in range(dtype.itemsize // element.itemsize)}
    return int(dtype.itemsize // element.itemsize) if whole and element in _ELEMENTS else 0


def image_from_array(ctx: Any, ary: "np.ndarray[Any, Any]", num_channels: Optional[int] = None, mode: str = "r",
                     norm_int: bool = False) -> Image:
    """An image of a C-contiguous array, whose shape is the array's the other way round. With num_channels > 1 the last
    dimension counts the channels; three become four. Without, the items are pixels of one channel, or of a vector type such
    as pyopencl.cltypes.float4."""
    if not of_class(ary, np.ndarray, "ary").flags.c_contiguous:
        raise ValueError("the array must be C-contiguous")
    channels = _vector_channels(ary.dtype)
    if channels:
        if num_channels not in (None, channels):
            raise ValueError(f"num_channels is {num_channels}, but the items of the array have {channels}")
        assert ary.dtype.fields is not None and ary.dtype.names is not None
        num_channels = channels
        ary = ary.view(ary.dtype.fields[ary.dtype.names[0]][0]).reshape((*ary.shape, channels))
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
    data, size = _n.address_of(ary)
    made = filled(_n.clpool_image_array(), element=_ELEMENTS[ary.dtype], channels=channels, normalized=bool(norm_int),
                  access=access[mode], dimensions=len(shape), shape=shape, data=data, size=size)
    image: Image = _n.clpool_image_create_from_array(ctx, made)
    return image


def get_supported_image_formats(context: Any, flags: int, image_type: int) -> List[ImageFormat]:
    """The formats that a context supports."""
    return [ImageFormat(*pair)
            for pair in whole_list(lambda room: _n.clpool_image_formats(context, flags, image_type, room))]
