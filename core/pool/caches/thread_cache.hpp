// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// ThreadCache: the fast path in front of a pool. One per thread and pool: recently released blocks by size,
// and the thread's share of the pool's counters. Its owner uses it without a lock; others borrow it through
// OwnerLock, always with the pool's mutex held. Blocks that other threads release come back through a
// lock-free list, and are counted without borrowing.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/arrivals.hpp"
#include "base/mem.hpp"
#include "base/owner_lock.hpp"
#include "pool/blocks/held_back.hpp"
#include "pool/caches/thread_record.hpp"
#include "pool/caches/waiting_list.hpp"

namespace clpool::core {

struct alignas(64) ThreadCache {
  static constexpr unsigned bucket_bits = 8;
  static constexpr std::size_t bucket_count = std::size_t{1} << bucket_bits;
  static constexpr std::uint64_t small_part = 16;

  // The owner's, or whoever's has borrowed the cache.
  OwnerLock lock;
  std::uint32_t newest_place = 0;  ///< of the bucket that a block last came into
  std::atomic<std::uint64_t> active_bytes{
      0};  ///< requested, of blocks handed out from here, but for returned_elsewhere; read by anyone
  std::uint64_t highest_bytes = 0;  ///< of active_bytes since Caches::take_in()
  std::uint64_t handed_out = 0;     ///< blocks, ever
  std::uint64_t blocks = 0;  ///< handed out from here, but for returned_elsewhere, in the buckets, or waiting
  std::uint64_t excess =
      0;  ///< bytes by which those in use, but for returned_elsewhere, are larger than need be
  std::uint32_t cached_blocks = 0;             ///< in the buckets
  std::uint32_t granule_shift = 0;             ///< base-2 logarithm of the pool's granule
  std::atomic<std::uint64_t> cached_bytes{0};  ///< capacity of the blocks in the buckets; read by anyone
  std::atomic<std::uint64_t> limit{
      0};  ///< most cached_bytes, unless of a single block; set with the mutex held
  /// Bytes that it may hold beyond its share, see Caches::widen(); the same.
  std::atomic<std::uint64_t> earned{0};
  std::atomic<ThreadRecord*> owner{nobody()};  ///< kept; changed with the pool's mutex held
  std::atomic<bool> left_some{
      false};  ///< its owner found the pool's mutex taken and left blocks in `remote`: it earns room
  /// Bytes by which its thread's blocks may be larger than they need be; set with the mutex held.
  std::atomic<std::uint64_t> most_excess{0};
  WaitingList waiting;           ///< released blocks that wait for the pool's queues
  std::uint64_t last_large = 0;  ///< capacity of the last block for which there was no room
  std::size_t next_flushed = 0;  ///< the bucket at which the next flush begins
  std::uint32_t misses_unasked =
      0;  ///< requests, while a marker is behind the oldest of these, since its owner last asked
  std::uint32_t asks_after = 1;  ///< so many of them it asks again
  Mem* buckets[bucket_count] = {};
  /// Those into which blocks were put that had waited, a bit for each, but for some that are empty again.
  static constexpr std::size_t word_bits = 64;
  std::uint64_t places_of_waited[bucket_count / word_bits] = {};

  /// Blocks of this cache that other threads released; closed once the pool has ended for its users.
  alignas(64) Arrivals remote;

  // Guarded by the pool's mutex, whoever owns the cache.
  Mem* backlog = nullptr;            ///< what was on the list and has not come home yet
  std::int64_t known_bytes = 0;      ///< what the pool's sum of active bytes has of this cache
  std::uint64_t known_highest = 0;   ///< highest_bytes when the pool's peak was last compared with it
  std::uint64_t known_requests = 0;  ///< the same of requests
  std::uint64_t bytes_returned_elsewhere = 0;  ///< by threads that could not touch the cache, since take_in()
  std::uint64_t returned_elsewhere = 0;        ///< blocks
  std::uint64_t excess_returned_elsewhere = 0;
  bool is_borrowed = false;
  /// Blocks that waited here, and that the books hold back until the pool's queues are through: by themselves, as those of other
  /// caches were released earlier and later, and nothing comes free before what stands before it.
  HeldBack handed_over;

  /// No thread's record, and not null, which is the record of threads that have none.
  static ThreadRecord* nobody() noexcept { return reinterpret_cast<ThreadRecord*>(std::uintptr_t{1}); }

