// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Wrappers of OpenCL calls. The names in WRAP_…(clName, …) are read by CMakeLists.txt, which makes the
// linker's
// --wrap options of them.
#include "support/driver.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <ostream>

namespace clpool::test::driver {
namespace {

struct State {
  std::mutex mutex;
  Live live;
  std::map<std::string, long> calls;
  std::vector<Command> commands;
  long fallible = 0;
  std::string fault_function;  ///< empty: any
  long fault_in = 0;           ///< calls until the fault; 0: none set
  cl_int fault_code = CL_SUCCESS;
  bool failed = false;
};

State& state() {
  static State& state = *new State;  // outlives everything that calls the driver
  return state;
}

/// Counts a call; the code with which it must fail, or CL_SUCCESS.
cl_int enter(const char* function) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  ++s.calls[function];
  ++s.fallible;
  if (s.fault_in == 0 || (!s.fault_function.empty() && s.fault_function != function) || --s.fault_in != 0) {
    return CL_SUCCESS;
  }
  s.failed = true;
  return s.fault_code;
}

void count(const char* function) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  ++s.calls[function];
}

void note(const char* function, cl_command_queue queue, cl_uint count, const cl_event* waits) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.commands.push_back({function, queue, std::vector<cl_event>(waits, waits + count)});
}

void add(long Live::*what, long references) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.live.*what += references;
}

}  // namespace

Live live() {
  const std::lock_guard lock(state().mutex);
  return state().live;
}

std::ostream& operator<<(std::ostream& stream, const Live& live) {
  return stream << "contexts " << live.contexts << ", queues " << live.queues << ", memory " << live.memory
                << ", svm " << live.svm << ", events " << live.events << ", samplers " << live.samplers;
}

long calls(const std::string& function) {
  const std::lock_guard lock(state().mutex);
  return state().calls[function];
}

bool Command::waits_for(cl_event event) const {
  return std::find(waits.begin(), waits.end(), event) != waits.end();
}

std::vector<Command> commands() {
  const std::lock_guard lock(state().mutex);
  return state().commands;
}

long fallible_calls() {
  const std::lock_guard lock(state().mutex);
  return state().fallible;
}

void fail_call(const std::string& function, long nth, cl_int code) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.fault_function = function;
  s.fault_in = nth;
  s.fault_code = code;
  s.failed = false;
}

void fail_any_call(long nth, cl_int code) {
  fail_call("", nth, code);
}

bool failed() {
  const std::lock_guard lock(state().mutex);
  return state().failed;
}

namespace {
std::atomic<cl_mem_info> unknown_property{0};
}  // namespace

UnknownProperty::UnknownProperty(cl_mem_info name) {
  unknown_property = name;
}

UnknownProperty::~UnknownProperty() {
  unknown_property = 0;
}

bool is_unknown(cl_mem_info name) {
  return name == unknown_property;
}

void disarm() {
  const std::lock_guard lock(state().mutex);
  state().fault_in = 0;
}

void reset() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.calls.clear();
  s.commands.clear();
  s.fallible = 0;
  s.fault_in = 0;
  s.failed = false;
}

}  // namespace clpool::test::driver

using clpool::test::driver::add;
using clpool::test::driver::count;
using clpool::test::driver::enter;
using clpool::test::driver::Live;
using clpool::test::driver::note;

// A call that returns an object and its code through the last parameter, `code`.
#define WRAP_CREATE(name, type, what, parameters, arguments) \
  extern "C" type __real_##name parameters;                  \
  extern "C" type __wrap_##name parameters {                 \
    if (const cl_int fault = enter(#name)) {                 \
      if (code != nullptr) {                                 \
        *code = fault;                                       \
      }                                                      \
      return nullptr;                                        \
    }                                                        \
    type result = __real_##name arguments;                   \
    if (result != nullptr) {                                 \
      add(&Live::what, 1);                                   \
    }                                                        \
    return result;                                           \
  }

// clRetain… (+1) and clRelease… (-1). Releases never fail on purpose: what is held would leak for good.
#define WRAP_RETAIN(name, type, what)            \
  extern "C" cl_int __real_##name(type object);  \
  extern "C" cl_int __wrap_##name(type object) { \
    if (const cl_int fault = enter(#name)) {     \
      return fault;                              \
    }                                            \
    const cl_int code = __real_##name(object);   \
    if (code == CL_SUCCESS) {                    \
      add(&Live::what, 1);                       \
    }                                            \
    return code;                                 \
  }
