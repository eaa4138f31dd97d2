// Blocks that queues still use: those of a pool that must hold all releases back, and those whose uses were
// declared.
#include "pool/uses.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "cl/info.hpp"
#include "cl/order.hpp"
#include "pool/borrowed.hpp"

namespace clpool::core {
namespace {

/// Releases that one marker serves while an earlier one is still on its way.
constexpr std::uint64_t releases_per_marker = 32;

/// How long a thread that finds only uses for which another one waits leaves it alone.
constexpr std::chrono::microseconds pause_for_others{200};

/// Block::bin of a block that is held back; 0 while it is handed out.
constexpr std::uint32_t held_back_mark = 1;

Status require_in_order(cl_command_queue queue) noexcept {
  bool out_of_order = false;
  CLPOOL_TRY(cl::is_out_of_order(queue, out_of_order));
  return out_of_order
             ? fail(Status::invalid_value, "queue %p is out of order: memory can be bound to in-order queues",
                    static_cast<void*>(queue))
             : Status::success;
}

/// Makes `order.event` complete when the order's waits are, and all that was enqueued on its queue so far.
Status mark_everything(const cl::Order& order) {
  cl::Event so_far;  // a marker with a wait list waits for nothing else on a queue that is out of order
  CLPOOL_TRY(enqueue_marker(order.queue, so_far));
  std::vector<cl_event> waits(order.waits, order.waits + order.wait_count);
  waits.push_back(so_far.get());
  if (const cl_int code = clEnqueueMarkerWithWaitList(order.queue, static_cast<cl_uint>(waits.size()),
                                                      waits.data(), order.event);
      code != CL_SUCCESS) {
    return fail_cl(code, "clEnqueueMarkerWithWaitList", "no marker on queue %p",
                   static_cast<void*>(order.queue));
  }
  const cl_int code = clFlush(order.queue);
  return code == CL_SUCCESS
             ? Status::success
             : fail_cl(code, "clFlush", "queue %p cannot be flushed", static_cast<void*>(order.queue));
}

}  // namespace

bool Pool::has_pending() const noexcept {
  return pending_ != nullptr || !pending_uses_.empty();
}

void Pool::close_epoch() noexcept {
  if (epochs_.close() != Status::success) {
    send_message({options_.callbacks.message, options_.callbacks.user}, Severity::error, "%s",
                 last_error_message());
  }
}

void Pool::hold_back(PoolBlock& block) noexcept {
  block.tag = epochs_.open();
  block.bin = held_back_mark;
  block.next = nullptr;
  (last_pending_ != nullptr ? last_pending_->next : pending_) = &block;
  last_pending_ = &block;
  ++pending_in_open_epoch_;
  ++pending_blocks_;
  pending_bytes_ += block.capacity;
}

void Pool::collect_finished(std::unique_lock<std::mutex>& lock) noexcept {
  std::list<PendingUse> uses = std::exchange(pending_uses_, {});
  uses_in_hand_ += uses.size();
  const std::size_t in_hand = uses.size();
  const bool close =
      pending_in_open_epoch_ != 0 && (!epochs_.in_flight() || pending_in_open_epoch_ >= releases_per_marker);
  if (close) {
    pending_in_open_epoch_ = 0;
  }
  if (pending_ != nullptr || !uses.empty()) {
    lock.unlock();
    if (close) {
      close_epoch();
    }
    epochs_.poll();
    for (PendingUse& use : uses) {
      std::erase_if(use.events, [](const cl::Event& event) { return has_ended(event.get()); });
    }
    lock.lock();
  }
  while (pending_ != nullptr && pool_block(*pending_).tag <= epochs_.completed()) {
    PoolBlock& block = pool_block(*pending_);
    pending_ = block.next;
    last_pending_ = pending_ != nullptr ? last_pending_ : nullptr;
    --pending_blocks_;
    pending_bytes_ -= block.capacity;
    give_block_back(block);
  }
  uses_in_hand_ -= in_hand;
  while (!uses.empty()) {
    const PendingUse& use = uses.front();
    if (!use.events.empty()) {
      pending_uses_.splice(pending_uses_.end(), uses, uses.begin());
      continue;
    }
    end_pending_use(*use.block);
    uses.pop_front();
  }
}

void Pool::end_pending_use(PoolBlock& block) noexcept {
  --pending_blocks_;
  pending_bytes_ -= block.capacity;
  // The declared uses are through; those on the pool's own queues, which nobody declares, may not be.
  if (epochs_.must_hold_back()) {
    hold_back(block);
  } else {
    give_block_back(block);
  }
}

bool Pool::wait_for_pending(std::unique_lock<std::mutex>& lock) noexcept {
  if (pending_ != nullptr) {
    const std::uint64_t epoch = pool_block(*pending_).tag;
    lock.unlock();
    const Status status = epochs_.wait(epoch);
    lock.lock();
    pending_in_open_epoch_ = 0;
    collect_finished(lock);
    return status == Status::success;
  }
  if (pending_uses_.empty()) {
    if (uses_in_hand_ == 0) {
      return false;
    }
    // Another thread waits for them.
    lock.unlock();
    std::this_thread::sleep_for(pause_for_others);
    lock.lock();
    return true;
  }
  PendingUse use = std::move(pending_uses_.front());
  pending_uses_.pop_front();
  ++uses_in_hand_;
  lock.unlock();
  for (const cl::Event& event : use.events) {
    const cl_event raw = event.get();
    // The failure of a command that used the memory is not ours to report; the memory is free either way.
    static_cast<void>(clWaitForEvents(1, &raw));
  }
  lock.lock();
  --uses_in_hand_;
  end_pending_use(*use.block);
  return true;
}

cl_command_queue Pool::home_queue() const noexcept {
  const cl_command_queue only = epochs_.only_queue();
  return only != nullptr ? only : allocator_->traits().queue;
}

Status Pool::uses_of(Mem& mem, Uses*& uses) {
  PoolBlock& block = pool_block(mem);
  if (block.attachment == nullptr) {
    block.attachment = new Uses;
    block.has_uses = true;
  }
  uses = static_cast<Uses*>(block.attachment);
  return Status::success;
}

Status Pool::release_after(Mem& mem, std::uint32_t count, const cl_event* events) {
  if (count != 0 && events == nullptr) {
    return fail(Status::invalid_value, "%u events were announced, but the list is NULL", count);
  }
  std::vector<cl::Event> retained(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (events[i] == nullptr) {
      return fail(Status::invalid_value, "event %u of %u is NULL", i, count);
    }
    CLPOOL_TRY(cl::Event::share(events[i], retained[i]));
  }
  if (count != 0) {
    Uses* uses = nullptr;
    CLPOOL_TRY(uses_of(mem, uses));
    std::move(retained.begin(), retained.end(), std::back_inserter(uses->events));
  }
  return Status::success;
}

Status Pool::used_on(Mem& mem, cl_command_queue queue) {
  cl::Queue shared;
  CLPOOL_TRY(cl::Queue::share(queue, shared));
  Uses* uses = nullptr;
  CLPOOL_TRY(uses_of(mem, uses));
  const bool known = std::any_of(uses->queues.begin(), uses->queues.end(),
                                 [&](const auto& other) { return other.get() == queue; });
  if (!known) {
    uses->queues.push_back(std::move(shared));
  }
  return Status::success;
}

Status Pool::bind_to_queue(Mem& mem, cl_command_queue queue) {
  CLPOOL_TRY(require_in_order(queue));
  cl::Queue shared;
  CLPOOL_TRY(cl::Queue::share(queue, shared));
  Uses* uses = nullptr;
  CLPOOL_TRY(uses_of(mem, uses));
  const cl_command_queue former = uses->bound ? uses->bound.get() : home_queue();
  if (former != nullptr && former != queue) {
    CLPOOL_TRY(cl::hand_over(former, queue));
  }
  uses->bound = std::move(shared);
  return Status::success;
}

Status Pool::unbind_from_queue(Mem& mem) {
  PoolBlock& block = pool_block(mem);
  auto* uses = block.has_uses ? static_cast<Uses*>(block.attachment) : nullptr;
  const cl_command_queue bound = uses != nullptr && uses->bound ? uses->bound.get() : home_queue();
  if (bound == nullptr) {
    return Status::success;
  }
  if (const cl_int code = clFinish(bound); code != CL_SUCCESS) {
    return fail_cl(code, "clFinish", "queue %p, to which memory is bound", static_cast<void*>(bound));
  }
  if (uses != nullptr) {
    uses->bound.reset();
  }
  return Status::success;
}

Status Pool::release_on(Mem& mem, cl::Order order) {
  const PoolBlock& block = pool_block(mem);
  const auto* uses = block.has_uses ? static_cast<const Uses*>(block.attachment) : nullptr;
  if (order.queue == nullptr) {
    order.queue = uses != nullptr && uses->bound ? uses->bound.get() : home_queue();
  }
  CLPOOL_TRY(cl::check_order(order));
  if (order.event != nullptr) {
    CLPOOL_TRY(mark_everything(order));
  }
  CLPOOL_TRY(used_on(mem, order.queue));
  CLPOOL_TRY(release_after(mem, order.wait_count, order.waits));
  return release_mem(mem);
}

void Pool::set_tag(Mem& mem, std::uint64_t tag) noexcept {
  std::atomic_ref(pool_block(mem).tag).store(tag, std::memory_order_relaxed);
  mem.has_uses = true;
}

Status Pool::take_back_used(PoolBlock& block) noexcept {
  auto* const uses = static_cast<Uses*>(block.attachment);
  PendingUse pending{&block, std::move(uses->events)};
  Status status = Status::success;
  try {
    if (uses->bound) {
      uses->queues.push_back(std::move(uses->bound));
    }
    for (const cl::Queue& queue : uses->queues) {
      // A release on the pool's own in-order queue is safe by that queue's order.
      if (queue.get() == epochs_.only_queue()) {
        continue;
      }
      cl::Event marker;
      status = enqueue_marker(queue.get(), marker);
      if (status == Status::success) {
        pending.events.push_back(std::move(marker));
      } else {
        clFinish(queue.get());
      }
    }
  } catch (const std::bad_alloc&) {
    // What cannot be remembered is waited for.
    for (const cl::Queue& queue : uses->queues) {
      clFinish(queue.get());
    }
  }
  delete uses;
  block.attachment = nullptr;
  block.has_uses = false;
  std::unique_lock lock(mutex_);
  auto& cache = *static_cast<ThreadCache*>(block.home);
  if (pending.events.empty()) {
    lock.unlock();
    return take_back(block);
  }
  block.state = MemState::released;
  {
    const Borrowed borrowed(*this);
    cache.active_bytes -= block.Mem::size;
    ++cache.returned;
  }
  block.bin = held_back_mark;
  ++pending_blocks_;
  pending_bytes_ += block.capacity;
  try {
    pending_uses_.push_back(std::move(pending));
  } catch (const std::bad_alloc&) {
    for (const cl::Event& event : pending.events) {
      const cl_event raw = event.get();
      static_cast<void>(clWaitForEvents(1, &raw));
    }
    end_pending_use(block);
  }
  leave_and_dispose(lock);
  return Status::success;
}

Status Pool::take_back_later(Mem& mem) noexcept {
  mark_released(mem);
  Mem* head = later_.load(std::memory_order_relaxed);
  while (head != ThreadCache::closed_list()) {
    mem.next = head;
    if (later_.compare_exchange_weak(head, &mem, std::memory_order_release, std::memory_order_relaxed)) {
      return Status::success;
    }
  }
  // Nobody will call the pool any more: as for memory of no pool.
  return MemOwner::take_back_later(mem);
}

void Pool::finish_later_releases() noexcept {
  if (later_.load(std::memory_order_relaxed) != nullptr) {
    take_back_all(later_.exchange(nullptr, std::memory_order_acquire));
  }
}

void Pool::take_back_all(Mem* mem) noexcept {
  while (mem != nullptr) {
    Mem* next = std::exchange(mem->next, nullptr);
    static_cast<void>(take_back(*mem));
    mem = next;
  }
}

}  // namespace clpool::core
