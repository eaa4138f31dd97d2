// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Which driver has which bug.
#include "cl/quirks.hpp"

#include <atomic>
#include <string>

#include "cl/info.hpp"

namespace clpool::core::cl {
namespace {

constinit std::atomic<bool> some_are_mixed_up{false};

Status is_of_platform(cl_device_id device, const char* platform_name, bool& result) {
  cl_platform_id platform = nullptr;
  CLPOOL_TRY(query(device, CL_DEVICE_PLATFORM, platform));
  std::string name;
  CLPOOL_TRY(query_text(platform, CL_PLATFORM_NAME, name));
  result = name == platform_name;
  return Status::success;
}

Status is_pocl(cl_command_queue queue, bool& result) {
  cl_device_id device = nullptr;
  CLPOOL_TRY(query(queue, CL_QUEUE_DEVICE, device));
  return is_of_platform(device, "Portable Computing Language", result);
}

Status is_nvidia(cl_device_id device, bool& result) {
  return has_extension(device, "cl_nv_device_attribute_query", result);
}

}  // namespace

Status crashes_on_boxes_of_sub_buffers(cl_command_queue queue, bool& result) {
  return is_pocl(queue, result);
}

Status forgets_barriers(cl_command_queue queue, bool& result) {
  CLPOOL_TRY(is_out_of_order(queue, result));
  return result ? is_pocl(queue, result) : Status::success;
}

Status loses_images_over_sub_buffers(cl_device_id device, bool& result) {
  return is_of_platform(device, "rusticl", result);
}

Status mixes_up_parts(cl_device_id device, bool& result) {
  CLPOOL_TRY(is_nvidia(device, result));
  if (result) {
    some_are_mixed_up.store(true, std::memory_order_relaxed);
  }
  return Status::success;
}

bool some_parts_are_mixed_up() noexcept {
  return some_are_mixed_up.load(std::memory_order_relaxed);
}

Status breaks_at_migrations(cl_device_id device, bool& result) {
  return is_nvidia(device, result);
}

Status maps_stale_svm(cl_device_id device, bool& result) {
  return is_nvidia(device, result);
}

}  // namespace clpool::core::cl
