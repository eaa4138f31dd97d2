// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shim of clpool_pool_create_default() in clpool/pool.h: other functions of the API in a row.
#include "clpool/device.h"
#include "clpool/pool.h"
#include "shim.hpp"

namespace {

using clpool::capi::clear_result;
using clpool::core::fail;
using clpool::core::KeptError;
using clpool::core::Status;

clpool_status make_allocator(std::uint32_t memory, cl_context context, cl_command_queue queue,
                             clpool_allocator** allocator) noexcept {
  clpool_status status = CLPOOL_ERROR_NOT_SUPPORTED;
  if (memory == CLPOOL_MEMORY_SVM || memory == CLPOOL_MEMORY_SVM_OR_BUFFER) {
    status = clpool_allocator_create_svm(context, 0, 0, queue, allocator);
  }
  if (memory == CLPOOL_MEMORY_PINNED) {
    status = clpool_allocator_create_pinned(queue, 0, allocator);
  }
  const bool lacks_svm = memory == CLPOOL_MEMORY_SVM_OR_BUFFER && status == CLPOOL_ERROR_NOT_SUPPORTED;
  return memory == CLPOOL_MEMORY_BUFFER || lacks_svm ? clpool_allocator_create_immediate(queue, 0, allocator)
                                                     : status;
}

clpool_status make_pool(std::uint32_t memory, const clpool_pool_options& options, cl_context context,
                        cl_command_queue queue, clpool_pool** pool) noexcept {
  clpool_allocator* allocator = nullptr;
  clpool_status status = make_allocator(memory, context, queue, &allocator);
  if (status == CLPOOL_SUCCESS) {
    status = clpool_pool_create(allocator, &options, pool);
    const KeptError kept;
    static_cast<void>(clpool_allocator_release(allocator));  // the pool has its own reference
  }
  return status;
}

Status check(std::uint32_t memory, const clpool_pool_options* given, clpool_pool_options& options,
             const char* function) noexcept {
  if (memory > CLPOOL_MEMORY_SVM_OR_BUFFER) {
    return fail(Status::invalid_value, "%s: memory is %u, valid are 0 to %d", function, memory,
                CLPOOL_MEMORY_SVM_OR_BUFFER);
  }
  if (given != nullptr) {
    CLPOOL_TRY(clpool::capi::read_options(given, options, function));
  }
  return options.queues == nullptr && options.queue_count == 0
             ? Status::success
             : fail(Status::invalid_value, "%s: pool_options.queues are given, but the queue is made here",
                    function);
}

}  // namespace

clpool_status clpool_pool_create_default(const clpool_device_options* device_options_or_null, uint32_t memory,
                                         const clpool_pool_options* pool_options_or_null, clpool_pool** pool,
                                         cl_device_id* device, cl_context* context,
                                         cl_command_queue* queue) noexcept {
  constexpr const char* function = __func__;
  clpool::capi::clear(pool, device, context, queue);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  const clpool_status checked = clpool::capi::guarded([&]() -> Status {
    CLPOOL_TRY(clear_result(pool, function, "pool"));
    CLPOOL_TRY(clear_result(context, function, "context"));
    CLPOOL_TRY(clear_result(queue, function, "queue"));
    return check(memory, pool_options_or_null, options, function);
  });
  if (checked != CLPOOL_SUCCESS) {
    return checked;
  }
  clpool_status status = clpool_context_create_default(device_options_or_null, device, context, queue);
  if (status != CLPOOL_SUCCESS) {
    return status;
  }
  options.queues = queue;
  options.queue_count = 1;
  status = make_pool(memory, options, *context, *queue, pool);
  if (status != CLPOOL_SUCCESS) {
    const KeptError kept;
    clReleaseCommandQueue(*queue);
    clReleaseContext(*context);
    clpool::capi::clear(device, context, queue);
  }
  return status;
}
