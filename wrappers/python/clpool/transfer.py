# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Copies, fills, maps and migration, with PyOpenCL's names and arguments. Each returns an Event.

`queue` is an integer or an object with int_ptr, `wait_for` a sequence of events. Host memory is anything with the buffer
protocol; it is kept alive until a command that does not block is complete.
"""
import warnings
from operator import index
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple, Union, overload

import numpy as np

from . import _native as _n
from ._fields import filled
from .arrays import as_dtype, bytes_of, to_extents, to_integers, to_pitches
from .constants import WHOLE_SIZE, mem_object_type
from .images import Image
from .maps import MemoryMap
from .memory import MemoryObject, PageLocked
from .svm import SVMPointer, for_queue


def _is_memory(thing: Any) -> bool:
    return isinstance(thing, MemoryObject)


def _three(values: Any, fill: int) -> Tuple[int, ...]:
    given = to_integers(values, "an origin or region")
    if len(given) > 3:
        raise ValueError(f"{given} has {len(given)} entries, at most 3 are possible")
    return given + (fill,) * (3 - len(given))


def _box(region: Any, source_origin: Any, target_origin: Any, source_pitches: Any, target_pitches: Any) -> Any:
    source_row, source_slice = to_pitches(source_pitches)
    target_row, target_slice = to_pitches(target_pitches)
    return filled(_n.clpool_box(), dimensions=3, region=_three(region, 1), source_origin=_three(source_origin, 0),
                  target_origin=_three(target_origin, 0), source_row_pitch=source_row, source_slice_pitch=source_slice,
                  target_row_pitch=target_row, target_slice_pitch=target_slice)


def _class_of(thing: Any) -> str:
    kind = type(thing)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def enqueue_copy(queue: Any, dest: Any, src: Any, *, is_blocking: bool = True, wait_for: Any = None,
                 byte_count: Optional[int] = None, **place: Any) -> _n.Event:
    """Copies between memory and host, memory and memory, images and buffers, images and host.

    Buffers and SVM: dst_offset, src_offset, byte_count. Without byte_count all bytes of the host object, or of page-locked
    memory, are copied, and an error says if the other side has fewer; between buffers as many as both have; where SVM takes
    part both sides must be equally long. Boxes of buffers: buffer_origin, host_origin, region, buffer_pitches, host_pitches;
    between buffers src_origin, dst_origin, region, src_pitches, dst_pitches. Images: origin, region, pitches; with buffers
    offset; between images src_origin, dest_origin. What belongs to another kind of copy is a TypeError. The old names
    device_offset and dest_offset are taken with a warning.
    """
    if dest is None or src is None:
        raise TypeError(f"{'src' if src is None else 'dest'} is None, it must be memory or a host object")
    dest, src = for_queue(queue, dest), for_queue(queue, src)
    if not _is_memory(dest) and not _is_memory(src):
        raise TypeError(f"neither {_class_of(dest)} nor {_class_of(src)} is memory of clpool "
                        "(MemoryObject.from_int_ptr() makes such of PyOpenCL's buffers)")
    images, boxes = isinstance(dest, Image) or isinstance(src, Image), "region" in place
    if byte_count is not None:
        place["byte_count"] = byte_count
    if images and not boxes:
        raise TypeError("a copy of an image needs a region")
    if not images and not boxes:
        place = _new_names(place, _is_memory(dest))
    own = _place_of(dest, src, boxes)
    for name in place:
        if name not in own:
            raise TypeError(f"{name} does not go with a copy from {_kind_of(src)} to {_kind_of(dest)}{' in boxes' * boxes}, "
                            f"which takes {', '.join(own)}")
    copy: Any = _copy_image if images else _copy_box if boxes else _copy_bytes
    event: _n.Event = copy(queue, dest, src, is_blocking, wait_for, **place)
    return event


def _kind_of(side: Any) -> str:
    return "an image" if isinstance(side, Image) else "memory" if _is_memory(side) else "the host"


def _place_of(dest: Any, src: Any, boxes: bool) -> Tuple[str, ...]:
    """What can be said about where a copy takes place."""
    with_host = not _is_memory(dest) or not _is_memory(src)
    if isinstance(dest, Image) and isinstance(src, Image):
        return "src_origin", "dest_origin", "region"
    if isinstance(dest, Image) or isinstance(src, Image):
        return "origin", "region", "pitches" if with_host else "offset"
    if boxes:
        return (("buffer_origin", "host_origin", "region", "buffer_pitches", "host_pitches") if with_host else
                ("src_origin", "dst_origin", "region", "src_pitches", "dst_pitches"))
    return ("byte_count",) + ("dst_offset",) * _is_memory(dest) + ("src_offset",) * _is_memory(src)


def _new_names(place: Dict[str, Any], to_memory: bool) -> Dict[str, Any]:
    """The offsets by the names of today."""
    for old, new in (("device_offset", "dst_offset" if to_memory else "src_offset"), ("dest_offset", "dst_offset")):
        if old in place:
            if new in place:
                raise TypeError(f"{old} and {new} are the same: only one can be given")
            warnings.warn(f"{old} is an old name, use {new}", DeprecationWarning, stacklevel=3)
            place = {new if name == old else name: value for name, value in place.items()}
    return place


def _byte_count(dest: Any, src: Any, dst_offset: int, src_offset: int) -> int:
    """What is copied where nothing is said: a side that has not so many bytes is refused by name."""
    sides = [(side, side.size if _is_memory(side) else _n.address_of(side)[1], offset)
             for side, offset in ((dest, dst_offset), (src, src_offset))]
    if not any(isinstance(side, SVMPointer) for side in (dest, src)):
        sides = [entry for entry in sides if not _is_memory(entry[0]) or isinstance(entry[0], PageLocked)]
        if not sides:
            return WHOLE_SIZE
    return max(0, *(int(size) - index(offset) for _, size, offset in sides))


def _copy_bytes(queue: Any, dest: Any, src: Any, is_blocking: bool, wait_for: Any, byte_count: Optional[int] = None,
                dst_offset: int = 0, src_offset: int = 0) -> _n.Event:
    event: _n.Event
    size = _byte_count(dest, src, dst_offset, src_offset) if byte_count is None else byte_count
    if _is_memory(dest) and _is_memory(src):
        event = _n.clpool_mem_copy(queue, dest, dst_offset, src, src_offset, size, wait_for)
        return event
    if _is_memory(dest):
        event = _n.clpool_mem_write(queue, dest, dst_offset, size, src, is_blocking, wait_for)
    else:
        event = _n.clpool_mem_read(queue, src, src_offset, size, dest, is_blocking, wait_for)
    return event


def _copy_box(queue: Any, dest: Any, src: Any, is_blocking: bool, wait_for: Any, region: Any, buffer_origin: Any = (),
              host_origin: Any = (), buffer_pitches: Any = (), host_pitches: Any = (), src_origin: Any = (),
              dst_origin: Any = (), src_pitches: Any = (), dst_pitches: Any = ()) -> _n.Event:
    event: _n.Event
    if _is_memory(dest) and _is_memory(src):
        box = _box(region, src_origin, dst_origin, src_pitches, dst_pitches)
        event = _n.clpool_mem_copy_box(queue, dest, src, box, wait_for)
        return event
    if _is_memory(dest):
        box = _box(region, host_origin, buffer_origin, host_pitches, buffer_pitches)
        event = _n.clpool_mem_write_box(queue, dest, box, src, is_blocking, wait_for)
        return event
    box = _box(region, buffer_origin, host_origin, buffer_pitches, host_pitches)
    event = _n.clpool_mem_read_box(queue, src, box, dest, is_blocking, wait_for)
    return event


def _copy_image(queue: Any, dest: Any, src: Any, is_blocking: bool, wait_for: Any, region: Any, origin: Any = (),
                pitches: Any = (), offset: int = 0, src_origin: Any = (), dest_origin: Any = ()) -> _n.Event:
    event: _n.Event
    if isinstance(dest, Image) and isinstance(src, Image):
        event = _n.clpool_image_copy(queue, dest, dest_origin, src, src_origin, region, wait_for)
        return event
    if isinstance(dest, Image) and _is_memory(src):
        event = _n.clpool_image_copy_from_buffer(queue, dest, origin, region, src, offset, wait_for)
        return event
    if isinstance(src, Image) and _is_memory(dest):
        event = _n.clpool_image_copy_to_buffer(queue, dest, offset, src, origin, region, wait_for)
        return event
    row, slice_ = to_pitches(pitches)
    if isinstance(dest, Image):
        event = _n.clpool_image_write(queue, dest, origin, region, row, slice_, src, is_blocking, wait_for)
    else:
        event = _n.clpool_image_read(queue, src, origin, region, row, slice_, dest, is_blocking, wait_for)
    return event


def enqueue_fill(queue: Any, dest: MemoryObject, pattern: Any, size: int = WHOLE_SIZE, *, offset: int = 0,
                 wait_for: Any = None) -> _n.Event:
    """Fills a buffer or SVM with the repeated bytes of `pattern` (bytes, a NumPy scalar or array)."""
    if pattern is None:
        raise TypeError("pattern is None, bytes, a NumPy scalar or an array is needed")
    event: _n.Event = _n.clpool_mem_fill(queue, for_queue(queue, dest), pattern, offset, size, wait_for)
    return event


def enqueue_fill_buffer(queue: Any, mem: MemoryObject, pattern: Any, offset: int, size: int,
                        wait_for: Any = None) -> _n.Event:
    """enqueue_fill() with PyOpenCL's older name and order."""
    return enqueue_fill(queue, mem, pattern, size, offset=offset, wait_for=wait_for)


