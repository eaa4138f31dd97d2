// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The driver's one state, the guard that every entry point begins with, and how errors leave it. One lock for
// all: this driver is to be right and readable, not fast. No callback, hook or wait happens with it held.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "object.hpp"
#include "options.hpp"

namespace stub {

constexpr int most_devices = 8;

enum class Entry : unsigned {
#define ENTRY(name, major, minor) name,
#include "entry_points.def"
#undef ENTRY
  count
};
const char* name_of(Entry entry);
bool is_entry_point(const std::string& name);

/// Counters of the model by name. Any name may be counted; README.md has those that are.
using Counters = std::map<std::string, std::uint64_t>;

struct Fault {
  std::string entry_point;  ///< empty: any
  std::uint64_t in = 0;     ///< calls until it happens; 0: none is set
  bool lasts = false;
  cl_int code = CL_SUCCESS;
  std::uint64_t happened = 0;
  bool is_held = false;  ///< calls neither fail nor count
};

struct State {
  std::mutex mutex;
  std::condition_variable changed;  ///< a command ended or became runnable, or a thread began to wait
  Options options;
  Counters counters;
  Fault fault;
  std::uint64_t calls[static_cast<unsigned>(Entry::count)] = {};
  std::int64_t live[STUB_KINDS] = {};
  std::int64_t references[STUB_KINDS] = {};
  std::int64_t created[STUB_KINDS] = {};
  std::uint64_t device_bytes = 0;
  std::uint64_t next_id = 1;
  std::size_t pending = 0;                       ///< commands that have not ended
  std::size_t blocked = 0;                       ///< threads waiting in the driver
  std::uint64_t now = 1;                         ///< simulated nanoseconds of the host
  std::vector<std::function<void()>> callbacks;  ///< to be made when the lock is given up
};

/// Never destroyed: worker threads may use it to the end of the process.
State& state();

/// Prints what is wrong and where, and aborts.
[[noreturn]] void die(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// An error code on its way out of an entry point.
struct Refusal {
  cl_int code;
};
[[noreturn]] inline void refuse(cl_int code) {
  throw Refusal{code};
}
inline void require(bool condition, cl_int code) {
  if (!condition) {
    refuse(code);
  }
}

/// Begin and end of a call: hooks, counters, latency, faults; then the lock, held to the end; then callbacks.
class Call {
 public:
  explicit Call(Entry entry);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();
  /// Throws the Refusal of a fault that was set, and dies for what the device's version does not have.
  void begin();
  /// What a call returns that did its work: success, but for a release that was told to fail.
  cl_int result() const { return result_; }
  std::unique_lock<std::mutex>& lock() { return lock_; }

 private:
  Entry entry_;
  const char* outer_;
  cl_int result_ = CL_SUCCESS;
  std::unique_lock<std::mutex> lock_;
};

/// Makes the callbacks that have come up; `lock` is given up for that time. False if there were none.
bool make_callbacks(std::unique_lock<std::mutex>& lock);

/// What messages of this thread name: the entry point or command that it is in.
const char*& current_activity();

/// Body of an entry point that returns a code.
template <typename Body>
cl_int run(Entry entry, Body&& body) {
  Call call(entry);
  try {
    call.begin();
    body(call);
    return call.result();
  } catch (const Refusal& refusal) {
    return refusal.code;
  }
}

/// Body of an entry point that returns an object and writes its code.
template <typename Body>
auto make(Entry entry, cl_int* code, Body&& body) -> decltype(body(std::declval<Call&>())) {
  Call call(entry);
  cl_int unused = CL_SUCCESS;
  cl_int& result = code != nullptr ? *code : unused;
  try {
    call.begin();
    const auto object = body(call);
    result = CL_SUCCESS;
    return object;
  } catch (const Refusal& refusal) {
    result = refusal.code;
    return nullptr;
  }
}

/// The hooks of stub_set_hook() and stub_meanwhile(); no lock may be held.
void call_hooks(Entry entry);

/// A handle's object. NULL is refused with `code`; a dead handle, or one of another kind, is reported.
template <typename T>
T& checked(T* handle, cl_int code) {
  require(handle != nullptr, code);
  if (!is_known(handle) || handle->kind != T::own_kind || !T::is_usable(*handle)) {
    if (state().options.dies_of_handles) {
      const bool was_ours = is_known(handle);
      die("the %s %p (number %llu) %s", name_of(T::own_kind), static_cast<void*>(handle),
          was_ours ? static_cast<unsigned long long>(handle->id) : 0ULL,
          was_ours ? "was released" : "is none, or was released");
    }
    refuse(code);
  }
  return *handle;
}

}  // namespace stub
