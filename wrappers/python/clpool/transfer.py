# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Copies, fills, maps and migration, with PyOpenCL's names and arguments. Each returns an Event.

`queue` is an integer or an object with int_ptr, `wait_for` a sequence of events. Host memory is anything with the buffer
protocol; it is kept alive until a command that does not block is complete.
"""
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from . import _native as _n
from .constants import WHOLE_SIZE
from .memory import Image, MemoryMap, MemoryObject, as_dtype, as_order, to_extents


def _is_memory(thing: Any) -> bool:
    return isinstance(thing, MemoryObject)


def _three(values: Any, fill: int) -> Tuple[int, ...]:
    given = (values,) if np.ndim(values) == 0 else tuple(values)
    if len(given) > 3:
        raise ValueError(f"{given} has {len(given)} entries, at most 3 are possible")
    return tuple(int(value) for value in given) + (fill,) * (3 - len(given))


def _pitches(values: Any) -> Tuple[int, int]:
    given = tuple(values or ())
    if len(given) > 2:
        raise ValueError(f"{len(given)} pitches are too many: row and slice")
    return (given + (0, 0))[0], (given + (0, 0))[1]


def _box(region: Any, source_origin: Any, target_origin: Any, source_pitches: Any, target_pitches: Any) -> Any:
    box = _n.clpool_box()
    box.dimensions = 3
    box.region = _three(region, 1)
    box.source_origin = _three(source_origin, 0)
    box.target_origin = _three(target_origin, 0)
    box.source_row_pitch, box.source_slice_pitch = _pitches(source_pitches)
    box.target_row_pitch, box.target_slice_pitch = _pitches(target_pitches)
    return box


def _kept(event: _n.Event, host: Any, is_blocking: bool) -> _n.Event:
    return event if is_blocking else event._keep(memoryview(host))


def enqueue_copy(queue: Any, dest: Any, src: Any, *, is_blocking: bool = True, wait_for: Any = None,
                 byte_count: Optional[int] = None, **place: Any) -> _n.Event:
    """Copies between memory and host, memory and memory, images and buffers, images and host.

    Buffers and SVM: dst_offset, src_offset, byte_count (default: the smaller of both sides). Boxes of buffers:
    buffer_origin, host_origin, region, buffer_pitches, host_pitches; between buffers src_origin, dst_origin, region,
    src_pitches, dst_pitches. Images: origin, region, pitches; with buffers offset; between images src_origin, dest_origin.
    """
    if dest is None or src is None:
        raise TypeError(f"{'src' if src is None else 'dest'} is None, it must be memory or a host object")
    if isinstance(dest, Image) or isinstance(src, Image):
        return _copy_image(queue, dest, src, is_blocking, wait_for, **place)
    if "region" in place:
        return _copy_box(queue, dest, src, is_blocking, wait_for, **place)
    return _copy_bytes(queue, dest, src, is_blocking, wait_for, WHOLE_SIZE if byte_count is None else byte_count, **place)


def _copy_bytes(queue: Any, dest: Any, src: Any, is_blocking: bool, wait_for: Any, size: int, dst_offset: int = 0,
                src_offset: int = 0) -> _n.Event:
    event: _n.Event
    if _is_memory(dest) and _is_memory(src):
        event = _n.clpool_mem_copy(queue, dest, dst_offset, src, src_offset, size, wait_for)
        return event
    if _is_memory(dest):
        return _kept(_n.clpool_mem_write(queue, dest, dst_offset, size, src, is_blocking, wait_for), src, is_blocking)
    if _is_memory(src):
        return _kept(_n.clpool_mem_read(queue, src, src_offset, size, dest, is_blocking, wait_for), dest, is_blocking)
    raise TypeError(f"neither {type(dest).__name__} nor {type(src).__name__} is memory of clpool")


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
        return _kept(_n.clpool_mem_write_box(queue, dest, box, src, is_blocking, wait_for), src, is_blocking)
    box = _box(region, buffer_origin, host_origin, buffer_pitches, host_pitches)
    return _kept(_n.clpool_mem_read_box(queue, src, box, dest, is_blocking, wait_for), dest, is_blocking)


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
    row, slice_ = _pitches(pitches)
    if isinstance(dest, Image):
        return _kept(_n.clpool_image_write(queue, dest, origin, region, row, slice_, src, is_blocking, wait_for), src,
                     is_blocking)
    return _kept(_n.clpool_image_read(queue, src, origin, region, row, slice_, dest, is_blocking, wait_for), dest,
                 is_blocking)


def enqueue_fill(queue: Any, dest: MemoryObject, pattern: Any, size: int = WHOLE_SIZE, *, offset: int = 0,
                 wait_for: Any = None) -> _n.Event:
    """Fills a buffer or SVM with the repeated bytes of `pattern` (bytes, a NumPy scalar or array)."""
    event: _n.Event = _n.clpool_mem_fill(queue, dest, pattern, offset, size, wait_for)
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
    """Fills a region of an image with one color: four numbers of the format's type."""
    event: _n.Event = _n.clpool_image_fill(queue, mem, color, origin, region, wait_for)
    return event


