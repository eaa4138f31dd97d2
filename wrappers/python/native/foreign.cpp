// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Objects of another package over memory of ours, such as pyopencl.Buffer and pyopencl.SVM, as its functions take no
// others. To make one costs several times what a block costs. All that it knows is a cl_mem's handle, or an address
// and a size, so when a program has dropped it, it is kept, and stands for the next memory with the same, such as the
// same block when a pool hands it out again. It owns no reference to the cl_mem, which a pool must be able to release
// at any time; the memory that it stands for keeps the cl_mem.
#include <functional>
#include <unordered_map>
#include <utility>

#include "native.hpp"

namespace clpool::python {

/// What the other package does with objects of a class.
struct ForeignClass {
  PyTypeObject* type;
  PyObject* make;      ///< makes an object: see add_foreign_class()
  PyTypeObject* made;  ///< its class
  PyObject* release;   ///< its method that gives a reference to a cl_mem back; NULL for SVM
  destructor end;
  traverseproc traverse;
  inquiry clear;
};

namespace {

/// The most objects that are kept for good. Of cl_mems, some 300 bytes each: as many as there were at a time, since
/// drivers make new ones at the addresses of old ones. Of SVM, some 700 bytes each: one for each size that a place had.
/// Those beyond are not kept.
constexpr size_t most_kept_handles = 65536, most_kept_addresses = 8192;

/// What an object knows of its memory.
struct Place {
  void* handle;  ///< a cl_mem or an address
  size_t size;   ///< in bytes of SVM; 0 of a cl_mem

