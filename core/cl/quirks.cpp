// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Which driver has which bug.
#include "cl/quirks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include "cl/info.hpp"

namespace clpool::core::cl {
namespace {

/// Devices of which mixes_up_parts() is true, as far as it was asked; the first of them.
constinit std::array<std::atomic<cl_device_id>, 64> mixing{};

void note_mixing(cl_device_id device) noexcept {
  for (std::atomic<cl_device_id>& known : mixing) {
    cl_device_id none = nullptr;
    if (known.compare_exchange_strong(none, device) || none == device) {
      return;
    }
  }
}

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
    note_mixing(device);
  }
  return Status::success;
}

Status mixes_up_parts(cl_command_queue queue, bool& result) noexcept {
  result = false;
  if (mixing.front().load(std::memory_order_relaxed) == nullptr) {
    return Status::success;
  }
  cl_device_id device = nullptr;
  CLPOOL_TRY(query(queue, CL_QUEUE_DEVICE, device));
  result = std::any_of(mixing.begin(), mixing.end(), [device](const std::atomic<cl_device_id>& known) {
    return known.load(std::memory_order_relaxed) == device;
  });
  return Status::success;
}

Status breaks_at_migrations(cl_device_id device, bool& result) {
  return is_nvidia(device, result);
}

Status maps_stale_svm(cl_device_id device, bool& result) {
  return is_nvidia(device, result);
}

}  // namespace clpool::core::cl
