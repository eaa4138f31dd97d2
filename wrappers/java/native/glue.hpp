// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the generated layer needs besides the C API: C functions whose callbacks are Java objects, what Java
// asks of OpenCL objects that it was given or made (wait, finish, retain, release), views of memory, and how
// statuses become exceptions. SWIG reads the declarations below the helpers.
#ifndef CLPOOL_WRAPPERS_JAVA_GLUE_HPP
#define CLPOOL_WRAPPERS_JAVA_GLUE_HPP

#include "clpool/clpool.h"

#ifndef SWIG
#include <jni.h>

#include <type_traits>
#include <vector>

// Numbers of a long[]; null has no data.
class java_longs {
 public:
  void read(JNIEnv* jenv, jlongArray array);
  const void* data() const { return given_ ? static_cast<const void*>(values_.data()) : nullptr; }
  size_t size() const { return values_.empty() ? 0 : values_.size() - 1; }

 private:
  std::vector<jlong> values_;  // with one more at the end, so that data() is never null for an empty array
  bool given_ = false;
};

// Bytes of a byte[]; null has no data.
class java_bytes {
 public:
  void read(JNIEnv* jenv, jbyteArray array);
  void make(JNIEnv* jenv, jbyteArray array);
  void write(JNIEnv* jenv, jbyteArray array) const;
  void* data() { return given_ ? values_.data() : nullptr; }
  char* text() { return given_ ? reinterpret_cast<char*>(values_.data()) : nullptr; }
  size_t size() const { return values_.empty() ? 0 : values_.size() - 1; }

 private:
  std::vector<jbyte> values_;  // ended by a zero
  bool given_ = false;
};

// Writes the 64-bit figures of a struct, which follow its size, into an array of as many.
void java_figures(JNIEnv* jenv, jlongArray array, const void* figures, size_t size);
jbyteArray java_text(JNIEnv* jenv, const char* text);
void java_throw(JNIEnv* jenv, clpool_status status);

// Whether a callback of this thread failed and nothing was thrown for it yet.
extern thread_local bool java_has_cause [[gnu::tls_model("initial-exec")]];
void java_drop_cause(JNIEnv* jenv);
inline void java_forget_cause(JNIEnv* jenv) {
  if (java_has_cause) java_drop_cause(jenv);
}
#endif

#ifndef SWIG
// An OpenCL error code, thrown unless it is CL_SUCCESS, and the call that gave it.
struct java_cl_status {
  cl_int code;
  const char* call;
};
void java_throw_cl(JNIEnv* jenv, java_cl_status status);
#else
typedef cl_int java_cl_status;
#endif

// ---- callbacks.cpp
// -------------------------------------------------------------------------------------------
clpool_status java_allocator_create_custom(JNIEnv* jenv, jobject allocator, clpool_allocator** out);
// `callbacks` is the number under which Java finds them, 0 for none; the bits of `which`: 1 collect, 2
// out_of_memory, 4 message.
clpool_status java_pool_create(clpool_allocator* allocator, const clpool_pool_options* options,
                               const cl_command_queue* queues, uint32_t queue_count, uint64_t callbacks,
                               int32_t which, clpool_pool** out);
void java_receive_messages(int32_t wanted);
clpool_status java_memo_get(JNIEnv* jenv, clpool_memo* memo, uint32_t kind, void* object, const void* key,
                            size_t key_size, jobject supplier, clpool_memo_value** out);
// Null if it is not kept.
clpool_status java_memo_find(clpool_memo* memo, void* object, const void* key, size_t key_size,
                             clpool_memo_value** out);
jobject java_memo_value(JNIEnv* jenv, const clpool_memo_value* value);
clpool_status java_trace_replay_pool(JNIEnv* jenv, const clpool_trace* trace, clpool_pool* pool,
                                     uint64_t progress_interval, jobject progress,
                                     clpool_trace_replay_result* result);
clpool_status java_trace_replay_allocator(JNIEnv* jenv, const clpool_trace* trace,
                                          clpool_allocator* allocator, uint64_t progress_interval,
                                          jobject progress, clpool_trace_replay_result* result);

