// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Exceptions: one class per kind of status, each also of the built-in class that Python programs expect, with
// .status and the OpenCL code .code.
#include <array>
#include <cstring>
#include <string>

#include "native.hpp"

namespace clpool::python {

namespace {

struct ErrorClass {
  const char* kind;  ///< as wrappers/generate names it
  PyObject** builtin;
  const char* doc;
  PyObject* type = nullptr;
};

PyObject* base_error = nullptr;

std::array<ErrorClass, 12> error_classes{{
    {"InvalidValue", &PyExc_ValueError, "An argument is outside its range."},
    {"InvalidOperation", &PyExc_RuntimeError,
     "The object is in a state that does not allow the call, such as a block released twice."},
    {"OutOfMemory", &PyExc_MemoryError,
     "Device memory or a pool's limit is exhausted, and everything that could help was tried."},
    {"OutOfHostMemory", &PyExc_MemoryError, "Host memory is exhausted."},
    {"NotSupported", &PyExc_NotImplementedError, "The device, platform or OpenCL version lacks the feature."},
    {"OpenCL", &PyExc_RuntimeError, "An OpenCL call failed: see .code."},
    {"Callback", &PyExc_RuntimeError, "A callback reported a failure or an impossible result."},
    {"InputOutput", &PyExc_OSError, "A file could not be opened, read or written."},
    {"BadFormat", &PyExc_ValueError, "Input is malformed; the message names the place."},
    {"NotFound", &PyExc_LookupError, "No such device, entry or object."},
    {"WouldBlock", &PyExc_RuntimeError, "A non-blocking call would have had to block."},
    {"Internal", &PyExc_RuntimeError, "A broken invariant of libclpool: please report it."},
}};

PyObject* class_of(clpool_status status) {
  const char* kind = kind_of_status(status);
  for (const ErrorClass& entry : error_classes) {
    if (kind != nullptr && std::strcmp(kind, entry.kind) == 0) {
      return entry.type;
    }
  }
  return base_error;
}

bool set_number(PyObject* error, const char* name, long value) {
  PyObject* number = PyLong_FromLong(value);
  const bool done = number != nullptr && PyObject_SetAttrString(error, name, number) == 0;
  Py_XDECREF(number);
  return done;
}

void raise(clpool_status status, const char* text, cl_int code) {
  PyObject* type = class_of(status);
  PyObject* message = PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace");
  PyObject* error = message != nullptr ? PyObject_CallOneArg(type, message) : nullptr;
  Py_XDECREF(message);
  if (error != nullptr && set_number(error, "status", status) && set_number(error, "code", code)) {
    PyErr_SetObject(type, error);
  }
  Py_XDECREF(error);
}

}  // namespace

bool add_errors(PyObject* module) {
  PyObject* defaults = Py_BuildValue("{s:i,s:i}", "status", 0, "code", 0);
  base_error = defaults == nullptr
                   ? nullptr
                   : PyErr_NewExceptionWithDoc(
                         "clpool.ClpoolError",
                         "What libclpool could not do. .status is one of the STATUS numbers, .code the "
                         "OpenCL error code behind it, 0 if there is none.",
                         PyExc_Exception, defaults);
  Py_XDECREF(defaults);
  if (base_error == nullptr || PyModule_AddObjectRef(module, "ClpoolError", base_error) < 0) {
    return false;
  }
  for (ErrorClass& entry : error_classes) {
    const std::string name = std::string(entry.kind) + "Error";
    PyObject* bases = PyTuple_Pack(2, base_error, *entry.builtin);
    entry.type = bases == nullptr
                     ? nullptr
                     : PyErr_NewExceptionWithDoc(("clpool." + name).c_str(), entry.doc, bases, nullptr);
    Py_XDECREF(bases);
    if (entry.type == nullptr || PyModule_AddObjectRef(module, name.c_str(), entry.type) < 0) {
      return false;
    }
  }
  return true;
}

void raise_status(clpool_status status) {
  if (take_exception_back() || PyErr_Occurred() != nullptr) {
    return;
  }
  const char* text = clpool_last_error_message();
  // Statuses that come without a message, so that asking is cheap, would show an older one's.
  const bool silent = status == CLPOOL_ERROR_WOULD_BLOCK;
  raise(status, silent || *text == '\0' ? clpool_status_string(status) : text,
        silent ? 0 : clpool_last_cl_error());
}

bool succeeded(clpool_status status) {
  if (status != CLPOOL_SUCCESS) {
    raise_status(status);
    return false;
  }
  if (take_exception_back()) {  // a callback failed, but the call did what it was to do
    PyErr_WriteUnraisable(nullptr);
  }
  return true;
}

void raise_cl(const char* call, cl_int code) {
  const std::string text = std::string(call) + " failed: " + clpool_cl_error_name(code);
  raise(CLPOOL_ERROR_OPENCL, text.c_str(), code);
}

void raise_released(const char* what) {
  const std::string text = std::string(what) + " was released already";
  raise(CLPOOL_ERROR_INVALID_OPERATION, text.c_str(), 0);
}

void raise_of_parent(const char* what) {
  const std::string text =
      std::string(what) + " was made before fork(); a child process cannot use it, it can only make its own";
  raise(CLPOOL_ERROR_INVALID_OPERATION, text.c_str(), 0);
}

void raise_in_use(const char* what, Py_ssize_t calls) {
  const std::string text =
      std::string(what) +
      " cannot be released while it is in use: calls that have not returned: " + std::to_string(calls);
  raise(CLPOOL_ERROR_INVALID_OPERATION, text.c_str(), 0);
}

}  // namespace clpool::python
