# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""fork() and Ctrl-C."""
import copy
import os
import pickle
import resource
import select
import signal
import sys
import threading

import pytest

import clpool


# The sanitizer's memory has locks that a thread of the driver's may have when the process forks, and nobody gives back in the
# child, which may not even come out of fork(): such a child is tried again.
MOST_CHILDREN_THAT_HANG = 3 if "asan" in os.environ.get("LD_PRELOAD", "") else 1


def one_child(work):
    """What work() says in a child of fork(), and how that ended: minus SIGKILL after 20 s."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        signal.alarm(30)  # whatever it does after its answer
        try:
            answer = repr(work())
        except BaseException as failure:
            answer = f"{type(failure).__name__}: {failure}"
        os.write(writer, answer.encode()[:4000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        if not select.select([pipe], [], [], 20)[0]:
            os.kill(child, signal.SIGKILL)
        answer = pipe.read().decode()
    return answer, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def in_a_child(work):
    """Runs work() in a child of fork(), which must end by itself, and returns what it said."""
    for _ in range(MOST_CHILDREN_THAT_HANG):
        answer, end = one_child(work)
        if end != -signal.SIGKILL:
            break
    assert end == 0, f"the child ended with {end}"
    return answer


@pytest.mark.parametrize("use", [
    lambda context, queue, pool, block: pool.allocate(4096),
    lambda context, queue, pool, block: queue.finish(),
    lambda context, queue, pool, block: clpool.enqueue_fill(queue, block, b"x"),
    lambda context, queue, pool, block: clpool.Buffer(context, 1, 64),
])
def test_a_child_is_told_that_it_cannot_use_the_parents_objects(context, queue, pool, use):
    block = pool.allocate(4096)
    answer = in_a_child(lambda: use(context, queue, pool, block))
    assert "InvalidOperationError" in answer and "made before fork()" in answer
    clpool.enqueue_fill(queue, block, b"x").wait()  # the parent still can


def test_texts_say_in_a_child_why_they_have_no_figures(context, queue, pool):
    mapped = clpool.Buffer(context, 1, 64).map(queue)
    for thing in (pool, mapped):
        answer = in_a_child(lambda thing=thing: thing)
        assert answer.startswith(f"<clpool.{type(thing).__name__}: ") and "made before fork()" in answer
    mapped.release()


MEMORY = {name: lambda block, name=name: getattr(block, name) for name in
          ("size", "nbytes", "capacity", "kind", "int_ptr", "svm_ptr", "is_pooled", "reference_count", "flags", "root")}


@pytest.mark.parametrize("use", [*MEMORY.values(), lambda block: block[:10], memoryview, lambda block: block.as_array()],
                         ids=[*MEMORY, "part", "view", "array"])
@pytest.mark.parametrize("kind", ["buffer", "page-locked", "empty"])
def test_a_child_is_not_told_that_the_parents_memory_is_empty(context, queue, pool, kind, use):
    memory = {"buffer": lambda: clpool.Buffer(context, 1, 64), "empty": lambda: pool.allocate(0),
              "page-locked": lambda: clpool.PageLockedAllocator(queue)(64)}[kind]()
    answer = in_a_child(lambda: use(memory))
    assert "InvalidOperationError" in answer and "made before fork()" in answer
    assert memory.size in (0, 64)


@pytest.mark.parametrize("use", [lambda map: map.size, lambda map: map.int_ptr, lambda map: map.array(), memoryview,
                                 lambda map: map.row_pitch, lambda map: map.slice_pitch, lambda map: map.release()])
def test_a_child_is_not_told_that_the_parents_maps_are_empty(context, queue, use):
    mapped = clpool.Buffer(context, 1, 64).map(queue)
    answer = in_a_child(lambda: use(mapped))
    assert "InvalidOperationError" in answer and "made before fork()" in answer
    mapped.release()


def test_a_child_may_forget_and_release_the_parents_objects(context, queue, pool):
    kept = [pool.allocate(4096), clpool.Buffer(context, 1, 64), clpool.Buffer(context, 1, 64).map(queue),
            clpool.enqueue_fill(queue, pool.allocate(64), b"x")]

    def work():
        kept.clear()
        clpool._native.finish_releases()
        return "done"
    assert in_a_child(work) == "'done'"
    for thing in kept:
        thing.release()


def test_a_child_can_look_at_the_parents_objects(pool, queue):
    block = pool.allocate(100)
    mapped = block.map(queue)
    answer = in_a_child(lambda: (repr(pool), repr(block), repr(mapped), hash(block) == hash(block)))
    assert "<clpool.MemoryPool: the pool was made before fork()" in answer and "True" in answer
    assert "<clpool.PooledBuffer: made before fork()>" in answer and "<clpool.MemoryMap: map was made before fork()" in answer


def test_a_childs_caches_are_its_own(context):
    cache = clpool.Cache()
    assert cache.get(context, b"key", lambda: 1) == 1
    answer = in_a_child(lambda: len(cache))
    assert "InvalidOperationError" in answer and "the cache was made before fork()" in answer

    def work():
        clpool.clear_first_arg_caches()
        return len(clpool.Cache())
    assert in_a_child(work) == "0"
    assert len(cache) == 1


def test_a_child_can_make_pools_of_its_own(pool, make_numbers):
    def work():
        numbers = make_numbers()
        own = numbers.pool()
        for _ in range(100):
            own.allocate(100)
        own.check()
        return own.active_blocks
    assert in_a_child(work) == "0"


def test_forks_while_threads_work(context, queue, pool):
    allocator, stop = clpool.ImmediateAllocator(queue), threading.Event()

    def work():
        while not stop.is_set():
            allocator(4096)
            pool.allocate(4096)
            pool.allocate(100_000)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            def child():
                try:
                    pool.allocate(4096)
                except clpool.InvalidOperationError:
                    return "refused"
            assert in_a_child(child) == "'refused'"
    finally:
        stop.set()
        for thread in threads:
            thread.join(100)
    pool.check()


def interrupt(*_arguments):
    """What Ctrl-C does."""
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def heeds_ctrl_c():
    """A process that was begun in the background of a shell ignores it."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.mark.parametrize("callback", ["collect", "out_of_memory"])
