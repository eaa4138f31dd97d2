# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""The drop-in for PyOpenCL: use in the style of its own test_array.py and test_wrapper.py."""
import gc
import pickle
import sys

import numpy as np
import pytest

cl = pytest.importorskip("pyopencl", reason="PyOpenCL is not installed")
import pyopencl.array as cl_array  # noqa: E402

import clpool  # noqa: E402
import clpool.pyopencl  # noqa: E402
import clpool.pytest_plugin  # noqa: E402
from clpool.pyopencl import Allocator, as_buffer  # noqa: E402
from clpool.pyopencl import tools  # noqa: E402


@pytest.fixture(params=["Allocator over a pool", "tools.MemoryPool", "tools.MemoryPool, binned",
                        "tools.ImmediateAllocator", "tools.DeferredAllocator"])
def allocator(request, ctx, cq):
    return {
        "Allocator over a pool": lambda: Allocator(clpool.MemoryPool(clpool.ImmediateAllocator(cq))),
        "tools.MemoryPool": lambda: tools.MemoryPool(tools.ImmediateAllocator(cq)),
        "tools.MemoryPool, binned": lambda: tools.MemoryPool(tools.ImmediateAllocator(cq), 4,
                                                             strategy=clpool.strategy.BINNED),
        "tools.ImmediateAllocator": lambda: tools.ImmediateAllocator(cq),
        "tools.DeferredAllocator": lambda: tools.DeferredAllocator(ctx),
    }[request.param]()


def test_arrays_and_results_of_arithmetic_keep_their_allocator(ctx, cq, allocator):  # test_mem_pool_with_arrays
    if "cl_khr_fp64" not in ctx.devices[0].extensions:
        pytest.skip("PyOpenCL divides by numbers in double precision, the device has no cl_khr_fp64")
    a = cl_array.arange(cq, 2000, dtype=np.float32, allocator=allocator)
    b = cl_array.to_device(cq, np.arange(2000, dtype=np.float32), allocator=allocator) + 4000
    c = a * b - b / 2
    for array in (a, b, c, a.copy(), a.astype(np.float64), a[10:20], -a, a**2):
        assert array.allocator is allocator
    host = np.arange(2000, dtype=np.float32)
    assert np.allclose(c.get(), host * (host + 4000) - (host + 4000) / 2)


def test_arithmetic_in_the_style_of_test_array(cq, allocator):
    rng = np.random.RandomState(17)
    for dtype in (np.float32, np.int32, np.complex64):
        a, b = ((rng.rand(513, 7) * 100).astype(dtype) for _ in range(2))
        a_dev, b_dev = (cl_array.to_device(cq, host, allocator=allocator) for host in (a, b))
        assert np.allclose((a_dev + b_dev).get(), a + b)
        assert np.allclose((a_dev * 3 - b_dev).get(), a * 3 - b, rtol=1e-4)
        a_dev += b_dev
        a_dev.fill(dtype(2))
        assert (a_dev.get() == 2).all()
        assert (cl_array.zeros_like(b_dev).get() == 0).all()
    total = cl_array.sum(cl_array.arange(cq, 10_000, dtype=np.int64, allocator=allocator))
    assert int(total.get()) == 49_995_000
    dot = cl_array.dot(cl_array.to_device(cq, np.ones(1000, np.float32), allocator=allocator),
                       cl_array.to_device(cq, np.full(1000, 2, np.float32), allocator=allocator))
    assert float(dot.get()) == 2000
    taken = cl_array.take(cl_array.arange(cq, 100, dtype=np.float32, allocator=allocator),
                          cl_array.to_device(cq, np.array([5, 7], np.int32), allocator=allocator))
    assert (taken.get() == [5, 7]).all()
    chosen = cl_array.if_positive(cl_array.to_device(cq, np.array([-1, 1], np.float32), allocator=allocator),
                                  cl_array.to_device(cq, np.array([1, 2], np.float32), allocator=allocator),
                                  cl_array.to_device(cq, np.array([3, 4], np.float32), allocator=allocator))
    assert (chosen.get() == [3, 2]).all()