  bool operator==(const Place& other) const { return handle == other.handle && size == other.size; }
};

struct HashOfPlace {
  size_t operator()(const Place& place) const {
    return std::hash<void*>()(place.handle) ^ (place.size * 0x9E3779B97F4A7C15U);
  }
};

struct ForeignObject {
  PyObject* object;
  const ForeignClass* its_class;
  PyObject* memory;  ///< NULL while it is kept and nobody has it
  PyObject* note;    ///< what the program's side says of it; may be NULL
  ForeignObject**
      unused;  ///< where those are that are kept for its place and that nobody has; NULL if it is not to be
               ///< kept, but ends with its last reference
  ForeignObject* next;  ///< of these
  bool has_reference;   ///< of its own to a cl_mem, which it has not given back
};

// With the GIL held; never destroyed, as objects may end after static variables.
std::unordered_map<PyTypeObject*, ForeignClass>& classes =
    *new std::unordered_map<PyTypeObject*, ForeignClass>;
std::unordered_map<PyObject*, ForeignObject>& objects = *new std::unordered_map<PyObject*, ForeignObject>;
std::unordered_map<Place, ForeignObject*, HashOfPlace>& unused =
    *new std::unordered_map<Place, ForeignObject*, HashOfPlace>;
size_t kept_handles = 0, kept_addresses = 0;

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

/// The same, with an exception set if there is none.
ForeignObject* known_entry_of(PyObject* object) {
  ForeignObject* entry = entry_of(object);
  if (entry == nullptr) {
    PyErr_Format(PyExc_AttributeError, "%R has no memory of clpool", object);
  }
  return entry;
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  if (const ForeignObject* entry = entry_of(object)) {
    Py_VISIT(entry->memory);
    Py_VISIT(entry->note);
  }
  return class_of(Py_TYPE(object))->traverse(object, visit, arg);
}

void dealloc(PyObject* object) {
  PyObject_GC_UnTrack(object);  // before anything that may collect garbage, such as what watches the object
  ForeignObject* entry = entry_of(object);
  if (entry == nullptr) {
    class_of(Py_TYPE(object))->end(object);
    return;
  }
  if (entry->unused == nullptr) {
    const ForeignObject was = *entry;
    objects.erase(object);
    was.its_class->end(object);
    Py_XDECREF(was.note);
    Py_XDECREF(was.memory);
    return;
  }
  if (PyType_SUPPORTS_WEAKREFS(Py_TYPE(object))) {
    PyObject_ClearWeakRefs(object);
  }
  Py_SET_REFCNT(object, 1);
  static_cast<void>(entry->its_class->clear(object));  // attributes that the program has given it
  Py_CLEAR(entry->note);
  Py_CLEAR(entry->memory);
  entry->next = *entry->unused;  // last: whatever ran until here did not find it
  *entry->unused = entry;
}

/// An object of the same layout becomes one of the class.
bool become(ForeignObject& entry, const ForeignClass& wanted) {
  if (entry.its_class != &wanted) {
    if (entry.its_class->made != wanted.made) {
      return false;
    }
    entry.its_class = &wanted;
    Py_INCREF(wanted.type);
    PyTypeObject* was = Py_TYPE(entry.object);
    Py_SET_TYPE(entry.object, wanted.type);
    Py_DECREF(was);
  }
  return true;
}

/// One that is kept for the place and stands for nothing; NULL if there is none.
ForeignObject* unused_object(const ForeignClass& wanted, const Place& place) {
  const auto found = unused.find(place);
  if (found == unused.end() || found->second == nullptr || !become(*found->second, wanted)) {
    return nullptr;
  }
  ForeignObject* entry = found->second;
  found->second = entry->next;
  PyObject_GC_Track(entry->object);
  return entry;
}

/// Where SVM is, as the class's function takes it.
PyObject* view_of(const Place& place) {
  return PyMemoryView_FromMemory(static_cast<char*>(place.handle), static_cast<Py_ssize_t>(place.size),
                                 PyBUF_WRITE);
}

ForeignObject* new_object(const ForeignClass& wanted, const Place& place, PyObject* memory) {
  const bool is_handle = wanted.release != nullptr;
  PyObject* argument = is_handle ? PyLong_FromVoidPtr(place.handle) : view_of(place);
  if (argument == nullptr) {
    return nullptr;
  }
  PyObject* const arguments[] = {argument, Py_True};
  PyObject* object = PyObject_Vectorcall(wanted.make, arguments, is_handle ? 2 : 1, nullptr);
  Py_DECREF(argument);
  if (object == nullptr) {
    return nullptr;
  }
  PyTypeObject* made = Py_TYPE(object);
  if (made != wanted.made) {
    PyErr_Format(PyExc_TypeError, "%R is of %R, an object of %R is needed", memory, made, wanted.made);
    Py_DECREF(object);
    return nullptr;
  }
  static_cast<void>(wanted.clear(object));  // attributes that its package has given it
  Py_INCREF(wanted.type);
  Py_SET_TYPE(object, wanted.type);
  Py_DECREF(made);
  size_t& kept = is_handle ? kept_handles : kept_addresses;
  ForeignObject** kept_at = nullptr;
  if (kept < (is_handle ? most_kept_handles : most_kept_addresses)) {
    kept_at = &unused[place];  // now, as nothing may fail when the object is put there
    ++kept;
  }
  ForeignObject& entry = objects[object] = {
      object, &wanted, nullptr, nullptr, kept_at, nullptr, is_handle && kept_at == nullptr};
  if (kept_at != nullptr && is_handle) {
    static_cast<void>(clReleaseMemObject(static_cast<cl_mem>(place.handle)));
  }
  return &entry;
}

}  // namespace

PyObject* foreign_object(const ForeignClass& wanted, PyObject* memory, PyObject* note) {
  const clpool_mem* mem = reinterpret_cast<MemoryObject*>(memory)->mem;
  const Place place = wanted.release != nullptr ? Place{clpool_mem_handle(mem), 0}
                                                : Place{clpool_mem_pointer(mem), clpool_mem_size(mem)};
  if (wanted.release == nullptr && clpool_mem_kind(mem) != CLPOOL_MEM_KIND_SVM &&
      clpool_mem_kind(mem) != CLPOOL_MEM_KIND_SUB_REGION) {
    PyErr_Format(PyExc_TypeError, "SVM is needed, which %R is not", memory);
    Py_DECREF(memory);
    return nullptr;
  }
  if (place.handle == nullptr && wanted.release != nullptr) {
    PyErr_Format(PyExc_TypeError,
                 "a buffer is needed, which %R is not: memory of this kind has no cl_mem (SVM: its "
                 "as_buffer(context) does)",
                 memory);
    Py_DECREF(memory);
    return nullptr;
  }
  ForeignObject* entry = unused_object(wanted, place);
  if (entry == nullptr && (entry = new_object(wanted, place, memory)) == nullptr) {
    Py_DECREF(memory);
    return nullptr;
  }
  entry->memory = memory;
  Py_XINCREF(note);
  entry->note = note;
  return entry->object;
}

const ForeignClass* foreign_class(PyObject* type) {
  const auto found = classes.find(reinterpret_cast<PyTypeObject*>(type));
  if (found == classes.end()) {
    PyErr_Format(PyExc_TypeError, "%R was not given to add_foreign_class()", type);
    return nullptr;
  }
  return &found->second;
}

PyObject* add_foreign_class(PyObject*, PyObject* args) {
  PyTypeObject* type = nullptr;
  PyObject* make = nullptr;
  int is_handle = 0;
  if (!PyArg_ParseTuple(args, "O!Op", &PyType_Type, &type, &make, &is_handle)) {
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
  ForeignClass added{type, make, base, nullptr, base->tp_dealloc, base->tp_traverse, base->tp_clear};
  if (known != nullptr) {
    added = *known;
    added.type = type;
    added.make = make;
    Py_XINCREF(added.release);
  } else if (is_handle != 0 && (added.release = PyObject_GetAttrString(reinterpret_cast<PyObject*>(base),
                                                                       "release")) == nullptr) {
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
  PyObject *type = nullptr, *memory = nullptr, *note = nullptr;
  if (!PyArg_ParseTuple(args, "OO|O", &type, &memory, &note)) {
    return nullptr;
  }
  const ForeignClass* wanted = foreign_class(type);
  if (wanted == nullptr) {
    return nullptr;
  }
  InUse use;
  if (memory_of(memory, use) == nullptr) {
    return nullptr;
  }
  Py_INCREF(memory);
  return foreign_object(*wanted, memory, note);
}

PyObject* give_foreign_memory(PyObject*, PyObject* args) {
  PyObject *object = nullptr, *memory = nullptr, *note = nullptr;
  if (!PyArg_ParseTuple(args, "OOO", &object, &memory, &note)) {
    return nullptr;
  }
  InUse use;
  if (memory_of(memory, use) == nullptr) {
    return nullptr;
  }
  const ForeignClass* its_class = class_of(Py_TYPE(object));
  if (its_class == nullptr || its_class->release != nullptr || entry_of(object) != nullptr) {
    PyErr_Format(PyExc_TypeError, "%R is no object that may be given memory", object);
    return nullptr;
  }
  Py_INCREF(memory);
  Py_INCREF(note);
  objects[object] = {object, its_class, memory, note, nullptr, nullptr, false};
  Py_RETURN_NONE;
}

PyObject* foreign_memory(PyObject*, PyObject* object) {
  const ForeignObject* entry = known_entry_of(object);
  if (entry != nullptr) {
    Py_INCREF(entry->memory);
  }
  return entry == nullptr ? nullptr : entry->memory;
}

PyObject* foreign_note(PyObject*, PyObject* object) {
  const ForeignObject* entry = known_entry_of(object);
  if (entry == nullptr) {
    return nullptr;
  }
  PyObject* note = entry->note == nullptr ? Py_None : entry->note;
  Py_INCREF(note);
  return note;
}

PyObject* set_foreign_note(PyObject*, PyObject* args) {
  PyObject *object = nullptr, *note = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &object, &note)) {
    return nullptr;
  }
  ForeignObject* entry = known_entry_of(object);
  if (entry == nullptr) {
    return nullptr;
  }
  Py_INCREF(note);
  Py_XSETREF(entry->note, note);
  Py_RETURN_NONE;
}

PyObject* release_foreign(PyObject*, PyObject* object) {
  ForeignObject* entry = entry_of(object);
  const ForeignClass* its_class = class_of(Py_TYPE(object));
  if (entry ==
      nullptr) {  // the other package made it, whose release fails the second time; SVM it has none of
    return its_class->release != nullptr ? PyObject_CallOneArg(its_class->release, object)
                                         : Py_NewRef(Py_None);
  }
  const auto* memory = reinterpret_cast<MemoryObject*>(entry->memory);
  if (memory->mem == nullptr && !entry->has_reference) {
    raise_released(_PyType_Name(Py_TYPE(entry->memory)));
    return nullptr;
  }
  if (memory->mem != nullptr && !release_memory(entry->memory)) {
    return nullptr;
  }
  if (std::exchange(entry->has_reference, false)) {
    return PyObject_CallOneArg(its_class->release, object);
  }
  Py_RETURN_NONE;
}

}  // namespace clpool::python
