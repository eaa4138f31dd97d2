// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Releases that finalizers put off: a finalizer may run anywhere, also inside a callback, and must neither
// wait nor call a driver. The interpreter carries them out soon after, in the main thread.
#include <mutex>

#include "native.hpp"

namespace clpool::python {

namespace {

struct PutOff {
  void (*release)(void*);
  void* object;
};

// Never destroyed: finalizers run until the very end of the process.
std::mutex& guard() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

std::vector<PutOff>& put_off() {
  static auto* const list = new std::vector<PutOff>;
  return *list;
}

bool scheduled = false;

std::vector<PutOff> take_all() {
  const std::lock_guard lock(guard());
  scheduled = false;
  std::vector<PutOff> taken;
  taken.swap(put_off());
  return taken;
}

int run(void*) {
  finish_releases();
  return 0;
}

}  // namespace

void release_later(void (*release)(void*), void* object) {
  if (_Py_IsFinalizing() != 0) {  // nothing runs after this
    release(object);
    return;
  }
  bool schedule = false;
  {
    const std::lock_guard lock(guard());
    put_off().push_back({release, object});
    schedule = !scheduled;
    scheduled = true;
  }
  if (schedule && Py_AddPendingCall(run, nullptr) != 0) {  // its list is full: the next finalizer tries again
    const std::lock_guard lock(guard());
    scheduled = false;
  }
}

void finish_releases() {
  const std::vector<PutOff> taken = take_all();
  if (taken.empty()) {
    return;
  }
  const DropInterpreter drop;
  for (const PutOff& entry : taken) {
    entry.release(entry.object);
  }
}

}  // namespace clpool::python
