// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Everything that the library answers about a device, as rows that can be shown or written.
#pragma once

#include <clpool/answer.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device_choice.hpp"

namespace clpool::program {

/// One question, its answer and where that comes from.
struct Finding {
  std::string name;   ///< of the question, for JSON: "simd_group_size"
  std::string title;  ///< for people: "SIMD width"
  std::string value;  ///< as people read it: "32 work items", "yes"
  std::int64_t number = 0;
  std::optional<std::vector<std::uint32_t>> numbers;  ///< where the answer is a list, or a version
  std::string source;
  std::string basis;
  std::string note;
};

/// Answers of one device. Throws Failure if the device fails.
struct Characterization {
  std::vector<Finding> findings;
  std::string fast_build_options;
};
/// `model` is one of CLPOOL_MODEL_…; what it refuses to answer says so.
Characterization characterize(const Device& device, std::uint32_t model);

}  // namespace clpool::program
