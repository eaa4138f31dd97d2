/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* How a test steers the fake driver of this folder and looks into it. C, exported by libclpool_stub_icd.so,
 * which a program links; the ICD loader loads the same file, so both see one driver. Every function may be
 * called from any thread unless it says otherwise. README.md has the options. */
#ifndef CLPOOL_TESTS_STUB_ICD_STUB_H
#define CLPOOL_TESTS_STUB_ICD_STUB_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STUB_API __attribute__((visibility("default")))

/* ---- Options ---- */

/* Sets options on top of those that are set: "mode=manual,version=1.2,limit=64M". An unknown option aborts.
 * Takes effect at once, for objects that exist as well. */
STUB_API void stub_configure(const char* options);

/* Options as the environment (CLPOOL_STUB) has them; no faults, hooks and kernels of tests; counters of calls
 * and of events of the model at 0. Objects and pending commands stay. */
STUB_API void stub_reset(void);

/* ---- What was called and what is there ---- */

/* Calls of an entry point such as "clCreateBuffer"; NULL: of all. */
STUB_API uint64_t stub_calls(const char* entry_point);

/* The calls of each entry point with its name, up to `capacity` of them; how many entry points there are. */
STUB_API size_t stub_read_calls(uint64_t* calls, const char** names, size_t capacity);

/* No call was made so far, as it were. */
STUB_API void stub_forget_calls(void);

/* A counter of the model by its name, see README.md: "release_waits", "siblings_walked"… */
STUB_API uint64_t stub_count(const char* counter);

typedef enum stub_kind {
  STUB_CONTEXT,
  STUB_QUEUE,
  STUB_BUFFER, /* roots; images and pipes count apart */
  STUB_SUB_BUFFER,
  STUB_IMAGE,
  STUB_PIPE,
  STUB_SVM,
  STUB_MAP, /* regions mapped and not yet unmapped, of buffers and images */
  STUB_EVENT,
  STUB_SAMPLER,
  STUB_PROGRAM,
  STUB_KERNEL,
  STUB_KINDS
} stub_kind;

typedef struct stub_counts {
  int64_t live[STUB_KINDS];       /* objects that the program has a reference on */
  int64_t references[STUB_KINDS]; /* all its references: a lost clRetain… shows here */
  int64_t created[STUB_KINDS];    /* ever; not compared */
  uint64_t device_bytes;          /* taken of the device's memory */
} stub_counts;

STUB_API void stub_read_counts(stub_counts* counts);

/* True if as many objects, references and bytes are there as in `before`; else `text` says what differs. */
STUB_API int stub_same_counts(const stub_counts* before, char* text, size_t text_size);

/* The device's memory of a buffer, sub-buffer or image, to look at without a command. */
STUB_API unsigned char* stub_memory(cl_mem mem);

/* Bytes of device memory that all objects take now. */
STUB_API uint64_t stub_device_bytes(void);

/* ---- Failures ---- */

/* The nth call from now (1: the next) of an entry point fails with `code` and does nothing; clSVMAlloc gives
 * NULL, and a release that is named releases all the same. entry_point NULL: of any that can fail, except
 * releases. One such fault at a time. */
STUB_API void stub_fail(const char* entry_point, uint64_t nth, cl_int code);

/* The same for that call and all later ones. */
STUB_API void stub_fail_from(const char* entry_point, uint64_t nth, cl_int code);

STUB_API void stub_fail_none(void);

/* Calls that failed by these. */
STUB_API uint64_t stub_failures(void);

/* Not 0: calls neither fail nor count until it is called with 0, for calls of the test's own. Returns what
 * was set before. */
STUB_API int stub_hold_faults(int held);

/* The entry point that the calling thread is in; NULL outside of the driver. */
STUB_API const char* stub_activity(void);

/* ---- Commands (mode=manual) ---- */

/* True if OpenCL would let this command run now. */
STUB_API int stub_may_run(cl_event event);

/* Runs the command of an event; 0 and nothing if it may not run yet. */
STUB_API int stub_run(cl_event event);

/* Runs the oldest command of a queue that may run (NULL: of any queue); 0 if there is none. */
STUB_API int stub_run_next(cl_command_queue queue);

/* The same for the nth (0: the oldest) of those that may run, for orders other than the oldest first. */
STUB_API int stub_run_nth(cl_command_queue queue, size_t nth);

/* Runs all that may run and what may run then; the number of commands. */
STUB_API size_t stub_run_all(void);

/* Commands that have not run; of them, those that may. NULL: of all queues. */
STUB_API size_t stub_pending(cl_command_queue queue);
STUB_API size_t stub_runnable(cl_command_queue queue);

/* Threads that wait in the driver now. */
STUB_API size_t stub_blocked(void);

/* Simulated nanoseconds: what calls and waits have taken by the latencies that are set. */
STUB_API uint64_t stub_now(void);

/* ---- Hooks ---- */

/* Called at the begin of every entry point, on its thread, with none of the driver's locks held. Not called
 * for calls that the hook itself makes. NULL: none. */
typedef void (*stub_hook)(const char* entry_point, void* user);
STUB_API void stub_set_hook(stub_hook hook, void* user);

/* The same beside it, and stub_reset() leaves it: for who looks at a whole program of tests from outside. */
STUB_API void stub_set_observer(stub_hook observer, void* user);

/* During every call of `entry_point` (NULL: of any), `operation` runs on another thread, and the call goes on
 * when it is through. If it is not within the time `patience`, somebody holds a lock that it wants: that is
 * counted, said on stderr, and the call goes on without it. entry_point and operation NULL: no more. */
typedef void (*stub_operation)(void* user);
STUB_API void stub_meanwhile(const char* entry_point, stub_operation operation, void* user);

/* How often `operation` ran, and how often it was held up. */
STUB_API uint64_t stub_meanwhile_runs(void);
STUB_API uint64_t stub_meanwhile_held_up(void);

/* ---- Kernels ---- */

typedef enum stub_arg_kind {
  STUB_VALUE,
  STUB_GLOBAL,
  STUB_LOCAL,
  STUB_IMAGE_ARG,
  STUB_SAMPLER_ARG
} stub_arg_kind;

typedef struct stub_arg {
  stub_arg_kind kind;
  const char* type;   /* as the source has it: "global float*" */
  void* data;         /* value, memory, or first pixel; NULL for a null buffer */
  size_t size;        /* bytes of it */
  size_t shape[3];    /* of an image: pixels, 1 where it has no such dimension */
  size_t row_pitch;   /* of an image, bytes */
  size_t slice_pitch; /* of an image, bytes */
} stub_arg;

typedef struct stub_launch {
  cl_uint dimensions;
  size_t offset[3];
  size_t global[3]; /* 1 beyond `dimensions` */
  cl_uint arg_count;
  const stub_arg* args;
  void* user;
} stub_launch;

/* Runs the whole launch. Must not call OpenCL. */
typedef void (*stub_kernel_function)(const stub_launch* launch);

/* Makes kernels of this name "compile" in programs that are built from now on, and run `function`. */
STUB_API void stub_define_kernel(const char* name, stub_kernel_function function, void* user);

#ifdef __cplusplus
}
#endif
#endif