  /// Small sizes, which differ by granules, have buckets of their own; larger ones are spread.
  std::size_t place_of(std::uint64_t capacity) const noexcept {
    const std::uint64_t granules = capacity >> granule_shift;
    return (granules ^ (granules >> bucket_bits) ^ (granules >> 2 * bucket_bits)) % bucket_count;
  }
  Mem*& bucket(std::uint64_t capacity) noexcept { return buckets[place_of(capacity)]; }

  /// The hit path: hands out a cached block of exactly `capacity` bytes for a request of `size`; null if
  /// there is none at hand.
  Mem* pop(std::uint64_t capacity, std::size_t size) noexcept {
    Mem* mem = take_cached(capacity);
    if (mem != nullptr) {
      count_handed_out(size);
      mem->size = size;
      mem->state = MemState::live;
    }
    return mem;
  }

  /// Hands out a cached block that may be larger by up to `more` bytes, or null: the smallest where sizes have buckets of
  /// their own.
  Mem* pop_larger(std::uint64_t capacity, std::uint64_t more, std::size_t size) noexcept {
    const Mem* const found = find_larger(capacity, more);
    if (found == nullptr) {
      return nullptr;
    }
    Mem* const mem = pop(found->capacity, size);
    if (const std::uint64_t larger = excess_of(*mem); larger != 0) {
      excess += larger;
      set_mark(*mem, larger_mark);
    }
    return mem;
  }

  /// The hit path: takes a live block of this cache back into its bucket; false, with nothing changed, if the
  /// limit forbids it.
  bool push(Mem& mem) noexcept {
    const std::size_t size = mem.size;
    const bool kept = keep(mem);
    give_up_active(kept ? size : 0);
    if ((mem.marks & larger_mark) != 0) [[unlikely]] {
      excess -= kept ? take_excess(mem) : 0;
    }
    return kept;
  }

  /// Takes a live block of this cache back that waits until `epoch` is complete; false, with nothing changed, if there is no
  /// room.
  bool push_waiting(Mem& mem, std::uint64_t epoch) noexcept {
    if (!may_wait(mem)) {
      return false;
    }
    if ((mem.marks & larger_mark) != 0) [[unlikely]] {
      excess -= take_excess(mem);
    }
    give_up_active(mem.size);
    waiting.add(mem, epoch);
    return true;
  }
  /// The same for a released one.
  bool deposit_waiting(Mem& mem, std::uint64_t epoch) noexcept {
    const bool waits = may_wait(mem);
    if (waits) {
      ++blocks;
      waiting.add(mem, epoch);
    }
    return waits;
  }
  /// Puts up to `most` of the oldest into the buckets that waited for epochs up to `completed`; false if there were none.
  bool end_waits(std::uint64_t completed, std::size_t most) noexcept {
    bool any = false;
    for (; most != 0 && has_waited(completed); --most, any = true) {
      Mem& mem = *waiting.take();
      set_cached_bytes(cached() + mem.capacity);
      put_into_bucket(mem, mem.capacity);
      const std::size_t place = place_of(mem.capacity);
      places_of_waited[place / word_bits] |= std::uint64_t{1} << place % word_bits;
    }
    return any;
  }
  /// How many that have waited are looked at for a request.
  static constexpr std::size_t waits_ended_at_a_time = 16;
  /// May be asked by anyone.
  bool has_waiting() const noexcept { return waiting.bytes() != 0; }
  /// Its owner has found none for a request: whether it is to ask how far the queues are, as its oldest block may not have to
  /// wait any more. Seldom where that was in vain.
  bool count_miss_and_ask(std::uint64_t completed, std::uint64_t open) noexcept {
    const Mem* const oldest = waiting.first();
    const bool may_have_ended = oldest != nullptr && WaitingList::epoch_of(*oldest) > completed &&
                                WaitingList::epoch_of(*oldest) < open;
    return may_have_ended && ++misses_unasked >= asks_after;
  }
  void note_asked(bool in_vain) noexcept {
    constexpr std::uint32_t most_misses = 64;
    misses_unasked = 0;
    asks_after = in_vain ? std::min(2 * asks_after, most_misses) : 1;
  }
  /// Whether the oldest waits for an epoch up to `completed` at most.
  bool has_waited(std::uint64_t completed) const noexcept {
    const Mem* const oldest = waiting.first();
    return oldest != nullptr && WaitingList::epoch_of(*oldest) <= completed;
  }
  /// Takes out the oldest that waits, or null.
  Mem* withdraw_waiting() noexcept {
    Mem* const mem = waiting.take();
    blocks -= mem != nullptr ? 1 : 0;
    return mem;
  }

