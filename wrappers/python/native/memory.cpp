// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Memory: owns one clpool_mem. Base of all classes of buffers, SVM, images and pooled blocks; what is short
// enough to be called for every allocation is here, the rest is written in Python over it.
#include "native.hpp"

#include <structmember.h>

namespace clpool::python {

namespace {

PyTypeObject* memory_type = nullptr;
PyObject* classes = nullptr;  ///< {kind: class}

MemoryObject* as_memory(PyObject* object) {
  return reinterpret_cast<MemoryObject*>(object);
}

// Why an object has none: it was released, or its class says something else.
void raise_no_memory(MemoryObject* self) {
  PyObject* reason = PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(self)), "_no_memory");
  if (reason != nullptr && PyUnicode_Check(reason)) {
    raise_invalid_operation(PyUnicode_AsUTF8(reason));
  } else {
    PyErr_Clear();
    raise_released(_PyType_Name(Py_TYPE(self)));
  }
  Py_XDECREF(reason);
}

clpool_mem* live(MemoryObject* self) {
  if (self->mem == nullptr) {
    raise_no_memory(self);
  }
  return self->mem;
}

/// The same for what is more than a release: a child of fork() has the parent's memory, but no use of it.
clpool_mem* usable(MemoryObject* self) {
  clpool_mem* mem = live(self);
  if (mem != nullptr && clpool_mem_kind(mem) == 0) {
    raise_of_parent(_PyType_Name(Py_TYPE(self)));
    return nullptr;
  }
  return mem;
}

void release_now(void* mem) {
  static_cast<void>(clpool_mem_release(static_cast<clpool_mem*>(mem)));
}

// A finalizer: never waits, never calls a driver.
void put_off(clpool_mem* mem) {
  if (clpool_mem_try_release(mem) == CLPOOL_SUCCESS) {
    return;
  }
  if (clpool_mem_is_pooled(mem) != 0) {
    static_cast<void>(clpool_mem_release_later(mem));
  } else {
    release_later(release_now, mem);
  }
}

// Before the garbage collector takes a cycle apart: memory whose release runs functions written in Python,
// which must find their objects whole, and memory whose host memory OpenCL keeps, which ends the cycle.
void memory_finalize(PyObject* object) {
  auto* self = as_memory(object);
  if (self->mem == nullptr || self->exports > 0 || self->array != nullptr) {
    return;
  }
  if (self->kept_until_gone != 0 || self->calls_python != 0) {
    put_off(self->mem);
    self->mem = nullptr;
  }
}

int memory_traverse(PyObject* object, visitproc visit, void* arg) {
  auto* self = as_memory(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->kept);
  if (self->kept_until_gone != 0 && self->mem != nullptr) {
    Py_VISIT(self->kept);  // the cl_mem's reference
  }
  return 0;
}

int memory_clear(PyObject* object) {
  Py_CLEAR(as_memory(object)->kept);
  return 0;
}

void memory_dealloc(PyObject* object) {
  auto* self = as_memory(object);
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weak_references != nullptr) {
    PyObject_ClearWeakRefs(object);
  }
  if (self->mem != nullptr) {
    put_off(self->mem);
  }
  Py_XDECREF(self->kept);
  Py_XDECREF(self->array);
  type->tp_free(object);
  Py_DECREF(type);
}

/// The memory that is about to be released; NULL with an exception set if it cannot be.
clpool_mem* releasable(MemoryObject* self) {
  const bool has_array = self->array != nullptr && PyWeakref_GetObject(self->array) != Py_None;
  if (self->exports > 0 || has_array) {
    PyErr_Format(PyExc_BufferError, "the memory cannot be released: %d views of it exist",
                 self->exports + (has_array ? 1 : 0));
    return nullptr;
  }
  clpool_mem* mem = live(self);
  if (mem != nullptr && self->uses > 0) {
    raise_in_use(_PyType_Name(Py_TYPE(self)), self->uses);
    return nullptr;
  }
  return mem;
}

