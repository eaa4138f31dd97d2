// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Mapped: the bytes of a map by the buffer protocol, and so the `.base` of arrays over them. The class that users see is
// written in Python over it.
#include "native.hpp"

#include <structmember.h>

namespace clpool::python {

namespace {

struct MappedObject {
  PyObject_HEAD PyObject* handle;  ///< of the map
};

PyObject*& handle_in(PyObject* object) {
  return reinterpret_cast<MappedObject*>(object)->handle;
}

// Mapped(handle)
int mapped_init(PyObject* object, PyObject* args, PyObject*) {
  PyObject* handle = nullptr;
  InUse use;
  if (PyArg_ParseTuple(args, "O", &handle) == 0 || handle_of(handle, clpool_map_kind, use) == nullptr) {
    return -1;
  }
  Py_INCREF(handle);
  Py_XSETREF(handle_in(object), handle);
  return 0;
}

int mapped_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(handle_in(object));
  return 0;
}

int mapped_clear(PyObject* object) {
  Py_CLEAR(handle_in(object));
  return 0;
}

void mapped_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  mapped_clear(object);
  type->tp_free(object);
  Py_DECREF(type);
}

/// NULL with an exception set if it was unmapped.
clpool_map* live(PyObject* object, InUse& use) {
  PyObject* handle = handle_in(object);
  return static_cast<clpool_map*>(handle_of(handle == nullptr ? Py_None : handle, clpool_map_kind, use));
}

PyObject* mapped_address(PyObject* object, void*) {
  InUse use;
  const clpool_map* map = live(object, use);
  return map == nullptr ? nullptr : PyLong_FromVoidPtr(clpool_map_pointer(map));
}

PyObject* mapped_size(PyObject* object, void*) {
  InUse use;
  const clpool_map* map = live(object, use);
  return map == nullptr ? nullptr : PyLong_FromSize_t(clpool_map_size(map));
}

int mapped_getbuffer(PyObject* object, Py_buffer* view, int flags) {
  view->obj = nullptr;
  InUse use;
  const clpool_map* map = live(object, use);
  return map == nullptr ? -1
                        : PyBuffer_FillInfo(view, object, clpool_map_pointer(map),
                                            static_cast<Py_ssize_t>(clpool_map_size(map)), 0, flags);
}

PyMethodDef methods[] = {CLPOOL_REFUSES_PICKLE, {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"int_ptr", mapped_address, nullptr, "The address of the first byte.", nullptr},
    {"size", mapped_size, nullptr, "Bytes, with gaps between rows.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"_handle", T_OBJECT_EX, offsetof(MappedObject, handle), READONLY, "Of the map."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_init, reinterpret_cast<void*>(mapped_init)},
    {Py_tp_dealloc, reinterpret_cast<void*>(mapped_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(mapped_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(mapped_clear)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_members, members},
    {Py_bf_getbuffer, reinterpret_cast<void*>(mapped_getbuffer)},
    {0, nullptr},
};

PyType_Spec spec = {"clpool._native.Mapped", sizeof(MappedObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

}  // namespace

bool add_mapped_type(PyObject* module) {
  PyObject* type = PyType_FromSpec(&spec);
  const bool added = type != nullptr && PyModule_AddObjectRef(module, "Mapped", type) == 0;
  Py_XDECREF(type);
  return added;
}

}  // namespace clpool::python
