// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "costs/programs.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>

#include "costs/account.hpp"
#include "fuzz/pool_program.hpp"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);  // fuzz/on_stub.cpp

namespace clpool::costs {
namespace {

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

}  // namespace

std::vector<Group> all_groups() {
  std::vector<Group> groups;
  std::mt19937 random(2026);  // the same numbers with every standard library
  for (std::uint8_t memory = 0; memory < std::size(memories); ++memory) {
    for (const Queues& way : queues) {
      Group& group = groups.emplace_back();
      group.name = std::string(memories[memory]) + '_' + way.name;
      for (unsigned i = 0; i < programs_of_a_group; ++i) {
        Program& program = group.programs.emplace_back();
        program.name = group.name + '_' + std::to_string(i);
        // The second's driver is like NVIDIA's; options are by chance, but for the strategy, and every other pool traces.
        const auto options = static_cast<std::uint8_t>(random() % 64 << 1 | i / 2 | (i % 2 == 0 ? 128 : 0));
        program.bytes = {memory, static_cast<std::uint8_t>(i == 1 ? 3 : 0), way.out_of_order, way.given,
                         options};
        // Every other one has few values, half of the time: sizes come again.
        std::array<std::uint8_t, 8> few{};
        std::generate(few.begin(), few.end(), [&random] { return static_cast<std::uint8_t>(random()); });
        while (program.bytes.size() < bytes_of_a_program) {
          const auto byte = static_cast<std::uint8_t>(random());
          program.bytes.push_back(i % 2 == 1 && byte % 2 == 1 ? few[byte / 2 % few.size()] : byte);
        }
      }
    }
  }
  return groups;
}

namespace {

std::string run(const Program& program, bool prints) {
  LLVMFuzzerInitialize(nullptr, nullptr);
  Account account;
  account.prints = prints;
  fuzz::Input input(program.bytes.data(), program.bytes.size());
  fuzz::PoolProgram::run(input, [&account](const Pool& pool) { account.note(pool); });
  std::fflush(stdout);
  return program.name + ' ' + account.line();
}

}  // namespace

std::string cost_of(const Program& program, bool prints) {
  int ends[2] = {};
  fuzz::require(::pipe(ends) == 0, "a pipe");
  const pid_t child = ::fork();
  fuzz::require(child >= 0, "a process");
  if (child == 0) {
    const std::string line = run(program, prints);
    const bool is_written = ::write(ends[1], line.data(), line.size()) == static_cast<ssize_t>(line.size());
    ::_exit(is_written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string line(1024, '\0');  // which is less than what a pipe takes at once
  const ssize_t size = ::read(ends[0], line.data(), line.size());
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  line.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return status == 0 ? line : program.name + " did not end well";
}

}  // namespace clpool::costs