def test_arrays_of_no_elements(cq, allocator):  # test_zero_size_array
    for shape in (0, (3, 0, 2)):
        a = cl_array.zeros(cq, shape, np.float32, allocator=allocator)
        a.fill(1)
        assert (a + 1).get().size == 0 and a.reshape(0).shape == (0,)


def test_collected_arrays_return_their_memory(cq):
    pool = tools.MemoryPool(tools.ImmediateAllocator(cq))
    for _ in range(200):
        a = cl_array.zeros(cq, 10_000, np.float32, allocator=pool)
        a = a + 1
    assert pool.statistics.driver_allocations < 10
    del a
    gc.collect()
    cq.finish()
    assert pool.active_blocks == 0


def test_kernels_and_copies_take_blocks_as_buffers(ctx, cq):
    pool = clpool.MemoryPool(clpool.ImmediateAllocator(cq))
    program = cl.Program(ctx, "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }").build()
    block = pool.allocate(400)
    buffer = as_buffer(block)
    assert isinstance(buffer, cl.Buffer) and buffer.int_ptr == block.int_ptr
    cl.enqueue_copy(cq, buffer, np.arange(100, dtype=np.int32))
    program.twice(cq, (100,), None, buffer)
    host = np.empty(100, np.int32)
    clpool.enqueue_copy(cq, host, block)
    assert (host == np.arange(100) * 2).all()
    kernel = program.twice
    block.set_kernel_arg(kernel, 0)
    cl.enqueue_nd_range_kernel(cq, kernel, (100,), None)
    cl.enqueue_copy(cq, host, buffer)
    assert (host == np.arange(100) * 4).all()


def test_a_buffer_has_the_size_of_its_part(cq):
    pool = tools.MemoryPool(tools.ImmediateAllocator(cq))
    alignment = cq.device.mem_base_addr_align // 8
    for size in (0, 1, 16, 1000, 100_000):
        part = pool.allocate(size).size
        assert part % alignment == 0 and max(size, 1) <= part < size + 2 * alignment


def test_a_buffer_of_a_large_pool_may_have_a_larger_part(cq):
    pool = tools.MemoryPool(tools.ImmediateAllocator(cq))
    large = pool.allocate(64 << 20)
    kept = [pool.allocate(4096) for _ in range(40)]
    del kept[::2]
    pool.free_held()
    assert pool.allocate(3072).size == 4096
    assert large.size == 64 << 20


def test_objects_go_in_and_out(ctx, cq):  # test_int_ptr
    buffer = clpool.Buffer(ctx, clpool.mem_flags.READ_WRITE, 100)
    theirs = cl.Buffer.from_int_ptr(buffer.int_ptr)
    assert theirs.size == 100
    ours = clpool.Buffer.from_int_ptr(theirs)
    assert ours == buffer
    event = clpool.enqueue_fill(cq, buffer, b"\1", wait_for=[cl.enqueue_marker(cq)])
    cl.wait_for_events([cl.Event.from_int_ptr(event.int_ptr)])
    assert clpool.Context(ctx).int_ptr == ctx.int_ptr
    assert clpool.CommandQueue(cq.int_ptr) == clpool.CommandQueue(cq)


def test_test_mempool_of_test_wrapper(cq):
    pool = tools.MemoryPool(tools.ImmediateAllocator(cq))
    queue = []
    for size in (64, 128):
        for _ in range(100):
            queue.append(pool.allocate(size))
            if len(queue) > 10:
                queue.pop(0)
    del queue
    pool.stop_holding()
    assert pool.active_blocks == pool.managed_bytes == 0


def test_svm_pools_serve_arrays_of_one_context(ctx, cq, needs_svm):
    pool = tools.SVMPool(tools.SVMAllocator(ctx, queue=cq))
    program = cl.Program(ctx, "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }").build()
    svm = pool(400)
    svm.mem.view(np.int32)[:] = 3
    program.twice(cq, (100,), None, svm)
    cq.finish()
    assert (svm.mem.view(np.int32) == 6).all()
    del svm
    assert pool.active_blocks == 0


