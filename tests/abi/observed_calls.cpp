// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Loaded before libclpool.so into programs of tests that run on the fake driver: it notes which function of the
// C ABI each thread is in, and which entry points of OpenCL are called there. At the end of the process those
// that the function's comment does not name are printed, and the process fails.
#define CLPOOL_BUILDING_LIBRARY
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "clpool/clpool.h"
#include "stub_icd/stub.h"

namespace {

struct Function {
  const char* name;
  const char* calls;  ///< between blanks
};

thread_local int current __attribute__((tls_model("initial-exec"))) = -1;

/// While it lives, the thread is in a function: the innermost, where callbacks call the library again.
class Inside {
 public:
  explicit Inside(int function) noexcept : outer_(std::exchange(current, function)) {}
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { current = outer_; }

 private:
  int outer_;
};

void* next_of(const char* name) noexcept {
  void* const function = dlsym(RTLD_NEXT, name);
  if (function == nullptr) {
    std::fprintf(stderr, "observed_calls: %s is not there\n", name);
    std::abort();
  }
  return function;
}

}  // namespace

#include "observed_calls.inc"

namespace {

struct Observed {
  std::mutex mutex;
  std::set<std::pair<int, std::string>> calls;
};

/// Never destroyed: threads may outlive main().
Observed& observed() {
  static Observed& the_observed = *new Observed;
  return the_observed;
}

void note(const char* entry_point, void*) {
  if (current >= 0 && std::strcmp(entry_point, "clIcdGetPlatformIDsKHR") != 0) {  // the loader's own
    const std::lock_guard lock(observed().mutex);
    observed().calls.emplace(current, entry_point);
  }
}

void tell() {
  stub_set_observer(nullptr, nullptr);
  const std::lock_guard lock(observed().mutex);
  std::set<int> seen;
  int unnamed = 0;
  for (const auto& [function, call] : observed().calls) {
    seen.insert(function);
    if (std::string(functions[function].calls).find(" " + call + " ") == std::string::npos) {
      ++unnamed;
      std::printf("observed_calls: %s calls %s, which its comment does not name\n", functions[function].name,
                  call.c_str());
    }
  }
  std::printf("observed_calls: %zu calls of %zu functions, %d not named\n", observed().calls.size(),
              seen.size(), unnamed);
  std::fflush(stdout);
  if (unnamed != 0) {
    _exit(1);
  }
}

__attribute__((constructor)) void begin() {
  observed();
  stub_set_observer(note, nullptr);
  std::atexit(tell);
}

}  // namespace
