// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Releases that finalizers put off: a finalizer may run anywhere, also inside a callback, and must neither
// wait nor call a driver. They are carried out a piece at a time: by the next call of any thread that may call
// a driver, by the main thread between two steps of the interpreter, and all that is left at the end.
#include <pthread.h>

#include <atomic>
#include <deque>
#include <mutex>

#include "native.hpp"

namespace clpool::python {

namespace {

struct PutOff {
  void (*release)(void*);
  void* object;
};

/// How many releases one call carries out: more than finalizers put off between two calls, so that the list
/// stays short, and few enough that no thread works for all the others.
constexpr size_t piece = 64;

// Never destroyed: finalizers run until the very end of the process.
std::mutex& guard() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

std::deque<PutOff>& put_off() {
  static auto* const list = new std::deque<PutOff>;
  return *list;
}

bool scheduled = false;
std::atomic<size_t> waiting{0};  ///< length of the list, to be read without the mutex
std::atomic<unsigned> forks{0};

bool take(PutOff& entry) {
  const std::lock_guard lock(guard());
  if (put_off().empty()) {
    return false;
  }
  entry = put_off().front();
  put_off().pop_front();
  waiting.store(put_off().size(), std::memory_order_relaxed);
  return true;
}

void carry_out(size_t count) {
  PutOff entry{};
  for (size_t done = 0; done < count && take(entry); ++done) {
    entry.release(entry.object);
  }
}

void schedule();

int run(void*) {
  {
    const std::lock_guard lock(guard());
    scheduled = false;
  }
  {
    const DropInterpreter drop;
    carry_out(piece);
  }
  if (releases_wait()) {
    schedule();
  }
  return 0;
}

void schedule() {
  {
    const std::lock_guard lock(guard());
    if (scheduled) {
      return;
    }
    scheduled = true;
  }
  if (Py_AddPendingCall(run, nullptr) != 0) {  // its list is full: the next finalizer tries again
    const std::lock_guard lock(guard());
    scheduled = false;
  }
}

// gc.collect(), which PyGC_Collect() is not where the program has disabled the collector.
void collect_garbage() {
  PyObject* module = PyImport_ImportModule("gc");
  PyObject* done = module == nullptr ? nullptr : PyObject_CallMethod(module, "collect", nullptr);
  if (done == nullptr) {
    PyErr_WriteUnraisable(module);
  }
  Py_XDECREF(module);
  Py_XDECREF(done);
}

void before_fork() {
  guard().lock();
}

void after_fork_in_parent() {
  guard().unlock();
}

// What was put off is the parent's, which releases it.
void after_fork_in_child() {
  put_off().clear();
  waiting.store(0, std::memory_order_relaxed);
  scheduled = false;
  forks.fetch_add(1, std::memory_order_relaxed);
  guard().unlock();
}

}  // namespace

bool follow_forks() {
  if (pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0) {
    PyErr_NoMemory();
    return false;
  }
  return true;
}

unsigned process_generation() {
  return forks.load(std::memory_order_relaxed);
}

void release_later(void (*release)(void*), void* object) {
  if (interpreter_ends()) {  // nothing runs after this
    carry_out(SIZE_MAX);
    release(object);
    return;
  }
  {
    const std::lock_guard lock(guard());
    put_off().push_back({release, object});
    waiting.store(put_off().size(), std::memory_order_relaxed);
  }
  schedule();
}

bool releases_wait() {
  return waiting.load(std::memory_order_relaxed) != 0;
}

void carry_out_a_piece() {
  const DriverCall call;
}

void finish_releases() {
  const size_t count = waiting.load(std::memory_order_relaxed);
  if (count != 0) {
    const DropInterpreter drop;
    carry_out(count);
  }
}

DriverCall::DriverCall() {
  if (releases_wait()) {
    carry_out(piece);
  }
}

bool DriverCall::make_room() const {
  {
    const HoldInterpreter hold;
    if (!hold) {
      return false;
    }
    collect_garbage();
  }
  carry_out(waiting.load(std::memory_order_relaxed));
  return true;
}

}  // namespace clpool::python
