// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Descriptors of direct memory and their way back.
#include "allocator/direct.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "allocator/facts.hpp"
#include "base/given_back.hpp"
#include "base/process.hpp"
#include "base/recycler.hpp"
#include "cl/marker.hpp"

namespace clpool::core {
namespace {

struct UsedQueue {
  cl::Queue queue;
  bool out_of_order;
};

struct DirectMem : Mem {
  Allocator* allocator = nullptr;  ///< holds a reference while live
  Chunk chunk;
  cl::Queue queue;  ///< SVM that was bound: the queue that it is freed behind
  // SVM that was used, or released while others held it: one of those queues, and for each an event that is complete
  // when the commands before it are.
  cl::Queue last_queue;
  cl::EventList given_up;
  /// SVM and page-locked memory, which the driver does not keep for its commands: the queues on which this
  /// library used it. Guarded by uses_mutex.
  std::vector<UsedQueue> used;
};

/// How often a driver without memory is asked, as long as some goes back to it in between.
constexpr int most_tries = 16;

constinit ForkMutex uses_mutex;
constinit std::atomic<bool (*)() noexcept> give_back_elsewhere{nullptr};

/// The queue that `mem` is freed behind; null if none.
cl_command_queue queue_of(const DirectMem& mem) noexcept {
  return mem.queue ? mem.queue.get() : mem.allocator->traits().queue;
}

/// Has whoever frees the memory wait for what was enqueued on a queue.
void mark_use(DirectMem& mem, cl_command_queue queue) noexcept {
  try {
    mem.given_up.reserve();
    cl::Event done;
    if (cl::mark_so_far({queue, 0, nullptr, nullptr}, done) == Status::success) {
      mem.given_up.add(std::move(done));
      return;
    }
  } catch (const std::bad_alloc&) {
    // as without a marker
  }
  static_cast<void>(cl::finish(queue));
}

/// Turns the uses into events to wait for, but for those on `behind`, which the memory will be freed behind: they
/// stay in mind, as that may fail.
void mark_uses(DirectMem& mem, cl_command_queue behind) noexcept {
  const auto others = std::partition(mem.used.begin(), mem.used.end(), [&](const UsedQueue& use) {
    return use.queue.get() == behind && !use.out_of_order;
  });
  for (auto use = others; use != mem.used.end(); ++use) {
    mark_use(mem, use->queue.get());
    if (!mem.last_queue) {
      mem.last_queue = std::move(use->queue);
    }
  }
  mem.used.erase(others, mem.used.end());
}

constinit Recycler<DirectMem> recycler;

class DirectOwner final : public MemOwner {
 public:
  constexpr DirectOwner() = default;

  Status take_back(Mem& mem) noexcept override {
    const NoteGivenBack note;
    auto& direct = static_cast<DirectMem&>(mem);
    mark_uses(direct, queue_of(direct));
    direct.used = std::vector<UsedQueue>();
    const auto allocator = Reference<Allocator>::adopt(std::exchange(direct.allocator, nullptr));
    const Chunk chunk = std::exchange(direct.chunk, {});
    const cl::Queue bound = std::move(direct.queue);
    const cl::Queue last = std::move(direct.last_queue);
    const cl::EventList given_up = std::move(direct.given_up);
    clear_mem(mem);
    recycler.give_back(direct);
    if (!bound && given_up.empty()) {
      allocator->deallocate(chunk);
      return Status::success;
    }
    const cl_command_queue own = bound ? bound.get() : allocator->traits().queue;
    const cl::Order order = given_up.order(own != nullptr ? own : last.get(), nullptr);
    if (allocator->deallocate_on(chunk, order) != Status::success && wait_to_free(chunk, order)) {
      allocator->deallocate(chunk);
    }
    return Status::success;
  }

