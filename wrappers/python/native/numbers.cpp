// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Conversions of arguments. What is negative or too large is refused here, before the library sees it.
#include <cinttypes>
#include <cstring>
#include <string>
#include <string_view>

#include "native.hpp"

namespace clpool::python {

namespace {

/// A new reference to the object as an int; nullptr with an exception, which names it where it is none.
PyObject* to_int(PyObject* object, const char* name) {
  if (PyIndex_Check(object) == 0) {
    PyErr_Format(PyExc_TypeError, "%s must be an integer, not %s", name, _PyType_Name(Py_TYPE(object)));
    return nullptr;
  }
  return PyNumber_Index(object);
}

}  // namespace

bool to_unsigned(PyObject* object, uint64_t max, const char* name, uint64_t& value) {
  PyObject* number = to_int(object, name);
  if (number == nullptr) {
    return false;
  }
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(number, &overflow);
  const bool negative = overflow < 0 || (overflow == 0 && small < 0);
  if (negative) {
    PyErr_Format(PyExc_ValueError, "%s must not be negative: %S", name, number);
  } else {
    value = overflow == 0 ? static_cast<uint64_t>(small) : PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred() != nullptr || value > max) {
      PyErr_Clear();
      PyErr_Format(PyExc_OverflowError, "%s is %S, over the largest possible number %llu", name, number,
                   static_cast<unsigned long long>(max));
    }
  }
  Py_DECREF(number);
  return PyErr_Occurred() == nullptr;
}

bool to_signed(PyObject* object, int64_t min, int64_t max, const char* name, int64_t& value) {
  PyObject* number = to_int(object, name);
  if (number == nullptr) {
    return false;
  }
  int overflow = 0;
  value = PyLong_AsLongLongAndOverflow(number, &overflow);
  const bool outside = overflow != 0 || value < min || value > max;
  if (outside) {
    PyErr_Format(PyExc_OverflowError, "%s is %S, not within %lld to %lld", name, number,
                 static_cast<long long>(min), static_cast<long long>(max));
  }
  Py_DECREF(number);
  return !outside;
}

bool to_flag(PyObject* object, int32_t& flag) {
  flag = PyObject_IsTrue(object);
  return flag >= 0;
}

bool to_address(PyObject* object, const char* name, void*& address) {
  uint64_t value = 0;
  if (object != Py_None && !to_unsigned(object, UINTPTR_MAX, name, value)) {
    return false;
  }
  address = reinterpret_cast<void*>(static_cast<uintptr_t>(value));
  return true;
}

bool to_text(PyObject* object, const char* name, const char*& text) {
  if (object == Py_None) {
    text = nullptr;
    return true;
  }
  if (!PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "%s must be a str, not %s", name, Py_TYPE(object)->tp_name);
    return false;
  }
  Py_ssize_t size = 0;
  text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text != nullptr && std::strlen(text) != static_cast<size_t>(size)) {
    PyErr_Format(PyExc_ValueError, "%s has a null character: %R", name, object);
    return false;
  }
  return text != nullptr;
}

namespace {

// What classes of ours and of PyOpenCL stand for, by the names of the classes or of their bases.
struct ClClass {
  const char* name;
  const char* kind;
};
constexpr ClClass cl_classes[] = {
    {"Context", "cl_context"},
    {"CommandQueue", "cl_command_queue"},
    {"Event", "cl_event"},
    {"Device", "cl_device_id"},
    {"Platform", "cl_platform_id"},
    {"Kernel", "cl_kernel"},
    {"Program", "cl_program"},
    {"_Program", "cl_program"},
    {"Sampler", "cl_sampler"},
    {"SamplerHandle", "cl_sampler"},
    {"Memory", "cl_mem"},
    {"MemoryObject", "cl_mem"},
    {"MemoryObjectHolder", "cl_mem"},
    {"MemoryMap", "mapped address"},
};

std::string_view name_of(PyTypeObject* type) {
  const std::string_view full = type->tp_name;
  return full.substr(full.rfind('.') + 1);
}

// NumPy's, too, which some of its versions take for an integer.
bool is_bool(PyObject* object) {
  const std::string_view name = name_of(Py_TYPE(object));
  return name == "bool" || name == "bool_";
}

// NULL for classes that nothing is known of.
const char* cl_kind_of(PyTypeObject* type) {
  PyObject* bases = type->tp_mro;
  for (Py_ssize_t i = 0; bases != nullptr && i < PyTuple_GET_SIZE(bases); ++i) {
    const std::string_view name = name_of(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i)));
    for (const ClClass& known : cl_classes) {
      if (name == known.name) {
        return known.kind;
      }
    }
  }
  return nullptr;
}

}  // namespace

// What an item's own code does to a list moves nothing under the caller then.
PyObject* tuple_of(PyObject* object, const char* refusal) {
  PyObject* items = PySequence_Fast(object, refusal);
  PyObject* result = items == nullptr ? nullptr : PySequence_Tuple(items);
  Py_XDECREF(items);
  return result;
}

