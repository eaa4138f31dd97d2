// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pool: owns one clpool_pool. allocate() is the path that has to be fast: a hit neither drops the GIL nor
// parses arguments. Its options are those of clpool_pool_options by name.
#include "native.hpp"

#include <structmember.h>

namespace clpool::python {

namespace {

struct PoolObject {
  PyObject_HEAD clpool_pool* pool;
  /// Class of the blocks.
  PyTypeObject* block_type;
  /// Number of its registered functions; 0 for none.
  uint64_t functions;
  PyObject* weak_references;
  /// Calls that use it at this moment.
  Py_ssize_t uses;
  /// Whether its memory comes from functions written in Python: see calls_python().
  char calls_python;
  /// Whether the blocks' numbers are none of addresses.
  char addressless;
};

PyTypeObject* pool_type = nullptr;

PoolObject* as_pool(PyObject* object) {
  return reinterpret_cast<PoolObject*>(object);
}

void release_pool(void* pool) {
  static_cast<void>(clpool_pool_release(static_cast<clpool_pool*>(pool)));
}

clpool_pool* live(PoolObject* self) {
  if (self->pool == nullptr && self->block_type == nullptr) {
    raise_invalid_operation("there is no pool: the class's __init__() did not call clpool's, or that failed");
  } else if (self->pool == nullptr) {
    raise_released(_PyType_Name(Py_TYPE(self)));
  }
  return self->pool;
}

bool to_size(PyObject* argument, size_t& size) {
  if (PyLong_CheckExact(argument)) {
    const Py_ssize_t number = PyLong_AsSsize_t(argument);
    if (number >= 0) {
      size = static_cast<size_t>(number);
      return true;
    }
    PyErr_Clear();
  }
  uint64_t value = 0;
  if (!to_unsigned(argument, SIZE_MAX, "size", value)) {
    return false;
  }
  size = static_cast<size_t>(value);
  return true;
}

// A miss: whatever may wait, call a driver or run a callback.
clpool_mem* allocate_slowly(PoolObject* self, size_t size, cl_command_queue queue_or_null = nullptr) {
  InUse use;
  use.begin(self->uses);
  clpool_mem* mem = nullptr;
  clpool_status status;
  {
    const DriverCall call;
    status = queue_or_null == nullptr ? clpool_pool_allocate(self->pool, size, &mem)
                                      : clpool_pool_allocate_on(self->pool, queue_or_null, size, &mem);
  }
  if (!succeeded(status)) {
    return nullptr;
  }
  return mem;
}

PyObject* new_block(PoolObject* self, clpool_mem* mem) {
  PyObject* block = new_memory(self->block_type, mem, reinterpret_cast<PyObject*>(self));
  if (block != nullptr) {
    reinterpret_cast<MemoryObject*>(block)->addressless = self->addressless;
    reinterpret_cast<MemoryObject*>(block)->calls_python = self->calls_python;
  }
  return block;
}

/// Arguments by position and by name, in the order of `known`: each is needed. False with an exception set.
template <size_t count>
bool take_arguments(const char* function, const char* const (&known)[count], PyObject* const* args,
                    Py_ssize_t positional, PyObject* names, PyObject* (&found)[count]) {
  if (positional > static_cast<Py_ssize_t>(count)) {
    PyErr_Format(PyExc_TypeError, "%s() takes %zu arguments, %zd were given", function, count, positional);
    return false;
  }
  for (Py_ssize_t i = 0; i < positional; ++i) {
    found[i] = args[i];
  }
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    size_t place = 0;
    while (place < count && PyUnicode_CompareWithASCIIString(name, known[place]) != 0) {
      ++place;
    }
    if (place == count || found[place] != nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() got %s argument '%U'", function,
                   place == count ? "an unexpected" : "more than one", name);
      return false;
    }
    found[place] = args[positional + i];
  }
  for (size_t place = 0; place < count; ++place) {
    if (found[place] == nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'", function, known[place]);
      return false;
    }
  }
  return true;
}

constexpr const char* size_alone[] = {"size"};
constexpr const char* queue_and_size[] = {"queue", "size"};

/// The size, which is given by name or wrongly; NULL with an exception set. Apart, so that hits save no registers for it.
[[gnu::cold, gnu::noinline]] PyObject* named_size(const char* function, PyObject* const* args,
                                                  Py_ssize_t count, PyObject* names) {
  PyObject* found[1] = {};
  return take_arguments(function, size_alone, args, count, names, found) ? found[0] : nullptr;
}

[[gnu::always_inline]] inline PyObject* allocate(PyObject* object, PyObject* argument) {
  auto* self = as_pool(object);
  size_t size = 0;
  if (live(self) == nullptr || !to_size(argument, size)) {
    return nullptr;
  }
  if (releases_wait()) {  // nobody else may call for long
    InUse use;
    use.begin(self->uses);
    carry_out_a_piece();
  }
  clpool_mem* mem = nullptr;
  if (clpool_pool_try_allocate(self->pool, size, &mem) != CLPOOL_SUCCESS) {
    mem = allocate_slowly(self, size);
    if (mem == nullptr) {
      return nullptr;
    }
  }
  return new_block(self, mem);
}

