// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Fills and reads for guarded pools.
#include "cl/pattern.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "cl/info.hpp"
#include "cl/order.hpp"

namespace clpool::core::cl {
namespace {

constexpr std::size_t page_bytes = std::size_t{64} * 1024;

constexpr unsigned char wide_pattern[16] = {pattern_byte, pattern_byte, pattern_byte, pattern_byte,
                                            pattern_byte, pattern_byte, pattern_byte, pattern_byte,
                                            pattern_byte, pattern_byte, pattern_byte, pattern_byte,
                                            pattern_byte, pattern_byte, pattern_byte, pattern_byte};

/// Bytes of the pattern that may be repeated at such a place.
std::size_t pattern_bytes_for(std::uint64_t offset, std::uint64_t size) noexcept {
  return (offset | size) % sizeof wide_pattern == 0 ? sizeof wide_pattern : 1;
}

/// Host memory full of the pattern, for devices that have no fills; never given back, as commands may still
/// read it at the process's end. Null without host memory.
const unsigned char* pattern_page() noexcept {
  static const unsigned char* const page = []() -> const unsigned char* {
    auto* made = new (std::nothrow) unsigned char[page_bytes];
    if (made != nullptr) {
      std::memset(made, pattern_byte, page_bytes);
    }
    return made;
  }();
  return page;
}

/// The wait list of a command that comes after `done`, and where its own event goes.
class After {
 public:
  explicit After(Event& done) noexcept : done_(done), before_(done.get()) {}
  After(const After&) = delete;
  After& operator=(const After&) = delete;
  ~After() {
    if (event_ != nullptr) {
      done_ = Event::adopt(event_);  // the swap leaves the former one to be released
    }
  }
  cl_uint count() const noexcept { return before_ != nullptr ? 1 : 0; }
  const cl_event* list() const noexcept { return before_ != nullptr ? &before_ : nullptr; }
  cl_event* event() noexcept { return &event_; }

 private:
  Event& done_;
  cl_event before_;
  cl_event event_ = nullptr;
};

Status can_fill(cl_command_queue queue, bool& result) noexcept {
  try {
    cl_device_id device = nullptr;
    CLPOOL_TRY(queue_device(queue, device));
    Version version;
    CLPOOL_TRY(device_version(device, version));
    result = version >= Version{1, 2};
  } catch (const std::bad_alloc&) {
    return fail(Status::out_of_host_memory, "no host memory to ask for a device's version");
  }
  return Status::success;
}

/// Devices before OpenCL 1.2.
Status write_pattern(cl_command_queue queue, const Stretch& stretch, Event& done) noexcept {
  const unsigned char* const page = pattern_page();
  if (page == nullptr) {
    return fail(Status::out_of_host_memory, "no host memory for a pattern");
  }
  for (std::uint64_t written = 0; written < stretch.size; written += page_bytes) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(page_bytes, stretch.size - written));
    After after(done);
    const cl_int code = clEnqueueWriteBuffer(queue, stretch.buffer, CL_FALSE,
                                             static_cast<std::size_t>(stretch.offset + written), size, page,
                                             after.count(), after.list(), after.event());
    if (code != CL_SUCCESS) {
      return fail_cl(code, "clEnqueueWriteBuffer", "a pattern of %zu bytes", size);
    }
  }
  return Status::success;
}

}  // namespace

Status fill_with_pattern(cl_command_queue queue, const Stretch& stretch, Event& done) noexcept {
  const auto size = static_cast<std::size_t>(stretch.size);
  cl_int code = CL_SUCCESS;
  if (stretch.buffer == nullptr) {
    After after(done);
    unsigned char* const first = stretch.address + stretch.offset;
    const std::size_t bytes = pattern_bytes_for(reinterpret_cast<std::uintptr_t>(first), stretch.size);
    code = clEnqueueSVMMemFill(queue, first, wide_pattern, bytes, size, after.count(), after.list(),
                               after.event());
  } else {
    bool fills = false;
    CLPOOL_TRY(can_fill(queue, fills));
    if (!fills) {
      return write_pattern(queue, stretch, done);
    }
    After after(done);
    code = clEnqueueFillBuffer(
        queue, stretch.buffer, wide_pattern, pattern_bytes_for(stretch.offset, stretch.size),
        static_cast<std::size_t>(stretch.offset), size, after.count(), after.list(), after.event());
  }
  return code == CL_SUCCESS ? Status::success : fail_cl(code, "fill", "a pattern of %zu bytes", size);
}

Status read_stretch(cl_command_queue queue, const Stretch& stretch, void* bytes, Event& done) noexcept {
  const auto size = static_cast<std::size_t>(stretch.size);
  After after(done);
  const cl_int code =
      stretch.buffer == nullptr
          ? clEnqueueSVMMemcpy(queue, CL_FALSE, bytes, stretch.address + stretch.offset, size, after.count(),
                               after.list(), after.event())
          : clEnqueueReadBuffer(queue, stretch.buffer, CL_FALSE, static_cast<std::size_t>(stretch.offset),
                                size, bytes, after.count(), after.list(), after.event());
  return code == CL_SUCCESS ? Status::success : fail_cl(code, "read", "a pattern of %zu bytes", size);
}

void flush(cl_command_queue queue) noexcept {
  static_cast<void>(clFlush(queue));  // what it fails of, later commands fail of too
}

}  // namespace clpool::core::cl