def enqueue_svm_memfill(queue: Any, dest: MemoryObject, pattern: Any, byte_count: Optional[int] = None,
                        wait_for: Any = None) -> _n.Event:
    """enqueue_fill() with PyOpenCL's name for SVM; byte_count is honoured."""
    return enqueue_fill(queue, dest, pattern, WHOLE_SIZE if byte_count is None else byte_count, wait_for=wait_for)


def enqueue_fill_image(queue: Any, mem: Image, color: Any, origin: Any, region: Any, wait_for: Any = None) -> _n.Event:
    """Fills a region of an image with one color: an array, or other bytes, of four numbers of the format's type (float32 for
    normalized formats)."""
    event: _n.Event = _n.clpool_image_fill(queue, mem, color, origin, region, wait_for)
    return event


def enqueue_migrate_mem_objects(queue: Any, mem_objects: Sequence[MemoryObject], flags: int = 0,
                                wait_for: Any = None) -> _n.Event:
    """Moves memory to the queue's device, or to the host."""
    memories = [for_queue(queue, memory) for memory in mem_objects]
    event: _n.Event = _n.clpool_mem_migrate(queue, memories, flags, wait_for)
    return event


def enqueue_svm_migratemem(queue: Any, svms: Sequence[MemoryObject], flags: int = 0, wait_for: Any = None) -> _n.Event:
    """enqueue_migrate_mem_objects() with PyOpenCL's name for SVM."""
    return enqueue_migrate_mem_objects(queue, svms, flags, wait_for)


