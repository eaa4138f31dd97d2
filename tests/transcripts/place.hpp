// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the programs begin with whose arguments are mostly right: a device, numbers by chance, and what memory shows.
#pragma once

#include <random>
#include <string>
#include <vector>

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

/// Options of devices of several sorts.
inline constexpr const char* kinds[] = {"mode=immediate",
                                        "mode=immediate,nvidia=1,align=512",
                                        "mode=immediate,version=1.2,svm=none",
                                        "mode=immediate,version=1.1,svm=none",
                                        "mode=immediate,version=2.0,svm=fine,out_of_order=0",
                                        "mode=immediate,name=Portable Computing Language"};

/// Mostly none; now and then one that is wrong, or an event.
struct Waits {
  Waits(Chance& chance, cl_event event) {
    const std::size_t which = chance.below(60);
    count = which < 4 ? 1 : which == 4 ? 0 : which < 12 && event != nullptr ? 1 : 0;
    events[0] = which < 2 ? nullptr : event;
    list = which == 2 || which == 3 ? nullptr : count != 0 || which == 4 ? events : nullptr;
  }
  cl_uint count;
  const cl_event* list;
  cl_event events[1] = {};
};

std::uint64_t sum_of(const unsigned char* bytes, std::size_t size);

/// What is in memory; sub-regions and views show as a part of what they are of.
std::string content_of(const Mem& mem);

/// Bytes that are told apart.
void fill_by_number(std::vector<unsigned char>& bytes);

}  // namespace clpool::transcripts
