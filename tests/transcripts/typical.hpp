// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What programs of typical.cpp and devices.cpp begin with.
#pragma once

#include <random>

#include "fuzz/on_stub.hpp"
#include "transcripts/programs.hpp"

namespace clpool::transcripts {

/// The fake driver with these options, a context on its first device, and its queues.
struct Place {
  explicit Place(const std::string& options);
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place();

  fuzz::StubRun stub;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;         ///< in order
  cl_command_queue out_of_order = nullptr;  ///< null where the device has none
};

/// Numbers by chance, the same ones with every standard library.
class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool one_of(std::size_t limit) { return below(limit) == 0; }
  template <typename T, std::size_t n>
  const T& among(const T (&all)[n]) {
    return all[below(n)];
  }

 private:
  std::mt19937 random_;
};

}  // namespace clpool::transcripts