def test_the_names_of_pyopencls_modules_are_there():
    import pyopencl.characterize
    import pyopencl.tools

    import clpool.pyopencl.characterize
    for theirs, ours in ((pyopencl.tools, tools), (pyopencl.characterize, clpool.pyopencl.characterize)):
        public = [name for name, value in vars(theirs).items() if not name.startswith("_") and callable(value)
                  and getattr(value, "__module__", "").startswith("pyopencl") and name not in ("memoize", "cl")]
        missing = [name for name in public if not hasattr(ours, name)]
        assert missing == []


def test_out_of_order_queues_are_served_rightly(ctx):  # what PyOpenCL's pool fails
    try:
        cq = cl.CommandQueue(ctx, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    except cl.Error as refusal:
        pytest.skip(f"no out-of-order queue: {refusal}")
    pool = tools.MemoryPool(tools.ImmediateAllocator(cq))
    host = np.random.RandomState(5).rand(10_000).astype(np.float32)
    for _ in range(5):
        a = cl_array.to_device(cq, host, allocator=pool)
        indices = cl_array.to_device(cq, np.arange(9999, -1, -1, dtype=np.int32), allocator=pool)
        assert (a[indices].get() == host[::-1]).all()


def test_pyopencls_objects_of_another_type_are_refused(ctx, cq):
    buffer = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 64)
    for call in (lambda: clpool.ImmediateAllocator(ctx), lambda: clpool.ImmediateAllocator(buffer),
                 lambda: clpool.DeferredAllocator(cq), lambda: clpool.DeferredAllocator(ctx.devices[0]),
                 lambda: clpool.Buffer.from_int_ptr(cl.UserEvent(ctx))):
        with pytest.raises(TypeError, match="expected a cl_"):
            call()


def test_svm_is_made_as_pyopencls(ctx, cq, needs_svm):
    svm = clpool.pyopencl.SVMAllocation(ctx, 400, 64, cl.svm_mem_flags.READ_WRITE, queue=cq)
    assert isinstance(svm, cl.SVMPointer) and svm.size == 400 and svm._queue is cq and svm.svm_ptr % 64 == 0
    cl.enqueue_copy(cq, svm, np.arange(100, dtype=np.int32))
    host = np.empty(100, np.int32)
    cl.enqueue_copy(cq, host, svm)
    assert (host == np.arange(100)).all()
    svm.release()
    for use in (svm.release, lambda: svm.mem, svm.enqueue_release):
        with pytest.raises(cl.LogicError, match="released"):
            use()
    for wrong, kind in ((0, ValueError), (-1, (ValueError, OverflowError)), (1 << 50, cl.LogicError), ("a", TypeError)):
        with pytest.raises(kind):
            clpool.pyopencl.SVMAllocation(ctx, wrong)
    with pytest.raises(TypeError, match="by a pool"):
        tools.PooledSVM(svm, cq)


def test_memory_without_a_cl_mem_is_no_buffer(ctx, cq, make_numbers, needs_svm):
    for memory in (clpool.SVMAllocation(ctx, 64), clpool.SVMPool(clpool.SVMAllocator(ctx)).allocate(64),
                   clpool.PageLockedAllocator(cq)(64), make_numbers().pool().allocate(64)):
        with pytest.raises(TypeError, match=f"a buffer is needed, which <clpool.{type(memory).__name__}: 64 bytes.*as_buffer.context. does"):
            as_buffer(memory)
    image = clpool.create_image(ctx, 1, clpool.ImageFormat(clpool.channel_order.RGBA, clpool.channel_type.FLOAT), (4, 4))
    with pytest.raises(TypeError, match="a buffer is needed, which <clpool.Image"):
        as_buffer(image)
    block = tools.MemoryPool(tools.ImmediateAllocator(cq)).allocate(64)
    for thing in (None, 64, np.zeros(64), cl.Buffer(ctx, 1, 64), block):
        with pytest.raises(TypeError, match=r"as_buffer\(\) needs memory of clpool, not"):
            as_buffer(thing)


