// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// C functions whose callbacks are Java objects. Each trampoline calls a static method of org.clpool.Upcalls,
// which catches everything: a failed callback leaves its exception there, to become the cause of what is
// thrown when the C function returns.
#include "glue.hpp"
#include "jvm.hpp"

using clpool_java::jvm;
using clpool_java::Upcall;

namespace {

constexpr clpool_status kFailed = CLPOOL_ERROR_CALLBACK;

clpool_status with_cause(clpool_status status) {
  if (status != CLPOOL_SUCCESS) java_has_cause = true;
  return status;
}

// ---- Custom allocators: the user pointer is a global reference
// ------------------------------------------------

clpool_status allocate(void* user, uint64_t size, uint64_t alignment, uint64_t* chunk) {
  Upcall upcall;
  if (!upcall) return kFailed;
  JNIEnv* env = upcall.env();
  const jlongArray result = env->NewLongArray(1);
  if (result == nullptr) {
    upcall.failed();
    return kFailed;
  }
  const jint status =
      env->CallStaticIntMethod(jvm.upcalls, jvm.allocate, static_cast<jobject>(user),
                               static_cast<jlong>(size), static_cast<jlong>(alignment), result);
  if (upcall.failed()) return kFailed;
  jlong value = 0;
  env->GetLongArrayRegion(result, 0, 1, &value);
  *chunk = static_cast<uint64_t>(value);
  return with_cause(status);
}

void deallocate(void* user, uint64_t chunk, uint64_t size) {
  Upcall upcall;
  if (!upcall) return;
  upcall.env()->CallStaticVoidMethod(jvm.upcalls, jvm.deallocate, static_cast<jobject>(user),
                                     static_cast<jlong>(chunk), static_cast<jlong>(size));
  upcall.failed();
}

void destroy(void* user) {
  Upcall upcall;
  if (!upcall) return;
  upcall.env()->CallStaticVoidMethod(jvm.upcalls, jvm.destroy, static_cast<jobject>(user));
  upcall.failed();
  upcall.env()->DeleteGlobalRef(static_cast<jobject>(user));
}

// ---- Pools: the user pointer is a number
// -----------------------------------------------------------------------

jlong number(void* user) {
  return static_cast<jlong>(reinterpret_cast<intptr_t>(user));
}

void collect(void* user) {
  Upcall upcall;
  if (!upcall) return;
  const jboolean done = upcall.env()->CallStaticBooleanMethod(jvm.upcalls, jvm.collect, number(user));
  if (!upcall.failed() && done == JNI_FALSE) java_has_cause = true;
}

int32_t out_of_memory(void* user, uint64_t size, uint32_t attempt) {
  Upcall upcall;
  if (!upcall) return 0;
  const jboolean again = upcall.env()->CallStaticBooleanMethod(
      jvm.upcalls, jvm.out_of_memory, number(user), static_cast<jlong>(size), static_cast<jint>(attempt));
  if (upcall.failed()) return 0;
  if (again == JNI_FALSE) java_has_cause = true;
  return again == JNI_FALSE ? 0 : 1;
}

void message(void* user, int32_t severity, const char* text) {
  Upcall upcall;
  if (!upcall) return;
  const jbyteArray bytes = java_text(upcall.env(), text);
  if (bytes != nullptr) {
    upcall.env()->CallStaticVoidMethod(jvm.upcalls, jvm.message, number(user), jint{severity}, bytes);
  }
  upcall.failed();
}

// ---- Caches: the value is a global reference
// ---------------------------------------------------------------------

clpool_status compute(void* user, void** value) {
  Upcall upcall;
  if (!upcall) return kFailed;
  JNIEnv* env = upcall.env();
  const jclass object = env->FindClass("java/lang/Object");
  const jobjectArray result = object == nullptr ? nullptr : env->NewObjectArray(1, object, nullptr);
  if (result == nullptr) {
    upcall.failed();
    return kFailed;
  }
  const jint status =
      env->CallStaticIntMethod(jvm.upcalls, jvm.compute, *static_cast<jobject*>(user), result);
  if (upcall.failed()) return kFailed;
  const jobject computed = env->GetObjectArrayElement(result, 0);
  *value = computed == nullptr ? nullptr : env->NewGlobalRef(computed);
  return with_cause(status);
}

void forget(void*, void* value) {
  Upcall upcall;
  if (!upcall || value == nullptr) return;
  upcall.env()->CallStaticVoidMethod(jvm.upcalls, jvm.forget, static_cast<jobject>(value));
  upcall.failed();
  upcall.env()->DeleteGlobalRef(static_cast<jobject>(value));
}

// ---- Replays
// --------------------------------------------------------------------------------------------------------

int32_t progress(void* user, uint64_t done, uint64_t total) {
  Upcall upcall;
  if (!upcall) return 1;
  const jboolean on =
      upcall.env()->CallStaticBooleanMethod(jvm.upcalls, jvm.progress, *static_cast<jobject*>(user),
                                            static_cast<jlong>(done), static_cast<jlong>(total));
  if (upcall.failed()) return 1;
  if (on == JNI_FALSE) java_has_cause = true;
  return on == JNI_FALSE ? 1 : 0;
}

clpool_trace_replay_options replay_options(uint64_t interval, jobject* receiver) {
  clpool_trace_replay_options options = CLPOOL_TRACE_REPLAY_OPTIONS_INIT;
  options.progress_interval = interval;
  if (*receiver == nullptr) return options;
  options.progress = progress;
  options.user = receiver;
  return options;
}

}  // namespace

