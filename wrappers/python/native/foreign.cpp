// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Objects of another package over memory of ours, such as pyopencl.Buffer, as its functions take no others. To make
// one costs several times what a block costs. All that it knows is a cl_mem's handle, so when a program has dropped
// it, it is kept, and stands for the next memory with the same handle, such as the same block when a pool hands it
// out again. It owns no reference to the cl_mem, which a pool must be able to release at any time; the memory that
// it stands for keeps the cl_mem. Before it gives back a reference, in release(), it gets one.
#include <unordered_map>

#include "native.hpp"

namespace clpool::python {

namespace {

/// The most objects that are kept for good, of some 300 bytes each: as many as there were cl_mems at a time, since
/// drivers make new ones at the addresses of old ones. Those beyond have a reference of their own.
constexpr size_t most_kept = 65536;

/// What the other package does with objects of a class.
struct ForeignClass {
  PyObject* make;      ///< make(handle, True): an object that has a reference of its own
  PyTypeObject* made;  ///< its class
  PyObject* release;   ///< its method that gives the reference back
  destructor end;
  traverseproc traverse;
  inquiry clear;
};

struct ForeignObject {
  void* handle;
  PyObject* memory;        ///< NULL while it is kept and nobody has it
  bool has_own_reference;  ///< so that it can end; else it is kept
};

// With the GIL held; never destroyed, as objects may end after static variables.
template <typename Key, typename Value>
using Table = std::unordered_map<Key, Value>;
Table<PyTypeObject*, ForeignClass>& classes = *new Table<PyTypeObject*, ForeignClass>;
Table<PyObject*, ForeignObject>& objects = *new Table<PyObject*, ForeignObject>;
Table<void*, PyObject*>& kept = *new Table<void*, PyObject*>;

/// Of a class, or of the nearest that it comes from.
const ForeignClass* class_of(PyTypeObject* type) {
  for (; type != nullptr; type = type->tp_base) {
    const auto found = classes.find(type);
    if (found != classes.end()) {
      return &found->second;
    }
  }
  return nullptr;
}

ForeignObject* entry_of(PyObject* object) {
  const auto found = objects.find(object);
  return found == objects.end() ? nullptr : &found->second;
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  if (const ForeignObject* entry = entry_of(object)) {
    Py_VISIT(entry->memory);
  }
  return class_of(Py_TYPE(object))->traverse(object, visit, arg);
}

void dealloc(PyObject* object) {
  PyObject_GC_UnTrack(object);  // before anything that may collect garbage, such as what watches the object
  const ForeignClass* its_class = class_of(Py_TYPE(object));
  ForeignObject* entry = entry_of(object);
  if (entry == nullptr || entry->has_own_reference) {
    PyObject* memory = entry == nullptr ? nullptr : entry->memory;
    objects.erase(object);
    its_class->end(object);
    Py_XDECREF(memory);
    return;
  }
  if (PyType_SUPPORTS_WEAKREFS(Py_TYPE(object))) {
    PyObject_ClearWeakRefs(object);
  }
  Py_SET_REFCNT(object, 1);
  static_cast<void>(its_class->clear(object));  // attributes that the program has given it
  Py_CLEAR(entry->memory);
}

/// One that stands for nothing at present; NULL if there is none.
PyObject* kept_object(PyTypeObject* type, void* handle) {
  const auto found = kept.find(handle);
  const bool fits =
      found != kept.end() && Py_TYPE(found->second) == type && entry_of(found->second)->memory == nullptr;
  return fits ? found->second : nullptr;
}

PyObject* new_object(PyTypeObject* type, void* handle) {
  PyObject* number = PyLong_FromVoidPtr(handle);
  if (number == nullptr) {
    return nullptr;
  }
  PyObject* const arguments[] = {number, Py_True};
  PyObject* object = PyObject_Vectorcall(class_of(type)->make, arguments, 2, nullptr);
  Py_DECREF(number);
  if (object == nullptr) {
    return nullptr;
  }
  PyTypeObject* made = Py_TYPE(object);
  if (made != class_of(type)->made) {
    PyErr_Format(PyExc_TypeError, "expected an object of %R, not of %R", class_of(type)->made, made);
    Py_DECREF(object);
    return nullptr;
  }
  Py_INCREF(type);
  Py_SET_TYPE(object, type);
  Py_DECREF(made);
  const bool keep = kept.size() < most_kept && kept.emplace(handle, object).second;
  objects[object] = {handle, nullptr, !keep};
  if (keep) {
    static_cast<void>(clReleaseMemObject(static_cast<cl_mem>(handle)));
  }
  return object;
}

}  // namespace

PyObject* foreign_object(PyTypeObject* type, PyObject* memory) {
  void* handle = clpool_mem_handle(reinterpret_cast<MemoryObject*>(memory)->mem);
  PyObject* object = kept_object(type, handle);
  if (object != nullptr) {
    PyObject_GC_Track(object);
  } else {
    object = new_object(type, handle);
  }
  if (object == nullptr) {
    Py_DECREF(memory);
    return nullptr;
  }
  entry_of(object)->memory = memory;
  return object;
}

bool is_foreign_class(PyObject* type) {
  if (PyType_Check(type) && classes.count(reinterpret_cast<PyTypeObject*>(type)) != 0) {
    return true;
  }
  PyErr_Format(PyExc_TypeError, "%R was not given to foreign_class()", type);
  return false;
}

PyObject* add_foreign_class(PyObject*, PyObject* args) {
  PyTypeObject* type = nullptr;
  PyObject* make = nullptr;
  if (!PyArg_ParseTuple(args, "O!O", &PyType_Type, &type, &make)) {
    return nullptr;
  }
  PyTypeObject* base = type->tp_base;
  const ForeignClass* known = class_of(type);
  const bool adds_nothing =
      type->tp_basicsize == base->tp_basicsize && type->tp_itemsize == base->tp_itemsize &&
      type->tp_dictoffset == base->tp_dictoffset && type->tp_weaklistoffset == base->tp_weaklistoffset &&
      type->tp_finalize == base->tp_finalize;
  if (!adds_nothing || base->tp_traverse == nullptr || base->tp_clear == nullptr) {
    PyErr_Format(PyExc_TypeError, "%R must add nothing to a class that takes part in garbage collection",
                 type);
    return nullptr;
  }
  ForeignClass added{make, base, nullptr, base->tp_dealloc, base->tp_traverse, base->tp_clear};
  if (known != nullptr) {
    added = *known;
    added.make = make;
    Py_INCREF(added.release);
  } else if ((added.release = PyObject_GetAttrString(reinterpret_cast<PyObject*>(base), "release")) ==
             nullptr) {
    return nullptr;
  }
  Py_INCREF(type);
  Py_INCREF(make);
  classes[type] = added;
  type->tp_dealloc = dealloc;
  type->tp_traverse = traverse;
  PyType_Modified(type);
  Py_RETURN_NONE;
}

PyObject* foreign_object_of(PyObject*, PyObject* args) {
  PyObject *type = nullptr, *memory = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &type, &memory) || !is_foreign_class(type)) {
    return nullptr;
  }
  InUse use;
  if (memory_of(memory, use) == nullptr) {
    return nullptr;
  }
  Py_INCREF(memory);
  return foreign_object(reinterpret_cast<PyTypeObject*>(type), memory);
}

