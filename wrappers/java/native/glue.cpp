// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Exceptions from statuses, arrays, and the plain functions of glue.hpp: no callbacks are here.
#include "glue.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "finish.hpp"
#include "flush.hpp"
#include "jvm.hpp"
#include "signals.hpp"

using clpool_java::jvm;
using clpool_wrappers::SignalGuard;

thread_local bool java_has_cause [[gnu::tls_model("initial-exec")]] = false;

void java_longs::read(JNIEnv* jenv, jlongArray array) {
  given_ = array != nullptr;
  if (!given_) return;
  const jsize count = jenv->GetArrayLength(array);
  values_.assign(static_cast<size_t>(count) + 1, 0);
  jenv->GetLongArrayRegion(array, 0, count, values_.data());
}

void java_bytes::read(JNIEnv* jenv, jbyteArray array) {
  make(jenv, array);
  if (given_) jenv->GetByteArrayRegion(array, 0, static_cast<jsize>(size()), values_.data());
}

void java_bytes::make(JNIEnv* jenv, jbyteArray array) {
  given_ = array != nullptr;
  if (given_) values_.assign(static_cast<size_t>(jenv->GetArrayLength(array)) + 1, 0);
}

void java_bytes::write(JNIEnv* jenv, jbyteArray array) const {
  if (!given_ || jenv->ExceptionCheck()) return;
  jenv->SetByteArrayRegion(array, 0, static_cast<jsize>(size()), values_.data());
}

void java_figures(JNIEnv* jenv, jlongArray array, const void* figures, size_t size) {
  constexpr size_t kHeader = sizeof(uint64_t);  // its size, and what is reserved
  if (jenv->ExceptionCheck()) return;
  std::vector<jlong> values((size - kHeader) / sizeof(jlong));
  std::memcpy(values.data(), static_cast<const char*>(figures) + kHeader, values.size() * sizeof(jlong));
  jenv->SetLongArrayRegion(array, 0, static_cast<jsize>(values.size()), values.data());
}

jbyteArray java_text(JNIEnv* jenv, const char* text) {
  if (text == nullptr) return nullptr;
  const jsize length = static_cast<jsize>(std::strlen(text));
  const jbyteArray bytes = jenv->NewByteArray(length);
  if (bytes != nullptr) jenv->SetByteArrayRegion(bytes, 0, length, reinterpret_cast<const jbyte*>(text));
  return bytes;
}

namespace {

void throw_error(JNIEnv* jenv, clpool_status status, cl_int code, const char* text) {
  const jbyteArray message = java_text(jenv, text);
  if (message == nullptr) return;  // Java's own OutOfMemoryError is pending
  const jboolean with_cause = java_has_cause ? JNI_TRUE : JNI_FALSE;
  java_has_cause = false;
  const jobject error = jenv->CallStaticObjectMethod(jvm.errors, jvm.create_error, jint{status}, jint{code},
                                                     message, with_cause);
  if (error != nullptr && !jenv->ExceptionCheck()) jenv->Throw(static_cast<jthrowable>(error));
}

}  // namespace

void java_throw(JNIEnv* jenv, clpool_status status) {
  if (status == CLPOOL_ERROR_WOULD_BLOCK) {
    throw_error(jenv, status, CL_SUCCESS, clpool_status_string(status));  // sent without a message
    return;
  }
  throw_error(jenv, status, clpool_last_cl_error(), clpool_last_error_message());
}

void java_throw_cl(JNIEnv* jenv, java_cl_status status) {
  char text[128];
  std::snprintf(text, sizeof text, "%s failed with %s (%d)", status.call, clpool_cl_error_name(status.code),
                status.code);
  throw_error(jenv, CLPOOL_ERROR_OPENCL, status.code, text);
}

void java_drop_cause(JNIEnv* jenv) {
  java_has_cause = false;
  jenv->CallStaticVoidMethod(jvm.errors, jvm.drop_cause);
}

