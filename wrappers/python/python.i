/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Python's typemaps: handles are objects of native/, statuses exceptions, results return values. Structs are SWIG's
 * -builtin classes. Everything here is private to the package; its classes are written over it in clpool/.
 */
%{
#include "module.hpp"
#include "native.hpp"

#include <deque>
#include <vector>
using namespace clpool::python;
%}

%init %{
  if (!clpool::python::add_everything(m)) {
    return nullptr;
  }
%}

/* ---- Statuses ---- */

%typemap(out) clpool_status {
  if (!succeeded($1)) {
    SWIG_fail;
  }
  Py_INCREF(Py_None);
  $result = Py_None;
}

/* ---- Numbers: everything with __index__; nothing is cut off ---- */

%define CLPOOL_UNSIGNED(TYPE, MAX)
%typemap(in) TYPE {
  uint64_t number = 0;
  if (!to_unsigned($input, MAX, "$1_name", number)) {
    SWIG_fail;
  }
  $1 = static_cast<TYPE>(number);
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_INTEGER) TYPE "$1 = PyIndex_Check($input);"
%enddef
%define CLPOOL_SIGNED(TYPE, MIN, MAX)
%typemap(in) TYPE {
  int64_t number = 0;
  if (!to_signed($input, MIN, MAX, "$1_name", number)) {
    SWIG_fail;
  }
  $1 = static_cast<TYPE>(number);
}
%enddef
CLPOOL_UNSIGNED(uint64_t, UINT64_MAX)
CLPOOL_UNSIGNED(size_t, SIZE_MAX)
CLPOOL_UNSIGNED(uint32_t, UINT32_MAX)
CLPOOL_SIGNED(int64_t, INT64_MIN, INT64_MAX)
CLPOOL_SIGNED(int32_t, INT32_MIN, INT32_MAX)
%typemap(in) int32_t retain, int32_t normalized, int32_t system {
  if (!to_flag($input, $1)) {
    SWIG_fail;
  }
}
%typemap(in, numinputs=0) size_t *OUTPUT (size_t result = 0) "$1 = &result;"
%typemap(argout) size_t *OUTPUT {
  $result = SWIG_Python_AppendOutput($result, PyLong_FromSize_t(*$1));
}

/* ---- Handles ---- */