PyObject* foreign_memory(PyObject*, PyObject* object) {
  const ForeignObject* entry = entry_of(object);
  if (entry == nullptr) {
    PyErr_Format(PyExc_AttributeError, "%R has no memory of clpool", object);
    return nullptr;
  }
  Py_INCREF(entry->memory);
  return entry->memory;
}

PyObject* release_foreign(PyObject*, PyObject* object) {
  ForeignObject* entry = entry_of(object);
  const auto* memory = entry == nullptr ? nullptr : reinterpret_cast<MemoryObject*>(entry->memory);
  if (memory != nullptr && memory->mem != nullptr) {
    if (!entry->has_own_reference) {
      const cl_int code = clRetainMemObject(static_cast<cl_mem>(entry->handle));
      if (code != CL_SUCCESS) {
        raise_cl("clRetainMemObject", code);
        return nullptr;
      }
      entry->has_own_reference = true;
      kept.erase(entry->handle);
    }
    if (!release_memory(entry->memory)) {
      return nullptr;
    }
  } else if (memory != nullptr && !entry->has_own_reference) {
    raise_released(_PyType_Name(Py_TYPE(entry->memory)));
    return nullptr;
  }
  const ForeignClass* its_class = class_of(Py_TYPE(object));
  return PyObject_CallOneArg(its_class->release, object);
}

}  // namespace clpool::python