def enqueue_migrate_mem_objects(queue: Any, mem_objects: Sequence[MemoryObject], flags: int = 0,
                                wait_for: Any = None) -> _n.Event:
    """Moves memory to the queue's device, or to the host."""
    event: _n.Event = _n.clpool_mem_migrate(queue, mem_objects, flags, wait_for)
    return event


enqueue_svm_migratemem = enqueue_migrate_mem_objects
enqueue_svm_migrate_mem = enqueue_migrate_mem_objects


def enqueue_copy_buffer_p2p_amd(_platform: Any, queue: Any, src: MemoryObject, dest: MemoryObject,
                                byte_count: Optional[int] = None, wait_for: Any = None, *,
                                size: Optional[int] = None) -> _n.Event:
    """Copies between buffers of different contexts by AMD's extension."""
    count = byte_count if byte_count is not None else size
    event: _n.Event = _n.clpool_mem_copy_p2p(queue, dest, src, WHOLE_SIZE if count is None else count, wait_for)
    return event


def enqueue_map_buffer(queue: Any, buf: MemoryObject, flags: int, offset: int, shape: Any, dtype: Any, order: str = "C",
                       strides: Optional[Sequence[int]] = None, wait_for: Any = None,
                       is_blocking: bool = True) -> Tuple["np.ndarray[Any, Any]", _n.Event]:
    """Maps bytes as an array -> (array, event). The map is array.base.owner (see mapping_of()), and unmapped with it."""
    dtype = as_dtype(dtype)
    extents = to_extents(shape)
    size = dtype.itemsize * int(np.prod(extents, dtype=object))
    mapping = buf.map(queue, flags, offset, size, is_blocking, wait_for)
    return mapping.array(dtype, extents, order, strides), mapping.event


def enqueue_map_image(queue: Any, img: Image, flags: int, origin: Any, region: Any, dtype: Any = np.uint8,
                      wait_for: Any = None, is_blocking: bool = True) -> MemoryMap:
    """Maps a region of an image; the map tells the pitches, which array(dtype, shape, strides=…) takes."""
    event, handle = _n.clpool_image_map(queue, img, flags, origin, region, is_blocking, wait_for)
    return MemoryMap(handle, event, img)


def mapping_of(array: "np.ndarray[Any, Any]") -> MemoryMap:
    """The map behind an array of enqueue_map_buffer()."""
    base: Any = array
    while base is not None and not isinstance(base, MemoryMap):
        base = getattr(base, "owner", None) if not isinstance(base, np.ndarray) else base.base
    if base is None:
        raise ValueError("the array is not of a map")
    return base


def _svm_array(context: Any, flags: int, shape: Any, dtype: Any, order: str, alignment: Optional[int],
               queue: Any) -> "np.ndarray[Any, Any]":
    dtype = as_dtype(dtype)
    extents = to_extents(shape)
    size = dtype.itemsize * int(np.prod(extents, dtype=object))
    if alignment is None:
        alignment = int(_n.clpool_svm_alignment_for(dtype.itemsize))
    memory = _n.clpool_svm_create(context, flags, size, alignment, queue)
    if memory is None:
        return np.empty(extents, dtype, as_order(order))
    array: "np.ndarray[Any, Any]" = np.ndarray(extents, dtype, buffer=memory, order=as_order(order))
    memory._pin()
    return array


def svm_empty(ctx: Any, flags: int, shape: Any, dtype: Any, order: str = "C", alignment: Optional[int] = None,
              queue: Any = None) -> "np.ndarray[Any, Any]":
    """An array over new SVM, which is its .base."""
    return _svm_array(ctx, flags, shape, dtype, order, alignment, queue)


def svm_empty_like(ctx: Any, flags: int, ary: "np.ndarray[Any, Any]", alignment: Optional[int] = None,
                   queue: Any = None) -> "np.ndarray[Any, Any]":
    """svm_empty() with an array's shape, type and order."""
    if not (ary.flags.c_contiguous or ary.flags.f_contiguous):
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