clpool_status java_pool_try_allocate(clpool_pool* pool, size_t size, clpool_mem** out) {
  const clpool_status status = clpool_pool_try_allocate(pool, size, out);
  return status == CLPOOL_ERROR_WOULD_BLOCK ? CLPOOL_SUCCESS : status;
}

int32_t java_mem_give_back(clpool_mem* mem, int32_t how) {
  if (how == 1) return clpool_mem_release(mem);
  return how == 2 ? clpool_mem_release_later(mem) : clpool_mem_release_idle(mem);
}

int32_t java_map_give_back(clpool_map* map) {
  return clpool_map_release(map);
}

clpool_status java_check(int32_t status) {
  return status;
}

jlongArray java_pool_stretches(JNIEnv* jenv, clpool_pool* pool) {
  std::vector<jlong> figures;
  const auto add = [](void* user, const clpool_pool_stretch* stretch) -> int32_t {
    constexpr size_t kRest = sizeof *stretch - offsetof(clpool_pool_stretch, chunk);  // all of 64 bits
    auto& all = *static_cast<std::vector<jlong>*>(user);
    all.push_back(static_cast<jlong>(stretch->state));
    all.resize(all.size() + kRest / sizeof(jlong));
    std::memcpy(all.data() + all.size() - kRest / sizeof(jlong), &stretch->chunk, kRest);
    return 0;
  };
  const clpool_status status = clpool_pool_visit(pool, add, &figures);
  if (status != CLPOOL_SUCCESS) {
    java_throw(jenv, status);
    return nullptr;
  }
  const jsize count = static_cast<jsize>(figures.size());
  const jlongArray array = jenv->NewLongArray(count);
  if (array != nullptr) jenv->SetLongArrayRegion(array, 0, count, figures.data());
  return array;
}

namespace {

clpool_device_options device_options(const char* selector, cl_device_type types, uint32_t flags) {
  clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
  options.selector = selector;
  options.types = types;
  options.flags = flags;
  return options;
}

}  // namespace

clpool_status java_device_choose(const char* selector, cl_device_type types, uint32_t flags,
                                 cl_device_id* out) {
  const clpool_device_options options = device_options(selector, types, flags);
  const SignalGuard guard;
  return clpool_device_choose(&options, out);
}

clpool_status java_device_list(const char* selector, cl_device_type types, uint32_t flags,
                               cl_device_id* devices, size_t capacity, size_t* count) {
  const clpool_device_options options = device_options(selector, types, flags);
  const SignalGuard guard;
  return clpool_device_list(&options, devices, capacity, count);
}

clpool_status java_context_create_default(const char* selector, cl_device_type types, uint32_t flags,
                                          cl_device_id* device, cl_context* context,
                                          cl_command_queue* queue) {
  const clpool_device_options options = device_options(selector, types, flags);
  const SignalGuard guard;
  return clpool_context_create_default(&options, device, context, queue);
}

clpool_status java_device_list_for_tests(cl_device_id* devices, size_t capacity, size_t* count) {
  const SignalGuard guard;
  return clpool_device_list_for_tests(devices, capacity, count);
}

jobject java_view(JNIEnv* jenv, void* address, size_t length) {
  return jenv->NewDirectByteBuffer(address, static_cast<jlong>(length));
}

void* java_host_allocate(size_t size) {
  return std::malloc(size == 0 ? 1 : size);
}

void java_host_free(void* address) {
  std::free(address);
}

void* java_address(JNIEnv* jenv, jobject buffer) {
  return jenv->GetDirectBufferAddress(buffer);
}

// ---- OpenCL objects
// ------------------------------------------------------------------------------------------
#define CLPOOL_CALL(function, ...)   \
  java_cl_status {                   \
    function(__VA_ARGS__), #function \
  }

java_cl_status java_context_create(cl_device_id device, cl_context* out) {
  const SignalGuard guard;
  cl_int code = CL_SUCCESS;
  *out = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  return {code, "clCreateContext"};
}

