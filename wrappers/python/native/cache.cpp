// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Results cached per OpenCL object, computed by functions written in Python: cache_get(cache, kind, object,
// key, compute) and cache_find(cache, object, key).
#include "native.hpp"

namespace clpool::python {

namespace {

clpool_status compute(void* user, void** value) {
  const HoldInterpreter hold;
  if (!hold) {
    return CLPOOL_ERROR_CALLBACK;
  }
  *value = PyObject_CallNoArgs(static_cast<PyObject*>(user));
  if (*value == nullptr) {
    put_exception_by();
    return CLPOOL_ERROR_CALLBACK;
  }
  return CLPOOL_SUCCESS;
}

void destroy(void* value) {
  const HoldInterpreter hold;
  if (hold) {
    Py_DECREF(static_cast<PyObject*>(value));
  }
}

PyObject* take_value(clpool_memo_value* value) {
  auto* result = static_cast<PyObject*>(clpool_memo_value_get(value));
  Py_INCREF(result);
  static_cast<void>(clpool_memo_value_release(value));
  return result;
}

// Objects of ours have no int_ptr where they are pools.
bool to_object(PyObject* object, uint64_t kind, void*& handle) {
  if (kind == CLPOOL_MEMO_POOL) {
    handle = pool_of(object);
    return handle != nullptr;
  }
  const char* what = kind == CLPOOL_MEMO_CONTEXT  ? "cl_context"
                     : kind == CLPOOL_MEMO_DEVICE ? "cl_device_id"
                     : kind == CLPOOL_MEMO_QUEUE  ? "cl_command_queue"
                                                  : any_cl_object.data();
  return to_cl_handle(object, what, handle);
}

}  // namespace

PyObject* cache_get(PyObject*, PyObject* args) {
  PyObject *cache = nullptr, *object = nullptr, *key = nullptr, *function = nullptr;
  unsigned int kind = 0;
  if (!PyArg_ParseTuple(args, "OIOSO", &cache, &kind, &object, &key, &function)) {
    return nullptr;
  }
  auto* memo = static_cast<clpool_memo*>(handle_of(cache, memo_kind));
  void* handle = nullptr;
  if (memo == nullptr || !to_object(object, kind, handle)) {
    return nullptr;
  }
  clpool_memo_ops ops = CLPOOL_MEMO_OPS_INIT;
  ops.compute = compute;
  ops.destroy = destroy;
  clpool_memo_value* value = nullptr;
  clpool_status status;
  {
    const DropInterpreter drop;
    status = clpool_memo_get(memo, kind, handle, PyBytes_AS_STRING(key),
                             static_cast<size_t>(PyBytes_GET_SIZE(key)), &ops, function, &value);
  }
  return succeeded(status) ? take_value(value) : nullptr;
}

PyObject* cache_find(PyObject*, PyObject* args) {
  PyObject *cache = nullptr, *object = nullptr, *key = nullptr;
  unsigned int kind = 0;
  if (!PyArg_ParseTuple(args, "OIOS", &cache, &kind, &object, &key)) {
    return nullptr;
  }
  auto* memo = static_cast<clpool_memo*>(handle_of(cache, memo_kind));
  void* handle = nullptr;
  if (memo == nullptr || !to_object(object, kind, handle)) {
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