def test_memory_that_is_no_svm_is_no_svm(ctx, cq, make_numbers):
    for memory in (clpool.Buffer(ctx, 1, 64), make_numbers().pool().allocate(64), None):
        with pytest.raises(TypeError, match="SVM is needed, which .* is not"):
            tools.as_svm(memory, cq)


def test_blocks_are_bound_to_queues_as_pyopencls(ctx, cq):
    pool = tools.MemoryPool(tools.ImmediateAllocator(cq))
    buffer = pool.allocate(4096)
    buffer.bind_to_queue(cl.CommandQueue(ctx))
    buffer.unbind_from_queue()
    buffer.release()
    for use in (lambda: buffer.bind_to_queue(cq), buffer.unbind_from_queue):
        with pytest.raises(cl.LogicError, match="released"):
            use()


@pytest.mark.parametrize("make", [
    lambda cq, **limit: tools.MemoryPool(tools.ImmediateAllocator(cq), **limit).allocate,
    lambda cq, **limit: Allocator(clpool.MemoryPool(clpool.ImmediateAllocator(cq), **limit)),
    lambda cq, **limit: tools.SVMPool(tools.SVMAllocator(cq.context, queue=cq), **limit),
])
def test_what_goes_wrong_is_clpools_and_pyopencls(cq, make, needs_svm):
    allocate = make(cq, max_bytes=1 << 20)
    with pytest.raises(cl.MemoryError, match="limit 1048576") as caught:
        kept = [allocate(1 << 19) for _ in range(3)]
        del kept
    error = caught.value
    assert isinstance(error, clpool.OutOfMemoryError) and isinstance(error, MemoryError) and isinstance(error, cl.Error)
    assert error.status == clpool.status.OUT_OF_MEMORY and error.what == str(error) and error.routine == "clpool"
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and (str(copy), copy.status, copy.code) == (str(error), error.status, error.code)
    with pytest.raises(cl.LogicError) as caught:
        make(cq)(1 << 50)
    assert isinstance(caught.value, clpool.InvalidValueError)


def test_an_error_of_opencl_is_the_one_that_pyopencl_raises():
    from clpool.pyopencl.errors import as_pyopencls
    for code, kind in ((-4, cl.MemoryError), (-5, cl.RuntimeError), (-29, cl.RuntimeError), (-30, cl.LogicError), (-34, cl.LogicError)):
        error = clpool.OpenCLError("text")
        error.code = code
        made = as_pyopencls(error)
        assert isinstance(made, kind) and isinstance(made, clpool.OpenCLError) and made.code == code
        assert as_pyopencls(made) is made


SIZE, VALUE = cl.status_code.INVALID_BUFFER_SIZE, cl.status_code.INVALID_VALUE


def released(thing):
    thing.release()
    return thing


@pytest.mark.parametrize("code, use", [
    (SIZE, lambda cq: tools.MemoryPool(tools.ImmediateAllocator(cq)).allocate(1 << 50)),
    (SIZE, lambda cq: tools.ImmediateAllocator(cq)(1 << 50)),
    (SIZE, lambda cq: tools.DeferredAllocator(cq.context).allocate(1 << 50)),
    (SIZE, lambda cq: tools.SVMPool(tools.SVMAllocator(cq.context)).allocate(1 << 50)),
    (SIZE, lambda cq: tools.SVMPool(tools.SVMAllocator(cq.context)).allocate_on(cq, 1 << 50)),
    (VALUE, lambda cq: tools.ImmediateAllocator(cq, 1 | 4)(10)),
    (VALUE, lambda cq: tools.ImmediateAllocator(cq)(4096)[::2]),
    (VALUE, lambda cq: tools.ImmediateAllocator(cq)(4096)[5:5]),
    (VALUE, lambda cq: released(tools.SVMAllocator(cq.context)(10)).release()),
    (VALUE, lambda cq: released(tools.SVMAllocator(cq.context)(10)).enqueue_release(cq)),
    (VALUE, lambda cq: tools.SVMAllocator(cq.context)(10).enqueue_release()),
    (VALUE, lambda cq: tools.MemoryPool(tools.ImmediateAllocator(cq), 99)),
    (VALUE, lambda cq: tools.MemoryPool(tools.ImmediateAllocator(cq)).alloc_size(1 << 20)),
    *((VALUE, lambda cq, use=use: use(released(tools.MemoryPool(tools.ImmediateAllocator(cq))))) for use in (
        lambda pool: pool.allocate(5), lambda pool: pool.try_allocate(5), lambda pool: pool.held_blocks, lambda pool: pool.free_held(),
        lambda pool: pool.release(), lambda pool: pool.statistics, lambda pool: pool.stop_holding())),
])
def test_every_error_has_pyopencls_class_and_code(cq, needs_svm, code, use):
    with pytest.raises(cl.LogicError) as caught:
        use(cq)
    assert isinstance(caught.value, clpool.ClpoolError) and caught.value.code == code