#define WRAP_RELEASE(name, type, what)           \
  extern "C" cl_int __real_##name(type object);  \
  extern "C" cl_int __wrap_##name(type object) { \
    count(#name);                                \
    const cl_int code = __real_##name(object);   \
    if (code == CL_SUCCESS) {                    \
      add(&Live::what, -1);                      \
    }                                            \
    return code;                                 \
  }

// A command whose last parameter, `event`, receives its event.
#define WRAP_ENQUEUE(name, parameters, arguments) \
  extern "C" cl_int __real_##name parameters;     \
  extern "C" cl_int __wrap_##name parameters {    \
    if (const cl_int fault = enter(#name)) {      \
      return fault;                               \
    }                                             \
    note(#name, queue, waits, wait_list);         \
    const cl_int code = __real_##name arguments;  \
    if (code == CL_SUCCESS && event != nullptr) { \
      add(&Live::events, 1);                      \
    }                                             \
    return code;                                  \
  }

WRAP_CREATE(clCreateBuffer, cl_mem, memory,
            (cl_context context, cl_mem_flags flags, size_t size, void* host, cl_int* code),
            (context, flags, size, host, code))
WRAP_CREATE(clCreateSubBuffer, cl_mem, memory,
            (cl_mem root, cl_mem_flags flags, cl_buffer_create_type type, const void* info, cl_int* code),
            (root, flags, type, info, code))
WRAP_CREATE(clCreateImage, cl_mem, memory,
            (cl_context context, cl_mem_flags flags, const cl_image_format* format,
             const cl_image_desc* description, void* host, cl_int* code),
            (context, flags, format, description, host, code))
WRAP_CREATE(clCreatePipe, cl_mem, memory,
            (cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint packets,
             const cl_pipe_properties* properties, cl_int* code),
            (context, flags, packet_size, packets, properties, code))
WRAP_CREATE(clCreateSampler, cl_sampler, samplers,
            (cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
             cl_int* code),
            (context, normalized, addressing, filter, code))
WRAP_CREATE(clCreateSamplerWithProperties, cl_sampler, samplers,
            (cl_context context, const cl_sampler_properties* properties, cl_int* code),
            (context, properties, code))
WRAP_CREATE(clCreateCommandQueue, cl_command_queue, queues,
            (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int* code),
            (context, device, properties, code))
WRAP_CREATE(clCreateUserEvent, cl_event, events, (cl_context context, cl_int* code), (context, code))

WRAP_RETAIN(clRetainContext, cl_context, contexts)
WRAP_RELEASE(clReleaseContext, cl_context, contexts)
WRAP_RETAIN(clRetainCommandQueue, cl_command_queue, queues)
WRAP_RELEASE(clReleaseCommandQueue, cl_command_queue, queues)
WRAP_RETAIN(clRetainMemObject, cl_mem, memory)
WRAP_RELEASE(clReleaseMemObject, cl_mem, memory)
WRAP_RETAIN(clRetainEvent, cl_event, events)
WRAP_RELEASE(clReleaseEvent, cl_event, events)
WRAP_RETAIN(clRetainSampler, cl_sampler, samplers)
WRAP_RELEASE(clReleaseSampler, cl_sampler, samplers)

WRAP_ENQUEUE(clEnqueueMigrateMemObjects,
             (cl_command_queue queue, cl_uint count, const cl_mem* objects, cl_mem_migration_flags flags,
              cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, count, objects, flags, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueReadBuffer,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void* host,
              cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, buffer, blocking, offset, size, host, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueWriteBuffer,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
              const void* host, cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, buffer, blocking, offset, size, host, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueCopyBuffer,
             (cl_command_queue queue, cl_mem source, cl_mem target, size_t source_offset,
              size_t target_offset, size_t size, cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, source, target, source_offset, target_offset, size, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueFillBuffer,
             (cl_command_queue queue, cl_mem buffer, const void* pattern, size_t pattern_size, size_t offset,
              size_t size, cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, buffer, pattern, pattern_size, offset, size, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueReadBufferRect,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t* origin,
              const size_t* host_origin, const size_t* region, size_t row_pitch, size_t slice_pitch,
              size_t host_row_pitch, size_t host_slice_pitch, void* host, cl_uint waits,
              const cl_event* wait_list, cl_event* event),
             (queue, buffer, blocking, origin, host_origin, region, row_pitch, slice_pitch, host_row_pitch,
              host_slice_pitch, host, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueWriteBufferRect,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t* origin,
              const size_t* host_origin, const size_t* region, size_t row_pitch, size_t slice_pitch,
              size_t host_row_pitch, size_t host_slice_pitch, const void* host, cl_uint waits,
              const cl_event* wait_list, cl_event* event),
             (queue, buffer, blocking, origin, host_origin, region, row_pitch, slice_pitch, host_row_pitch,
              host_slice_pitch, host, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueCopyBufferRect,
             (cl_command_queue queue, cl_mem source, cl_mem target, const size_t* source_origin,
              const size_t* target_origin, const size_t* region, size_t source_row_pitch,
              size_t source_slice_pitch, size_t target_row_pitch, size_t target_slice_pitch, cl_uint waits,
              const cl_event* wait_list, cl_event* event),
             (queue, source, target, source_origin, target_origin, region, source_row_pitch,
              source_slice_pitch, target_row_pitch, target_slice_pitch, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueReadImage,
             (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin,
              const size_t* region, size_t row_pitch, size_t slice_pitch, void* host, cl_uint waits,
              const cl_event* wait_list, cl_event* event),
             (queue, image, blocking, origin, region, row_pitch, slice_pitch, host, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueWriteImage,
             (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin,
              const size_t* region, size_t row_pitch, size_t slice_pitch, const void* host, cl_uint waits,
              const cl_event* wait_list, cl_event* event),
             (queue, image, blocking, origin, region, row_pitch, slice_pitch, host, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueFillImage,
             (cl_command_queue queue, cl_mem image, const void* color, const size_t* origin,
              const size_t* region, cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, image, color, origin, region, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueCopyImage,
             (cl_command_queue queue, cl_mem source, cl_mem target, const size_t* source_origin,
              const size_t* target_origin, const size_t* region, cl_uint waits, const cl_event* wait_list,
              cl_event* event),
             (queue, source, target, source_origin, target_origin, region, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueCopyImageToBuffer,
             (cl_command_queue queue, cl_mem image, cl_mem buffer, const size_t* origin, const size_t* region,
              size_t offset, cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, image, buffer, origin, region, offset, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueCopyBufferToImage,
             (cl_command_queue queue, cl_mem buffer, cl_mem image, size_t offset, const size_t* origin,
              const size_t* region, cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, buffer, image, offset, origin, region, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueMarkerWithWaitList,
             (cl_command_queue queue, cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, waits, wait_list, event))
extern "C" cl_int __real_clEnqueueMarker(cl_command_queue queue, cl_event* event);
extern "C" cl_int __wrap_clEnqueueMarker(cl_command_queue queue, cl_event* event) {
  if (const cl_int fault = enter("clEnqueueMarker")) {
    return fault;
  }
  note("clEnqueueMarker", queue, 0, nullptr);
  const cl_int code = __real_clEnqueueMarker(queue, event);
  if (code == CL_SUCCESS && event != nullptr) {
    add(&Live::events, 1);
  }
  return code;
}
extern "C" cl_int __real_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint waits,
                                                const cl_event* wait_list);
extern "C" cl_int __wrap_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint waits,
                                                const cl_event* wait_list) {
  if (const cl_int fault = enter("clEnqueueWaitForEvents")) {
    return fault;
  }
  note("clEnqueueWaitForEvents", queue, waits, wait_list);
  return __real_clEnqueueWaitForEvents(queue, waits, wait_list);
}
WRAP_ENQUEUE(clEnqueueBarrierWithWaitList,
             (cl_command_queue queue, cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueUnmapMemObject,
             (cl_command_queue queue, cl_mem object, void* pointer, cl_uint waits, const cl_event* wait_list,
              cl_event* event),
             (queue, object, pointer, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueSVMMap,
             (cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void* pointer, size_t size,
              cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, blocking, flags, pointer, size, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueSVMUnmap,
             (cl_command_queue queue, void* pointer, cl_uint waits, const cl_event* wait_list,
              cl_event* event),
             (queue, pointer, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueSVMMemFill,
             (cl_command_queue queue, void* pointer, const void* pattern, size_t pattern_size, size_t size,
              cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, pointer, pattern, pattern_size, size, waits, wait_list, event))

// Commands for a queue as a whole.
#define WRAP_QUEUE(name)                                    \
  extern "C" cl_int __real_##name(cl_command_queue queue);  \
  extern "C" cl_int __wrap_##name(cl_command_queue queue) { \
    if (const cl_int fault = enter(#name)) {                \
      return fault;                                         \
    }                                                       \
    return __real_##name(queue);                            \
  }
WRAP_QUEUE(clFlush)
WRAP_QUEUE(clFinish)

WRAP_ENQUEUE(clEnqueueSVMMemcpy,
             (cl_command_queue queue, cl_bool blocking, void* target, const void* source, size_t size,
              cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, blocking, target, source, size, waits, wait_list, event))
WRAP_ENQUEUE(clEnqueueSVMMigrateMem,
             (cl_command_queue queue, cl_uint count, const void** pointers, const size_t* sizes,
              cl_mem_migration_flags flags, cl_uint waits, const cl_event* wait_list, cl_event* event),
             (queue, count, pointers, sizes, flags, waits, wait_list, event))

// A map also returns a pointer; its code comes last.
#define WRAP_MAP(name, parameters, arguments)      \
  extern "C" void* __real_##name parameters;       \
  extern "C" void* __wrap_##name parameters {      \
    if (const cl_int fault = enter(#name)) {       \
      *code = fault;                               \
      return nullptr;                              \
    }                                              \
    note(#name, queue, waits, wait_list);          \
    void* const pointer = __real_##name arguments; \
    if (pointer != nullptr && event != nullptr) {  \
      add(&Live::events, 1);                       \
    }                                              \
    return pointer;                                \
  }
WRAP_MAP(clEnqueueMapBuffer,
         (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
          size_t size, cl_uint waits, const cl_event* wait_list, cl_event* event, cl_int* code),
         (queue, buffer, blocking, flags, offset, size, waits, wait_list, event, code))
WRAP_MAP(clEnqueueMapImage,
         (cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags, const size_t* origin,
          const size_t* region, size_t* row_pitch, size_t* slice_pitch, cl_uint waits,
          const cl_event* wait_list, cl_event* event, cl_int* code),
         (queue, image, blocking, flags, origin, region, row_pitch, slice_pitch, waits, wait_list, event,
          code))

extern "C" cl_int __real_clSetUserEventStatus(cl_event event, cl_int status);
extern "C" cl_int __wrap_clSetUserEventStatus(cl_event event, cl_int status) {
  if (const cl_int fault = enter("clSetUserEventStatus")) {
    // NVIDIA's driver waits for ever for an event that never ends, when its context is released.
    __real_clSetUserEventStatus(event, fault);
    return fault;
  }
  return __real_clSetUserEventStatus(event, status);
}

extern "C" void* __real_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size,
                                   cl_uint alignment);
extern "C" void* __wrap_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size,
                                   cl_uint alignment) {
  if (enter("clSVMAlloc") != CL_SUCCESS) {
    return nullptr;
  }
  void* const pointer = __real_clSVMAlloc(context, flags, size, alignment);
  if (pointer != nullptr) {
    add(&Live::svm, 1);
  }
  return pointer;
}

extern "C" void __real_clSVMFree(cl_context context, void* pointer);
extern "C" void __wrap_clSVMFree(cl_context context, void* pointer) {
  count("clSVMFree");
  __real_clSVMFree(context, pointer);
  add(&Live::svm, pointer == nullptr ? 0 : -1);
}

using SvmFreeCallback = void(CL_CALLBACK*)(cl_command_queue, cl_uint, void**, void*);
extern "C" cl_int __real_clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void** pointers,
                                          SvmFreeCallback callback, void* user, cl_uint waits,
                                          const cl_event* wait_list, cl_event* event);
extern "C" cl_int __wrap_clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void** pointers,
                                          SvmFreeCallback callback, void* user, cl_uint waits,
                                          const cl_event* wait_list, cl_event* event) {
  if (const cl_int fault = enter("clEnqueueSVMFree")) {
    return fault;
  }
  note("clEnqueueSVMFree", queue, waits, wait_list);
  const cl_int code =
      __real_clEnqueueSVMFree(queue, count, pointers, callback, user, waits, wait_list, event);
  if (code == CL_SUCCESS) {
    add(&Live::svm, -static_cast<long>(count));
    add(&Live::events, event != nullptr ? 1 : 0);
  }
  return code;
}

extern "C" cl_int __real_clGetMemObjectInfo(cl_mem object, cl_mem_info name, size_t size, void* value,
                                            size_t* needed);
extern "C" cl_int __wrap_clGetMemObjectInfo(cl_mem object, cl_mem_info name, size_t size, void* value,
                                            size_t* needed) {
  return clpool::test::driver::is_unknown(name)
             ? CL_INVALID_VALUE
             : __real_clGetMemObjectInfo(object, name, size, value, needed);
}