enqueue_svm_migrate_mem = enqueue_svm_migratemem


def enqueue_copy_buffer_p2p_amd(platform: Any, queue: Any, src: MemoryObject, dest: MemoryObject,
                                byte_count: Optional[int] = None, wait_for: Any = None, *,
                                size: Optional[int] = None) -> _n.Event:
    """Copies between buffers of different contexts by AMD's extension. The platform is the queue's, whatever `platform` says."""
    count = byte_count if byte_count is not None else size
    event: _n.Event = _n.clpool_mem_copy_p2p(queue, dest, 0, src, 0, WHOLE_SIZE if count is None else count, wait_for)
    return event


def enqueue_map_buffer(queue: Any, buf: MemoryObject, flags: int, offset: int, shape: Any, dtype: Any, order: str = "C",
                       strides: Optional[Sequence[int]] = None, wait_for: Any = None,
                       is_blocking: bool = True) -> Tuple["np.ndarray[Any, Any]", _n.Event]:
    """Maps bytes as an array -> (array, event). `array.base` is the map: `with array.base:` unmaps at the end."""
    dtype = as_dtype(dtype)
    extents = to_extents(shape)
    mapping = MemoryObject.map(buf, queue, flags, offset, bytes_of(extents, dtype, strides), is_blocking, wait_for)
    return mapping.array(dtype, extents, order, strides), mapping.event


