// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "objects.hpp"

#include <new>
#include <vector>

#include "finish.hpp"
#include "flush.hpp"

namespace {

cl_int first_device(cl_context context, cl_device_id* device) try {
  size_t size = 0;
  cl_int code = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &size);
  if (code != CL_SUCCESS) {
    return code;
  }
  std::vector<cl_device_id> devices(size / sizeof(cl_device_id));
  code = clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices.data(), nullptr);
  if (code == CL_SUCCESS) {
    *device = devices.empty() ? nullptr : devices.front();
  }
  return code;
} catch (const std::bad_alloc&) {
  return CL_OUT_OF_HOST_MEMORY;
}

}  // namespace

cl_int csharp_queue_create(cl_context context, cl_device_id device_or_null, int32_t out_of_order,
                           cl_command_queue* queue) {
  cl_int code = device_or_null != nullptr ? CL_SUCCESS : first_device(context, &device_or_null);
  if (code != CL_SUCCESS) {
    return code;
  }
  const cl_command_queue_properties properties = out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // the only form that OpenCL 1.x devices have
  *queue = clCreateCommandQueue(context, device_or_null, properties, &code);
#pragma GCC diagnostic pop
  return code;
}

cl_int csharp_queue_flush(cl_command_queue queue) {
  return clpool_flush_queue(queue);
}

cl_int csharp_queue_finish(cl_command_queue queue) {
  return clpool_finish_queue(queue);
}

cl_int csharp_user_event_create(cl_context context, cl_event* event) {
  cl_int code = CL_SUCCESS;
  *event = clCreateUserEvent(context, &code);
  return code;
}