def test_an_error_without_a_code_gets_the_one_that_pyopencl_gives():
    from clpool.pyopencl.errors import as_pyopencls
    for error, kind, code in ((clpool.OutOfMemoryError, cl.MemoryError, -4), (clpool.OutOfHostMemoryError, cl.MemoryError, -6),
                              (clpool.InvalidOperationError, cl.LogicError, -30), (clpool.NotSupportedError, cl.LogicError, -59),
                              (clpool.CallbackError, cl.RuntimeError, -5)):
        made = as_pyopencls(error("text"))
        assert isinstance(made, kind) and made.code == code


def test_svm_is_bound_to_the_queue_that_is_said(ctx, cq, needs_svm):
    memory = tools.SVMAllocation(ctx, 64)
    memory.bind_to_queue(cq)
    assert memory._queue == cq
    gate = cl.UserEvent(ctx)
    event = memory.enqueue_release(wait_for=[gate])  # without a queue: the one that it is bound to
    assert event.command_execution_status > cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    unbound = tools.SVMAllocation(ctx, 64)
    unbound.bind_to_queue(cq)
    unbound.unbind_from_queue()
    assert unbound._queue is None
    with pytest.raises(ValueError, match="bound to none"):
        unbound.enqueue_release()
    assert unbound == unbound and unbound != 5 and unbound != tools.SVMAllocation(ctx, 64)


@pytest.mark.parametrize("use_mempool", [False, True])
def test_arrays_with_svm_allocators(ctx, cq, needs_svm, use_mempool):  # what PyOpenCL's test of this name states
    other = cl.CommandQueue(ctx)
    alloc = tools.SVMAllocator(ctx, queue=cq)
    if use_mempool:
        alloc = tools.SVMPool(alloc)

    def on_other(size):
        allocation = alloc(size)
        allocation.bind_to_queue(other)
        return allocation
    results = []
    for queue, allocator in ((cq, alloc), (other, on_other)):
        a = cl_array.arange(queue, 2000, dtype=np.float32, allocator=allocator)
        b = cl_array.to_device(queue, np.arange(2000), allocator=allocator) + 4000
        assert a.allocator is allocator and b.allocator is allocator
        assert a.data._queue == queue and b.data._queue == queue
        results.append((a + b).get())
    np.testing.assert_allclose(*results)
    with pytest.warns(cl_array.InconsistentOpenCLQueueWarning):
        a.with_queue(cq)


