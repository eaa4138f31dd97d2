# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What each command waits for, and whether its call does: wait lists and `is_blocking` reach the command. A gate (a user event)
holds commands back; on the fake driver in mode `immediate` what is not held back is complete at once."""
import ctypes
import threading

import numpy as np
import pytest

import clpool
from clpool import map_flags, mem_flags

RW = mem_flags.READ_WRITE
SIZE = 256
_cl = ctypes.CDLL("libOpenCL.so.1")
_cl.clCreateUserEvent.restype = ctypes.c_void_p
_cl.clCreateUserEvent.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
_cl.clSetUserEventStatus.argtypes = [ctypes.c_void_p, ctypes.c_int]
_cl.clReleaseEvent.argtypes = [ctypes.c_void_p]


class Gate:
    def __init__(self, context):
        self.handle, self.is_open = _cl.clCreateUserEvent(context.int_ptr, None), False

    def open(self):
        if not self.is_open:
            self.is_open = True
            assert _cl.clSetUserEventStatus(self.handle, 0) == 0


@pytest.fixture
def gate(context):
    gate = Gate(context)
    yield gate
    gate.open()
    _cl.clReleaseEvent(gate.handle)


class Things:
    """The operands of commands; image ones only where there are images."""

    def __init__(self, context, queue):
        self.context, self.queue = context, queue
        self.a, self.b = (clpool.Buffer(context, RW, SIZE) for _ in range(2))
        self.host = bytearray(SIZE)
        clpool.enqueue_fill(queue, self.a, b"a").wait()
        clpool.enqueue_fill(queue, self.b, b"b").wait()

    def image(self):
        return clpool.create_image(self.context, RW, clpool.ImageFormat(
            clpool.channel_order.RGBA, clpool.channel_type.UNSIGNED_INT8), (8, 8))

    def svm(self):
        return clpool.SVMAllocation(self.context, SIZE)


BOX = {"region": (4, 4)}
HOST_BOX = {"buffer_origin": (0, 0), "host_origin": (0, 0), "region": (4, 4)}
PLACE = {"origin": (0, 0), "region": (8, 8)}

# Each enqueues one command with **how (wait_for, is_blocking) and gives its event, or a map.
NEVER_BLOCK = {
    "fill": lambda t, **how: clpool.enqueue_fill(t.queue, t.a, b"x", **how),
    "fill buffer": lambda t, **how: clpool.enqueue_fill_buffer(t.queue, t.a, b"x", 0, SIZE, **how),
    "fill SVM": lambda t, **how: clpool.enqueue_svm_memfill(t.queue, t.svm(), b"x", **how),
    "fill image": lambda t, **how: clpool.enqueue_fill_image(t.queue, t.image(), np.zeros(4, np.uint32), (0, 0), (8, 8), **how),
    "migrate": lambda t, **how: clpool.enqueue_migrate_mem_objects(t.queue, [t.a], **how),
    "copy": lambda t, **how: clpool.enqueue_copy(t.queue, t.a, t.b, **how),
    "copy a box": lambda t, **how: clpool.enqueue_copy(t.queue, t.a, t.b, **BOX, **how),
    "copy an image": lambda t, **how: clpool.enqueue_copy(t.queue, t.image(), t.image(), src_origin=(0, 0), dest_origin=(0, 0),
                                                          region=(8, 8), **how),
    "copy to an image": lambda t, **how: clpool.enqueue_copy(t.queue, t.image(), t.a, **PLACE, **how),
    "copy from an image": lambda t, **how: clpool.enqueue_copy(t.queue, t.a, t.image(), **PLACE, **how),
    "unmap": lambda t, **how: t.a.map(t.queue).release(t.queue, **how),
    "unmap SVM": lambda t, **how: t.svm().map_rw(t.queue).release(t.queue, **how),
    "migrate SVM": lambda t, **how: clpool.enqueue_svm_migratemem(t.queue, [t.svm()], **how),
    "release SVM": lambda t, **how: t.svm().enqueue_release(t.queue, **how),
}
MAY_BLOCK = {
    "write": lambda t, **how: clpool.enqueue_copy(t.queue, t.a, t.host, **how),
    "read": lambda t, **how: clpool.enqueue_copy(t.queue, t.host, t.a, **how),
    "write a box": lambda t, **how: clpool.enqueue_copy(t.queue, t.a, t.host, **HOST_BOX, **how),
    "read a box": lambda t, **how: clpool.enqueue_copy(t.queue, t.host, t.a, **HOST_BOX, **how),
    "write an image": lambda t, **how: clpool.enqueue_copy(t.queue, t.image(), t.host, **PLACE, **how),
    "read an image": lambda t, **how: clpool.enqueue_copy(t.queue, t.host, t.image(), **PLACE, **how),
}
MAPS = {
    "map": lambda t, **how: t.a.map(t.queue, **how),
    "map SVM": lambda t, **how: t.svm().map_rw(t.queue, **how),
    "map SVM to read": lambda t, **how: t.svm().map_ro(t.queue, **how),
    "map SVM of an array": lambda t, **how: clpool.SVM(t.context, t.svm().as_array()).map(t.queue, **how),
    "map a buffer": lambda t, **how: clpool.mapping_of(clpool.enqueue_map_buffer(
        t.queue, t.a, map_flags.READ, 0, SIZE, np.uint8, **how)[0]),
    "map an image": lambda t, **how: clpool.enqueue_map_image(t.queue, t.image(), map_flags.READ, (0, 0), (8, 8), **how),
}
BLOCKING = {**MAY_BLOCK, **MAPS}


@pytest.fixture
def things(context, queue):
    return Things(context, queue)


@pytest.fixture
def needs(opencl, needs_svm):
    """What some of the commands need."""
    if not clpool.get_supported_image_formats(opencl[1], RW, clpool.mem_object_type.IMAGE2D):
        pytest.skip("the device has no images")


def event_of(done):
    return done.event if isinstance(done, (clpool.MemoryMap, clpool.SVMMap)) else done


@pytest.mark.parametrize("name", [*NEVER_BLOCK, *BLOCKING])
def test_a_command_waits_for_its_wait_list(things, gate, queue, needs, name):
    how = {"is_blocking": False} if name in BLOCKING else {}
    done = {**NEVER_BLOCK, **BLOCKING}[name](things, wait_for=[clpool.Event(gate.handle)], **how)
    assert not event_of(done).is_complete
    gate.open()
    event_of(done).wait()


@pytest.mark.parametrize("name", BLOCKING)
def test_a_blocking_call_ends_with_its_command(things, gate, needs, name):
    opener = threading.Timer(.05, gate.open)
    opener.start()
    done = BLOCKING[name](things, wait_for=[clpool.Event(gate.handle)], is_blocking=True)
    assert gate.is_open
    event_of(done).wait()
    opener.join()


@pytest.mark.parametrize("touch, wait", [(clpool.touch.BYTE, True), (clpool.touch.WHOLE, True), (clpool.touch.WRITE, False)])
def test_an_allocation_waits_for_the_command_that_makes_its_memory_if_that_is_wanted(things, gate, queue, touch, wait):
    allocator = clpool.ImmediateAllocator(queue, touch=touch, wait=wait)
    clpool.enqueue_fill(queue, things.a, b"x", wait_for=[clpool.Event(gate.handle)])
    opener = threading.Timer(.05, gate.open)
    opener.start()
    with allocator(4096):
        assert gate.is_open
    opener.join()


def test_an_allocation_waits_for_nothing_by_default(things, gate, queue):
    clpool.enqueue_fill(queue, things.a, b"x", wait_for=[clpool.Event(gate.handle)])
    memory = clpool.ImmediateAllocator(queue)(4096)
    assert not gate.is_open
    gate.open()
    memory.release()
    with pytest.raises(clpool.InvalidValueError, match="touch is 0x4, valid are 0 to 3"):
        clpool.ImmediateAllocator(queue, touch=4)


@pytest.mark.parametrize("name", BLOCKING)
def test_calls_block_unless_they_are_told_not_to(things, gate, needs, name):
    opener = threading.Timer(.05, gate.open)
    opener.start()
    BLOCKING[name](things, wait_for=[clpool.Event(gate.handle)])
    assert gate.is_open
    opener.join()


@pytest.mark.parametrize("name", MAY_BLOCK)
def test_host_memory_is_kept_as_long_as_a_command_may_use_it(things, gate, needs, name):
    event = MAY_BLOCK[name](things, wait_for=[clpool.Event(gate.handle)], is_blocking=False)
    with pytest.raises(BufferError):
        things.host.append(0)
    gate.open()
    event.wait()


@pytest.mark.parametrize("name", MAY_BLOCK)
def test_host_memory_is_free_again_after_a_blocking_call(things, needs, name):
    event = MAY_BLOCK[name](things, is_blocking=True)
    things.host.append(0)
    event.wait()
