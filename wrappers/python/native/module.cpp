// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the generated module gets besides SWIG's functions: the hand-written types, errors and functions with
// callbacks.
#include "module.hpp"

#include "native.hpp"

namespace clpool::python {

namespace {

PyObject* finish(PyObject*, PyObject*) {
  finish_releases();
  Py_RETURN_NONE;
}

PyObject* at_exit(PyObject*, PyObject*) {
  forget_message_callback();
  finish_releases();
  Py_RETURN_NONE;
}

PyObject* address_of(PyObject*, PyObject* args) {
  PyObject* object = nullptr;
  int writable = 0;
  if (!PyArg_ParseTuple(args, "O|p", &object, &writable)) {
    return nullptr;
  }
  HostBuffer buffer;
  return buffer.open(object, writable != 0) ? Py_BuildValue("(Nn)", PyLong_FromVoidPtr(buffer.data()),
                                                            static_cast<Py_ssize_t>(buffer.size()))
                                            : nullptr;
}

PyObject* cl_handle(PyObject*, PyObject* args) {
  PyObject* object = nullptr;
  const char* what = nullptr;
  void* handle = nullptr;
  const bool done =
      PyArg_ParseTuple(args, "Os", &object, &what) && to_given_cl_handle(object, what, "the handle", handle);
  return done ? PyLong_FromVoidPtr(handle) : nullptr;
}

PyMethodDef functions[] = {
    {"set_memory_classes", set_memory_classes, METH_O, "set_memory_classes({kind: class})"},
    {"unpinned_view", unpinned_view, METH_O, "unpinned_view(memory) -> a memoryview that does not keep it"},
    {"adopt", adopt, METH_VARARGS, "adopt(class, memory, kept)"},
    {"finish_releases", finish, METH_NOARGS, "Carries out the releases that finalizers put off."},
    {"address_of", address_of, METH_VARARGS, "address_of(buffer, writable=False) -> (address, bytes)"},
    {"keep_until_gone", keep_until_gone, METH_VARARGS,
     "keep_until_gone(memory, object): keeps the object until the memory's cl_mem is destroyed"},
    {"add_foreign_class", add_foreign_class, METH_VARARGS, "add_foreign_class(class, make, is_handle)"},
    {"foreign_object", foreign_object_of, METH_VARARGS,
     "foreign_object(class, memory[, note]) -> an object of the class"},
    {"give_foreign_memory", give_foreign_memory, METH_VARARGS, "give_foreign_memory(object, memory, note)"},
    {"foreign_note", foreign_note, METH_O, "foreign_note(object) -> what was noted of it"},
    {"set_foreign_note", set_foreign_note, METH_VARARGS, "set_foreign_note(object, note)"},
    {"foreign_memory", foreign_memory, METH_O, "foreign_memory(object) -> the memory that it stands for"},
    {"release_foreign", release_foreign, METH_O, "release_foreign(object): gives its memory back"},
    {"cl_handle", cl_handle, METH_VARARGS, "cl_handle(object, type) -> the handle as an integer"},
    {"context_of", context_of, METH_VARARGS, "context_of(object, type) -> the context of a queue or kernel"},
    {"create_context", create_context, METH_O, "create_context(device) -> a Context with it alone"},
    {"create_custom_allocator", create_custom_allocator, METH_VARARGS,
     "create_custom_allocator(allocate, deallocate)"},
    {"set_message_callback", set_message_callback, METH_O, "set_message_callback(callback or None)"},
    {"visit_pool", visit_pool, METH_VARARGS, "visit_pool(pool, visitor)"},
    {"replay", replay, METH_VARARGS, "replay(trace, target, progress, interval) -> tuple"},
    {"create_cache", create_cache, METH_NOARGS, "create_cache() -> a handle"},
    {"cache_get", cache_get, METH_VARARGS, "cache_get(cache, kind, object, key, compute)"},
    {"cache_find", cache_find, METH_VARARGS, "cache_find(cache, kind, object, key)"},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef at_exit_method = {"at_exit", at_exit, METH_NOARGS, nullptr};

// Before the interpreter ends: what was put off is carried out while everything still works.
bool finish_at_exit() {
  PyObject* function = PyCFunction_New(&at_exit_method, nullptr);
  PyObject* exits = function == nullptr ? nullptr : PyImport_ImportModule("atexit");
  PyObject* done = exits == nullptr ? nullptr : PyObject_CallMethod(exits, "register", "O", function);
  Py_XDECREF(function);
  Py_XDECREF(exits);
  Py_XDECREF(done);
  return done != nullptr;
}

}  // namespace

bool add_everything(PyObject* module) {
  return find_errors() && add_handle_type(module) && add_host_view_type(module) && add_mapped_type(module) &&
         add_cl_types(module) && add_memory_type(module) && add_pool_type(module) &&
         PyModule_AddFunctions(module, functions) == 0 && follow_forks() && finish_at_exit();
}

}  // namespace clpool::python
