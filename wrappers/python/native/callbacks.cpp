// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Functions written in Python that the library calls: of custom allocators, pools, messages, visits and
// replays. Each takes the GIL, and lets no exception out: what goes wrong is put by and raised by the call
// that led to it.
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "native.hpp"

namespace clpool::python {

namespace {

thread_local PyObject* put_by = nullptr;  ///< an exception, as its value with its traceback
/// The last MemoryError of a custom allocator, which a pool answers: the reason if there is no memory after all.
thread_local PyObject* no_memory = nullptr;

/// The exception that is set, as its value with its traceback.
PyObject* take_exception() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) {
    PyException_SetTraceback(value, traceback);
  }
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return value;
}

// The main thread ends the interpreter, and may call to the last.
bool ends_without_this_thread() {
  return interpreter_ends() && syscall(SYS_gettid) != getpid();
}

struct Registry {
  std::mutex mutex;
  std::map<uint64_t, PoolFunctions> functions;
  uint64_t last = 0;
};

// Never destroyed: pools may call until the end of the process.
Registry& registry() {
  static auto* const made = new Registry;
  return *made;
}

// New references, so that they outlive an unregistration by another thread.
PyObject* find(void* user, PyObject* PoolFunctions::*member) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().functions.find(reinterpret_cast<uintptr_t>(user));
  PyObject* function = found == registry().functions.end() ? nullptr : found->second.*member;
  Py_XINCREF(function);
  return function;
}

void collect(void* user) {
  const HoldInterpreter hold;
  PyObject* function = hold ? find(user, &PoolFunctions::collect) : nullptr;
  if (function == nullptr) {
    return;
  }
  PyObject* result = PyObject_CallNoArgs(function);
  if (result == nullptr) {
    put_exception_by();
  }
  Py_XDECREF(result);
  Py_DECREF(function);
  finish_releases();  // what the collection let go of
}

int32_t out_of_memory(void* user, uint64_t size, uint32_t attempt) {
  const HoldInterpreter hold;
  PyObject* function = hold ? find(user, &PoolFunctions::out_of_memory) : nullptr;
  if (function == nullptr) {
    return 0;
  }
  PyObject* result = PyObject_CallFunction(function, "KI", static_cast<unsigned long long>(size), attempt);
  const int again = result == nullptr ? -1 : PyObject_IsTrue(result);
  if (again < 0) {
    put_exception_by();
  }
  Py_XDECREF(result);
  Py_DECREF(function);
  finish_releases();
  return again > 0 ? 1 : 0;
}

void send(PyObject* function, int32_t severity, const char* text) {
  PyObject* result = PyObject_CallFunction(function, "is", severity, text);
  if (result == nullptr) {
    PyErr_WriteUnraisable(function);
  }
  Py_XDECREF(result);
  Py_DECREF(function);
}

void pool_message(void* user, int32_t severity, const char* text) {
  const HoldInterpreter hold;
  PyObject* function = hold ? find(user, &PoolFunctions::message) : nullptr;
  if (function != nullptr) {
    send(function, severity, text);
  }
}

PyObject* message_receiver = nullptr;

void any_message(void*, int32_t severity, const char* text) {
  const HoldInterpreter hold;
  if (hold && message_receiver != nullptr) {
    Py_INCREF(message_receiver);
    send(message_receiver, severity, text);
  }
}

/// Functions of a custom allocator; NULL when it is destroyed.
struct CustomAllocator : References {
  PyObject* allocate = nullptr;
  PyObject* deallocate = nullptr;

  int show(visitproc visit, void* arg) override {
    Py_VISIT(allocate);
    Py_VISIT(deallocate);
    return 0;
  }
};

// What the library keeps for the callbacks: a share of the functions.
using CustomShare = std::shared_ptr<CustomAllocator>;

CustomAllocator& custom(void* user) {
  return **static_cast<CustomShare*>(user);
}

// A callback's result: a chunk, or the status that an exception stands for.
clpool_status to_chunk(PyObject* result, uint64_t* chunk) {
  const bool made = result != nullptr && to_unsigned(result, UINT64_MAX, "chunk", *chunk);
  if (made) {
    return CLPOOL_SUCCESS;  // what chunk 0 means the library says
  }
  if (PyErr_ExceptionMatches(PyExc_MemoryError)) {  // which a pool answers
    Py_XDECREF(std::exchange(no_memory, take_exception()));
    return CLPOOL_ERROR_OUT_OF_MEMORY;
  }
  put_exception_by();
  return CLPOOL_ERROR_CALLBACK;
}

clpool_status custom_allocate(void* user, uint64_t size, uint64_t alignment, uint64_t* chunk) {
  *chunk = 0;
  const HoldInterpreter hold;
  if (!hold) {
    return CLPOOL_ERROR_CALLBACK;
  }
  PyObject* result = PyObject_CallFunction(custom(user).allocate, "KK", static_cast<unsigned long long>(size),
                                           static_cast<unsigned long long>(alignment));
  const clpool_status status = to_chunk(result, chunk);
  Py_XDECREF(result);
  return status;
}

