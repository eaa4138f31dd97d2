// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// State, guard of the entry points, objects' life.
#include "state.hpp"

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <thread>
#include <unordered_set>

#include "objects.hpp"

namespace stub {
namespace {

struct EntryPoint {
  const char* name;
  Version version;
};
constexpr EntryPoint entry_points[] = {
#define ENTRY(name, major, minor) {#name, {major, minor}},
#include "entry_points.def"
#undef ENTRY
};

/// What a command still has to free is no leak.
void print_leaks() {
  stub_run_all();
  stub_counts none = {};
  char text[2048];
  if (stub_same_counts(&none, text, sizeof text) == 0) {
    std::fprintf(stderr, "clpool stub: left at the end of the process: %s\n", text);
  }
}

void print_calls() {
  std::string text;
  for (unsigned i = 0; i < static_cast<unsigned>(Entry::count); ++i) {
    if (state().calls[i] != 0) {
      text += ' ' + std::string(entry_points[i].name) + '=' + std::to_string(state().calls[i]);
    }
  }
  std::fprintf(stderr, "clpool stub: calls:%s\n", text.c_str());
}

/// What the option `fail` says: "ENTRY:NTH:CODE", at the end ":on" for all later calls too.
Fault fault_of(const std::string& text) {
  Fault fault;
  if (text.empty()) {
    return fault;
  }
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string::npos ? first : text.find(':', first + 1);
  fault.entry_point = text.substr(0, first);
  if (second == std::string::npos || !is_entry_point(fault.entry_point)) {
    die("option fail=%s is not ENTRY:NTH:CODE", text.c_str());
  }
  fault.in = std::strtoull(text.c_str() + first + 1, nullptr, 10);
  fault.code = static_cast<cl_int>(std::strtol(text.c_str() + second + 1, nullptr, 10));
  fault.lasts = text.size() > 3 && text.compare(text.size() - 3, 3, ":on") == 0;
  return fault;
}

/// True if the environment's options have a flag that concerns the whole process.
bool has_flag(const char* options, const std::string& flag) {
  return (',' + std::string(options) + ',').find(',' + flag + ',') != std::string::npos;
}

bool is_release(const std::string& name) {
  return name.rfind("clRelease", 0) == 0;
}

/// Releases are no place to fail: what is held would leak for good. The loader's calls are not a test's.
bool is_fallible(const std::string& name) {
  return !is_release(name) && name != "clSVMFree" && name != "clIcdGetPlatformIDsKHR" &&
         name != "clGetExtensionFunctionAddress";
}

std::unordered_set<const void*>& known() {
  static auto& set = *new std::unordered_set<const void*>;
  return set;
}

/// Shells of destroyed objects stay readable for a while: the ICD loader reads the dispatch pointer of a
/// handle before the driver can say that it is dead.
void bury(Object& object) {
  constexpr std::size_t most = 1 << 14;
  static auto& graves = *new std::deque<Object*>;
  graves.push_back(&object);
  if (graves.size() > most) {
    delete_shell(*graves.front());
    graves.pop_front();
  }
}

}  // namespace

const char* name_of(Entry entry) {
  return entry_points[static_cast<unsigned>(entry)].name;
}

bool is_entry_point(const std::string& name) {
  for (const EntryPoint& entry : entry_points) {
    if (name == entry.name) {
      return true;
    }
  }
  return false;
}

const char* name_of(Kind kind) {
  constexpr const char* names[] = {"platform", "device",  "context", "queue", "memory object", "event",
                                   "sampler",  "program", "kernel",  "SVM",   "mapped region"};
  return names[static_cast<unsigned>(kind)];
}

// Initial-exec: LeakSanitizer (GCC 12) crashes on the dynamic thread-local storage of a library that dlopen()
// loaded.
const char*& current_activity() {
  static thread_local const char* activity __attribute__((tls_model("initial-exec"))) = nullptr;
  return activity;
}

void die(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::fprintf(stderr,
               "clpool stub: %s: ", current_activity() != nullptr ? current_activity() : "outside of OpenCL");
  std::vfprintf(stderr, format, arguments);
  std::fputc('\n', stderr);
  va_end(arguments);
  std::fflush(stderr);
  std::abort();
}

State& state() {
  static State& the_state = *[] {
    auto* s = new State;
    if (const char* text = std::getenv("CLPOOL_STUB")) {
      apply(s->options, text);
      s->fault = fault_of(s->options.fail);
      if (has_flag(text, "leaks")) {
        std::atexit(print_leaks);
      }
      if (has_flag(text, "calls")) {
        std::atexit(print_calls);
      }
    }
    return s;
  }();
  return the_state;
}

Call::Call(Entry entry) : entry_(entry), outer_(current_activity()) {
  current_activity() = name_of(entry);
  call_hooks(entry);
  State& s = state();
  lock_ = std::unique_lock(s.mutex);
  ++s.calls[static_cast<unsigned>(entry)];
  if (const auto found = s.options.host_ns.find(name_of(entry)); found != s.options.host_ns.end()) {
    s.now += found->second;
    if (s.options.sleeps) {
      const std::chrono::nanoseconds time(found->second);
      lock_.unlock();
      std::this_thread::sleep_for(time);
      lock_.lock();
    }
  }
}

Call::~Call() {
  make_callbacks(lock_);
  lock_.unlock();
  current_activity() = outer_;
}

void Call::begin() {
  State& s = state();
  const EntryPoint& entry = entry_points[static_cast<unsigned>(entry_)];
  if (s.options.version < entry.version) {
    if (s.options.dies_of_handles) {
      die("this is of OpenCL %d.%d, the device has %d.%d", entry.version.major, entry.version.minor,
          s.options.version.major, s.options.version.minor);
    }
    refuse(CL_INVALID_OPERATION);
  }
  Fault& fault = s.fault;
  const bool meant = fault.entry_point.empty() ? is_fallible(entry.name) : fault.entry_point == entry.name;
  if (fault.in == 0 || !meant || fault.is_held) {
    return;
  }
  if (fault.in > 1) {
    --fault.in;
    return;
  }
  fault.in = fault.lasts ? 1 : 0;
  ++fault.happened;
  if (is_release(entry.name)) {
    result_ = fault.code;
  } else {
    refuse(fault.code);
  }
}

bool make_callbacks(std::unique_lock<std::mutex>& lock) {
  State& s = state();
  if (s.callbacks.empty()) {
    return false;
  }
  while (!s.callbacks.empty()) {
    const auto callbacks = std::move(s.callbacks);
    s.callbacks.clear();
    lock.unlock();
    for (const auto& callback : callbacks) {
      callback();
    }
    lock.lock();
  }
  return true;
}

void enlist(Object& object, stub_kind counted_as, long references) {
  State& s = state();
  object.id = s.next_id++;
  object.counted_as = counted_as;
  object.references = references;
  known().insert(&object);
  if (counted_as != STUB_KINDS) {
    ++s.created[counted_as];
    s.live[counted_as] += references > 0 ? 1 : 0;
    s.references[counted_as] += references;
  }
}

void add_reference(Object& object) {
  State& s = state();
  ++object.references;
  if (object.counted_as != STUB_KINDS) {
    ++s.references[object.counted_as];
    s.live[object.counted_as] += object.references == 1 ? 1 : 0;
  }
}

void drop_reference(Object& object) {
  State& s = state();
  if (object.references == 0) {
    die("the %s %p (number %llu) is released more often than it was retained", name_of(object.kind),
        static_cast<void*>(&object), static_cast<unsigned long long>(object.id));
  }
  --object.references;
  if (object.counted_as != STUB_KINDS) {
    --s.references[object.counted_as];
    s.live[object.counted_as] -= object.references == 0 ? 1 : 0;
  }
  destroy_if_unused(object);
}

void destroy_if_unused(Object& object) {
  if (object.references != 0 || object.holds != 0 || object.is_destroyed) {
    return;
  }
  object.is_destroyed = true;
  clear(object);
  known().erase(&object);
  bury(object);
}

bool is_known(const void* handle) {
  return known().count(handle) != 0;
}

}  // namespace stub
