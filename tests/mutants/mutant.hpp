// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the mutated sources ask, included by the compiler's command line into every C++ source of the mutated
// tree: is this mutant the one to be run? CLPOOL_MUTANT names it. CLPOOL_MUTANTS_REACHED names a file with a
// byte for each mutant, shared by all processes that write it (children of fork() and those that end by a
// signal too); a byte is 1 where it was reached.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace clpool_mutants {

struct State {
  unsigned active = 0;
  unsigned count = 0;
  unsigned char* reached = nullptr;

  State() noexcept {
    if (const char* id = std::getenv("CLPOOL_MUTANT")) {
      active = static_cast<unsigned>(std::strtoul(id, nullptr, 10));
    }
    const char* path = std::getenv("CLPOOL_MUTANTS_REACHED");
    const int file = path == nullptr ? -1 : open(path, O_RDWR | O_CLOEXEC);
    struct stat about = {};
    if (file >= 0 && fstat(file, &about) == 0) {
      void* bytes =
          mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (bytes != MAP_FAILED) {
        count = static_cast<unsigned>(about.st_size);
        reached = static_cast<unsigned char*>(bytes);
      }
    }
    if (file >= 0) {
      close(file);
    }
  }
};

// All zero until then, which means: the code as it is.
[[gnu::init_priority(101)]] inline State state;

inline bool is_active(unsigned id) noexcept {
  if (id < state.count) {
    state.reached[id] = 1;
  }
  return state.active == id;
}

// A result that means success in place of the one that there is.
template <typename Result>
Result succeed(bool active, Result result) {
  return active ? Result{} : result;
}

}  // namespace clpool_mutants

/// True if the mutant is to be run, and never where the compiler calculates.
constexpr bool clpool_mutant(unsigned id) noexcept {
  return !__builtin_is_constant_evaluated() && clpool_mutants::is_active(id);
}