def test_svm_has_the_members_of_pyopencls(ctx, cq, needs_svm):
    pool = tools.SVMPool(tools.SVMAllocator(ctx, queue=cq))
    block = pool(100)
    assert isinstance(block, tools.PooledSVM) and isinstance(block, cl.SVMPointer) and block.size == 100
    block.unbind_from_queue()
    assert block._queue is None
    block.bind_to_queue(cq)
    assert block == block and hash(block) == block.svm_ptr
    with block.map_rw(cq) as bytes_:
        bytes_[:] = 7
    svm_map = cl.map_flags.WRITE
    for mapped in (block.map_ro(cq, size=10), block.map_rw(cq, is_blocking=False, size=10), block.map(cq, flags=svm_map, size=10)):
        assert isinstance(mapped, cl.SVMMap) and mapped.array.nbytes == 100  # as PyOpenCL's
        mapped.event.wait()
        mapped.release()
    with pytest.raises(cl.LogicError):
        block.map_ro(cq, size=101)
    block.release()
    assert pool.active_blocks == 0
    with pytest.raises(clpool.InvalidOperationError):
        block.map_ro(cq)
    with pytest.raises(cl.LogicError) as caught:
        block.release()
    assert isinstance(caught.value, clpool.InvalidOperationError)
    event = pool(100).enqueue_release()
    assert isinstance(event, cl.Event)
    event.wait()
    assert pool.active_blocks == 0
    assert tools.SVMAllocator(ctx, queue=cq)(0) is None


def test_one_line_gives_arrays_a_pool(cq):
    import clpool.pyopencl
    a = cl_array.zeros(cq, 1000, np.float32, allocator=clpool.pyopencl.use(cq))
    b = cl_array.zeros(cq, 1000, np.float32, allocator=clpool.pyopencl.use(cq))
    assert a.allocator is b.allocator is clpool.pyopencl.use(cq)
    assert a.allocator.pool.active_blocks == 2
    assert clpool.pyopencl.use(cq, name="other") is not a.allocator
    assert (((a + 1) * 2).get() == 2).all()
    several = clpool.pyopencl.use(cq, queues=[cq])
    assert several is clpool.pyopencl.use(cq, queues=(cq,)) is not a.allocator
    assert clpool.pyopencl.use(cq, queues=[cq, cl.CommandQueue(cq.context)]) is not several
    assert repr(several) == f"<clpool.pyopencl.Allocator of {several.pool!r}>"
    for wrong in (None, 5, cq.context):
        with pytest.raises(TypeError, match="command.queue"):
            clpool.pyopencl.use(wrong)


def test_the_pool_of_one_line_outlives_its_arrays(ctx, cq):
    import clpool.pyopencl
    import gc
    import weakref
    pool = weakref.ref(clpool.pyopencl.use(cq).pool)
    for _ in range(3):
        assert cl_array.empty(cq, 1000, np.float32, allocator=clpool.pyopencl.use(cq)).allocator.pool is pool()
    assert pool().statistics.driver_allocations == 1
    others = [cl.CommandQueue(ctx) for _ in range(4)]
    for other in (*others[:3], *others[:3]):
        clpool.pyopencl.use(other)
    gc.collect()
    assert pool() is not None
    clpool.pyopencl.use(others[3])
    gc.collect()
    assert pool() is None


def test_buffers_of_pyopencl_are_named_where_memory_is_needed(cq):
    buffer = tools.MemoryPool(tools.ImmediateAllocator(cq)).allocate(100)
    with pytest.raises(TypeError, match=r"clpool\.pyopencl\.interop\.PooledBuffer nor numpy\.ndarray .*from_int_ptr"):
        clpool.enqueue_copy(cq, buffer, np.zeros(100, np.uint8))
    clpool.enqueue_copy(cq, clpool.MemoryObject.from_int_ptr(buffer), np.zeros(100, np.uint8)).wait()


def test_what_gives_no_buffers_is_no_allocator(ctx, cq, needs_svm):
    for source in (clpool.SVMPool(clpool.SVMAllocator(ctx)), clpool.LimitAllocator(clpool.SVMAllocator(ctx), 1 << 20),
                   clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(cq)),
                   clpool.Pool(clpool.CustomAllocator(lambda size, alignment: 4096, lambda chunk, size: None)), 7, None):
        with pytest.raises(TypeError, match="no cl_mem|needs a pool"):
            Allocator(source)


