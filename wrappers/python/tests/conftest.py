"""What the tests share: one context on the chosen device, and the environment that they leave as they found it."""
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