/// After the release. Parts of memory that was lent keep their host memory by the whole's object.
void forget_kept(MemoryObject* self) {
  if (self->lent == 0) {
    Py_CLEAR(self->kept);
  }
}

/// `known_idle`: no command uses the memory any more, so that its pool need not find out.
bool release(MemoryObject* self, bool known_idle = false) {
  clpool_mem* mem = releasable(self);
  if (mem == nullptr) {
    return false;
  }
  self->mem = nullptr;
  if (known_idle || clpool_mem_try_release(mem) != CLPOOL_SUCCESS) {
    clpool_status status;
    {
      const DriverCall call;
      status = known_idle ? clpool_mem_release_idle(mem) : clpool_mem_release(mem);
    }
    if (!succeeded(status)) {
      return false;
    }
  }
  forget_kept(self);
  return true;
}

// release_on(queue or None, events or None) -> Event. On failure the memory is as before.
PyObject* memory_release_on(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "expected queue and events");
    return nullptr;
  }
  auto* self = as_memory(object);
  void* queue = nullptr;
  std::vector<void*> events;
  Kept kept;
  if (!to_cl_handle(args[0], "cl_command_queue", queue) ||
      !to_cl_handles(args[1], "cl_event", events, kept)) {
    return nullptr;
  }
  clpool_mem* mem = releasable(self);
  if (mem == nullptr) {
    return nullptr;
  }
  self->mem = nullptr;  // no other thread may use it while the GIL is dropped
  cl_event event = nullptr;
  clpool_status status;
  {
    const DriverCall call;
    status =
        clpool_mem_release_on(mem, static_cast<cl_command_queue>(queue), static_cast<cl_uint>(events.size()),
                              reinterpret_cast<cl_event*>(events.data()), &event);
  }
  if (!succeeded(status)) {
    self->mem = mem;
    return nullptr;
  }
  forget_kept(self);
  return new_event(event);
}