bool to_cl_handle(PyObject* object, const char* what, void*& handle) {
  if (object == Py_None || (PyLong_Check(object) && !is_bool(object))) {
    return to_address(object, what, handle);
  }
  const char* kind = cl_kind_of(Py_TYPE(object));
  if (kind != nullptr && std::string_view(what) != any_cl_object && std::string_view(kind) != what) {
    PyErr_Format(PyExc_TypeError, "expected a %s, not a %s: %s", what, kind, Py_TYPE(object)->tp_name);
    return false;
  }
  PyObject* value = PyObject_GetAttrString(object, "int_ptr");
  if (value == nullptr && PyErr_ExceptionMatches(PyExc_AttributeError) != 0) {
    PyErr_Clear();
    value = is_bool(object) ? nullptr : PyNumber_Index(object);  // of NumPy's integers
    if (value == nullptr) {
      PyErr_Format(PyExc_TypeError, "%s must be an integer or have int_ptr, not %s", what,
                   Py_TYPE(object)->tp_name);
    }
  }
  if (value == nullptr) {
    return false;
  }
  const bool done = to_address(value, what, handle);
  Py_DECREF(value);
  return done;
}

bool to_given_cl_handle(PyObject* object, const char* what, const char* name, void*& handle) {
  if (object == Py_None) {
    PyErr_Format(PyExc_TypeError, "%s is None, a %s is needed", name, what);
    return false;
  }
  return to_cl_handle(object, what, handle);
}

bool to_cl_handles(PyObject* object, const char* what, std::vector<void*>& handles, Kept& kept) {
  if (object == Py_None) {
    return true;
  }
  PyObject* items = tuple_of(object, "expected a sequence");
  if (items == nullptr) {
    if (Py_TYPE(object)->tp_iter == nullptr && PySequence_Check(object) == 0) {
      PyErr_Format(PyExc_TypeError, "expected a sequence of %s, not %s", what, Py_TYPE(object)->tp_name);
    }
    return false;
  }
  kept.object = items;
  handles.resize(static_cast<size_t>(PyTuple_GET_SIZE(items)));
  bool done = true;
  for (size_t i = 0; done && i < handles.size(); ++i) {
    const std::string name = "item " + std::to_string(i);
    done = to_given_cl_handle(PyTuple_GET_ITEM(items, static_cast<Py_ssize_t>(i)), what, name.c_str(),
                              handles[i]);
  }
  return done;
}

bool to_sizes(PyObject* object, const char* name, std::vector<size_t>& sizes) {
  PyObject* items = tuple_of(object, "expected a sequence of integers");
  if (items == nullptr) {
    return false;
  }
  bool done = true;
  for (Py_ssize_t i = 0; done && i < PyTuple_GET_SIZE(items); ++i) {
    uint64_t size = 0;
    done = to_unsigned(PyTuple_GET_ITEM(items, i), SIZE_MAX, name, size);
    sizes.push_back(static_cast<size_t>(size));
  }
  Py_DECREF(items);
  return done;
}

bool to_pairs(PyObject* object, const char* name, std::vector<size_t>& numbers) {
  if (PyMapping_Check(object) != 0 && PySequence_Check(object) == 0) {
    PyErr_Format(PyExc_TypeError, "%s must be a sequence of names and values in turns, not %s", name,
                 Py_TYPE(object)->tp_name);
    return false;
  }
  if (!to_sizes(object, name, numbers)) {
    return false;
  }
  const size_t count = numbers.size();
  if (count % 2 != 0 && numbers.back() == 0) {  // the end is given, too
    numbers.pop_back();
  }
  for (size_t i = 0; i < numbers.size(); i += 2) {
    if (numbers.size() % 2 != 0 || numbers[i] == 0) {
      PyErr_Format(PyExc_ValueError,
                   "%s has %zu entries; names, which are not 0, and values in turns are expected", name,
                   count);
      return false;
    }
  }
  numbers.push_back(0);
  return true;
}

bool to_three(PyObject* object, const char* name, size_t fill, size_t (&sizes)[3]) {
  std::vector<size_t> given;
  PyObject* number = PyIndex_Check(object) != 0 ? PyNumber_Index(object) : nullptr;
  PyErr_Clear();  // of an array of NumPy, which has the method and is a sequence
  if (number != nullptr) {
    uint64_t size = 0;
    const bool fits = to_unsigned(number, SIZE_MAX, name, size);
    Py_DECREF(number);
    if (!fits) {
      return false;
    }
    given.push_back(static_cast<size_t>(size));
  } else if (object != Py_None && !to_sizes(object, name, given)) {
    return false;
  }
  if (given.size() > 3) {
    PyErr_Format(PyExc_ValueError, "%s has %zu entries, at most 3 are possible", name, given.size());
    return false;
  }
  given.resize(3, fill);
  for (size_t i = 0; i < 3; ++i) {
    sizes[i] = given[i];
  }
  return true;
}

}  // namespace clpool::python
