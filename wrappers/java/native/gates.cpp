// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Gates: a pool that is closed while threads take blocks from it. Two counted steps for each request, which Java's objects
// take everywhere else, cost a third of a hit. Here a thread only writes down in a word of its own which pool it is in, and who
// closes the pool pays: it makes all processors finish their writes (membarrier), and waits for those that are in. A thread
// that comes later sees that the gate is shut.
//
// Only calls that neither wait nor call back go through a gate: others are counted, as is what a callback does in one.
// Where the kernel has no membarrier, each pass takes a fence; where it refuses it later, the pool goes back when no Java object
// is left by which a thread could be in it.
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <new>

#include "glue.hpp"

namespace {

struct Gate {
  clpool_pool* pool;
  std::atomic<bool> shut{false};
  std::atomic<bool> pending{false};  // the pool could not be released yet
  std::atomic<int> owners{2};        // the pool's release, and the Java object
};

bool membarrier_works(int command) {
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

const bool without_fences = membarrier_works(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);

struct Visitor;
std::mutex all_mutex;  // held over no call of the library
Visitor* all = nullptr;
thread_local Visitor* self [[gnu::tls_model("initial-exec")]] = nullptr;

// A thread that went through a gate once.
struct Visitor {
  std::atomic<const Gate*> inside{nullptr};
  Visitor* next = nullptr;
  Visitor** link = nullptr;  // what points here

  Visitor() {
    const std::lock_guard lock(all_mutex);
    next = all;
    link = &all;
    if (next != nullptr) next->link = &next;
    all = this;
    self = this;
  }
  ~Visitor() {
    const std::lock_guard lock(all_mutex);
    *link = next;
    if (next != nullptr) next->link = link;
    self = nullptr;
  }
};

[[gnu::noinline]] Visitor* new_visitor() {
  static thread_local bool ended =
      false;  // what other thread-local objects do at the thread's end is counted
  static thread_local struct End {
    Visitor visitor;
    ~End() { ended = true; }
  } end;
  return ended ? nullptr : &end.visitor;
}

// Whether nobody is inside, for which it waits; false if that cannot be known. After the gate was shut.
bool left_by_all(const Gate* gate) {
  if (without_fences && !membarrier_works(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return false;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const std::lock_guard lock(all_mutex);
  for (const Visitor* visitor = all; visitor != nullptr; visitor = visitor->next) {
    while (visitor != self && visitor->inside.load(std::memory_order_acquire) == gate) sched_yield();
  }
  return true;
}

void drop(Gate* gate) {
  if (gate->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (gate->pending.load(std::memory_order_relaxed)) clpool_pool_release(gate->pool);
  delete gate;
}

}  // namespace

void* java_gate_open(clpool_pool* pool) {
  Gate* gate = new (std::nothrow) Gate{pool};
  if (gate == nullptr) clpool_pool_release(pool);
  return gate;
}

void* java_gate_allocate(void* opened, size_t size) {
  const Gate* gate = static_cast<Gate*>(opened);
  Visitor* visitor = self != nullptr ? self : new_visitor();
  if (visitor == nullptr || visitor->inside.load(std::memory_order_relaxed) != nullptr) return nullptr;
  visitor->inside.store(gate, std::memory_order_relaxed);
  if (without_fences) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  clpool_mem* block = nullptr;
  if (!gate->shut.load(std::memory_order_acquire)) clpool_pool_try_allocate(gate->pool, size, &block);
  visitor->inside.store(nullptr, std::memory_order_release);
  return block;
}

void java_gate_shut(void* gate) {
  static_cast<Gate*>(gate)->shut.store(true, std::memory_order_seq_cst);
}

clpool_status java_gate_release(void* opened) {
  Gate* gate = static_cast<Gate*>(opened);
  java_gate_shut(gate);
  clpool_status status = CLPOOL_SUCCESS;
  if (left_by_all(gate)) {
    status = clpool_pool_release(gate->pool);
  } else {
    gate->pending.store(true, std::memory_order_relaxed);
  }
  drop(gate);
  return status;
}

void java_gate_gone(void* gate) {
  drop(static_cast<Gate*>(gate));
}
