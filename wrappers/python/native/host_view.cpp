// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// HostView: host memory of a Python object, which stays where it is as long as this lives. Unlike memoryview it asks for no
// format, and so takes arrays of every data type.
#include "native.hpp"

#include <structmember.h>

namespace clpool::python {

namespace {

struct ViewObject {
  PyObject_HEAD PyObject* object;
  Py_buffer view;
};

PyTypeObject* view_type = nullptr;

ViewObject* as_view(PyObject* object) {
  return reinterpret_cast<ViewObject*>(object);
}

// Whether an array of NumPy, or what a memoryview shows, refers to Python objects, which bytes from elsewhere must not
// overwrite.
bool has_references(PyObject* object) {
  if (PyMemoryView_Check(object)) {
    PyObject* shown = PyMemoryView_GET_BUFFER(object)->obj;
    return shown != nullptr && has_references(shown);
  }
  PyObject* dtype = PyObject_GetAttrString(object, "dtype");
  PyObject* answer = dtype == nullptr ? nullptr : PyObject_GetAttrString(dtype, "hasobject");
  const bool found = answer == Py_True;
  Py_XDECREF(dtype);
  Py_XDECREF(answer);
  PyErr_Clear();
  return found;
}

PyObject* new_view(PyObject* object, bool writable) {
  PyObject* made = view_type->tp_alloc(view_type, 0);
  if (made == nullptr) {
    return nullptr;
  }
  ViewObject* self = as_view(made);
  const int flags = PyBUF_ANY_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object, &self->view, flags) != 0) {
    Py_DECREF(made);
    return nullptr;
  }
  Py_INCREF(object);
  self->object = object;
  if (has_references(object)) {
    PyErr_SetString(PyExc_TypeError, "an array that refers to Python objects cannot be copied or shared");
    Py_DECREF(made);
    return nullptr;
  }
  return made;
}

PyObject* view_new(PyTypeObject*, PyObject* args, PyObject*) {
  PyObject* object = nullptr;
  return PyArg_ParseTuple(args, "O", &object) != 0 ? new_view(object, false) : nullptr;
}

// There is no tp_clear: commands may use the memory, and whatever else is in a cycle can be taken apart.
int view_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(as_view(object)->object);
  Py_VISIT(as_view(object)->view.obj);
  return 0;
}

void view_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (as_view(object)->view.obj != nullptr) {
    PyBuffer_Release(&as_view(object)->view);
  }
  Py_XDECREF(as_view(object)->object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyMethodDef methods[] = {CLPOOL_REFUSES_PICKLE, {nullptr, nullptr, 0, nullptr}};

PyMemberDef members[] = {
    {"obj", T_OBJECT, offsetof(ViewObject, object), READONLY, "The object whose memory it is."},
    {"readonly", T_INT, offsetof(ViewObject, view) + offsetof(Py_buffer, readonly), READONLY,
     "Whether the object does not let others write it."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(view_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(view_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(view_traverse)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {"clpool._native.HostView", sizeof(ViewObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                    slots};

}  // namespace

bool add_host_view_type(PyObject* module) {
  view_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return view_type != nullptr &&
         PyModule_AddObjectRef(module, "HostView", reinterpret_cast<PyObject*>(view_type)) == 0;
}

bool HostBuffer::open(PyObject* object, bool writable) {
  return object == Py_None || (view_ = new_view(object, writable)) != nullptr;
}

void* HostBuffer::data() const {
  return view_ == nullptr ? nullptr : as_view(view_)->view.buf;
}

size_t HostBuffer::size() const {
  return view_ == nullptr ? 0 : static_cast<size_t>(as_view(view_)->view.len);
}

}  // namespace clpool::python
