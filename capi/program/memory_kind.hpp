// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// --kind: where the memory of a replay comes from.
#pragma once

#include <cstdint>
#include <string>

#include "device_choice.hpp"
#include "handles.hpp"

namespace clpool::program {

/// A device with the context and queue that its memory needs, or none for "dry".
class MemorySource {
 public:
  /// `kind` is one of "buffer", "svm", "pinned", "dry"; `device` is not looked at for "dry".
  MemorySource(std::string kind, const Device& device);

  /// A new allocator. Throws Failure if the device does not have this kind of memory.
  Allocator make_allocator() const;

  /// Alignment for pools, 0 to leave it to them.
  std::uint64_t pool_alignment() const noexcept;

  /// The queue that pools are told of, as those of programs are: of SVM they give back only what they know to be unused.
  /// Null for "dry".
  cl_command_queue queue() const noexcept { return queue_.get(); }

 private:
  std::string kind_;
  Context context_;
  Queue queue_;
};

}  // namespace clpool::program