  Status begin_use(Mem& mem, cl_command_queue queue) noexcept override {
    if (mem.kind == MemKind::buffer) {
      // The driver keeps buffers until their commands have ended.
      return cl::require_context(queue, context_of(mem));
    }
    auto& used = static_cast<DirectMem&>(mem).used;
    const auto is_known = [&] {
      return std::any_of(used.begin(), used.end(),
                         [&](const UsedQueue& known) { return known.queue.get() == queue; });
    };
    {
      const std::lock_guard lock(uses_mutex);
      if (is_known()) {
        return Status::success;
      }
    }
    CLPOOL_TRY(cl::require_context(queue, static_cast<DirectMem&>(mem).allocator->traits().context));
    bool out_of_order = false;
    CLPOOL_TRY(cl::is_out_of_order(queue, out_of_order));
    cl::Queue shared;
    CLPOOL_TRY(cl::Queue::share(queue, shared));
    try {
      const std::lock_guard lock(uses_mutex);
      if (!is_known()) {
        used.push_back({std::move(shared), out_of_order});
      }
    } catch (const std::bad_alloc&) {
      return fail(Status::out_of_host_memory, "no host memory to remember a queue that uses the memory");
    }
    return Status::success;
  }

  cl_context context_of(const Mem& mem) const noexcept override {
    return static_cast<const DirectMem&>(mem).allocator->traits().context;
  }

