/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Threads whose first calls of OpenCL are the library's, all at the same time: each gets its pool. Drivers make their
 * devices in these calls, and PoCL 3.1 does not expect two threads in them. Exit codes: 0, 1. */
#include <clpool/clpool.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { threads = 4 };

static pthread_barrier_t barrier;
static atomic_int failures;

static void* begin(void* unused) {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  clpool_pool* pool;
  pthread_barrier_wait(&barrier);
  if (clpool_pool_create_default(NULL, CLPOOL_MEMORY_BUFFER, NULL, &pool, &device, &context, &queue) !=
      CLPOOL_SUCCESS) {
    fprintf(stderr, "%s\n", clpool_last_error_message());
    atomic_fetch_add(&failures, 1);
    return unused;
  }
  clpool_pool_release(pool);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return unused;
}

int main(void) {
  pthread_t thread[threads];
  pthread_barrier_init(&barrier, NULL, threads);
  for (int i = 0; i < threads; ++i) {
    pthread_create(&thread[i], NULL, begin, NULL);
  }
  for (int i = 0; i < threads; ++i) {
    pthread_join(thread[i], NULL);
  }
  pthread_barrier_destroy(&barrier);
  return failures == 0 ? 0 : 1;
}