PyObject* pool_allocate(PyObject* object, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  PyObject* size = count == 1 && names == nullptr ? args[0] : named_size("allocate", args, count, names);
  return size == nullptr ? nullptr : allocate(object, size);
}

PyObject* pool_call(PyObject* object, PyObject* args, PyObject* keywords) {
  PyObject* size = PyTuple_GET_SIZE(args) == 1 ? PyTuple_GET_ITEM(args, 0) : nullptr;
  if (size == nullptr || keywords != nullptr) {
    static const char* const names[] = {"size", nullptr};
    if (PyArg_ParseTupleAndKeywords(args, keywords, "O:__call__", const_cast<char**>(names), &size) == 0) {
      return nullptr;
    }
  }
  return allocate(object, size);
}

// _allocate_as(size, class[, note]): a block as an object of another package.
PyObject* pool_allocate_as(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  if (count != 2 && count != 3) {
    PyErr_SetString(PyExc_TypeError, "expected size, class and maybe a note");
    return nullptr;
  }
  const ForeignClass* wanted = foreign_class(args[1]);
  if (wanted == nullptr) {
    return nullptr;
  }
  PyObject* block = allocate(object, args[0]);
  return block == nullptr ? nullptr : foreign_object(*wanted, block, count == 3 ? args[2] : nullptr);
}

PyObject* pool_try_allocate(PyObject* object, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  auto* self = as_pool(object);
  PyObject* argument =
      count == 1 && names == nullptr ? args[0] : named_size("try_allocate", args, count, names);
  size_t size = 0;
  if (argument == nullptr || live(self) == nullptr || !to_size(argument, size)) {
    return nullptr;
  }
  clpool_mem* mem = nullptr;
  const clpool_status status = clpool_pool_try_allocate(self->pool, size, &mem);
  if (status == CLPOOL_ERROR_WOULD_BLOCK) {
    Py_RETURN_NONE;
  }
  return succeeded(status) ? new_block(self, mem) : nullptr;
}

// allocate_on(queue, size)
PyObject* pool_allocate_on(PyObject* object, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  auto* self = as_pool(object);
  PyObject* given[2] = {};
  size_t size = 0;
  void* queue = nullptr;
  if (!take_arguments("allocate_on", queue_and_size, args, count, names, given) || live(self) == nullptr ||
      !to_given_cl_handle(given[0], "cl_command_queue", "queue", queue) || !to_size(given[1], size)) {
    return nullptr;
  }
  if (queue == nullptr) {
    PyErr_SetString(PyExc_ValueError, "queue is 0, a cl_command_queue is needed");
    return nullptr;
  }
  clpool_mem* mem = allocate_slowly(self, size, static_cast<cl_command_queue>(queue));
  return mem == nullptr ? nullptr : new_block(self, mem);
}

int pool_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(reinterpret_cast<PyObject*>(as_pool(object)->block_type));
  return visit_functions(as_pool(object)->functions, visit, arg);
}

int pool_clear(PyObject* object) {
  unregister_functions(as_pool(object)->functions);
  as_pool(object)->functions = 0;
  return 0;
}

// Before the garbage collector takes a cycle apart, so that functions that release chunks find their objects
// whole.
void pool_finalize(PyObject* object) {
  auto* self = as_pool(object);
  if (self->calls_python != 0 && self->pool != nullptr) {
    release_later(release_pool, self->pool);
    self->pool = nullptr;
  }
}