void custom_deallocate(void* user, uint64_t chunk, uint64_t size) {
  const HoldInterpreter hold;
  if (!hold) {
    return;
  }
  PyObject* function = custom(user).deallocate;
  PyObject* result = PyObject_CallFunction(function, "KK", static_cast<unsigned long long>(chunk),
                                           static_cast<unsigned long long>(size));
  if (result == nullptr) {
    PyErr_WriteUnraisable(function);
  }
  Py_XDECREF(result);
}

void custom_destroy(void* user) {
  const HoldInterpreter hold;
  const std::unique_ptr<CustomShare> share(static_cast<CustomShare*>(user));
  if (hold || gives_up_to_the_last()) {
    Py_CLEAR((*share)->allocate);
    Py_CLEAR((*share)->deallocate);
  }
}

int32_t visit_stretch(void* user, const clpool_pool_stretch* stretch) {
  const HoldInterpreter hold;
  if (!hold) {
    return 1;
  }
  PyObject* result = PyObject_CallFunction(
      static_cast<PyObject*>(user), "IKKKKK", stretch->state, static_cast<unsigned long long>(stretch->chunk),
      static_cast<unsigned long long>(stretch->offset), static_cast<unsigned long long>(stretch->size),
      static_cast<unsigned long long>(stretch->requested), static_cast<unsigned long long>(stretch->tag));
  const int stop = result == nullptr ? -1 : PyObject_IsTrue(result);
  if (stop < 0) {
    put_exception_by();
  }
  Py_XDECREF(result);
  return stop != 0 ? 1 : 0;
}

int32_t replay_progress(void* user, uint64_t done, uint64_t total) {
  const HoldInterpreter hold;
  if (!hold) {
    return 1;
  }
  PyObject* result =
      PyObject_CallFunction(static_cast<PyObject*>(user), "KK", static_cast<unsigned long long>(done),
                            static_cast<unsigned long long>(total));
  const int stop = result == nullptr ? -1 : PyObject_IsTrue(result);
  if (stop < 0) {
    put_exception_by();
  }
  Py_XDECREF(result);
  return stop != 0 ? 1 : 0;
}

}  // namespace

void park() {
  for (;;) {
    pause();
  }
}

// An interpreter that ends takes the GIL from other threads for good: CPython ends such a thread where it
// asks for it, by unwinding its stack, which C++ may stop but not finish.
DropInterpreter::~DropInterpreter() {
  try {
    PyEval_RestoreThread(state_);
  } catch (...) {
    park();
  }
}

HoldInterpreter::HoldInterpreter() : held_(Py_IsInitialized() != 0 && !ends_without_this_thread()) {
  if (!held_) {
    return;
  }
  try {
    state_ = PyGILState_Ensure();
  } catch (...) {
    park();
  }
  // Calls within the callback take back their own exceptions alone.
  outer_ = std::exchange(put_by, nullptr);
  outer_no_memory_ = std::exchange(no_memory, nullptr);
}

HoldInterpreter::~HoldInterpreter() {
  if (held_) {
    if (ends_without_this_thread() && PyGILState_Check() == 0) {
      park();  // the thread's Python code was ended where it asked for the GIL again
    }
    if (outer_ != nullptr) {
      Py_XDECREF(std::exchange(put_by, outer_));  // the first one tells most
    }
    if (no_memory == nullptr) {  // else the callback's is the later one
      no_memory = outer_no_memory_;
    } else {
      Py_XDECREF(outer_no_memory_);
    }
    PyGILState_Release(state_);
  }
}

void put_exception_by() {
  PyObject* value = take_exception();
  if (put_by == nullptr) {
    put_by = value;
  } else {  // the first one tells most
    Py_XDECREF(value);
  }
}

bool take_exception_back() {
  if (put_by == nullptr) {
    return false;
  }
  PyObject* value = put_by;
  put_by = nullptr;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value)), value);
  Py_DECREF(value);
  return true;
}

PyObject* take_no_memory() {
  return std::exchange(no_memory, nullptr);
}

uint64_t register_functions(const PoolFunctions& functions) {
  Py_XINCREF(functions.collect);
  Py_XINCREF(functions.out_of_memory);
  Py_XINCREF(functions.message);
  const std::lock_guard lock(registry().mutex);
  const uint64_t number = ++registry().last;
  registry().functions.emplace(number, functions);
  return number;
}

void unregister_functions(uint64_t number) {
  PoolFunctions functions;
  {
    const std::lock_guard lock(registry().mutex);
    const auto found = registry().functions.find(number);
    if (found == registry().functions.end()) {
      return;
    }
    functions = found->second;
    registry().functions.erase(found);
  }
  Py_XDECREF(functions.collect);
  Py_XDECREF(functions.out_of_memory);
  Py_XDECREF(functions.message);
}