java_cl_status java_context_retain(cl_context context) {
  return CLPOOL_CALL(clRetainContext, context);
}

java_cl_status java_context_release(cl_context context) {
  return CLPOOL_CALL(clReleaseContext, context);
}

java_cl_status java_context_devices(cl_context context, cl_device_id* devices, size_t capacity,
                                    size_t* count) {
  size_t bytes = 0;
  const java_cl_status asked = CLPOOL_CALL(clGetContextInfo, context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes);
  *count = bytes / sizeof(cl_device_id);
  if (asked.code != CL_SUCCESS || capacity < *count || *count == 0) return asked;
  return CLPOOL_CALL(clGetContextInfo, context, CL_CONTEXT_DEVICES, bytes, devices, nullptr);
}

java_cl_status java_queue_create(cl_context context, cl_device_id device, int32_t out_of_order,
                                 cl_command_queue* out) {
  cl_int code = CL_SUCCESS;
  const cl_command_queue_properties properties = out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // the only form that OpenCL 1.x devices have
  *out = clCreateCommandQueue(context, device, properties, &code);
#pragma GCC diagnostic pop
  return {code, "clCreateCommandQueue"};
}

java_cl_status java_queue_retain(cl_command_queue queue) {
  return CLPOOL_CALL(clRetainCommandQueue, queue);
}

java_cl_status java_queue_release(cl_command_queue queue) {
  return CLPOOL_CALL(clReleaseCommandQueue, queue);
}

java_cl_status java_queue_finish(cl_command_queue queue) {
  return {clpool_finish_queue(queue), "clFinish"};
}

java_cl_status java_queue_flush(cl_command_queue queue) {
  return {clpool_flush_queue(queue), "clFlush"};
}

java_cl_status java_queue_context(cl_command_queue queue, cl_context* out) {
  return CLPOOL_CALL(clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT, sizeof *out, out, nullptr);
}

java_cl_status java_queue_device(cl_command_queue queue, cl_device_id* out) {
  return CLPOOL_CALL(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE, sizeof *out, out, nullptr);
}

java_cl_status java_device_platform(cl_device_id device, cl_platform_id* out) {
  return CLPOOL_CALL(clGetDeviceInfo, device, CL_DEVICE_PLATFORM, sizeof *out, out, nullptr);
}

java_cl_status java_event_create_user(cl_context context, cl_event* out) {
  cl_int code = CL_SUCCESS;
  *out = clCreateUserEvent(context, &code);
  return {code, "clCreateUserEvent"};
}

java_cl_status java_event_end(cl_event event, int32_t status) {
  return CLPOOL_CALL(clSetUserEventStatus, event, status);
}

java_cl_status java_event_retain(cl_event event) {
  return CLPOOL_CALL(clRetainEvent, event);
}

java_cl_status java_event_release(cl_event event) {
  return CLPOOL_CALL(clReleaseEvent, event);
}

namespace {

java_cl_status event_status(cl_event event, cl_int* status) {
  return CLPOOL_CALL(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *status, status,
                     nullptr);
}

}  // namespace

java_cl_status java_event_wait(cl_event event) {
  const java_cl_status waited = CLPOOL_CALL(clWaitForEvents, 1, &event);
  cl_int status = CL_COMPLETE;
  if (waited.code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST &&
      event_status(event, &status).code == CL_SUCCESS && status < 0) {
    return {status, "the command"};  // what that is, is more than that there is one
  }
  return waited;
}

void java_event_flush(cl_event event) {
  clpool_flush_queue_of(event);
}

java_cl_status java_event_status(cl_event event, uint64_t* value) {
  cl_int status = 0;
  const java_cl_status asked = event_status(event, &status);
  *value = static_cast<uint64_t>(int64_t{status});
  return asked;
}

java_cl_status java_sampler_release(cl_sampler sampler) {
  return CLPOOL_CALL(clReleaseSampler, sampler);
}