def test_ctrl_c_in_a_callback_of_a_pool_reaches_the_caller(queue, callback):
    allocator = clpool.LimitAllocator(clpool.ImmediateAllocator(queue), 1 << 20)
    pool = clpool.MemoryPool(allocator, **{callback: interrupt})
    block = pool.allocate(1 << 19)
    with pytest.raises(KeyboardInterrupt):
        pool.allocate(1 << 20)
    block.release()
    assert pool.active_blocks == 0
    pool.check()


def test_ctrl_c_in_an_allocators_function_reaches_the_caller(make_numbers):
    numbers = make_numbers()

    def allocate(size, alignment):
        if size > 1 << 26:
            interrupt()
        return numbers.allocate(size, alignment)
    pool = clpool.Pool(clpool.CustomAllocator(allocate, numbers.deallocate))
    with pytest.raises(KeyboardInterrupt):
        pool.allocate(1 << 27)
    pool.allocate(100).release()
    pool.check()


def test_ctrl_c_at_any_moment_leaves_pools_whole(queue):
    """A timer stands for the user; whatever it interrupts, nothing is lost."""
    pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))
    armed = False

    def on_timer(*_arguments):
        nonlocal armed
        if armed:  # else it comes late: nothing is to be interrupted any more
            armed = False
            raise KeyboardInterrupt

    def interrupted():
        nonlocal armed
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, .0005)
            for size in range(100, 1 << 20, 5000):
                with pool.allocate(size) as block:
                    clpool.enqueue_fill(queue, block, b"x")
                if size % 3 == 0:
                    pool.free_held()
            armed = False
        except KeyboardInterrupt:
            return True
        return False
    former = signal.signal(signal.SIGALRM, on_timer)
    try:
        assert any([interrupted() for _ in range(200)])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
    assert pool.active_blocks == 0
    pool.check()