  void count_handed_out(std::size_t size) noexcept {
    ++handed_out;
    const std::uint64_t active = active_bytes.load(std::memory_order_relaxed) + size;
    active_bytes.store(active, std::memory_order_relaxed);
    highest_bytes = std::max(highest_bytes, active);
  }
  void give_up_active(std::uint64_t bytes) noexcept {
    active_bytes.store(active_bytes.load(std::memory_order_relaxed) - bytes, std::memory_order_relaxed);
  }

  /// Takes a block of exactly `size` bytes out of its bucket, or null; one that others lie on, which share that, as far as so many
  /// looks tell.
  Mem* withdraw(std::uint64_t size, int looks = 1) noexcept {
    Mem** link = &bucket(size);
    for (; *link != nullptr && (*link)->capacity != size; link = &(*link)->next) {
      if (--looks == 0) {
        return nullptr;
      }
    }
    Mem* const mem = *link;
    if (mem != nullptr) {
      *link = mem->next;
      --cached_blocks;
      --blocks;
      set_cached_bytes(cached() - size);
    }
    return mem;
  }
  /// Puts a released block into its bucket, or false if the limit forbids it.
  bool deposit(Mem& mem) noexcept {
    const bool kept = keep(mem);
    if (kept) {
      ++blocks;
    } else {
      last_large = mem.capacity;
    }
    return kept;
  }
  /// Takes up to `most` blocks out of one bucket, linked by next; `most` becomes so many fewer.
  Mem* withdraw_bucket(std::size_t index, std::size_t& most) noexcept {
    Mem* first = buckets[index];
    Mem** end = &first;
    std::uint64_t left = cached();
    for (; *end != nullptr && most > 0; --most, end = &(*end)->next) {
      left -= (*end)->capacity;
      --cached_blocks;
      --blocks;
    }
    buckets[index] = std::exchange(*end, nullptr);
    set_cached_bytes(left);
    return first;
  }

  /// With the mutex held: takes no more blocks from other threads, for good. Those that came are the backlog.
  void close() noexcept {
    Mem* const last = remote.close();
    Mem** end = &backlog;
    while (*end != nullptr) {
      end = &(*end)->next;
    }
    *end = last;
  }

  /// With the mutex held: whether other threads have released blocks of this cache.
  bool has_returned() const noexcept { return backlog != nullptr || remote.any(); }
  /// With the mutex held: the next block that other threads released, or null.
  Mem* take_returned() noexcept {
    if (backlog == nullptr) {
      backlog = remote.take_all();
    }
    Mem* const mem = backlog;
    backlog = mem != nullptr ? mem->next : nullptr;
    return mem;
  }

  /// With the mutex held: whether its owner has left some since the last call.
  bool had_left_some() noexcept {
    const bool had = left_some.load(std::memory_order_relaxed);
    left_some.store(false, std::memory_order_relaxed);
    return had;
  }

  /// True if no thread will use the cache as its own any more: another may take it over.
  bool is_abandoned() const noexcept {
    const ThreadRecord* record = owner.load(std::memory_order_relaxed);
    return record == nobody() || record->has_ended();
  }

  /// Makes the cache that of a thread, or nobody()'s.
  void set_owner(ThreadRecord* record) noexcept {
    if (record != nobody()) {
      record->retain();
    }
    ThreadRecord* const former = owner.exchange(record, std::memory_order_relaxed);
    if (former != nobody()) {
      former->release();
    }
  }

