// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Context, CommandQueue, Event, Sampler: OpenCL objects of which we own a reference. Just enough to use the
// library without another OpenCL package; objects of others are taken wherever these are.
#include "native.hpp"

#include <structmember.h>

#include <iterator>
#include <memory>
#include <unordered_map>
#include <utility>

#include "finish.hpp"

namespace clpool::python {

namespace {

struct ClObject {
  PyObject_HEAD void* handle;
  void* identity;  ///< the handle, also after the release
  PyObject* weak_references;
  unsigned generation;          ///< process_generation() when it was made
  std::vector<PyObject*> kept;  ///< what a command still uses
};

template <typename T, cl_int(CL_API_CALL* call)(T)>
cl_int call_as(void* handle) {
  return call(static_cast<T>(handle));
}

struct ClKind {
  const char* name;
  const char* handle_type;
  cl_int (*retain)(void*);
  cl_int (*release)(void*);
  PyTypeObject* type;
};

ClKind kinds[] = {
    {"Context", "cl_context", call_as<cl_context, clRetainContext>, call_as<cl_context, clReleaseContext>,
     nullptr},
    {"CommandQueue", "cl_command_queue", call_as<cl_command_queue, clRetainCommandQueue>,
     call_as<cl_command_queue, clReleaseCommandQueue>, nullptr},
    {"Event", "cl_event", call_as<cl_event, clRetainEvent>, call_as<cl_event, clReleaseEvent>, nullptr},
    {"SamplerHandle", "cl_sampler", call_as<cl_sampler, clRetainSampler>,
     call_as<cl_sampler, clReleaseSampler>, nullptr},
};
constexpr size_t context_index = 0, queue_index = 1, event_index = 2, sampler_index = 3;

/// What a command still uses whose Event is gone.
struct Unfinished {
  std::vector<PyObject*> kept;
  unsigned generation;  ///< process_generation() when it was put by
};

// By event, of which it has a reference. With the GIL held; never destroyed, as objects may end after static variables.
std::unordered_map<void*, Unfinished>& unfinished = *new std::unordered_map<void*, Unfinished>;
/// How many there are when all of them are looked at: some drivers tell nobody of commands that failed.
size_t look_at_all = 64;

const ClKind& kind_of(PyTypeObject* type) {
  for (const ClKind& kind : kinds) {
    if (PyType_IsSubtype(type, kind.type)) {
      return kind;
    }
  }
  return kinds[context_index];
}

bool cl_succeeded(cl_int code, const char* call) {
  if (code != CL_SUCCESS) {
    raise_cl(call, code);
  }
  return code == CL_SUCCESS;
}

void release_context(void* handle) {
  clReleaseContext(static_cast<cl_context>(handle));
}
void release_queue(void* handle) {
  clReleaseCommandQueue(static_cast<cl_command_queue>(handle));
}
void release_event(void* handle) {
  clReleaseEvent(static_cast<cl_event>(handle));
}
void release_sampler(void* handle) {
  clReleaseSampler(static_cast<cl_sampler>(handle));
}
constexpr void (*releases[])(void*) = {release_context, release_queue, release_event, release_sampler};

bool is_complete(void* event) {
  cl_int status = CL_COMPLETE;
  const cl_int code = clGetEventInfo(static_cast<cl_event>(event), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                     sizeof(status), &status, nullptr);
  return code != CL_SUCCESS || status <= CL_COMPLETE;
}

// To let go of what was kept may drop the GIL or run Python code that comes back here: it must be out of reach before.
void let_go(std::vector<PyObject*> kept) {
  for (PyObject* object : kept) {
    Py_DECREF(object);
  }
}

/// Lets go of what the command of an entry used if it is complete; the next entry.
auto forget_if_finished(std::unordered_map<void*, Unfinished>::iterator entry, std::vector<PyObject*>& kept) {
  if (entry->second.generation != process_generation() || !is_complete(entry->first)) {
    return std::next(entry);
  }
  kept.insert(kept.end(), entry->second.kept.begin(), entry->second.kept.end());
  release_later(release_event, entry->first);
  return unfinished.erase(entry);
}

void forget_finished() {
  std::vector<PyObject*> kept;
  for (auto entry = unfinished.begin(); entry != unfinished.end();) {
    entry = forget_if_finished(entry, kept);
  }
  look_at_all = 2 * unfinished.size() + 64;
  let_go(std::move(kept));
}

// Put off by the driver's thread. It may be another event of the same address by now.
void forget_one(void* event) {
  const HoldInterpreter hold;
  const auto entry = hold ? unfinished.find(event) : unfinished.end();
  if (entry != unfinished.end()) {
    std::vector<PyObject*> kept;
    forget_if_finished(entry, kept);
    let_go(std::move(kept));
  }
}

// By the driver, from any thread, with or without the GIL.
void CL_CALLBACK on_complete(cl_event event, cl_int, void*) {
  if (Py_IsInitialized() != 0 && !interpreter_ends()) {
    release_later(forget_one, event);
  }
}

struct PutBy {
  cl_event event;
  Unfinished entry;
};

// Put off by put_by(), without the GIL.
void watch(void* object) {
  const std::unique_ptr<PutBy> given(static_cast<PutBy*>(object));
  const bool is_shared = clRetainEvent(given->event) == CL_SUCCESS;
  {
    const HoldInterpreter hold;
    if (hold) {
      unfinished.emplace(given->event, std::move(given->entry));
      if (unfinished.size() > look_at_all) {
        forget_finished();
      }
    }
  }
  if (is_shared) {  // else looking at it finds its end
    clSetEventCallback(given->event, CL_COMPLETE, on_complete, nullptr);
    clReleaseEvent(given->event);
  }
}

void own(PyObject* object, void* handle) {
  reinterpret_cast<ClObject*>(object)->handle = handle;
  reinterpret_cast<ClObject*>(object)->identity = handle;
  reinterpret_cast<ClObject*>(object)->generation = process_generation();
}

PyObject* new_object(PyTypeObject* type) {
  PyObject* object = type->tp_alloc(type, 0);
  if (object != nullptr) {
    new (&reinterpret_cast<ClObject*>(object)->kept) std::vector<PyObject*>;
  }
  return object;
}

/// A new object of this kind, which takes over the reference; null with an exception, and then the reference is given up.
PyObject* owner_of(size_t kind, void* handle) {
  PyObject* object = new_object(kinds[kind].type);
  if (object == nullptr) {
    release_later(releases[kind], handle);
    return nullptr;
  }
  own(object, handle);
  return object;
}

// A child of fork() has the parent's objects, but no use of them.
bool is_of_parent(const ClObject* self) {
  return self->generation != process_generation();
}

/// An object of (handle, retain=True), where the handle is called as `name` says.
PyObject* new_of(PyTypeObject* type, PyObject* args, PyObject* keywords, const char* name) {
  const char* const names[] = {name, "retain", nullptr};
  PyObject* value = nullptr;
  int retain = 1;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|p", const_cast<char**>(names), &value, &retain)) {
    return nullptr;
  }
  void* handle = nullptr;
  const ClKind& kind = kind_of(type);
  if (!to_given_cl_handle(value, kind.handle_type, name, handle)) {
    return nullptr;
  }
  if (handle == nullptr) {
    PyErr_Format(PyExc_ValueError, "%s: the handle is 0", kind.name);
    return nullptr;
  }
  PyObject* object = new_object(type);
  if (object == nullptr) {
    return nullptr;
  }
  if (retain != 0 && !cl_succeeded(kind.retain(handle), "clRetain")) {
    Py_DECREF(object);
    return nullptr;
  }
  own(object, handle);
  return object;
}

PyObject* cl_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  return new_of(type, args, keywords, "int_ptr");
}

