// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Handle: owns one object of the C API other than memory and pools. The classes that users see are written in
// Python over it.
#include "native.hpp"

#include <structmember.h>

#include <new>
#include <utility>

namespace clpool::python {

namespace {

struct HandleObject {
  PyObject_HEAD void* handle;
  const HandleKind* kind;
  PyObject* weak_references;
  /// Calls that use it at this moment.
  Py_ssize_t uses;
  unsigned generation;  ///< process_generation() when it was made
  char calls_python;
  std::shared_ptr<References> references;
};

HandleObject* as_handle(PyObject* object) {
  return reinterpret_cast<HandleObject*>(object);
}

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
  return &kind == &clpool_map_kind ? release_quietly<clpool_map_kind>
                                   : release_quietly<clpool_allocator_kind>;
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

void give_up(HandleObject* self) {
  void* handle = self->handle;
  self->handle = nullptr;
  give_back(handle, *self->kind);
}

// Before the garbage collector takes a cycle apart. The functions then belong to the C object alone, which
// keeps what they use whole until it is destroyed.
void handle_finalize(PyObject* object) {
  if (as_handle(object)->calls_python != 0) {
    give_up(as_handle(object));
  }
}

int handle_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  auto* self = as_handle(object);
  return self->handle != nullptr && self->references ? self->references->show(visit, arg) : 0;
}

int handle_clear(PyObject* object) {
  if (as_handle(object)->references) {
    give_up(as_handle(object));
  }
  return 0;
}

void handle_dealloc(PyObject* object) {
  auto* self = as_handle(object);
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weak_references != nullptr) {
    PyObject_ClearWeakRefs(object);
  }
  give_up(self);
  self->references.~shared_ptr();
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject* handle_release(PyObject* object, PyObject*) {
  auto* self = as_handle(object);
  void* handle = self->handle;
  if (handle == nullptr) {
    raise_released(self->kind->name);
    return nullptr;
  }
  if (self->uses > 0) {
    raise_in_use(self->kind->name, self->uses);
    return nullptr;
  }
  self->handle = nullptr;
  clpool_status status;
  {
    const DriverCall call;
    status = self->kind->release(handle);
  }
  if (!succeeded(status)) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* handle_forget(PyObject* object, PyObject*) {
  as_handle(object)->handle = nullptr;
  Py_RETURN_NONE;
}

PyObject* handle_released(PyObject* object, void*) {
  return PyBool_FromLong(as_handle(object)->handle == nullptr);
}

PyObject* handle_address(PyObject* object, void*) {
  return PyLong_FromVoidPtr(as_handle(object)->handle);
}

PyObject* handle_repr(PyObject* object) {
  auto* self = as_handle(object);
  return PyUnicode_FromFormat("<clpool handle: %s%s>", self->kind->name,
                              self->handle == nullptr ? ", released" : "");
}

PyMethodDef handle_methods[] = {
    {"release", handle_release, METH_NOARGS, "release($self, /)\n--\n\nGives the object back now."},
    {"forget", handle_forget, METH_NOARGS,
     "forget($self, /)\n--\n\nGives up the handle without giving it back: others own it."},
    CLPOOL_REFUSES_PICKLE,
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef handle_properties[] = {
    {"released", handle_released, nullptr, "Whether it was released.", nullptr},
    {"address", handle_address, nullptr, "The C handle as a number; 0 when released.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef handle_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(HandleObject, weak_references), READONLY, nullptr},
    {"calls_python", T_BOOL, offsetof(HandleObject, calls_python), 0,
     "Whether the release runs functions written in Python."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot handle_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(handle_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(handle_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(handle_clear)},
    {Py_tp_finalize, reinterpret_cast<void*>(handle_finalize)},
    {Py_tp_members, handle_members},
    {Py_tp_repr, reinterpret_cast<void*>(handle_repr)},
    {Py_tp_methods, handle_methods},
    {Py_tp_getset, handle_properties},
    {0, nullptr},
};

PyType_Spec handle_spec = {"clpool._native.Handle", sizeof(HandleObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC,
                           handle_slots};

}  // namespace

const HandleKind clpool_allocator_kind{"allocator", release_as<clpool_allocator, clpool_allocator_release>,
                                       true};
const HandleKind clpool_map_kind{"map", release_as<clpool_map, clpool_map_release>, true};
const HandleKind clpool_heap_kind{"heap", destroy_heap, false};
const HandleKind clpool_heap_range_kind{"heap range", forget_range, false};
const HandleKind clpool_trace_kind{"trace", release_as<clpool_trace, clpool_trace_release>, false};
const HandleKind clpool_trace_writer_kind{
    "trace writer", release_as<clpool_trace_writer, clpool_trace_writer_release>, false};
const HandleKind clpool_device_data_kind{"device data",
                                         release_as<clpool_device_data, clpool_device_data_release>, false};
const HandleKind clpool_memo_kind{"cache", release_as<clpool_memo, clpool_memo_release>, false};
const HandleKind clpool_memo_value_kind{"cached value",
                                        release_as<clpool_memo_value, clpool_memo_value_release>, false};

bool add_handle_type(PyObject* module) {
  handle_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&handle_spec));
  return handle_type != nullptr &&
         PyModule_AddObjectRef(module, "Handle", reinterpret_cast<PyObject*>(handle_type)) == 0;
}

void* handle_of(PyObject* object, const HandleKind& kind, InUse& use) {
  if (!Py_IS_TYPE(object, handle_type) || as_handle(object)->kind != &kind) {
    PyErr_Format(PyExc_TypeError, "expected a handle of kind %s, not %s", kind.name,
                 Py_TYPE(object)->tp_name);
    return nullptr;
  }
  void* handle = as_handle(object)->handle;
  if (handle == nullptr) {
    raise_released(kind.name);
    return nullptr;
  }
  if (kind.later && as_handle(object)->generation != process_generation()) {
    raise_of_parent(kind.name);
    return nullptr;
  }
  use.begin(as_handle(object)->uses);
  return handle;
}

void* unshared_handle_of(PyObject* object, const HandleKind& kind, InUse& use) {
  void* handle = handle_of(object, kind, use);
  if (handle != nullptr && as_handle(object)->uses > 1) {
    raise_in_use(kind.name, as_handle(object)->uses - 1);
    return nullptr;
  }
  return handle;
}

bool calls_python(PyObject* handle) {
  return as_handle(handle)->calls_python != 0;
}

const std::shared_ptr<References>& references_of(PyObject* handle) {
  return as_handle(handle)->references;
}

PyObject* new_handle(void* handle, const HandleKind& kind, std::shared_ptr<References> references,
                     bool calls_python) {
  HandleObject* made = PyObject_GC_New(HandleObject, handle_type);
  if (made == nullptr) {
    give_back(handle, kind);
    return nullptr;
  }
  made->handle = handle;
  made->kind = &kind;
  made->weak_references = nullptr;
  made->uses = 0;
  made->generation = process_generation();
  made->calls_python = calls_python ? 1 : 0;
  new (&made->references) std::shared_ptr<References>(std::move(references));
  PyObject_GC_Track(made);
  return reinterpret_cast<PyObject*>(made);
}

}  // namespace clpool::python
