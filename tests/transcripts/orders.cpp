// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <random>

#include "fuzz/pool_program.hpp"
#include "transcripts/programs.hpp"

namespace clpool::transcripts {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t bytes_of_a_program = 1600;
constexpr unsigned programs_of_a_group = 4;

/// In the order of fuzz::Memory.
constexpr const char* memories[] = {"immediate", "deferred", "svm", "fine_svm", "pinned", "custom"};

/// The first bytes of a program, from the third on; see PoolProgram's constructor.
struct Queues {
  const char* name;
  std::uint8_t out_of_order;  ///< a bit for each queue
  std::uint8_t given;         ///< bits 0 to 2: to the pool; bit 3: to the allocator; bit 4: nobody is told
};

constexpr Queues queues[] = {{"one_queue", 0, 1 | 8},
                             {"three_queues", 0, 7 | 8},
                             {"out_of_order", 1 | 4, 3},
                             {"allocators_queue", 2, 8},
                             {"silent", 0, 16}};

/// The first two have the one strategy, the others the other one. The second's driver is like NVIDIA's. Other options are by
/// chance; every other pool traces. Every other program has few values, half of the time: sizes come again.
Bytes bytes_of(std::uint8_t memory, const Queues& way, unsigned i, std::mt19937& random) {
  const auto options = static_cast<std::uint8_t>(random() % 64 << 1 | i / 2 | (i % 2 == 0 ? 128 : 0));
  Bytes bytes = {memory, static_cast<std::uint8_t>(i == 1 ? 3 : 0), way.out_of_order, way.given, options};
  std::array<std::uint8_t, 8> few{};
  std::generate(few.begin(), few.end(), [&random] { return static_cast<std::uint8_t>(random()); });
  while (bytes.size() < bytes_of_a_program) {
    const auto byte = static_cast<std::uint8_t>(random());
    bytes.push_back(i % 2 == 1 && byte % 2 == 1 ? few[byte / 2 % few.size()] : byte);
  }
  return bytes;
}

}  // namespace

void add_orders(std::vector<Group>& groups) {
  std::mt19937 random(2026);  // the same numbers with every standard library
  for (std::uint8_t memory = 0; memory < std::size(memories); ++memory) {
    for (const Queues& way : queues) {
      Group& group = groups.emplace_back();
      group.name = std::string(memories[memory]) + '_' + way.name;
      for (unsigned i = 0; i < programs_of_a_group; ++i) {
        group.programs.push_back({group.name + '_' + std::to_string(i),
                                  [bytes = bytes_of(memory, way, i, random)](Transcript& transcript) {
                                    fuzz::Input input(bytes.data(), bytes.size());
                                    fuzz::PoolProgram::run(
                                        input, [&transcript](const Pool& pool) { transcript.note(pool); });
                                  }});
      }
    }
  }
}

}  // namespace clpool::transcripts