// from_int_ptr(int_ptr_value, retain=True), which subclasses with another constructor have too.
PyObject* cl_from_int_ptr(PyObject* type, PyObject* args, PyObject* keywords) {
  return new_of(reinterpret_cast<PyTypeObject*>(type), args, keywords, "int_ptr_value");
}

// Keeps what the command uses until it is complete, and the event, which the object gives up, to know when it is.
void put_by(ClObject* self) {
  release_later(watch,
                new PutBy{static_cast<cl_event>(self->handle), {std::move(self->kept), self->generation}});
  self->handle = nullptr;
  self->kept.clear();
}

int cl_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  for (PyObject* kept : reinterpret_cast<ClObject*>(object)->kept) {
    Py_VISIT(kept);
  }
  return 0;
}

// Before the garbage collector takes a cycle apart: host memory that a command still uses stays whole.
void cl_finalize(PyObject* object) {
  auto* self = reinterpret_cast<ClObject*>(object);
  if (self->handle == nullptr || self->kept.empty() || is_of_parent(self)) {
    return;
  }
  if (!interpreter_ends()) {
    put_by(self);
  } else {
    self->kept
        .clear();  // for good: nobody is left who could wait for the command's end, and no driver is asked any more
  }
}

int cl_clear(PyObject* object) {
  let_go(std::exchange(reinterpret_cast<ClObject*>(object)->kept, {}));
  return 0;
}