clpool_status java_allocator_create_custom(JNIEnv* jenv, jobject allocator, clpool_allocator** out) {
  *out = nullptr;
  const jobject user = jenv->NewGlobalRef(allocator);
  if (user == nullptr) return CLPOOL_ERROR_OUT_OF_HOST_MEMORY;
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = allocate;
  ops.deallocate = deallocate;
  ops.destroy = destroy;
  const clpool_status status = clpool_allocator_create_custom(&ops, user, out);
  if (status != CLPOOL_SUCCESS) jenv->DeleteGlobalRef(user);
  return status;
}

clpool_status java_pool_create(clpool_allocator* allocator, const clpool_pool_options* options,
                               const cl_command_queue* queues, uint32_t queue_count, uint64_t callbacks,
                               int32_t which, clpool_pool** out) {
  clpool_pool_callbacks functions = CLPOOL_POOL_CALLBACKS_INIT;
  if (which & 1) functions.collect = collect;
  if (which & 2) functions.out_of_memory = out_of_memory;
  if (which & 4) functions.message = message;
  clpool_pool_options full = *options;
  full.callbacks = which == 0 ? nullptr : &functions;
  full.user = reinterpret_cast<void*>(static_cast<intptr_t>(callbacks));
  full.queues = queue_count == 0 ? nullptr : queues;
  full.queue_count = queue_count;
  return clpool_pool_create(allocator, &full, out);
}

void java_receive_messages(int32_t wanted) {
  clpool_set_message_callback(wanted ? message : nullptr, nullptr);
}

clpool_status java_memo_get(JNIEnv*, clpool_memo* memo, uint32_t kind, void* object, const void* key,
                            size_t key_size, jobject supplier, clpool_memo_value** out) {
  clpool_memo_ops ops = CLPOOL_MEMO_OPS_INIT;
  ops.compute = compute;
  ops.destroy = forget;
  return clpool_memo_get(memo, kind, object, key, key_size, &ops, &supplier, out);
}

clpool_status java_memo_find(clpool_memo* memo, void* object, const void* key, size_t key_size,
                             clpool_memo_value** out) {
  const clpool_status status = clpool_memo_find(memo, object, key, key_size, out);
  return status == CLPOOL_ERROR_NOT_FOUND ? CLPOOL_SUCCESS : status;
}

jobject java_memo_value(JNIEnv* jenv, const clpool_memo_value* value) {
  const auto kept = static_cast<jobject>(clpool_memo_value_get(value));
  return kept == nullptr ? nullptr : jenv->NewLocalRef(kept);
}

clpool_status java_trace_replay_pool(JNIEnv*, const clpool_trace* trace, clpool_pool* pool,
                                     uint64_t progress_interval, jobject progress_receiver,
                                     clpool_trace_replay_result* result) {
  const clpool_trace_replay_options options = replay_options(progress_interval, &progress_receiver);
  return clpool_trace_replay_pool(trace, pool, &options, result);
}

clpool_status java_trace_replay_allocator(JNIEnv*, const clpool_trace* trace, clpool_allocator* allocator,
                                          uint64_t progress_interval, jobject progress_receiver,
                                          clpool_trace_replay_result* result) {
  const clpool_trace_replay_options options = replay_options(progress_interval, &progress_receiver);
  return clpool_trace_replay_allocator(trace, allocator, &options, result);
}
