// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Handle: owns one object of the C API other than memory and pools. The classes that users see are written in
// Python over it.
#include "native.hpp"

namespace clpool::python {

namespace {

struct HandleObject {
  PyObject_HEAD void* handle;
  const HandleKind* kind;
};

PyTypeObject* handle_type = nullptr;

template <typename T, clpool_status (*release)(T*)>
clpool_status release_as(void* handle) {
  return release(static_cast<T*>(handle));
}

clpool_status destroy_heap(void* heap) {
  clpool_heap_destroy(static_cast<clpool_heap*>(heap));
  return CLPOOL_SUCCESS;
}

// A range goes back through its heap, or ends with it.
clpool_status forget_range(void*) {
  return CLPOOL_SUCCESS;
}

template <const HandleKind& kind>
void release_quietly(void* handle) {
  static_cast<void>(kind.release(handle));
}

void (*quiet_release_of(const HandleKind& kind))(void*) {
  return &kind == &map_kind ? release_quietly<map_kind> : release_quietly<allocator_kind>;
}

void give_back(void* handle, const HandleKind& kind) {
  if (handle == nullptr) {
    return;
  }
  if (kind.later) {
    release_later(quiet_release_of(kind), handle);
  } else {
    static_cast<void>(kind.release(handle));
  }
}

void handle_dealloc(PyObject* object) {
  auto* self = reinterpret_cast<HandleObject*>(object);
  PyTypeObject* type = Py_TYPE(object);
  give_back(self->handle, *self->kind);
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject* handle_release(PyObject* object, PyObject*) {
  auto* self = reinterpret_cast<HandleObject*>(object);
  void* handle = self->handle;
  if (handle == nullptr) {
    raise_released(self->kind->name);
    return nullptr;
  }
  self->handle = nullptr;
  clpool_status status;
  {
    const DropInterpreter drop;
    status = self->kind->release(handle);
  }
  if (!succeeded(status)) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* handle_forget(PyObject* object, PyObject*) {
  reinterpret_cast<HandleObject*>(object)->handle = nullptr;
  Py_RETURN_NONE;
}

PyObject* handle_released(PyObject* object, void*) {
  return PyBool_FromLong(reinterpret_cast<HandleObject*>(object)->handle == nullptr);
}

PyObject* handle_address(PyObject* object, void*) {
  return PyLong_FromVoidPtr(reinterpret_cast<HandleObject*>(object)->handle);
}

PyObject* handle_repr(PyObject* object) {
  auto* self = reinterpret_cast<HandleObject*>(object);
  return PyUnicode_FromFormat("<clpool handle: %s%s>", self->kind->name,
                              self->handle == nullptr ? ", released" : "");
}

PyMethodDef handle_methods[] = {
    {"release", handle_release, METH_NOARGS, "Gives the object back now."},
    {"forget", handle_forget, METH_NOARGS, "Gives up the handle without giving it back: others own it."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef handle_properties[] = {
    {"released", handle_released, nullptr, "Whether it was released.", nullptr},
    {"address", handle_address, nullptr, "The C handle as a number; 0 when released.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot handle_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(handle_dealloc)},
    {Py_tp_repr, reinterpret_cast<void*>(handle_repr)},
    {Py_tp_methods, handle_methods},
    {Py_tp_getset, handle_properties},
    {0, nullptr},
};

PyType_Spec handle_spec = {"clpool._native.Handle", sizeof(HandleObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, handle_slots};

}  // namespace

const HandleKind allocator_kind{"allocator", release_as<clpool_allocator, clpool_allocator_release>, true};
const HandleKind map_kind{"map", release_as<clpool_map, clpool_map_release>, true};
const HandleKind heap_kind{"heap", destroy_heap, false};
const HandleKind heap_range_kind{"heap range", forget_range, false};
const HandleKind trace_kind{"trace", release_as<clpool_trace, clpool_trace_release>, false};
const HandleKind trace_writer_kind{"trace writer",
                                   release_as<clpool_trace_writer, clpool_trace_writer_release>, false};
const HandleKind device_data_kind{"device data", release_as<clpool_device_data, clpool_device_data_release>,
                                  false};
const HandleKind memo_kind{"cache", release_as<clpool_memo, clpool_memo_release>, false};
const HandleKind memo_value_kind{"cached value", release_as<clpool_memo_value, clpool_memo_value_release>,
                                 false};

bool add_handle_type(PyObject* module) {
  handle_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&handle_spec));
  return handle_type != nullptr &&
         PyModule_AddObjectRef(module, "Handle", reinterpret_cast<PyObject*>(handle_type)) == 0;
}

void* handle_of(PyObject* object, const HandleKind& kind) {
  if (!Py_IS_TYPE(object, handle_type) || reinterpret_cast<HandleObject*>(object)->kind != &kind) {
    PyErr_Format(PyExc_TypeError, "expected a handle of kind %s, not %s", kind.name,
                 Py_TYPE(object)->tp_name);
    return nullptr;
  }
  void* handle = reinterpret_cast<HandleObject*>(object)->handle;
  if (handle == nullptr) {
    raise_released(kind.name);
  }
  return handle;
}

PyObject* new_handle(void* handle, const HandleKind& kind) {
  PyObject* object = handle_type->tp_alloc(handle_type, 0);
  if (object == nullptr) {
    give_back(handle, kind);
    return nullptr;
  }
  reinterpret_cast<HandleObject*>(object)->handle = handle;
  reinterpret_cast<HandleObject*>(object)->kind = &kind;
  return object;
}

}  // namespace clpool::python
