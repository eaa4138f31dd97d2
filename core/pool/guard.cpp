// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The way of released blocks through a guard. enter(), take(), put_back() and lists of blocks: with the pool's mutex held;
// fill_chunk(), work() and what these call, on a batch that nobody else has: without it; margin(): either way.
#include "pool/guard.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "base/finding.hpp"
#include "cl/marker.hpp"

namespace clpool::core {
namespace {

/// Of what lies beyond the bytes that were asked for, and at either end of a block, at most so much is read
/// from the device.
constexpr std::uint64_t most_compared_margin = std::uint64_t{64} * 1024;
constexpr std::uint64_t most_compared_end = std::uint64_t{512} * 1024;

constexpr std::uint64_t least_margin = 64;  ///< bytes

/// How long the fill of a new chunk is waited for.
constexpr std::chrono::seconds longest_fill{1};

constexpr const char* beyond_its_end = "beyond its end";
constexpr const char* after_release = "after its release";

/// The first byte that is not the pattern's; `size` if there is none.
std::uint64_t first_damage(const unsigned char* bytes, std::uint64_t size) noexcept {
  // All bytes are the first one's equals: what is nearly always so is found out fast.
  if (size == 0 || (bytes[0] == cl::pattern_byte &&
                    std::memcmp(bytes, bytes + 1, static_cast<std::size_t>(size - 1)) == 0)) {
    return size;
  }
  const unsigned char* const end = bytes + size;
  return static_cast<std::uint64_t>(
      std::find_if(bytes, end, [](unsigned char byte) { return byte != cl::pattern_byte; }) - bytes);
}

std::uint64_t margin_of(const PoolBlock& block) noexcept {
  return std::min(block.Block::size - block.Mem::size, most_compared_margin);
}

/// What of a block is read after its rest: all of it, or its beginning, and the end of what was asked for
/// with what lies beyond.
struct Ends {
  explicit Ends(const PoolBlock& block) noexcept : end(block.Mem::size + margin_of(block)) {}
  const std::uint64_t end;
  const std::uint64_t first = end <= 2 * most_compared_end ? end : most_compared_end;
  const std::uint64_t last = end == first ? 0 : most_compared_end;
};

bool make_room(std::vector<unsigned char>& bytes, std::uint64_t size) noexcept {
  try {
    bytes.resize(static_cast<std::size_t>(size));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

unsigned long long number(std::uint64_t value) noexcept {
  return value;
}

}  // namespace

Guard::Reach Guard::reach_of(const AllocatorTraits& traits, cl_command_queue queue) noexcept {
  if (queue == nullptr || traits.kind == MemKind::custom) {
    return Reach::none;
  }
  if (traits.host_writes) {
    return Reach::host;
  }
  return traits.kind == MemKind::buffer ? Reach::buffer : Reach::svm;
}

std::uint64_t Guard::margin(const AllocatorTraits& traits, cl_command_queue queue,
                            std::uint64_t granule) noexcept {
  return reach_of(traits, queue) == Reach::none ? 0 : std::max(granule, least_margin);
}

Guard::Guard(const AllocatorTraits& traits, cl_command_queue queue, const std::string& title,
             MessageSink sink)
    : reach_(reach_of(traits, queue)), queue_(queue), title_(title), sink_(sink) {}

cl::Stretch Guard::stretch_of(const PoolBlock& block, std::uint64_t offset,
                              std::uint64_t size) const noexcept {
  return reach_ == Reach::buffer ? cl::Stretch{block.handle, nullptr, offset, size}
                                 : cl::Stretch{nullptr, address_of(block), offset, size};
}

unsigned char* Guard::address_of(const PoolBlock& block) const noexcept {
  const std::uint64_t first = pool_chunk(*block.chunk).memory.value;
  return reinterpret_cast<unsigned char*>(static_cast<std::uintptr_t>(first + block.offset));
}

Status Guard::fill_chunk(PoolChunk& chunk, cl_command_queue maker, cl::Queue& unfinished) noexcept {
  const auto value = static_cast<std::uintptr_t>(chunk.memory.value);
  if (reach_ == Reach::host) {
    std::memset(reinterpret_cast<void*>(value), cl::pattern_byte,
                static_cast<std::size_t>(chunk.memory.size));
  } else if (is_on_device()) {
    const bool is_buffer = reach_ == Reach::buffer;
    cl::Queue own;
    CLPOOL_TRY(cl::make_queue_like(queue_, own));
    if (maker != nullptr) {
      CLPOOL_TRY(cl::hand_over(maker, own.get()));
    }
    cl::Event done;
    const Status status = cl::fill_with_pattern(
        own.get(),
        {is_buffer ? buffer_of(chunk.memory) : nullptr,
         is_buffer ? nullptr : reinterpret_cast<unsigned char*>(value), 0, chunk.memory.size},
        done);
    if (status == Status::out_of_memory) {
      return status;
    }
    chunk.pattern_is_lost = status != Status::success;
    // A program may write to a new block on a queue that the pool was not told of, and wait for that by
    // itself: the fill must be over by then. Where the device is busy, the order of the pool's queues behind
    // it has to do.
    cl::flush(own.get());
    const auto deadline = std::chrono::steady_clock::now() + longest_fill;
    while (done && cl::state_of(done.get()) > CL_COMPLETE && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    const cl_int state = done ? cl::state_of(done.get()) : CL_COMPLETE;
    chunk.pattern_is_lost = chunk.pattern_is_lost || state < CL_COMPLETE;
    if (state > CL_COMPLETE) {
      unfinished = std::move(own);
    }
  }
  return Status::success;
}

// Lists, with the mutex held.

bool Guard::enter(PoolBlock& block) noexcept {
  auto* const guarded = new (std::nothrow) GuardedBlock;
  if (guarded == nullptr) {
    pool_chunk(*block.chunk).pattern_is_lost = true;
    return false;
  }
  guarded->block = &block;
  by_phase_[Phase::arrived].add(*guarded);
  return true;
}

bool Guard::ByPhase::empty() const noexcept {
  return std::all_of(std::begin(lists), std::end(lists),
                     [](const GuardedList& list) { return list.empty(); });
}

Guard::ByPhase Guard::take(std::uint64_t most_blocks, std::uint64_t most_bytes) noexcept {
  ByPhase batch = std::exchange(by_phase_, {});
  GuardedList& resting = by_phase_[Phase::resting];
  resting = std::exchange(batch[Phase::resting], {});
  while (resting.count > most_blocks || resting.bytes > most_bytes) {
    batch[Phase::resting].add(*resting.take());
  }
  batches_ += batch.empty() ? 0 : 1;
  return batch;
}

void Guard::put_back(ByPhase& batch, GuardedList& done) noexcept {
  --batches_;
  // What is furthest on its way first, so that each list stays in the order of arrival.
  for (const Phase phase : {Phase::reading, Phase::resting, Phase::filling, Phase::arrived}) {
    while (GuardedBlock* guarded = batch[phase].take()) {
      (guarded->phase == Phase::done ? done : by_phase_[guarded->phase]).add(*guarded);
    }
  }
}

// Work, without the mutex.

bool Guard::work(ByPhase& batch) noexcept {
  const KeptError kept;
  bool any = !batch[Phase::arrived].empty() || !batch[Phase::resting].empty();
  for (GuardedBlock* guarded = batch[Phase::arrived].first; guarded != nullptr; guarded = guarded->next) {
    begin(*guarded);
  }
  for (GuardedBlock* guarded = batch[Phase::resting].first; guarded != nullptr; guarded = guarded->next) {
    begin_comparison(*guarded);
  }
  if (any && is_on_device()) {
    cl::flush(queue_);
  }
  // The queue ends them in their order, or nearly: where one is not through, the others are asked later.
  for (GuardedBlock* guarded = batch[Phase::filling].first; guarded != nullptr && try_end_fill(*guarded);
       guarded = guarded->next) {
    any = true;
  }
  for (GuardedBlock* guarded = batch[Phase::reading].first;
       guarded != nullptr && try_end_comparison(*guarded); guarded = guarded->next) {
    any = true;
  }
  return any;
}

void Guard::begin(GuardedBlock& guarded) noexcept {
  const PoolBlock& block = *guarded.block;
  if (is_on_device()) {
    return begin_on_device(guarded);
  }
  if (reach_ == Reach::host) {
    unsigned char* const first = address_of(block);
    if (!guarded.was_damaged && !pool_chunk(*block.chunk).pattern_is_lost) {
      find_damage(guarded, beyond_its_end, block.Mem::size, first + block.Mem::size, margin_of(block));
    }
    std::memset(first, cl::pattern_byte, static_cast<std::size_t>(block.Block::size));
  }
  guarded.phase = Phase::resting;
}

void Guard::begin_on_device(GuardedBlock& guarded) noexcept {
  const PoolBlock& block = *guarded.block;
  PoolChunk& chunk = pool_chunk(*block.chunk);
  const std::uint64_t margin = guarded.was_damaged || chunk.pattern_is_lost ? 0 : margin_of(block);
  if (margin != 0 && make_room(guarded.bytes, margin) &&
      cl::read_stretch(queue_, stretch_of(block, block.Mem::size, margin), guarded.bytes.data(),
                       guarded.event) != Status::success) {
    guarded.bytes.clear();
  }
  if (cl::fill_with_pattern(queue_, stretch_of(block, 0, block.Block::size), guarded.event) !=
      Status::success) {
    chunk.pattern_is_lost = true;
  }
  guarded.phase = guarded.event ? Phase::filling : Phase::resting;
}

bool Guard::try_end_fill(GuardedBlock& guarded) noexcept {
  const cl_int state = cl::state_of(guarded.event.get());
  if (state > CL_COMPLETE) {
    return false;
  }
  if (state < CL_COMPLETE) {
    pool_chunk(*guarded.block->chunk).pattern_is_lost = true;
  } else {
    find_damage(guarded, beyond_its_end, guarded.block->Mem::size, guarded.bytes.data(),
                guarded.bytes.size());
  }
  set_stamp(*guarded.block, 0);
  guarded.event.reset();
  guarded.bytes = {};
  guarded.phase = Phase::resting;
  return true;
}

void Guard::begin_comparison(GuardedBlock& guarded) noexcept {
  const PoolBlock& block = *guarded.block;
  guarded.phase = Phase::done;
  if (reach_ == Reach::none || pool_chunk(*block.chunk).pattern_is_lost) {
    return;
  }
  if (reach_ == Reach::host) {
    return end_comparison(guarded,
                          find_damage(guarded, after_release, 0, address_of(block), block.Block::size));
  }
  const Ends ends(block);
  if (!make_room(guarded.bytes, ends.first + ends.last) ||
      cl::read_stretch(queue_, stretch_of(block, 0, ends.first), guarded.bytes.data(), guarded.event) !=
          Status::success) {
    return;
  }
  if (ends.last != 0 &&
      cl::read_stretch(queue_, stretch_of(block, ends.end - ends.last, ends.last),
                       guarded.bytes.data() + ends.first, guarded.event) != Status::success) {
    guarded.bytes.resize(static_cast<std::size_t>(ends.first));  // which does not move it
  }
  guarded.phase = Phase::reading;
}

bool Guard::try_end_comparison(GuardedBlock& guarded) noexcept {
  const cl_int state = cl::state_of(guarded.event.get());
  if (state > CL_COMPLETE) {
    return false;
  }
  const Ends ends(*guarded.block);
  bool damaged = false;
  if (state == CL_COMPLETE) {
    const unsigned char* const bytes = guarded.bytes.data();
    damaged = find_damage(guarded, after_release, 0, bytes, ends.first) ||
              find_damage(guarded, after_release, ends.end - ends.last, bytes + ends.first,
                          guarded.bytes.size() - ends.first);
  }
  guarded.event.reset();
  guarded.bytes = {};
  end_comparison(guarded, damaged);
  return true;
}

/// What was written to after its release is filled and rests once more: its memory must not go on without the
/// pattern.
void Guard::end_comparison(GuardedBlock& guarded, bool damaged) noexcept {
  if (damaged && guarded.was_damaged) {
    pool_chunk(*guarded.block->chunk).pattern_is_lost = true;
  }
  guarded.phase = damaged && !guarded.was_damaged ? Phase::arrived : Phase::done;
  guarded.was_damaged = damaged;
}

bool Guard::find_damage(const GuardedBlock& guarded, const char* when, std::uint64_t offset,
                        const unsigned char* bytes, std::uint64_t size) noexcept {
  const std::uint64_t place = first_damage(bytes, size);
  if (place == size) {
    return false;
  }
  const PoolBlock& block = *guarded.block;
  report_finding(
      sink_, "%s: %p, a block of %llu bytes with tag %llu, was written %s: at offset %llu stands 0x%02X",
      title_.c_str(), static_cast<const void*>(static_cast<const Mem*>(&block)), number(block.Mem::size),
      number(block.former_tag), when, number(offset + place), bytes[place]);
  return true;
}

}  // namespace clpool::core