def test_a_program_ends_by_ctrl_c_while_threads_allocate():
    import subprocess
    program = """
import signal, threading
import clpool
device, context, queue = clpool.create_default_context()
pool = clpool.MemoryPool(clpool.ImmediateAllocator(queue))
def work():
    while True:
        pool.allocate(4096)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
signal.raise_signal(signal.SIGINT)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert done.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in done.stderr


def test_devices_do_not_go_to_other_processes(opencl):
    with pytest.raises(TypeError, match="cannot pickle a clpool.Device"):
        pickle.dumps(opencl[0])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_belongs_to_a_process_does_not_go_to_others(opencl, queue, pool, protocol):
    context, buffer = opencl[1], clpool.Buffer(opencl[1], 1, 64)
    for thing in (context, queue, pool, pool.allocator, pool.allocate(64), buffer, buffer[:32], buffer.map(queue), clpool.Heap(),
                  clpool.SVM(bytearray(8)), clpool.Cache(), clpool.DeviceData(opencl[0]), clpool.enqueue_fill(queue, buffer, b"x")):
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(thing, protocol)
        with pytest.raises(TypeError, match="cannot pickle"):
            copy.deepcopy(thing)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_nor_does_what_pyopencl_takes(opencl, protocol):  # its own objects end the process in protocols 0 and 1
    pyopencl = pytest.importorskip("pyopencl", reason="PyOpenCL is not installed")
    from clpool.pyopencl import tools
    context = pyopencl.Context.from_int_ptr(opencl[1].int_ptr)
    queue = pyopencl.CommandQueue(context)
    made = [tools.ImmediateAllocator(queue)(64), tools.MemoryPool(tools.ImmediateAllocator(queue))(64)]
    if clpool.characterize.has_coarse_grain_buffer_svm(opencl[0]):
        made += [tools.SVMAllocator(context)(64), tools.SVMPool(tools.SVMAllocator(context))(64)]
    for thing in made:
        with pytest.raises(TypeError, match=f"cannot pickle a clpool.pyopencl.{type(thing).__name__}: it belongs to this process"):
            pickle.dumps(thing, protocol)
        with pytest.raises(TypeError, match="cannot pickle"):
            copy.copy(thing)


def test_a_log_that_cannot_be_written_is_closed(tmp_path):
    def work():
        log = clpool.TraceWriter(tmp_path / "log.csv")
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        for number in range(100):
            log.write("allocate", 256 * (number + 1), 256)
        with pytest.raises(clpool.InputOutputError):
            log.close()
        log.close()
        with pytest.raises(clpool.InvalidOperationError):
            log.write("free", 256, 256)
        return "closed"
    assert in_a_child(work) == "'closed'"


def test_exceptions_go_to_other_processes_as_they_are(opencl):
    with pytest.raises(clpool.InvalidValueError) as caught:
        clpool.Device(0).facts
    same = pickle.loads(pickle.dumps(caught.value))
    assert type(same) is clpool.InvalidValueError and isinstance(same, ValueError)
    assert str(same) == str(caught.value) and same.status == clpool.status.INVALID_VALUE and same.code == 0
    assert type(same).__module__ == "clpool"


def test_a_result_that_a_thread_of_the_parent_computes_is_computed_anew_in_a_child():
    begun, may_end, parent = threading.Event(), threading.Event(), os.getpid()

    @clpool.first_arg_dependent_memoize
    def slow(context):
        if os.getpid() == parent:
            begun.set()
            may_end.wait()
        return os.getpid()
    thread = threading.Thread(target=slow, args=("context",), daemon=True)
    thread.start()
    begun.wait()
    try:
        assert in_a_child(lambda: slow("context") == slow("context") == os.getpid()) == "True"
    finally:
        may_end.set()
    thread.join()
    assert slow("context") == os.getpid()