PyObject* memory_release(PyObject* object, PyObject*) {
  if (!release(as_memory(object))) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* memory_release_idle(PyObject* object, PyObject*) {
  if (!release(as_memory(object), true)) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* memory_enter(PyObject* object, PyObject*) {
  if (live(as_memory(object)) == nullptr) {
    return nullptr;
  }
  Py_INCREF(object);
  return object;
}

PyObject* memory_exit(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  if (as_memory(object)->mem != nullptr && !release(as_memory(object))) {
    const bool ends_by_exception = count != 0 && args[0] != Py_None;
    if (!ends_by_exception || PyErr_ExceptionMatches(PyExc_BufferError) == 0) {
      return nullptr;
    }
    PyErr_Clear();  // that one is for the caller: the memory goes back when it is collected
  }
  Py_RETURN_NONE;
}

// NumPy makes the memory the array's base, and gives the view back through which it came to it.
PyObject* memory_lie_under(PyObject* object, PyObject* array) {
  PyObject* reference = PyWeakref_NewRef(array, nullptr);
  if (reference == nullptr) {
    return nullptr;
  }
  Py_XSETREF(as_memory(object)->array, reference);
  Py_RETURN_NONE;
}

PyObject* memory_pin(PyObject* object, PyObject*) {
  ++as_memory(object)->exports;
  Py_RETURN_NONE;
}

PyObject* memory_unpin(PyObject* object, PyObject*) {
  --as_memory(object)->exports;
  Py_RETURN_NONE;
}

template <typename T, T (*read)(const clpool_mem*)>
PyObject* number_property(PyObject* object, void*) {
  clpool_mem* mem = usable(as_memory(object));
  return mem == nullptr ? nullptr : PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(read(mem)));
}

template <typename T, T (*read)(const clpool_mem*)>
PyObject* address_property(PyObject* object, void*) {
  clpool_mem* mem = usable(as_memory(object));
  return mem == nullptr ? nullptr : PyLong_FromVoidPtr(read(mem));
}

PyObject* memory_pooled(PyObject* object, void*) {
  clpool_mem* mem = usable(as_memory(object));
  return mem == nullptr ? nullptr : PyBool_FromLong(clpool_mem_is_pooled(mem));
}

PyObject* memory_released(PyObject* object, void*) {
  return PyBool_FromLong(as_memory(object)->mem == nullptr);
}

PyObject* memory_kept(PyObject* object, void*) {
  PyObject* kept = as_memory(object)->kept;
  kept = kept == nullptr ? Py_None : kept;
  Py_INCREF(kept);
  return kept;
}

int memory_keep(PyObject* object, PyObject* value, void*) {
  Py_XINCREF(value);
  Py_XSETREF(as_memory(object)->kept, value);
  as_memory(object)->kept_until_gone = 0;
  return 0;
}

int memory_getbuffer(PyObject* object, Py_buffer* view, int flags) {
  auto* self = as_memory(object);
  view->obj = nullptr;
  clpool_mem* mem = usable(self);
  if (mem == nullptr) {
    return -1;
  }
  void* pointer = clpool_mem_pointer(mem);
  if (self->addressless != 0) {
    PyErr_SetString(PyExc_BufferError,
                    "the memory is a number of a custom allocator that was not made with addressable=True");
    return -1;
  }
  if (pointer == nullptr) {
    PyErr_Format(PyExc_BufferError, "%s has no address on the host: map it", _PyType_Name(Py_TYPE(object)));
    return -1;
  }
  if (PyBuffer_FillInfo(view, object, pointer, static_cast<Py_ssize_t>(clpool_mem_size(mem)), 0, flags) < 0) {
    return -1;
  }
  ++self->exports;
  return 0;
}

void memory_releasebuffer(PyObject* object, Py_buffer*) {
  --as_memory(object)->exports;
}

Py_hash_t memory_hash(PyObject* object) {
  auto* self = as_memory(object);
  if (self->hash == 0) {  // what was released equals nothing but itself
    const void* identity = self->mem == nullptr ? self : static_cast<void*>(clpool_mem_handle(self->mem));
    PyObject* number =
        PyLong_FromVoidPtr(const_cast<void*>(identity != nullptr ? identity : clpool_mem_pointer(self->mem)));
    if (number == nullptr) {
      return -1;
    }
    self->hash = PyObject_Hash(number);
    Py_DECREF(number);
  }
  return self->hash;
}

PyObject* memory_compare(PyObject* left, PyObject* right, int operation) {
  if (operation ==
      Py_NE) {  // the opposite of what the object's class takes for equal, as Python's own objects have it
    PyObject* const equal = Py_TYPE(left)->tp_richcompare(left, right, Py_EQ);
    if (equal == nullptr || equal == Py_NotImplemented) {
      return equal;
    }
    const int is_equal = PyObject_IsTrue(equal);
    Py_DECREF(equal);
    return is_equal < 0 ? nullptr : PyBool_FromLong(is_equal == 0);
  }
  if (operation != Py_EQ || !PyObject_TypeCheck(right, memory_type)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  if (as_memory(left)->mem != nullptr &&
      as_memory(right)->mem == nullptr) {  // it may be host memory of no context
    Py_RETURN_NOTIMPLEMENTED;
  }
  const bool same = left == right || clpool_mem_equal(as_memory(left)->mem, as_memory(right)->mem) != 0;
  return PyBool_FromLong(same);
}

PyObject* memory_repr(PyObject* object) {
  const clpool_mem* mem = as_memory(object)->mem;
  const char* name = _PyType_Name(Py_TYPE(object));
  if (mem == nullptr) {
    return PyUnicode_FromFormat("<clpool.%s: released>", name);
  }
  if (clpool_mem_kind(mem) == 0) {
    return PyUnicode_FromFormat("<clpool.%s: made before fork()>", name);
  }
  const void* handle = clpool_mem_handle(mem);
  return PyUnicode_FromFormat("<clpool.%s: %zu bytes (%zu reserved) at %s %p>", name, clpool_mem_size(mem),
                              clpool_mem_capacity(mem), handle != nullptr ? "cl_mem" : "address",
                              handle != nullptr ? handle : clpool_mem_pointer(mem));
}

PyMethodDef methods[] = {
    {"release", memory_release, METH_NOARGS,
     "release($self, /)\n--\n\nGives the memory back, to its pool or to the driver. BufferError while views "
     "of it exist."},
    {"release_idle", memory_release_idle, METH_NOARGS,
     "release_idle($self, /)\n--\n\nThe same for a block that no command uses any more: it may be reused at "
     "once."},
    {"_release_on", as_method(memory_release_on), METH_FASTCALL,
     "_release_on($self, queue, events, /)\n--\n\nReleases behind a queue and events, and gives the event of "
     "it."},
    {"_lie_under", memory_lie_under, METH_O, "Refuses a release as long as the array exists."},
    {"_pin", memory_pin, METH_NOARGS, "Counts a view."},
    {"_unpin", memory_unpin, METH_NOARGS, "Takes the view from the count again."},
    CLPOOL_REFUSES_PICKLE,
    {"__enter__", memory_enter, METH_NOARGS, nullptr},
    {"__exit__", as_method(memory_exit), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

#define CLPOOL_NUMBER(NAME, FUNCTION, DOC) \
  { NAME, number_property<size_t, FUNCTION>, nullptr, DOC, nullptr }
PyGetSetDef properties[] = {
    CLPOOL_NUMBER("size", clpool_mem_size, "Bytes that were asked for."),
    CLPOOL_NUMBER("nbytes", clpool_mem_size, "Bytes that were asked for."),
    CLPOOL_NUMBER("capacity", clpool_mem_capacity, "Bytes that were reserved, at least size."),
    {"kind", number_property<clpool_mem_kind_t, clpool_mem_kind>, nullptr, "One of the MEM_KIND numbers.",
     nullptr},
    {"int_ptr", address_property<cl_mem, clpool_mem_handle>, nullptr,
     "The cl_mem as an integer; 0 for memory without one.", nullptr},
    {"svm_ptr", address_property<void*, clpool_mem_pointer>, nullptr,
     "The address as an integer; 0 for memory without one.", nullptr},
    {"is_pooled", memory_pooled, nullptr, "Whether the memory returns to a pool.", nullptr},
    {"is_released", memory_released, nullptr, "Whether release() was called.", nullptr},
    {"_kept", memory_kept, memory_keep, "What this keeps alive.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
#undef CLPOOL_NUMBER

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(MemoryObject, weak_references), READONLY, nullptr},
    {"_addressless", T_BOOL, offsetof(MemoryObject, addressless), 0,
     "Whether its number is none of an address."},
    {"_calls_python", T_BOOL, offsetof(MemoryObject, calls_python), 0,
     "Whether its release runs functions written in Python."},
    {"_lent", T_BOOL, offsetof(MemoryObject, lent), 0,
     "Whether commands that use it keep what it keeps: host memory that nothing else keeps."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(memory_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(memory_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(memory_clear)},
    {Py_tp_finalize, reinterpret_cast<void*>(memory_finalize)},
    {Py_tp_repr, reinterpret_cast<void*>(memory_repr)},
    {Py_tp_hash, reinterpret_cast<void*>(memory_hash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(memory_compare)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_members, members},
    {Py_bf_getbuffer, reinterpret_cast<void*>(memory_getbuffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(memory_releasebuffer)},
    {0, nullptr},
};

PyType_Spec spec = {
    "clpool._native.Memory", sizeof(MemoryObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC, slots};

}  // namespace

bool add_memory_type(PyObject* module) {
  memory_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return memory_type != nullptr &&
         PyModule_AddObjectRef(module, "Memory", reinterpret_cast<PyObject*>(memory_type)) == 0;
}

PyObject* set_memory_classes(PyObject*, PyObject* given) {
  if (!PyDict_Check(given)) {
    PyErr_SetString(PyExc_TypeError, "expected a dictionary from kinds to classes");
    return nullptr;
  }
  Py_INCREF(given);
  Py_XSETREF(classes, given);
  Py_RETURN_NONE;
}

void end_directly(PyTypeObject* type) {
  const bool adds_nothing = type->tp_basicsize == memory_type->tp_basicsize &&
                            type->tp_dictoffset == memory_type->tp_dictoffset &&
                            type->tp_finalize == memory_finalize && PyType_IsSubtype(type, memory_type) != 0;
  if (adds_nothing) {
    type->tp_dealloc = memory_dealloc;
  }
}

bool release_memory(PyObject* object) {
  return release(as_memory(object));
}

PyObject* unpinned_view(PyObject*, PyObject* memory) {
  InUse use;
  clpool_mem* mem = memory_of(memory, use);
  return mem == nullptr ? nullptr
                        : PyMemoryView_FromMemory(static_cast<char*>(clpool_mem_pointer(mem)),
                                                  static_cast<Py_ssize_t>(clpool_mem_size(mem)), PyBUF_WRITE);
}

PyObject* adopt(PyObject*, PyObject* args) {
  PyObject *type = nullptr, *memory = nullptr, *kept = nullptr;
  if (!PyArg_ParseTuple(args, "O!OO", &PyType_Type, &type, &memory, &kept)) {
    return nullptr;
  }
  if (!PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), memory_type)) {
    PyErr_SetString(PyExc_TypeError, "expected a subclass of Memory");
    return nullptr;
  }
  if (memory == Py_None) {  // an object for no bytes
    return PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(type), 0);
  }
  clpool_mem* mem = nullptr;
  {
    InUse use;
    mem = memory_of(memory, use);
  }
  if (mem == nullptr) {
    return nullptr;
  }
  as_memory(memory)->mem = nullptr;
  PyObject* adopted =
      new_memory(reinterpret_cast<PyTypeObject*>(type), mem, kept == Py_None ? nullptr : kept);
  if (adopted != nullptr) {  // what is said of the memory holds whatever its class is
    as_memory(adopted)->addressless = as_memory(memory)->addressless;
    as_memory(adopted)->calls_python = as_memory(memory)->calls_python;
    as_memory(adopted)->lent = as_memory(memory)->lent;
  }
  return adopted;
}

clpool_mem* memory_of(PyObject* object, InUse& use) {
  if (!PyObject_TypeCheck(object, memory_type)) {
    PyErr_Format(PyExc_TypeError, "expected memory of clpool, not %s", Py_TYPE(object)->tp_name);
    return nullptr;
  }
  clpool_mem* mem = usable(as_memory(object));
  if (mem != nullptr) {
    use.begin(as_memory(object)->uses);
  }
  return mem;
}

clpool_mem* memory_of(PyObject* object, InUse& use, CommandNeeds& needs) {
  clpool_mem* mem = memory_of(object, use);
  if (mem != nullptr && as_memory(object)->lent != 0) {
    needs.add(as_memory(object)->kept);
  }
  return mem;
}

PyObject* new_memory(PyTypeObject* type, clpool_mem* mem, PyObject* kept) {
  if (mem == nullptr) {
    Py_RETURN_NONE;
  }
  PyObject* object = PyType_GenericAlloc(type, 0);
  if (object == nullptr) {
    put_off(mem);
    return nullptr;
  }
  as_memory(object)->mem = mem;
  Py_XINCREF(kept);
  as_memory(object)->kept = kept;
  return object;
}

PyObject* new_memory_of_kind(clpool_mem* mem) {
  if (mem == nullptr) {
    Py_RETURN_NONE;
  }
  PyObject* kind = PyLong_FromLong(clpool_mem_kind(mem));
  PyObject* type = kind == nullptr || classes == nullptr ? nullptr : PyDict_GetItemWithError(classes, kind);
  Py_XDECREF(kind);
  return new_memory(type != nullptr ? reinterpret_cast<PyTypeObject*>(type) : memory_type, mem, nullptr);
}

}  // namespace clpool::python
