# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests share: one context on the chosen device, and the environment that they leave as they found it."""
import ctypes
import gc

import pytest

import clpool


@pytest.fixture(scope="session")
def opencl():
    """(device, context, queue)"""
    return clpool.create_default_context()


@pytest.fixture
def context(opencl):
    return opencl[1]


@pytest.fixture
def queue(opencl):
    return opencl[2]


@pytest.fixture
def needs_svm(opencl):
    """For tests that need shared virtual memory."""
    if not clpool.characterize.has_coarse_grain_buffer_svm(opencl[0]):
        pytest.skip("the device has no shared virtual memory (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)")


@pytest.fixture
def gate(context):
    """A user event, and the function that completes it."""
    opencl_library = ctypes.CDLL("libOpenCL.so.1")
    opencl_library.clCreateUserEvent.restype = ctypes.c_void_p
    handle = opencl_library.clCreateUserEvent(ctypes.c_void_p(context.int_ptr), None)
    done = []

    def complete():
        done.append(opencl_library.clSetUserEventStatus(ctypes.c_void_p(handle), 0))
    yield handle, complete
    if not done:
        complete()
    clpool.Event(handle, retain=False).release()


@pytest.fixture
def other_queue(opencl):
    """A second queue of the context."""
    opencl_library = ctypes.CDLL("libOpenCL.so.1")
    opencl_library.clCreateCommandQueue.restype = ctypes.c_void_p
    opencl_library.clCreateCommandQueue.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p]
    handle = opencl_library.clCreateCommandQueue(opencl[1].int_ptr, opencl[0].int_ptr, 0, None)
    return clpool.CommandQueue(handle, retain=False)


@pytest.fixture
def pool(queue):
    return clpool.MemoryPool(clpool.ImmediateAllocator(queue))


@pytest.fixture
def numbers():
    """Memory of a custom allocator: numbers, and a record of what is live."""
    return Numbers()


class Numbers:
    def __init__(self, capacity=1 << 62):
        self.live, self.next, self.capacity, self.calls = {}, 4096, capacity, 0

    def allocate(self, size, alignment):
        self.calls += 1
        if sum(self.live.values()) + size > self.capacity:
            raise MemoryError
        chunk = -(-self.next // alignment) * alignment
        self.next = chunk + size
        self.live[chunk] = size
        return chunk

    def deallocate(self, chunk, size):
        assert self.live.pop(chunk) == size

    def pool(self, **options):
        return clpool.Pool(clpool.CustomAllocator(self.allocate, self.deallocate), **options)


@pytest.fixture
def make_numbers():
    return Numbers


@pytest.fixture
def collector_at_every_allocation():
    """The garbage collector runs as often as it can."""
    former = gc.get_threshold()
    gc.set_threshold(1)
    yield
    gc.set_threshold(*former)


@pytest.fixture(scope="module")
def ctx(opencl):
    """PyOpenCL's context on the device of `opencl`."""
    cl = pytest.importorskip("pyopencl", reason="PyOpenCL is not installed")
    return cl.Context([cl.Device.from_int_ptr(opencl[0].int_ptr)])


@pytest.fixture(scope="module")
def cq(ctx):
    """PyOpenCL's queue in it."""
    import pyopencl as cl
    return cl.CommandQueue(ctx)