int visit_functions(uint64_t number, visitproc visit, void* arg) {
  PoolFunctions functions;
  {
    const std::lock_guard lock(registry().mutex);
    const auto found = registry().functions.find(number);
    if (found == registry().functions.end()) {
      return 0;
    }
    functions = found->second;
  }
  Py_VISIT(functions.collect);
  Py_VISIT(functions.out_of_memory);
  Py_VISIT(functions.message);
  return 0;
}

clpool_pool_callbacks callbacks_of(const PoolFunctions& functions) {
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.collect = functions.collect != nullptr ? collect : nullptr;
  callbacks.out_of_memory = functions.out_of_memory != nullptr ? out_of_memory : nullptr;
  callbacks.message = functions.message != nullptr ? pool_message : nullptr;
  return callbacks;
}

PyObject* create_custom_allocator(PyObject*, PyObject* args) {
  PyObject *allocate = nullptr, *deallocate = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &allocate, &deallocate)) {
    return nullptr;
  }
  if (!PyCallable_Check(allocate) || !PyCallable_Check(deallocate)) {
    PyErr_SetString(PyExc_TypeError, "allocate and deallocate must be callable");
    return nullptr;
  }
  Py_INCREF(allocate);
  Py_INCREF(deallocate);
  const auto functions = std::make_shared<CustomAllocator>();
  functions->allocate = allocate;
  functions->deallocate = deallocate;
  auto* share = new CustomShare(functions);
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = custom_allocate;
  ops.deallocate = custom_deallocate;
  ops.destroy = custom_destroy;
  clpool_allocator* allocator = nullptr;
  const clpool_status status = clpool_allocator_create_custom(&ops, share, &allocator);
  if (status != CLPOOL_SUCCESS) {
    custom_destroy(share);
    raise_status(status);
    return nullptr;
  }
  return new_handle(allocator, clpool_allocator_kind, functions, true);
}

void forget_message_callback() {
  Py_XDECREF(set_message_callback(nullptr, Py_None));
}

PyObject* set_message_callback(PyObject*, PyObject* callback) {
  if (callback != Py_None && !PyCallable_Check(callback)) {
    PyErr_Format(PyExc_TypeError, "the callback must be callable or None, not %s",
                 Py_TYPE(callback)->tp_name);
    return nullptr;
  }
  PyObject* former = message_receiver;
  message_receiver = nullptr;
  if (callback != Py_None) {
    Py_INCREF(callback);
    message_receiver = callback;
  }
  clpool_set_message_callback(message_receiver != nullptr ? any_message : nullptr, nullptr);
  Py_XDECREF(former);
  Py_RETURN_NONE;
}

PyObject* visit_pool(PyObject*, PyObject* args) {
  PyObject *object = nullptr, *visitor = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &object, &visitor)) {
    return nullptr;
  }
  InUse use;
  clpool_pool* pool = pool_of(object, use);
  if (pool == nullptr) {
    return nullptr;
  }
  clpool_status status;
  {
    const DriverCall call;
    status = clpool_pool_visit(pool, visit_stretch, visitor);
  }
  const bool stopped = status == CLPOOL_ERROR_CALLBACK;  // by the visitor: with an exception, or as it wished
  if (take_exception_back() || (!stopped && !succeeded(status))) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

// replay(trace, pool or allocator, progress or None, interval) -> tuple of the figures
PyObject* replay(PyObject*, PyObject* args) {
  PyObject *log = nullptr, *target = nullptr, *progress = nullptr, *every = nullptr;
  uint64_t interval = 0;
  if (!PyArg_ParseTuple(args, "OOOO", &log, &target, &progress, &every) ||
      !to_unsigned(every, UINT64_MAX, "progress_interval", interval)) {
    return nullptr;
  }
  InUse log_use, target_use;
  auto* trace = static_cast<clpool_trace*>(handle_of(log, clpool_trace_kind, log_use));
  if (trace == nullptr) {
    return nullptr;
  }
  const bool into_allocator = !PyObject_HasAttrString(target, "try_allocate");
  void* made =
      into_allocator ? handle_of(target, clpool_allocator_kind, target_use) : pool_of(target, target_use);
  if (made == nullptr) {
    return nullptr;
  }
  clpool_trace_replay_options options = CLPOOL_TRACE_REPLAY_OPTIONS_INIT;
  options.progress_interval = interval;
  options.progress = progress != Py_None ? replay_progress : nullptr;
  options.user = progress;
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  clpool_status status;
  {
    const DriverCall call;
    status =
        into_allocator
            ? clpool_trace_replay_allocator(trace, static_cast<clpool_allocator*>(made), &options, &result)
            : clpool_trace_replay_pool(trace, static_cast<clpool_pool*>(made), &options, &result);
  }
  if (!succeeded(status)) {
    return nullptr;
  }
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  return Py_BuildValue("(KKKKKKKKK)", number(result.allocations), number(result.releases),
                       number(result.out_of_memory), number(result.elapsed_ns), number(result.allocation_ps),
                       number(result.driver_allocations), number(result.peak_driver_bytes),
                       number(result.peak_live_bytes), number(result.ratio_ppm));
}

}  // namespace clpool::python
