// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Results cached per OpenCL object, computed by functions written in Python: cache_get(cache, kind, object,
// key, compute) and cache_find(cache, object, key).
#include <unordered_set>

#include "native.hpp"

namespace clpool::python {

namespace {

struct Results;

/// A result that a cache owns.
struct Result {
  PyObject* object;
  std::shared_ptr<Results> owner;
};

/// All of them, for the garbage collector. Changed with the GIL held.
struct Results : References {
  std::unordered_set<Result*> all;

  int show(visitproc visit, void* arg) override {
    for (const Result* result : all) {
      Py_VISIT(result->object);
    }
    return 0;
  }
};

/// What clpool_memo_get() hands to compute().
struct Computation {
  PyObject* function;
  std::shared_ptr<Results> results;
};

clpool_status compute(void* user, void** value) {
  *value = nullptr;
  const HoldInterpreter hold;
  if (!hold) {
    return CLPOOL_ERROR_CALLBACK;
  }
  const auto* computation = static_cast<Computation*>(user);
  PyObject* object = PyObject_CallNoArgs(computation->function);
  if (object == nullptr) {
    put_exception_by();
    return CLPOOL_ERROR_CALLBACK;
  }
  auto* result = new Result{object, computation->results};
  result->owner->all.insert(result);
  *value = result;
  return CLPOOL_SUCCESS;
}

void destroy(void*, void* value) {
  const HoldInterpreter hold;
  if (hold) {
    const std::unique_ptr<Result> result(static_cast<Result*>(value));
    result->owner->all.erase(result.get());
    Py_DECREF(result->object);
  }
}

PyObject* take_value(clpool_memo_value* value) {
  PyObject* result = static_cast<Result*>(clpool_memo_value_get(value))->object;
  Py_INCREF(result);
  static_cast<void>(clpool_memo_value_release(value));
  return result;
}

// Objects of ours have no int_ptr where they are pools.
bool to_object(PyObject* object, uint64_t kind, void*& handle, InUse& use) {
  if (kind == CLPOOL_MEMO_POOL) {
    handle = pool_of(object, use);
    return handle != nullptr;
  }
  const char* what = kind == CLPOOL_MEMO_CONTEXT  ? "cl_context"
                     : kind == CLPOOL_MEMO_DEVICE ? "cl_device_id"
                     : kind == CLPOOL_MEMO_QUEUE  ? "cl_command_queue"
                                                  : any_cl_object.data();
  return to_cl_handle(object, what, handle);
}

}  // namespace

PyObject* create_cache(PyObject*, PyObject*) {
  clpool_memo* memo = nullptr;
  const clpool_status status = clpool_memo_create(&memo);
  return succeeded(status) ? new_handle(memo, clpool_memo_kind, std::make_shared<Results>()) : nullptr;
}

PyObject* cache_get(PyObject*, PyObject* args) {
  PyObject *cache = nullptr, *object = nullptr, *key = nullptr, *function = nullptr;
  unsigned int kind = 0;
  if (!PyArg_ParseTuple(args, "OIOSO", &cache, &kind, &object, &key, &function)) {
    return nullptr;
  }
  InUse cache_use, object_use;
  auto* memo = static_cast<clpool_memo*>(handle_of(cache, clpool_memo_kind, cache_use));
  void* handle = nullptr;
  if (memo == nullptr || !to_object(object, kind, handle, object_use)) {
    return nullptr;
  }
  clpool_memo_ops ops = CLPOOL_MEMO_OPS_INIT;
  ops.compute = compute;
  ops.destroy = destroy;
  clpool_memo_value* value = nullptr;
  Computation computation{function, std::static_pointer_cast<Results>(references_of(cache))};
  clpool_status status;
  {
    const DriverCall call;
    status = clpool_memo_get(memo, kind, handle, PyBytes_AS_STRING(key),
                             static_cast<size_t>(PyBytes_GET_SIZE(key)), &ops, &computation, &value);
  }
  return succeeded(status) ? take_value(value) : nullptr;
}

PyObject* cache_find(PyObject*, PyObject* args) {
  PyObject *cache = nullptr, *object = nullptr, *key = nullptr;
  unsigned int kind = 0;
  if (!PyArg_ParseTuple(args, "OIOS", &cache, &kind, &object, &key)) {
    return nullptr;
  }
  InUse cache_use, object_use;
  auto* memo = static_cast<clpool_memo*>(handle_of(cache, clpool_memo_kind, cache_use));
  void* handle = nullptr;
  if (memo == nullptr || !to_object(object, kind, handle, object_use)) {
    return nullptr;
  }
  clpool_memo_value* value = nullptr;
  const clpool_status status = clpool_memo_find(memo, handle, PyBytes_AS_STRING(key),
                                                static_cast<size_t>(PyBytes_GET_SIZE(key)), &value);
  if (status == CLPOOL_ERROR_NOT_FOUND) {
    Py_RETURN_NONE;
  }
  return succeeded(status) ? take_value(value) : nullptr;
}

}  // namespace clpool::python
