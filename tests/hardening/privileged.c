/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Whether the library looks at a variable of its environment: "privileged VARIABLE" prints "read" or
 * "ignored", and before it whether the process has more rights than its user ("secure", "plain"). The
 * variable must be set to something that no device answers to; privileged.sh does that. 77: there is no
 * device that could be chosen. */
#include <clpool/clpool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

static int guarded = 0;

static void receive(void* user, int32_t severity, const char* text) {
  (void)user;
  (void)severity;
  guarded |= strncmp(text, "guard: ", 7) == 0;
}

static clpool_status make_chunk(void* user, uint64_t size, uint64_t alignment, uint64_t* chunk) {
  (void)user;
  (void)size;
  (void)alignment;
  *chunk = 4096;
  return CLPOOL_SUCCESS;
}

static void return_chunk(void* user, uint64_t chunk, uint64_t size) {
  (void)user;
  (void)chunk;
  (void)size;
}

/* Only guarded pools say "guard: …" of a second release. */
static int reads_guard(void) {
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  clpool_allocator* allocator = NULL;
  clpool_pool* pool = NULL;
  clpool_mem* block = NULL;
  ops.allocate = make_chunk;
  ops.deallocate = return_chunk;
  clpool_set_message_callback(receive, NULL);
  if (clpool_allocator_create_custom(&ops, NULL, &allocator) != CLPOOL_SUCCESS ||
      clpool_pool_create(allocator, NULL, &pool) != CLPOOL_SUCCESS ||
      clpool_pool_allocate(pool, 100, &block) != CLPOOL_SUCCESS) {
    fprintf(stderr, "no block: %s\n", clpool_last_error_message());
    exit(1);
  }
  clpool_mem_release(block);
  clpool_mem_release(block);
  clpool_pool_release(pool);
  clpool_allocator_release(allocator);
  return guarded;
}

/* Whatever the variable names is none of the devices, so that choosing one fails where it is read. */
static int reads_device(void) {
  clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
  cl_device_id device = NULL;
  options.flags = CLPOOL_DEVICE_IGNORE_ENVIRONMENT;
  if (clpool_device_choose(&options, &device) != CLPOOL_SUCCESS) {
    printf("skipped: no OpenCL device\n");
    exit(77);
  }
  options.flags = CLPOOL_DEVICE_BY_RANK;
  return clpool_device_choose(&options, &device) != CLPOOL_SUCCESS;
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const int is_read = strcmp(arguments[1], "CLPOOL_GUARD") == 0 ? reads_guard() : reads_device();
  printf("%s %s\n", getauxval(AT_SECURE) != 0 ? "secure" : "plain", is_read ? "read" : "ignored");
  return 0;
}