  Status root_of(const Mem& mem, cl_mem& root, std::size_t& offset) const noexcept override {
    root = mem.handle;
    offset = 0;
    return require_handle(mem);
  }
};

constinit DirectOwner owner;

/// The driver alone knows whether it takes more than the device says; its refusal is the caller's mistake.
Status explain(Status status, const AllocatorTraits& traits, std::size_t size) noexcept {
  const bool too_large =
      traits.kind != MemKind::custom &&
      ((status == Status::opencl && last_cl_error() == CL_INVALID_BUFFER_SIZE) ||
       (status == Status::out_of_memory && traits.max_chunk_bytes != 0 && size > traits.max_chunk_bytes));
  return too_large ? fail_behind(Status::invalid_value, CL_INVALID_BUFFER_SIZE,
                                 "%zu bytes asked for, the device's largest allocation is %llu", size,
                                 static_cast<unsigned long long>(traits.max_chunk_bytes))
                   : status;
}

}  // namespace

void when_out_of_memory(bool (*give_back)() noexcept) noexcept {
  give_back_elsewhere.store(give_back, std::memory_order_relaxed);
}

Status allocate_direct(Allocator& allocator, std::size_t size, Mem*& result) {
  result = nullptr;
  if (size == 0) {
    return Status::success;
  }
  finish_later_releases();
  DirectMem& mem = recycler.take();
  const AllocatorTraits& traits = allocator.traits();
  std::uint64_t before = given_back();
  Status status = allocator.allocate(size, traits.granularity, mem.chunk);
  const auto give_back = give_back_elsewhere.load(std::memory_order_relaxed);
  bool is_last = false;
  for (int tries = 0;
       status == Status::out_of_memory && give_back != nullptr && tries < most_tries && !is_last; ++tries) {
    bool is_of_use = false;
    {
      const KeptError kept;
      is_of_use = give_back();
    }
    const std::uint64_t now = given_back();  // by others, too
    is_last = now == before;
    if (is_last && !is_of_use) {
      break;
    }
    before = now;
    status = allocator.allocate(size, traits.granularity, mem.chunk);
  }
  if (status != Status::success) {
    recycler.give_back(mem);
    return explain(status, traits, size);
  }
  allocator.retain();
  mem.allocator = &allocator;
  mem.owner = &owner;
  mem.size = size;
  mem.capacity = size;
  mem.kind = traits.kind;
  if (traits.kind == MemKind::buffer) {
    mem.handle = buffer_of(mem.chunk);
  } else {
    mem.pointer = reinterpret_cast<void*>(static_cast<std::uintptr_t>(mem.chunk.value));
  }
  mem.references.store(1, std::memory_order_relaxed);
  mem.made_in = static_cast<std::uint8_t>(process_generation());
  mem.state = MemState::live;
  result = &mem;
  return Status::success;
}

bool is_direct(const Mem& mem) noexcept {
  return mem.owner == &owner;
}

namespace {

Status require_direct_svm(const Mem& mem) noexcept {
  CLPOOL_TRY(require_live(mem));
  return is_direct(mem) && mem.kind == MemKind::svm ? Status::success
                                                    : fail(Status::invalid_operation,
                                                           "this is %s: only pooled memory, and SVM that "
                                                           "clpool_svm_create() or an allocator made, has "
                                                           "a queue to be freed behind",
                                                           kind_name(mem.kind));
}

}  // namespace

Status bind_direct_svm(Mem& mem, cl_command_queue queue) {
  CLPOOL_TRY(require_direct_svm(mem));
  auto& direct = static_cast<DirectMem&>(mem);
  CLPOOL_TRY(cl::require_context(queue, direct.allocator->traits().context));
  bool out_of_order = false;
  CLPOOL_TRY(cl::is_out_of_order(queue, out_of_order));
  if (out_of_order) {
    return fail(Status::invalid_value, "the queue that SVM is freed behind must be in order");
  }
  const cl_command_queue former = queue_of(direct);
  if (former == queue) {
    return Status::success;
  }
  cl::Queue retained;
  CLPOOL_TRY(cl::Queue::share(queue, retained));
  if (former != nullptr) {
    CLPOOL_TRY(cl::hand_over(former, queue));
  }
  direct.queue = std::move(retained);
  return Status::success;
}

Status unbind_direct_svm(Mem& mem) {
  CLPOOL_TRY(require_direct_svm(mem));
  auto& direct = static_cast<DirectMem&>(mem);
  if (const cl_command_queue queue = queue_of(direct); queue != nullptr) {
    CLPOOL_TRY(cl::finish(queue));
  }
  direct.queue.reset();
  return Status::success;
}

namespace {

/// Has whoever frees the memory wait for the commands on the queue so far and for the order's events;
/// `event`, unless null, receives the event of that.
Status remember(DirectMem& mem, const cl::Order& order, cl_event* event) {
  cl::Queue queue;
  CLPOOL_TRY(cl::Queue::share(order.queue, queue));
  mem.given_up.reserve();
  cl::Event done;
  CLPOOL_TRY(cl::mark_so_far(order, done));
  cl::Event told;
  if (event != nullptr) {
    CLPOOL_TRY(cl::Event::share(done.get(), told));
    *event = told.detach();
  }
  mem.last_queue = std::move(queue);
  mem.given_up.add(std::move(done));
  return Status::success;
}

}  // namespace

Status release_direct_svm(Mem& mem, cl::Order order) {
  CLPOOL_TRY(require_direct_svm(mem));
  CLPOOL_TRY(require_held(mem));
  auto& direct = static_cast<DirectMem&>(mem);
  CLPOOL_TRY(cl::check_order_or_bound(order, queue_of(direct)));
  CLPOOL_TRY(cl::require_context(order.queue, direct.allocator->traits().context));
  bool out_of_order = false;
  CLPOOL_TRY(cl::is_out_of_order(order.queue, out_of_order));
  const bool is_last = mem.references.load(std::memory_order_acquire) == 1;
  if (!is_last) {
    CLPOOL_TRY(remember(direct, order, order.event));
    return release_mem(mem);
  }
  mark_uses(direct, order.queue);
  if (out_of_order || !direct.given_up.empty()) {
    CLPOOL_TRY(remember(direct, order, nullptr));
    order = direct.given_up.order(order.queue, order.event);
  }
  CLPOOL_TRY(direct.allocator->deallocate_on(direct.chunk, order));
  const auto allocator = Reference<Allocator>::adopt(std::exchange(direct.allocator, nullptr));
  const cl::EventList given_up = std::move(direct.given_up);
  direct.used = std::vector<UsedQueue>();
  direct.queue.reset();
  direct.last_queue.reset();
  clear_mem(mem);
  recycler.give_back(direct);
  finish_later_releases();
  return Status::success;
}

}  // namespace clpool::core