class MappedImage(NamedTuple):
    """What enqueue_map_image() gives where it is told a shape; `array.base` is the map."""

    array: "np.ndarray[Any, Any]"
    event: _n.Event
    row_pitch: int
    slice_pitch: int


@overload
def enqueue_map_image(queue: Any, img: Image, flags: int, origin: Any, region: Any, shape: None = None,
                      dtype: Any = ..., order: str = ..., strides: Optional[Sequence[int]] = ..., wait_for: Any = ...,
                      is_blocking: bool = ...) -> MemoryMap: ...


@overload
def enqueue_map_image(queue: Any, img: Image, flags: int, origin: Any, region: Any, shape: Union[int, Sequence[int]],
                      dtype: Any = ..., order: str = ..., strides: Optional[Sequence[int]] = ..., wait_for: Any = ...,
                      is_blocking: bool = ...) -> MappedImage: ...


def enqueue_map_image(queue: Any, img: Image, flags: int, origin: Any, region: Any, shape: Any = None,
                      dtype: Any = np.uint8, order: str = "C", strides: Optional[Sequence[int]] = None,
                      wait_for: Any = None, is_blocking: bool = True) -> Union[MemoryMap, MappedImage]:
    """Maps a region of an image. Without `shape` -> the map, whose array(dtype, shape, …) gives arrays. With `shape`, slowest
    dimension first in order "C" -> (array, event, row_pitch, slice_pitch). `strides` left out are those of the map: rows and
    slices may lie further apart than their pixels are long."""
    event, handle = _n.clpool_image_map(queue, img, flags, origin, region, is_blocking, wait_for)
    mapping = MemoryMap(handle, event, img)
    if shape is None:
        return mapping
    dtype, extents = as_dtype(dtype), to_extents(shape)
    if strides is None:
        strides = _strides_of(mapping, img, region, extents, dtype.itemsize, order)
    return MappedImage(mapping.array(dtype, extents, order, strides), event, mapping.row_pitch, mapping.slice_pitch)


def _strides_of(mapping: MemoryMap, img: Image, region: Any, extents: Tuple[int, ...], itemsize: int,
                order: str) -> Sequence[int]:
    """Strides of an array over a mapped region: dimensions within a row, then those that count rows, then slices. One
    dimension may go over several of these where no gap lies between them."""
    width, rows, slices = _three(region, 1)
    if img.type == mem_object_type.IMAGE1D_ARRAY:  # its layers are slices of one row
        rows, slices = 1, rows
    row = width * img.element_size
    row_pitch = mapping.row_pitch or row
    further = [(pitch, count) for pitch, count in ((row_pitch, rows), (mapping.slice_pitch or row_pitch * rows, slices))
               if count > 1]
    step, left = itemsize, row // itemsize if row > itemsize > 0 else 1
    slowest_first = order in ("C", "c")
    strides = []
    for extent in extents[::-1] if slowest_first else extents:
        if left == 1 < extent and further:
            step, left = further.pop(0)
        while extent > left and further and further[0][0] == step * left:
            left *= further.pop(0)[1]
        if extent > left and further:
            raise ValueError(f"shape {extents} has {extent} items in a row where the map has {left} without a gap: strides are "
                             f"needed, the pitches are {mapping.row_pitch} and {mapping.slice_pitch}")
        strides.append(step)
        step, left = step * extent, left // extent if extent and left % extent == 0 else 1
    return strides[::-1] if slowest_first else strides
