// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Guard: what a guarded pool does with a released block before its memory is free again. The bytes beyond
// what was asked for are compared with the pattern that all free memory of such a pool holds, the block is
// filled with it, rests, is compared again, and only then goes back to the books. On device memory all of
// that is enqueued and looked at later; only the fill of a new chunk is waited for.
//
// Lists are guarded by the pool's mutex: take() and put_back() are called with it, work() and fill_chunk()
// without it.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>
#include <vector>

#include "allocator/allocator.hpp"
#include "base/fifo.hpp"
#include "base/message.hpp"
#include "cl/handle.hpp"
#include "cl/pattern.hpp"
#include "pool/blocks/pool_block.hpp"

namespace clpool::core {

/// A released block on its way.
struct GuardedBlock {
  enum class Phase : std::uint8_t {
    arrived,  ///< nothing was done with it
    filling,  ///< read at its end and filled, when `event` is complete
    resting,  ///< full of the pattern, if the pool can reach its memory; in a batch: is to be compared
    reading,  ///< read for that, when `event` is complete
    done      ///< free
  };
  PoolBlock* block = nullptr;
  Phase phase = Phase::arrived;
  bool was_damaged = false;  ///< it rests once more: what was written to it is said already
  cl::Event event;
  std::vector<unsigned char> bytes;  ///< read from the device
  GuardedBlock* next = nullptr;
};

/// A list in the order of arrival, with the bytes that its blocks take.
struct GuardedList : Fifo<GuardedBlock> {
  std::uint64_t bytes = 0;
  void add(GuardedBlock& guarded) noexcept {
    Fifo::add(guarded);
    bytes += guarded.block->Block::size;
  }
  GuardedBlock* take() noexcept {
    GuardedBlock* const taken = Fifo::take();
    bytes -= taken != nullptr ? taken->block->Block::size : 0;
    return taken;
  }
};

class Guard {
 public:
  /// Most blocks that rest, and most bytes that they take together: this many, or a part of the pool.
  static constexpr std::uint64_t most_resting = 256;
  static constexpr std::uint64_t least_resting_bytes = std::uint64_t{32} << 20;
  static constexpr std::uint64_t resting_part = 16;

  /// `queue`: a queue of the pool behind which its memory may be used; null: none is known, and memory is not
  /// touched. `title` and `sink` are the pool's.
  Guard(const AllocatorTraits& traits, cl_command_queue queue, const std::string& title, MessageSink sink);
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// Findings go there from now on. Called where nobody else has the guard.
  void send_to(MessageSink sink) noexcept { sink_ = sink; }

  /// Bytes that every block of such a pool is to have beyond those that are asked for; 0 if its memory is not
  /// touched.
  static std::uint64_t margin(const AllocatorTraits& traits, cl_command_queue queue,
                              std::uint64_t granule) noexcept;

  /// Fills a new chunk, on a queue made for that: a new chunk waits for nothing that the program has
  /// enqueued, but for what makes the chunk: it comes behind the queue `maker` unless that is null. The queue of the
  /// fill is `unfinished` if it is not through after a while. Called without the mutex.
  Status fill_chunk(PoolChunk& chunk, cl_command_queue maker, cl::Queue& unfinished) noexcept;

  /// Blocks on their way, by phase.
  struct ByPhase {
    GuardedList lists[static_cast<std::size_t>(GuardedBlock::Phase::done)];
    GuardedList& operator[](GuardedBlock::Phase phase) noexcept {
      return lists[static_cast<std::size_t>(phase)];
    }
    bool empty() const noexcept;
  };
  /// Enters a block that the books gave; false without host memory.
  bool enter(PoolBlock& block) noexcept;
  /// All that may be worked on when at most so much is to rest; to be put back if that is anything.
  ByPhase take(std::uint64_t most_blocks, std::uint64_t most_bytes) noexcept;
  /// True if something came further. Called without the mutex.
  bool work(ByPhase& batch) noexcept;
  /// Sorts in what was worked on; what is done goes to `done`.
  void put_back(ByPhase& batch, GuardedList& done) noexcept;

  /// Whether it has no blocks, on their way or resting.
  bool empty() const noexcept { return batches_ == 0 && by_phase_.empty(); }

 private:
  using Phase = GuardedBlock::Phase;
  enum class Reach : std::uint8_t { none, host, buffer, svm };
  static Reach reach_of(const AllocatorTraits& traits, cl_command_queue queue) noexcept;

  bool is_on_device() const noexcept { return reach_ == Reach::buffer || reach_ == Reach::svm; }
  cl::Stretch stretch_of(const PoolBlock& block, std::uint64_t offset, std::uint64_t size) const noexcept;
  unsigned char* address_of(const PoolBlock& block) const noexcept;
  void begin(GuardedBlock& guarded) noexcept;
  void begin_on_device(GuardedBlock& guarded) noexcept;
  bool try_end_fill(GuardedBlock& guarded) noexcept;
  void begin_comparison(GuardedBlock& guarded) noexcept;
  bool try_end_comparison(GuardedBlock& guarded) noexcept;
  /// Whether the bytes, which begin at that offset of the block, are not the pattern's: then it says so.
  bool find_damage(const GuardedBlock& guarded, const char* when, std::uint64_t offset,
                   const unsigned char* bytes, std::uint64_t size) noexcept;
  void end_comparison(GuardedBlock& guarded, bool damaged) noexcept;

  const Reach reach_;
  const cl_command_queue queue_;
  const std::string& title_;
  MessageSink sink_;
  ByPhase by_phase_;
  std::uint64_t batches_ = 0;  ///< which threads have in hand
};

}  // namespace clpool::core