def test_pools_refuse_allocators_of_another_kind_of_memory(ctx, cq, needs_svm):  # as PyOpenCL's
    limited = clpool.LimitAllocator(tools.SVMAllocator(ctx, queue=cq), 1 << 20)
    numbers = clpool.CustomAllocator(lambda size, alignment: 4096, lambda chunk, size: None)
    for source in (tools.SVMAllocator(ctx), clpool.PageLockedAllocator(cq), limited, numbers):
        with pytest.raises(TypeError, match="gives no buffers"):
            tools.MemoryPool(source)
    for source in (tools.ImmediateAllocator(cq), clpool.LimitAllocator(tools.ImmediateAllocator(cq), 1 << 20), None,
                   numbers):
        with pytest.raises(TypeError, match="gives no SVM"):
            tools.SVMPool(source)
    pool = tools.SVMPool(limited)
    assert pool.allocate(64)._queue is cq


def test_everything_that_allocates_gives_pyopencls_objects(ctx, cq, needs_svm):
    for allocator, kind in ((tools.ImmediateAllocator(cq), cl.Buffer), (tools.DeferredAllocator(ctx), cl.Buffer),
                            (tools.SVMAllocator(ctx, queue=cq), cl.SVMPointer)):
        assert isinstance(allocator.allocate(64), kind)
        if allocator.is_deferred:
            continue
        pool = (tools.MemoryPool if kind is cl.Buffer else tools.SVMPool)(allocator)
        blocks = [pool.allocate(64), pool(64), pool.allocate_on(cq, 64)]
        pool.allocate(64).release()
        blocks.append(pool.try_allocate(64))
        for block in blocks:
            assert isinstance(block, (tools.PooledBuffer, tools.PooledSVM)) and isinstance(block, kind)
            if kind is cl.Buffer:
                cl.enqueue_fill_buffer(cq, block, np.uint8(1), 0, 64)
            else:
                cl.enqueue_svm_memfill(cq, block, np.uint8(1))
        assert pool.try_allocate(1 << 28) is None


def test_the_deferred_allocator_takes_pyopencls_keywords(ctx):
    allocator = tools.DeferredAllocator(queue=ctx, mem_flags=cl.mem_flags.READ_ONLY)
    assert allocator(100).flags == cl.mem_flags.READ_ONLY


def test_an_allocator_over_what_gives_pyopencls_buffers(ctx, cq):
    import pyopencl.tools as theirs
    pool = clpool.MemoryPool(clpool.ImmediateAllocator(cq))
    for source in (tools.ImmediateAllocator(cq), tools.DeferredAllocator(ctx), tools.MemoryPool(tools.ImmediateAllocator(cq)),
                   Allocator(pool), pool.allocate, theirs.MemoryPool(theirs.ImmediateAllocator(cq))):
        assert (cl_array.zeros(cq, 100, np.float32, allocator=Allocator(source)).get() == 0).all()


def test_caches_of_both_are_cleared(ctx, cq):
    import pyopencl.tools as theirs
    computed = []
    for memoize in (theirs.first_arg_dependent_memoize, clpool.first_arg_dependent_memoize):
        function = memoize(lambda context: computed.append(context))
        for clear in (lambda: None, tools.clear_first_arg_caches, clpool.pytest_plugin.ContextFactory(clpool.choose_device())):
            function(ctx)
            clear()
        function(ctx)
    assert len(computed) == 2 * 3


def test_a_star_import_gives_all_names_of_pyopencls():
    theirs, ours = {}, {}
    exec("from pyopencl.tools import *", theirs)
    exec("from clpool.pyopencl.tools import *", ours)
    assert theirs.keys() <= ours.keys() and ours["MemoryPool"] is tools.MemoryPool


def test_a_context_of_the_plugin_needs_no_pyopencl(opencl):
    import subprocess
    import sys
    program = ("import sys; sys.modules['pyopencl'] = None\n"
               "import clpool, clpool.pytest_plugin as plugin\n"
               "context = plugin.ContextFactory(plugin.devices()[0])()\n"
               "assert isinstance(context, clpool.Context) and clpool.Buffer(context, 1, 64).size == 64")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