void pool_dealloc(PyObject* object) {
  auto* self = as_pool(object);
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weak_references != nullptr) {
    PyObject_ClearWeakRefs(object);
  }
  pool_clear(object);
  if (self->pool != nullptr) {
    release_later(release_pool, self->pool);
  }
  Py_XDECREF(self->block_type);
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject* pool_release(PyObject* object, PyObject*) {
  auto* self = as_pool(object);
  clpool_pool* pool = live(self);
  if (pool == nullptr) {
    return nullptr;
  }
  if (self->uses > 0) {
    raise_in_use(_PyType_Name(Py_TYPE(self)), self->uses);
    return nullptr;
  }
  self->pool = nullptr;
  clpool_status status;
  {
    const DriverCall call;
    status = clpool_pool_release(pool);
  }
  if (!succeeded(status)) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* pool_released(PyObject* object, void*) {
  return PyBool_FromLong(as_pool(object)->pool == nullptr);
}

PyObject* or_null(PyObject* object) {
  return object == Py_None ? nullptr : object;
}

bool is_callable_or_none(PyObject* object, const char* name) {
  if (object == Py_None || PyCallable_Check(object)) {
    return true;
  }
  PyErr_Format(PyExc_TypeError, "%s must be callable or None, not %s", name, Py_TYPE(object)->tp_name);
  return false;
}

int pool_init(PyObject* object, PyObject* args, PyObject* keywords) {
  auto* self = as_pool(object);
  static const char* const names[] = {"allocator", "block_class", "options", "collect", "out_of_memory",
                                      "message",   "queues",      "name",    nullptr};
  PyObject *allocator, *block_class, *fields, *collect, *out_of_memory, *message, *queues;
  const char* name = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO!OOOOOz", const_cast<char**>(names), &allocator,
                                   &PyType_Type, &block_class, &fields, &collect, &out_of_memory, &message,
                                   &queues, &name)) {
    return -1;
  }
  if (self->block_type != nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "the pool was made already");
    return -1;
  }
  InUse use;
  auto* source = static_cast<clpool_allocator*>(handle_of(allocator, clpool_allocator_kind, use));
  const clpool_pool_options* given = pool_options_of(fields);
  std::vector<void*> queue_handles;
  Kept kept;
  const bool parsed = source != nullptr && given != nullptr &&
                      to_cl_handles(queues, "cl_command_queue", queue_handles, kept) &&
                      is_callable_or_none(collect, "collect") &&
                      is_callable_or_none(out_of_memory, "out_of_memory") &&
                      is_callable_or_none(message, "message");
  if (!parsed) {
    return -1;
  }
  const PoolFunctions functions{or_null(collect), or_null(out_of_memory), or_null(message)};
  self->functions = register_functions(functions);
  if (self->functions == 0) {
    return -1;
  }
  const clpool_pool_callbacks callbacks = callbacks_of(functions);
  clpool_pool_options options = *given;
  options.callbacks = &callbacks;
  options.user = reinterpret_cast<void*>(static_cast<uintptr_t>(self->functions));
  options.queues = reinterpret_cast<const cl_command_queue*>(queue_handles.data());
  options.queue_count = static_cast<uint32_t>(queue_handles.size());
  options.name = name;
  clpool_status status;
  {
    const DriverCall call;
    status = clpool_pool_create(source, &options, &self->pool);
  }
  if (!succeeded(status)) {
    return -1;
  }
  self->calls_python = calls_python(allocator) ? 1 : 0;
  Py_INCREF(block_class);
  self->block_type = reinterpret_cast<PyTypeObject*>(block_class);
  end_directly(self->block_type);
  return 0;
}

PyMethodDef methods[] = {
    {"allocate", as_method(pool_allocate), METH_FASTCALL | METH_KEYWORDS,
     "allocate($self, size)\n--\n\nHands out a block of so many bytes, which may be 0, as one of the pool's "
     "own class: it is out until "
     "release(), the end of a `with`, or its collection.\n\nMemoryError (OutOfMemoryError) where there is "
     "none, also after "
     "waiting; InvalidValueError for more than the device has in one piece; ValueError below 0, "
     "OverflowError from 2**64 on. "
     "Any thread may call it."},
    {"_allocate_as", as_method(pool_allocate_as), METH_FASTCALL,
     "_allocate_as($self, size, kind, /)\n--\n\nA block as an object of another package's class."},
    {"allocate_on", as_method(pool_allocate_on), METH_FASTCALL | METH_KEYWORDS,
     "allocate_on($self, queue, size)\n--\n\nA block that commands on this queue will use, and on no other "
     "unless used_on() "
     "says so: what the queue itself has released is handed out without waiting for it, if it is in order. "
     "Errors as of "
     "allocate()."},
    {"try_allocate", as_method(pool_try_allocate), METH_FASTCALL | METH_KEYWORDS,
     "try_allocate($self, size)\n--\n\nA block as of allocate() if that takes neither waiting nor a driver "
     "call, else None. Errors "
     "as of allocate(), but for out of memory."},
    {"release", pool_release, METH_NOARGS,
     "release($self, /)\n--\n\nGives up the pool; it lives on while its blocks do. InvalidOperationError "
     "while a call uses it."},
    CLPOOL_REFUSES_PICKLE,
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"is_released", pool_released, nullptr, "Whether release() was called.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PoolObject, weak_references), READONLY, nullptr},
    {"_addressless", T_BOOL, offsetof(PoolObject, addressless), 0,
     "Whether the blocks' numbers are none of addresses."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_init, reinterpret_cast<void*>(pool_init)},
    {Py_tp_dealloc, reinterpret_cast<void*>(pool_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(pool_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(pool_clear)},
    {Py_tp_finalize, reinterpret_cast<void*>(pool_finalize)},
    {Py_tp_call, reinterpret_cast<void*>(pool_call)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {"clpool._native.Pool", sizeof(PoolObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

}  // namespace

bool add_pool_type(PyObject* module) {
  pool_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return pool_type != nullptr &&
         PyModule_AddObjectRef(module, "Pool", reinterpret_cast<PyObject*>(pool_type)) == 0;
}

clpool_pool* pool_of(PyObject* object, InUse& use) {
  if (!PyObject_TypeCheck(object, pool_type)) {
    PyErr_Format(PyExc_TypeError, "expected a pool of clpool, not %s", Py_TYPE(object)->tp_name);
    return nullptr;
  }
  clpool_pool* pool = live(as_pool(object));
  if (pool != nullptr) {
    use.begin(as_pool(object)->uses);
  }
  return pool;
}

}  // namespace clpool::python
