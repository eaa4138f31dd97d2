/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* memo.h: programs that are built once for each context and set of build options, however often they are asked for. */
#include <string.h>
#include "opened.h"

typedef struct job {
  const example_device* device;
  const char* options;
  int builds;
} job;

static clpool_status build(void* user, void** value) {
  const char* source = "kernel void scale(global float* x) { x[get_global_id(0)] *= FACTOR; }";
  job* wanted = (job*)user;
  cl_program program = clCreateProgramWithSource(wanted->device->context, 1, &source, NULL, NULL);
  if (clBuildProgram(program, 1, &wanted->device->id, wanted->options, NULL, NULL) != CL_SUCCESS) {
    (void)clReleaseProgram(program);
    return CLPOOL_ERROR_CALLBACK;
  }
  ++wanted->builds;
  *value = program;
  return CLPOOL_SUCCESS;
}

static void unbuild(void* user, void* value) {
  (void)user;
  (void)clReleaseProgram((cl_program)value);
}

int main(void) {
  const char* options[] = {"-DFACTOR=2", "-DFACTOR=3", "-DFACTOR=2"};
  clpool_memo_ops ops = CLPOOL_MEMO_OPS_INIT;
  clpool_memo* memo = NULL;
  example_device device = open_default();
  job wanted = {&device, NULL, 0};
  size_t kept = 0;
  ops.compute = build;
  ops.destroy = unbuild;
  CLPOOL_CHECK(clpool_memo_create(&memo));
  for (int i = 0; i < 3; ++i) {
    clpool_memo_value* program = NULL;
    wanted.options = options[i];
    CLPOOL_CHECK(clpool_memo_get(memo, CLPOOL_MEMO_CONTEXT, device.context, options[i], strlen(options[i]),
                                 &ops, &wanted, &program));
    EXPECT(clpool_memo_value_get(program) != NULL); /* the cl_program, as long as `program` is not released */
    CLPOOL_CHECK(clpool_memo_value_release(program));
  }
  CLPOOL_CHECK(clpool_memo_size(memo, &kept));
  EXPECT(kept == 2 && wanted.builds == 2);
  printf("asked for 3 programs, built %d, kept %zu\n", wanted.builds, kept);
  CLPOOL_CHECK(clpool_memo_release(memo)); /* before the context, which it holds */
  example_close(&device);
  return 0;
}
