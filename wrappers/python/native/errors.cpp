// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How statuses become exceptions, with .status and the OpenCL code .code. The classes are those of clpool/_errors.py.
#include <cstring>
#include <string>
#include <utility>

#include "native.hpp"

namespace clpool::python {

namespace {

PyObject* base_error = nullptr;
PyObject* errors_of_status = nullptr;  // {status: class}

PyObject* class_of(clpool_status status) {
  PyObject* number = PyLong_FromLong(status);
  PyObject* found = number == nullptr ? nullptr : PyDict_GetItemWithError(errors_of_status, number);
  Py_XDECREF(number);
  PyErr_Clear();
  return found != nullptr ? found : base_error;
}

bool set_number(PyObject* error, const char* name, long value) {
  PyObject* number = PyLong_FromLong(value);
  const bool done = number != nullptr && PyObject_SetAttrString(error, name, number) == 0;
  Py_XDECREF(number);
  return done;
}

/// `cause`: stolen; what led to it, or nullptr.
void raise(clpool_status status, const char* text, cl_int code, PyObject* cause = nullptr) {
  PyObject* type = class_of(status);
  PyObject* message = PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace");
  PyObject* error = message != nullptr ? PyObject_CallOneArg(type, message) : nullptr;
  Py_XDECREF(message);
  if (error != nullptr && set_number(error, "status", status) && set_number(error, "code", code)) {
    if (cause != nullptr) {  // else what is being handled would be hidden
      PyException_SetCause(error, std::exchange(cause, nullptr));
    }
    PyErr_SetObject(type, error);
  }
  Py_XDECREF(cause);
  Py_XDECREF(error);
}

/// An exception, with what its frames hold, beside one that may be set.
void drop(PyObject* exception) {
  if (exception == nullptr) {
    return;
  }
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  Py_DECREF(exception);
  PyErr_Restore(type, value, traceback);
}

}  // namespace

bool find_errors() {
  PyObject* errors = PyImport_ImportModule("clpool._errors");
  base_error = errors == nullptr ? nullptr : PyObject_GetAttrString(errors, "ClpoolError");
  errors_of_status = base_error == nullptr ? nullptr : PyObject_GetAttrString(errors, "OF_STATUS");
  Py_XDECREF(errors);
  return errors_of_status != nullptr;
}

void raise_status(clpool_status status) {
  PyObject* no_memory = take_no_memory();  // what goes with it may call the library: last
  if (take_exception_back() || PyErr_Occurred() != nullptr) {
    drop(no_memory);
    return;
  }
  const char* text = clpool_last_error_message();
  // Statuses that come without a message, so that asking is cheap, would show an older one's.
  const bool silent = status == CLPOOL_ERROR_WOULD_BLOCK;
  const bool is_cause = status == CLPOOL_ERROR_OUT_OF_MEMORY;
  raise(status, silent || *text == '\0' ? clpool_status_string(status) : text,
        silent ? 0 : clpool_last_cl_error(), is_cause ? std::exchange(no_memory, nullptr) : nullptr);
  drop(no_memory);
}

bool succeeded(clpool_status status) {
  if (status != CLPOOL_SUCCESS) {
    raise_status(status);
    return false;
  }
  PyObject* const no_memory = take_no_memory();  // which the pool has answered
  if (take_exception_back()) {                   // a callback failed, but the call did what it was to do
    PyErr_WriteUnraisable(nullptr);
  }
  drop(no_memory);
  return true;
}

void raise_cl(const char* call, cl_int code) {
  const std::string text = std::string(call) + " failed: " + clpool_cl_error_name(code);
  raise(CLPOOL_ERROR_OPENCL, text.c_str(), code);
}

void raise_invalid_operation(const char* text) {
  raise(CLPOOL_ERROR_INVALID_OPERATION, text, 0);
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

PyObject* refuse_pickle(PyObject* object, PyObject*) {
  PyErr_Format(PyExc_TypeError, "cannot pickle a clpool.%s: it belongs to this process",
               _PyType_Name(Py_TYPE(object)));
  return nullptr;
}

void raise_in_use(const char* what, Py_ssize_t calls) {
  const std::string text =
      std::string(what) +
      " cannot be released while it is in use: calls that have not returned: " + std::to_string(calls);
  raise(CLPOOL_ERROR_INVALID_OPERATION, text.c_str(), 0);
}

}  // namespace clpool::python