void cl_dealloc(PyObject* object) {
  auto* self = reinterpret_cast<ClObject*>(object);
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weak_references != nullptr) {
    PyObject_ClearWeakRefs(object);
  }
  cl_finalize(object);
  if (self->handle != nullptr && !is_of_parent(self)) {
    release_later(releases[&kind_of(type) - kinds], self->handle);
  }
  cl_clear(object);
  self->kept.~vector();
  type->tp_free(object);
  Py_DECREF(type);
}

void* live(PyObject* object) {
  auto* self = reinterpret_cast<ClObject*>(object);
  if (self->handle == nullptr) {
    raise_released(Py_TYPE(object)->tp_name);
  } else if (is_of_parent(self)) {
    raise_of_parent(Py_TYPE(object)->tp_name);
    return nullptr;
  }
  return self->handle;
}

PyObject* cl_int_ptr(PyObject* object, void*) {
  void* handle = live(object);
  return handle == nullptr ? nullptr : PyLong_FromVoidPtr(handle);
}

PyObject* cl_release(PyObject* object, PyObject*) {
  void* handle = live(object);
  if (handle == nullptr) {
    return nullptr;
  }
  auto* self = reinterpret_cast<ClObject*>(object);
  if (!self->kept.empty() && !is_complete(handle)) {
    put_by(self);
    Py_RETURN_NONE;
  }
  self->handle = nullptr;
  cl_clear(object);
  cl_int code;
  {
    const DriverCall driver_call;
    code = kind_of(Py_TYPE(object)).release(handle);
  }
  if (!cl_succeeded(code, "clRelease")) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* cl_repr(PyObject* object) {
  return PyUnicode_FromFormat("<%s at %p>", Py_TYPE(object)->tp_name,
                              reinterpret_cast<ClObject*>(object)->handle);
}

Py_hash_t cl_hash(PyObject* object) {
  return _Py_HashPointer(reinterpret_cast<ClObject*>(object)->identity);
}

PyObject* cl_compare(PyObject* left, PyObject* right, int operation) {
  const bool comparable = (operation == Py_EQ || operation == Py_NE) && Py_TYPE(left) == Py_TYPE(right);
  if (!comparable) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  const void* handle = reinterpret_cast<ClObject*>(left)->handle;
  const bool same =
      left == right || (handle != nullptr && handle == reinterpret_cast<ClObject*>(right)->handle);
  return PyBool_FromLong(same == (operation == Py_EQ));
}

PyObject* wait_or_finish(PyObject* object, cl_int (*call)(void*), const char* name) {
  void* handle = live(object);
  if (handle == nullptr) {
    return nullptr;
  }
  cl_int code;
  {
    const DriverCall driver_call;
    code = call(handle);
  }
  if (!cl_succeeded(code, name)) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* queue_finish(PyObject* object, PyObject*) {
  PyObject* result = wait_or_finish(object, call_as<cl_command_queue, clpool_finish_queue>, "clFinish");
  if (result != nullptr) {
    forget_finished();
  }
  return result;
}

PyObject* queue_flush(PyObject* object, PyObject*) {
  return wait_or_finish(object, call_as<cl_command_queue, clFlush>, "clFlush");
}

cl_int wait_for_one(void* handle) {
  const auto event = static_cast<cl_event>(handle);
  return clWaitForEvents(1, &event);
}

PyObject* event_wait(PyObject* object, PyObject*) {
  PyObject* result = wait_or_finish(object, wait_for_one, "clWaitForEvents");
  if (result != nullptr) {
    cl_clear(object);
  }
  return result;
}

PyObject* event_complete(PyObject* object, void*) {
  void* handle = live(object);
  return handle == nullptr ? nullptr : PyBool_FromLong(is_complete(handle));
}

// _info(name) of a sampler: the bytes of a property.
PyObject* sampler_info(PyObject* object, PyObject* argument) {
  uint64_t name = 0;
  void* handle = live(object);
  if (handle == nullptr || !to_unsigned(argument, UINT32_MAX, "name", name)) {
    return nullptr;
  }
  const auto sampler = static_cast<cl_sampler>(handle);
  size_t size = 0;
  cl_int code = clGetSamplerInfo(sampler, static_cast<cl_sampler_info>(name), 0, nullptr, &size);
  PyObject* answer = nullptr;
  if (code == CL_SUCCESS) {
    answer = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
    if (answer == nullptr) {
      return nullptr;
    }
    code = clGetSamplerInfo(sampler, static_cast<cl_sampler_info>(name), size, PyBytes_AS_STRING(answer),
                            nullptr);
  }
  if (!cl_succeeded(code, "clGetSamplerInfo")) {
    Py_XDECREF(answer);
    return nullptr;
  }
  return answer;
}

#define CLPOOL_COMMON_METHODS                                                                    \
  {"release", cl_release, METH_NOARGS, "release($self, /)\n--\n\nGives up the reference now."},  \
      {"from_int_ptr", as_method(cl_from_int_ptr), METH_VARARGS | METH_KEYWORDS | METH_CLASS,    \
       "from_int_ptr($type, /, int_ptr_value, retain=True)\n--\n\nThe object of a handle; with " \
       "retain=False the "                                                                       \
       "reference becomes its own."},                                                            \
      CLPOOL_REFUSES_PICKLE
PyMethodDef plain_methods[] = {CLPOOL_COMMON_METHODS, {nullptr, nullptr, 0, nullptr}};
PyMethodDef sampler_methods[] = {
    CLPOOL_COMMON_METHODS,
    {"_info", sampler_info, METH_O, "_info($self, name, /)\n--\n\nA property's bytes."},
    {nullptr, nullptr, 0, nullptr}};
PyMethodDef queue_methods[] = {
    CLPOOL_COMMON_METHODS,
    {"finish", queue_finish, METH_NOARGS, "finish($self, /)\n--\n\nWaits until all commands are complete."},
    {"flush", queue_flush, METH_NOARGS, "flush($self, /)\n--\n\nHas the device begin with all commands."},
    {nullptr, nullptr, 0, nullptr}};
PyMethodDef event_methods[] = {
    CLPOOL_COMMON_METHODS,
    {"wait", event_wait, METH_NOARGS, "wait($self, /)\n--\n\nWaits until the command is complete."},
    {nullptr, nullptr, 0, nullptr}};
#undef CLPOOL_COMMON_METHODS

#define CLPOOL_INT_PTR \
  { "int_ptr", cl_int_ptr, nullptr, "The OpenCL handle as an integer.", nullptr }
PyGetSetDef plain_properties[] = {CLPOOL_INT_PTR, {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyGetSetDef event_properties[] = {
    CLPOOL_INT_PTR,
    {"is_complete", event_complete, nullptr, "Whether the command is complete.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
#undef CLPOOL_INT_PTR

void drop_reference(void* object) {
  const HoldInterpreter hold;
  if (hold) {
    Py_DECREF(static_cast<PyObject*>(object));
  }
}

// By the driver, from any thread, with or without the GIL.
void CL_CALLBACK on_gone(cl_mem, void* object) {
  if (Py_IsInitialized() != 0 && !interpreter_ends()) {
    release_later(drop_reference, object);
  }
}

bool add_type(PyObject* module, ClKind& kind, const char* name, PyMethodDef* methods, PyGetSetDef* properties,
              const char* doc) {
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(ClObject, weak_references), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr},
  };
  PyType_Slot slots[] = {
      {Py_tp_members, members},
      {Py_tp_traverse, reinterpret_cast<void*>(cl_traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(cl_clear)},
      {Py_tp_finalize, reinterpret_cast<void*>(cl_finalize)},
      {Py_tp_new, reinterpret_cast<void*>(cl_new)},
      {Py_tp_dealloc, reinterpret_cast<void*>(cl_dealloc)},
      {Py_tp_repr, reinterpret_cast<void*>(cl_repr)},
      {Py_tp_hash, reinterpret_cast<void*>(cl_hash)},
      {Py_tp_methods, methods},
      {Py_tp_getset, properties},
      {Py_tp_richcompare, reinterpret_cast<void*>(cl_compare)},
      {Py_tp_doc, const_cast<char*>(doc)},
      {0, nullptr},
  };
  PyType_Spec spec = {name, sizeof(ClObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  kind.type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return kind.type != nullptr &&
         PyModule_AddObjectRef(module, kind.name, reinterpret_cast<PyObject*>(kind.type)) == 0;
}

}  // namespace

bool add_cl_types(PyObject* module) {
  return add_type(module, kinds[context_index], "clpool.Context", plain_methods, plain_properties,
                  "Context(int_ptr, retain=True)\n--\n\nan OpenCL context.") &&
         add_type(module, kinds[queue_index], "clpool.CommandQueue", queue_methods, plain_properties,
                  "CommandQueue(int_ptr, retain=True)\n--\n\nan OpenCL command queue.") &&
         add_type(module, kinds[event_index], "clpool.Event", event_methods, event_properties,
                  "Event(int_ptr, retain=True)\n--\n\nthe state of an OpenCL command.") &&
         add_type(module, kinds[sampler_index], "clpool.SamplerHandle", sampler_methods, plain_properties,
                  "SamplerHandle(int_ptr, retain=True)\n--\n\nan OpenCL sampler.");
}

PyObject* keep_until_gone(PyObject*, PyObject* args) {
  PyObject *memory = nullptr, *kept = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &memory, &kept)) {
    return nullptr;
  }
  InUse use;
  clpool_mem* mem = memory_of(memory, use);
  if (mem == nullptr) {
    return nullptr;
  }
  Py_INCREF(kept);
  const cl_int code = clSetMemObjectDestructorCallback(clpool_mem_handle(mem), on_gone, kept);
  if (!cl_succeeded(code, "clSetMemObjectDestructorCallback")) {
    Py_DECREF(kept);
    return nullptr;
  }
  auto* object = reinterpret_cast<MemoryObject*>(memory);
  object->kept_until_gone = object->kept == kept ? 1 : 0;
  Py_RETURN_NONE;
}

PyObject* context_of(PyObject*, PyObject* args) {
  PyObject* object = nullptr;
  const char* what = nullptr;
  void* handle = nullptr;
  if (!PyArg_ParseTuple(args, "Os", &object, &what) || !to_cl_handle(object, what, handle)) {
    return nullptr;
  }
  const bool is_queue = std::string_view(what) == "cl_command_queue";
  cl_context context = nullptr;
  const cl_int code = is_queue ? clGetCommandQueueInfo(static_cast<cl_command_queue>(handle),
                                                       CL_QUEUE_CONTEXT, sizeof(context), &context, nullptr)
                               : clGetKernelInfo(static_cast<cl_kernel>(handle), CL_KERNEL_CONTEXT,
                                                 sizeof(context), &context, nullptr);
  return cl_succeeded(code, is_queue ? "clGetCommandQueueInfo" : "clGetKernelInfo")
             ? PyLong_FromVoidPtr(context)
             : nullptr;
}

PyObject* create_context(PyObject*, PyObject* object) {
  void* handle = nullptr;
  if (!to_cl_handle(object, "cl_device_id", handle)) {
    return nullptr;
  }
  const auto device = static_cast<cl_device_id>(handle);
  cl_int code = CL_SUCCESS;
  cl_context context = nullptr;
  {
    const DriverCall call;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  }
  if (!cl_succeeded(code, "clCreateContext")) {
    return nullptr;
  }
  return owner_of(context_index, context);
}

CommandNeeds::~CommandNeeds() {
  let_go(std::move(objects_));
}

void CommandNeeds::add(PyObject* object) {
  if (object != nullptr) {
    objects_.push_back(object);
    Py_INCREF(object);
  }
}

std::vector<PyObject*> CommandNeeds::take() {
  return with_call_ ? std::vector<PyObject*>() : std::move(objects_);
}

bool CommandEvent::make() {
  object_ = new_object(kinds[event_index].type);
  return object_ != nullptr;
}

PyObject* CommandEvent::take(cl_event event, CommandNeeds& needs) {
  if (event == nullptr) {
    Py_RETURN_NONE;
  }
  own(object_, event);
  reinterpret_cast<ClObject*>(object_)->kept = needs.take();
  return std::exchange(object_, nullptr);
}

PyObject* new_event(cl_event event) {
  if (event == nullptr) {
    Py_RETURN_NONE;
  }
  return owner_of(event_index, event);
}

}  // namespace clpool::python
