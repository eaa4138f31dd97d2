// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <new>

struct csharp_domain {
  std::atomic<bool> closed = false;
};

namespace {

// Managed functions, and what they are called with.
template <typename Functions>
struct Guarded {
  csharp_domain* domain;
  Functions functions;
  void* user;

  bool is_open() const { return !domain->closed.load(std::memory_order_acquire); }

  static Guarded& of(void* guarded) { return *static_cast<Guarded*>(guarded); }

  static void destroy(void* guarded) {
    const std::unique_ptr<Guarded> last(static_cast<Guarded*>(guarded));
    if (last->is_open()) {
      last->functions.destroy(last->user);
    }
  }

  // Takes `functions` in, whose `user` becomes the result.
  static clpool_status make(csharp_domain* domain, const Functions& functions, void** user) {
    auto* const made = new (std::nothrow) Guarded{domain, functions, *user};
    if (made == nullptr) {
      return CLPOOL_ERROR_OUT_OF_HOST_MEMORY;
    }
    *user = made;
    return CLPOOL_SUCCESS;
  }
};

using Pool = Guarded<clpool_pool_callbacks>;
using Allocator = Guarded<clpool_allocator_ops>;

void collect(void* user) {
  const Pool& pool = Pool::of(user);
  if (pool.is_open()) {
    pool.functions.collect(pool.user);
  }
}

int32_t out_of_memory(void* user, uint64_t size, uint32_t attempt) {
  const Pool& pool = Pool::of(user);
  return pool.is_open() ? pool.functions.out_of_memory(pool.user, size, attempt) : 0;
}

void message(void* user, int32_t severity, const char* text) {
  const Pool& pool = Pool::of(user);
  if (pool.is_open()) {
    pool.functions.message(pool.user, severity, text);
  }
}

clpool_status allocate(void* user, uint64_t size, uint64_t alignment, uint64_t* chunk) {
  const Allocator& allocator = Allocator::of(user);
  return allocator.is_open() ? allocator.functions.allocate(allocator.user, size, alignment, chunk)
                             : CLPOOL_ERROR_CALLBACK;
}

void deallocate(void* user, uint64_t chunk, uint64_t size) {
  const Allocator& allocator = Allocator::of(user);
  if (allocator.is_open()) {
    allocator.functions.deallocate(allocator.user, chunk, size);
  }
}

struct Result {
  csharp_domain* domain;
  void (*forget)(void* number);
  void* number;
};

void destroy_result(void*, void* value) {
  const std::unique_ptr<Result> result(static_cast<Result*>(value));
  if (result != nullptr && !result->domain->closed.load(std::memory_order_acquire)) {
    result->forget(result->number);
  }
}

// The last one that listened.
std::mutex listening;
clpool_message_callback listener = nullptr;

}  // namespace

csharp_domain* csharp_domain_create() {
  return new (std::nothrow) csharp_domain;
}

void csharp_domain_close(csharp_domain* domain) {
  domain->closed.store(true, std::memory_order_release);
}

clpool_status csharp_guard_pool(csharp_domain* domain, clpool_pool_callbacks* callbacks, void** user) {
  const clpool_status status = Pool::make(domain, *callbacks, user);
  if (status == CLPOOL_SUCCESS) {
    callbacks->collect = callbacks->collect == nullptr ? nullptr : collect;
    callbacks->out_of_memory = callbacks->out_of_memory == nullptr ? nullptr : out_of_memory;
    callbacks->message = callbacks->message == nullptr ? nullptr : message;
    callbacks->destroy = Pool::destroy;
  }
  return status;
}

clpool_status csharp_guard_allocator(csharp_domain* domain, clpool_allocator_ops* ops, void** user) {
  const clpool_status status = Allocator::make(domain, *ops, user);
  if (status == CLPOOL_SUCCESS) {
    ops->allocate = allocate;
    ops->deallocate = deallocate;
    ops->destroy = Allocator::destroy;
  }
  return status;
}

void csharp_guarded_pool_destroy(void* user) {
  Pool::destroy(user);
}

void csharp_guarded_allocator_destroy(void* user) {
  Allocator::destroy(user);
}

void* csharp_result_create(csharp_domain* domain, void* forget, void* number) {
  return new (std::nothrow) Result{domain, reinterpret_cast<void (*)(void*)>(forget), number};
}

void* csharp_result_number(void* result) {
  return static_cast<Result*>(result)->number;
}

void* csharp_result_destroyer() {
  return reinterpret_cast<void*>(destroy_result);
}

void csharp_listen(void* receiver) {
  const std::lock_guard<std::mutex> lock(listening);
  listener = reinterpret_cast<clpool_message_callback>(receiver);
  clpool_set_message_callback(listener, nullptr);
}

void csharp_listen_no_more(void* receiver) {
  const std::lock_guard<std::mutex> lock(listening);
  if (listener == reinterpret_cast<clpool_message_callback>(receiver)) {
    listener = nullptr;
    clpool_set_message_callback(nullptr, nullptr);
  }
}