// ---- glue.cpp
// ------------------------------------------------------------------------------------------------ 0 if
// clpool_pool_allocate() has to be called.
clpool_status java_pool_try_allocate(clpool_pool* pool, size_t size, clpool_mem** out);
// Gives memory back: 1 at once, 2 later, 3 unused. It throws nothing, so that whoever calls it knows what of it was done;
// java_check() throws its status.
int32_t java_mem_give_back(clpool_mem* mem, int32_t how);
// The same of a map.
int32_t java_map_give_back(clpool_map* map);
clpool_status java_check(int32_t status);
// The figures of each stretch, in the order of the header: PoolStretch.COUNT of them.
jlongArray java_pool_stretches(JNIEnv* jenv, clpool_pool* pool);
clpool_status java_device_choose(const char* selector, cl_device_type types, uint32_t flags,
                                 cl_device_id* out);
clpool_status java_device_list(const char* selector, cl_device_type types, uint32_t flags,
                               cl_device_id* devices, size_t capacity, size_t* count);
clpool_status java_device_list_for_tests(cl_device_id* devices, size_t capacity, size_t* count);
clpool_status java_context_create_default(const char* selector, cl_device_type types, uint32_t flags,
                                          cl_device_id* device, cl_context* context, cl_command_queue* queue);
// ---- gates.cpp: a pool's requests that are not counted. A gate has two owners, the pool's release and the Java object.
// Takes the pool over. NULL, with the pool released, where host memory is out.
void* java_gate_open(clpool_pool* pool);
// A block if that takes neither waiting nor a driver call; else NULL, as after the gate was shut.
void* java_gate_allocate(void* gate, size_t size);
void java_gate_shut(void* gate);
// Shuts it, and releases the pool when nobody is inside.
clpool_status java_gate_release(void* gate);
// No thread can go through it any more.
void java_gate_gone(void* gate);

// A direct ByteBuffer over `length` bytes.
jobject java_view(JNIEnv* jenv, void* address, size_t length);
// Host memory for copies of what lies on Java's heap; NULL where there is none.
void* java_host_allocate(size_t size);
void java_host_free(void* address);
// The address of a direct buffer's first byte, whatever its position.
void* java_address(JNIEnv* jenv, jobject buffer);

java_cl_status java_context_create(cl_device_id device, cl_context* out);
java_cl_status java_context_retain(cl_context context);
java_cl_status java_context_release(cl_context context);
java_cl_status java_context_devices(cl_context context, cl_device_id* devices, size_t capacity,
                                    size_t* count);
java_cl_status java_queue_create(cl_context context, cl_device_id device, int32_t out_of_order,
                                 cl_command_queue* out);
java_cl_status java_queue_retain(cl_command_queue queue);
java_cl_status java_queue_release(cl_command_queue queue);
java_cl_status java_queue_finish(cl_command_queue queue);
java_cl_status java_queue_flush(cl_command_queue queue);
java_cl_status java_queue_context(cl_command_queue queue, cl_context* out);
java_cl_status java_queue_device(cl_command_queue queue, cl_device_id* out);
java_cl_status java_device_platform(cl_device_id device, cl_platform_id* out);
java_cl_status java_event_create_user(cl_context context, cl_event* out);
java_cl_status java_event_end(cl_event event, int32_t status);
java_cl_status java_event_retain(cl_event event);
java_cl_status java_event_release(cl_event event);
java_cl_status java_event_wait(cl_event event);
// Hands the commands of the event's queue to the device, which the caller knows to be alive.
void java_event_flush(cl_event event);
// CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE, or a negative error code.
java_cl_status java_event_status(cl_event event, uint64_t* value);
java_cl_status java_sampler_release(cl_sampler sampler);

// ---- ends.cpp: what common/ends.hpp does, in one place for the process, as Java calls it.
// To be called before the others, by one thread at a time; again it does nothing.
java_cl_status java_ends_open();
// Numbers are told at the end of the command, and when the memory object is gone. None is 0.
java_cl_status java_event_notify(cl_event event, uint64_t number);
java_cl_status java_mem_notify(cl_mem mem, uint64_t number);
// The first number that was told, and what the driver told with it, until it is dropped. Waits for it so long or less, for ever
// if less than 0; 0 if there is none. One thread.
uint64_t java_ends_next(int32_t milliseconds);
int32_t java_ends_status();
void java_ends_drop();
// Ends its wait, from any thread.
void java_ends_ring();

#endif