%define CLPOOL_HANDLE(TYPE)
%typemap(in) TYPE * (InUse use), const TYPE * (InUse use) {
  $1 = static_cast<TYPE *>(handle_of($input, TYPE##_kind, use));
  if ($1 == nullptr) {
    SWIG_fail;
  }
}
%typemap(in, numinputs=0) TYPE **out (TYPE *made = nullptr) "$1 = &made;"
%typemap(argout) TYPE **out {
  PyObject *object = new_handle(*$1, TYPE##_kind);
  if (object == nullptr) {
    SWIG_fail;
  }
  $result = SWIG_Python_AppendOutput($result, object);
}
%enddef

%define CLPOOL_CL_HANDLE(TYPE)
typedef struct _##TYPE *TYPE;
%typemap(in) TYPE {
  void *handle = nullptr;
  if (!to_given_cl_handle($input, #TYPE, "$1_name", handle)) {
    SWIG_fail;
  }
  $1 = static_cast<TYPE>(handle);
}
%typemap(in) TYPE context_or_null, TYPE queue_or_null {
  void *handle = nullptr;
  if (!to_cl_handle($input, #TYPE, handle)) {
    SWIG_fail;
  }
  $1 = static_cast<TYPE>(handle);
}
%typemap(out) TYPE "$result = PyLong_FromVoidPtr($1);"
%typemap(in, numinputs=0) TYPE *out (TYPE made = nullptr), TYPE *root (TYPE made = nullptr),
                          TYPE *device (TYPE made = nullptr), TYPE *context (TYPE made = nullptr),
                          TYPE *queue (TYPE made = nullptr) "$1 = &made;"
%typemap(argout) TYPE *out, TYPE *root, TYPE *device, TYPE *context, TYPE *queue {
  $result = SWIG_Python_AppendOutput($result, PyLong_FromVoidPtr(*$1));
}
%enddef

%include "common/handles.i"

/* What unmaps may not be called by two threads at once. */
%typemap(in) clpool_map *map (InUse use) {
  $1 = static_cast<clpool_map *>(unshared_handle_of($input, clpool_map_kind, use));
  if ($1 == nullptr) {
    SWIG_fail;
  }
}

/* Pools and memory are types of their own. */
%typemap(in) clpool_pool * (InUse use) {
  $1 = pool_of($input, use);
  if ($1 == nullptr) {
    SWIG_fail;
  }
}
/* What commands need is collected in one variable of the function, whose name SWIG leaves as it is. */
%typemap(in) clpool_mem * (InUse use, CommandNeeds _global_needs),
             const clpool_mem * (InUse use, CommandNeeds _global_needs) {
  $1 = memory_of($input, use, _global_needs);
  if ($1 == nullptr) {
    SWIG_fail;
  }
}
%typemap(argout) clpool_mem **out {
  PyObject *object = new_memory_of_kind(*$1);
  if (object == nullptr) {
    SWIG_fail;
  }
  Py_XDECREF($result);
  $result = object;
}

/* Events of commands: an Event always comes back, and keeps what the command needs. */
%typemap(in, numinputs=0) cl_event *event_or_null (cl_event handle = nullptr, CommandEvent event,
                                                   CommandNeeds _global_needs) {
  if (!event.make()) {
    SWIG_fail;
  }
  $1 = &handle;
}
%typemap(argout) cl_event *event_or_null {
  $result = SWIG_Python_AppendOutput($result, event$argnum.take(*$1, _global_needs));
}
%typemap(in) int32_t blocking (CommandNeeds _global_needs) {
  if (!to_flag($input, $1)) {
    SWIG_fail;
  }
  if ($1 != 0) {
    _global_needs.end_with_call();
  }
}
%typemap(in) (cl_uint wait_count, const cl_event *wait_list) (std::vector<void *> events, Kept kept),
             (uint32_t count, const cl_event *events) (std::vector<void *> events, Kept kept) {
  if (!to_cl_handles($input, "cl_event", events, kept)) {
    SWIG_fail;
  }
  $1 = static_cast<uint32_t>(events.size());
  $2 = reinterpret_cast<cl_event *>(events.data());
}

/* ---- Addresses and host memory ---- */

%typemap(in) void * {
  if (!to_address($input, "$1_name", $1)) {
    SWIG_fail;
  }
}
%typemap(in) const void *data {
  void *address = nullptr;
  if (!to_address($input, "$1_name", address)) {
    SWIG_fail;
  }
  $1 = address;
}
%typemap(out) void * "$result = PyLong_FromVoidPtr($1);"
%typemap(out) const void * "$result = PyLong_FromVoidPtr(const_cast<void *>($1));"
%typemap(in, numinputs=0) void **pointer (void *address = nullptr) "$1 = &address;"
%typemap(argout) void **pointer {
  $result = SWIG_Python_AppendOutput($result, PyLong_FromVoidPtr(*$1));
}
%define CLPOOL_HOST(POINTER, SIZE, WRITABLE)
%typemap(in) (POINTER, SIZE) (HostBuffer host) {
  if (!host.open($input, WRITABLE)) {
    SWIG_fail;
  }
  $1 = static_cast<$1_ltype>(host.data());
  $2 = host.size();
}
%enddef
CLPOOL_HOST(const void *pattern, size_t pattern_size, false)
CLPOOL_HOST(const void *color, size_t color_size, false)
CLPOOL_HOST(void *host_or_null, size_t host_size, false)
CLPOOL_HOST(const char *text, size_t length, false)
%define CLPOOL_HOST_OF_COMMAND(POINTER, WRITABLE)
%typemap(in) (POINTER, size_t host_size) (HostBuffer host, CommandNeeds _global_needs) {
  if (!host.open($input, WRITABLE)) {
    SWIG_fail;
  }
  _global_needs.add(host.view());
  $1 = static_cast<$1_ltype>(host.data());
  $2 = host.size();
}
%enddef
CLPOOL_HOST_OF_COMMAND(void *host, true)
CLPOOL_HOST_OF_COMMAND(const void *host, false)

/* ---- Texts that are given ---- */

%typemap(in) const char * {
  const char *text = nullptr;
  if (!to_text($input, "$1_name", text)) {
    SWIG_fail;
  }
  $1 = const_cast<char *>(text);
}
%typemap(in) const char *path (HostPath path) {
  if (!path.open($input)) {
    SWIG_fail;
  }
  $1 = const_cast<char *>(path.text());
}
%typemap(freearg) const char *, const char *path ""

/* Texts and lists of unknown length: the caller gives the room, the result is cut to it, and `needed` follows. Lists are
 * tuples: SWIG would add the next result to a list.
 */
%define CLPOOL_ROOM(FIRST, SECOND, ITEM, ITEMS, COUNT)
%typemap(in) (FIRST, SECOND) (std::vector<ITEM> room) {
  uint64_t capacity = 0;
  if (!to_unsigned($input, (1u << 30) / sizeof(ITEM), "capacity", capacity)) {
    SWIG_fail;
  }
  room.resize(static_cast<size_t>(capacity));
  ITEMS = room.data();
  COUNT = static_cast<decltype(COUNT)>(room.size());
}
%enddef
CLPOOL_ROOM(char *text, size_t capacity, char, $1, $2)
CLPOOL_ROOM(char *buffer, size_t capacity, char, $1, $2)
%typemap(argout) (char *text, size_t capacity), (char *buffer, size_t capacity) {
  $result = SWIG_Python_AppendOutput($result, PyUnicode_DecodeUTF8($1, $2 == 0 ? 0 : static_cast<Py_ssize_t>(strnlen($1, $2)), "replace"));
}
CLPOOL_ROOM(size_t size, void *value, char, $2, $1)
%typemap(argout) (size_t size, void *value) {
  $result = SWIG_Python_AppendOutput($result, PyBytes_FromStringAndSize(static_cast<char *>($2), static_cast<Py_ssize_t>($1)));
}

%define CLPOOL_LIST(FIRST, SECOND, ITEM, ITEMS, COUNT)
CLPOOL_ROOM(FIRST, SECOND, ITEM, ITEMS, COUNT)
%typemap(argout) (FIRST, SECOND) {
  PyObject *list = PyTuple_New(static_cast<Py_ssize_t>(COUNT));
  for (size_t i = 0; list != nullptr && i < COUNT; ++i) {
    PyTuple_SET_ITEM(list, static_cast<Py_ssize_t>(i), item_of(ITEMS[i]));
  }
  $result = SWIG_Python_AppendOutput($result, list);
}
%enddef
%{
static PyObject *item_of(void *handle) { return PyLong_FromVoidPtr(handle); }
static PyObject *item_of(uint32_t number) { return PyLong_FromUnsignedLong(number); }
static PyObject *item_of(const cl_image_format &format) {
  return Py_BuildValue("(II)", format.image_channel_order, format.image_channel_data_type);
}
%}
CLPOOL_LIST(cl_device_id *devices, size_t capacity, cl_device_id, $1, $2)
CLPOOL_LIST(uint32_t *sizes, size_t capacity, uint32_t, $1, $2)
CLPOOL_LIST(cl_image_format *formats, size_t capacity, cl_image_format, $1, $2)

/* ---- Sequences ---- */

%typemap(in) (const size_t *shape, size_t rank) (std::vector<size_t> sizes),
             (const size_t *stored_shape_or_null, size_t stored_rank) (std::vector<size_t> sizes) {
  if ($input != Py_None && !to_sizes($input, "shape", sizes)) {
    SWIG_fail;
  }
  $1 = $input != Py_None ? sizes.data() : nullptr;
  $2 = sizes.size();
}
%define CLPOOL_THREE(PARAMETER, NAME, FILL)
%typemap(in) PARAMETER (size_t sizes[3]) {
  if (!to_three($input, NAME, FILL, sizes)) {
    SWIG_fail;
  }
  $1 = sizes;
}
%enddef
CLPOOL_THREE(const size_t *origin, "origin", 0)
CLPOOL_THREE(const size_t *source_origin, "origin", 0)
CLPOOL_THREE(const size_t *target_origin, "origin", 0)
CLPOOL_THREE(const size_t *region, "region", 1)
CLPOOL_THREE(size_t[3], "$1_name", 0)
%typemap(in) (clpool_mem *const *mems, uint32_t count) (std::vector<clpool_mem *> mems, Kept kept,
                                                          std::deque<InUse> uses, CommandNeeds _global_needs) {
  PyObject *items = tuple_of($input, "expected a sequence of memory objects");
  if (items == nullptr) {
    SWIG_fail;
  }
  kept.object = items;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); ++i) {
    mems.push_back(memory_of(PyTuple_GET_ITEM(items, i), uses.emplace_back(), _global_needs));
    if (mems.back() == nullptr) {
      break;
    }
  }
  if (!mems.empty() && mems.back() == nullptr) {
    SWIG_fail;
  }
  $1 = mems.data();
  $2 = static_cast<uint32_t>(mems.size());
}
%typemap(in) const cl_bitfield *properties_or_null (std::vector<size_t> numbers) {
  if ($input != Py_None) {
    if (!to_pairs($input, "properties", numbers)) {
      SWIG_fail;
    }
  }
  static_assert(sizeof(size_t) == sizeof(cl_bitfield));
  $1 = $input != Py_None ? reinterpret_cast<cl_bitfield *>(numbers.data()) : nullptr;
}
%typemap(in, numinputs=0) (uint32_t *dimensions, size_t shape[3]) (uint32_t count = 0, size_t sizes[3]) {
  $1 = &count;
  $2 = sizes;
}
%typemap(argout) (uint32_t *dimensions, size_t shape[3]) {
  $result = SWIG_Python_AppendOutput(
      $result, Py_BuildValue("I(nnn)", *$1, static_cast<Py_ssize_t>($2[0]), static_cast<Py_ssize_t>($2[1]),
                             static_cast<Py_ssize_t>($2[2])));
}

/* Arrays in structs are tuples. */
%typemap(memberin) size_t[3] "for (size_t i = 0; i < 3; ++i) $1[i] = $input[i];"
%typemap(out) size_t[3] {
  $result = Py_BuildValue("(nnn)", static_cast<Py_ssize_t>($1[0]), static_cast<Py_ssize_t>($1[1]),
                          static_cast<Py_ssize_t>($1[2]));
}
%typemap(in) uint64_t[ANY] (uint64_t numbers[$1_dim0]) {
  std::vector<size_t> given;
  if (!to_sizes($input, "$1_name", given)) {
    SWIG_fail;
  }
  if (given.size() > $1_dim0) {
    PyErr_Format(PyExc_ValueError, "%zu numbers are too many: there is room for %d", given.size(), $1_dim0);
    SWIG_fail;
  }
  given.resize($1_dim0, 0);
  for (size_t i = 0; i < $1_dim0; ++i) {
    numbers[i] = given[i];
  }
  $1 = numbers;
}
%typemap(memberin) uint64_t[ANY] "for (size_t i = 0; i < $1_dim0; ++i) $1[i] = $input[i];"
%typemap(out) uint64_t[ANY] {
  $result = PyTuple_New($1_dim0);
  for (Py_ssize_t i = 0; $result != nullptr && i < $1_dim0; ++i) {
    PyTuple_SET_ITEM($result, i, PyLong_FromUnsignedLongLong($1[i]));
  }
}

%typemap(out) char[ANY] {
  $result = PyUnicode_DecodeUTF8($1, static_cast<Py_ssize_t>(strnlen($1, $1_dim0)), "replace");
}

/* ---- The GIL is dropped around whatever may wait, as the headers say. The others are so short that dropping it would cost
 * more than the call. ---- */

%define CLPOOL_MAY_BLOCK(NAME)
%exception NAME {
  const DriverCall call;
  $action
}
%enddef

/* What makes memory is tried again when garbage that may be in the way was collected, as PyOpenCL does. */
%define CLPOOL_TAKES_MEMORY(NAME)
%exception NAME {
  const DriverCall call;
  $action
  if (result == CLPOOL_ERROR_OUT_OF_MEMORY && call.make_room()) {
    $action
  }
}
%enddef
%include "described/blocking.i"

/* native/ adds functions and queues to it. */
%{
const clpool_pool_options *clpool::python::pool_options_of(PyObject *object) {
  void *options = nullptr;
  if (!SWIG_IsOK(SWIG_ConvertPtr(object, &options, SWIGTYPE_p_clpool_pool_options, 0)) || options == nullptr) {
    PyErr_Format(PyExc_TypeError, "expected a clpool_pool_options, not %s", Py_TYPE(object)->tp_name);
  }
  return static_cast<clpool_pool_options *>(options);
}
%}

/* What native/ fills in itself. */
%ignore clpool_trace_replay_result;

%include "described/left_out_of_python.i"
