// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Turn: the library's calls of a driver that may be in them with one thread at a time.
#pragma once

namespace clpool::core::cl {

/// While it lives, no other thread has one: in all the process, since different pools and allocators may use one queue.
/// Taken around calls that wait for nothing but a queue that is full, as NVIDIA's is with some 340 copies behind a kernel that
/// runs: the first list of devices, and parts and markers of drivers of which mixes_up_parts() is true.
/// Messages for the process-wide receiver that arise meanwhile are sent when it is over.
/// A thread may have several: clReleaseMemObject may call a program's callback, which may ask a pool for more.
class [[nodiscard]] Turn {
 public:
  explicit Turn(bool is_needed) noexcept : is_taken_(is_needed) {
    if (is_taken_) {
      take();
    }
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (is_taken_) {
      give_back();
    }
  }

 private:
  static void take() noexcept;
  static void give_back() noexcept;
  bool is_taken_;
};

}  // namespace clpool::core::cl