  std::uint64_t cached() const noexcept { return cached_bytes.load(std::memory_order_relaxed); }
  /// It holds a single block that is larger than it may hold.
  bool is_beyond_limit() const noexcept { return cached() > limit.load(std::memory_order_relaxed); }
  /// Capacity of all blocks that wait or are cached.
  std::uint64_t held() const noexcept { return cached() + waiting.bytes(); }
  /// That of those that are taken where what waits for epochs up to `waited` is: all, or none.
  std::uint64_t taken(std::uint64_t waited) const noexcept {
    return cached() + (waiting.newest_epoch() <= waited ? waiting.bytes() : 0);
  }
  /// It may hold many such blocks.
  bool is_small(std::uint64_t bytes) const noexcept {
    return bytes <= limit.load(std::memory_order_relaxed) / small_part;
  }
  /// Whether a block may wait here, or stay when it has.
  bool may_wait(const Mem& mem) const noexcept {
    return is_small(mem.capacity) && held() + mem.capacity <= limit.load(std::memory_order_relaxed);
  }
  std::uint64_t active_blocks() const noexcept {
    return blocks - cached_blocks - waiting.blocks() - returned_elsewhere;
  }
  /// With the mutex held, or by its owner: whether threads were in each other's way of late, so that it has room for a block
  /// of so many bytes that it would not have else.
  bool is_crowded_by(std::uint64_t bytes) const noexcept {
    return bytes <= earned.load(std::memory_order_relaxed);
  }
  /// How much larger than it need be a block may be for a request of `size`, if all that its thread has in use may be larger
  /// than what was asked for, besides rounding, by one part in `part` of that, up to most_excess. (What came back elsewhere
  /// counts as in use until take_in().)
  std::uint64_t excess_left(std::size_t size, std::uint64_t part) const noexcept {
    const std::uint64_t asked_for = active_bytes.load(std::memory_order_relaxed) + size;
    const std::uint64_t most = std::min(asked_for / part, most_excess.load(std::memory_order_relaxed));
    return most - std::min(most, excess);
  }
  /// Of a block that comes back and has larger_mark, which goes.
  std::uint64_t take_excess(Mem& mem) const noexcept {
    clear_mark(mem, larger_mark);
    return excess_of(mem);
  }

 private:
  static bool is_larger_by(const Mem* mem, std::uint64_t capacity, std::uint64_t more) noexcept {
    return mem != nullptr && mem->capacity >= capacity && mem->capacity - capacity <= more;
  }
  /// On top of some bucket; where blocks wait, of those that have waited.
  const Mem* find_larger(std::uint64_t capacity, std::uint64_t more) noexcept {
    if (waiting.newest_epoch() != 0) {
      return find_larger_waited(capacity, more);
    }
    const std::uint64_t granule = std::uint64_t{1} << granule_shift;
    const std::uint64_t most_looks = std::min<std::uint64_t>(more >> granule_shift, bucket_count - 1);
    for (std::uint64_t look = 0; look <= most_looks; ++look) {
      const Mem* const head = bucket(capacity + look * granule);
      if (is_larger_by(head, capacity, more)) {
        return head;
      }
    }
    return nullptr;
  }
  const Mem* find_larger_waited(std::uint64_t capacity, std::uint64_t more) noexcept {
    const Mem* found = nullptr;
    for (std::size_t i = 0; i < bucket_count / word_bits; ++i) {
      for (std::uint64_t left = places_of_waited[i]; left != 0; left &= left - 1) {
        const Mem* const head = buckets[i * word_bits + static_cast<std::size_t>(std::countr_zero(left))];
        if (head == nullptr) {
          places_of_waited[i] &= ~(left & -left);
        } else if (is_larger_by(head, capacity, more) &&
                   (found == nullptr || head->capacity < found->capacity)) {
          found = head;
        }
      }
    }
    return found;
  }
  /// Whole granules that a block has beyond those that its request needs.
  std::uint64_t excess_of(const Mem& mem) const noexcept {
    return (mem.capacity - std::max<std::uint64_t>(mem.size, 1)) >> granule_shift << granule_shift;
  }
  Mem* take_cached(std::uint64_t capacity) noexcept {
    Mem*& head = bucket(capacity);
    Mem* mem = head;
    if (mem == nullptr || mem->capacity != capacity) {
      return nullptr;
    }
    head = mem->next;
    --cached_blocks;
    set_cached_bytes(cached() - capacity);
    return mem;
  }
  bool keep(Mem& mem) noexcept {
    const std::uint64_t capacity = mem.capacity;
    const std::uint64_t with_it = cached() + capacity;
    if (with_it > limit.load(std::memory_order_relaxed) && !fits_alone(capacity)) {
      return false;
    }
    set_cached_bytes(with_it);
    put_into_bucket(mem, capacity);
    return true;
  }
  void put_into_bucket(Mem& mem, std::uint64_t capacity) noexcept {
    ++cached_blocks;
    mem.state = MemState::released;
    const std::size_t place = place_of(capacity);
    newest_place = static_cast<std::uint32_t>(place);
    mem.next = std::exchange(buckets[place], &mem);
  }
  void set_cached_bytes(std::uint64_t bytes) noexcept {
    cached_bytes.store(bytes, std::memory_order_relaxed);
  }
  /// A single block of any size may be cached where that size comes again and again, unless nothing may.
  bool fits_alone(std::uint64_t capacity) const noexcept {
    return last_large == capacity && cached() == 0 && limit.load(std::memory_order_relaxed) != 0;
  }
};

}  // namespace clpool::core
