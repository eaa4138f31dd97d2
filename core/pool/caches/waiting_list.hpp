// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// WaitingList: released blocks that commands may still use, in the order of their release, each until an epoch is complete.
// It is used by one thread at a time; what may be read by anyone says so.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/fifo.hpp"
#include "base/mem.hpp"

namespace clpool::core {

class WaitingList {
 public:
  /// `epoch`: no earlier one than before.
  void add(Mem& mem, std::uint64_t epoch) noexcept {
    if (epoch != newest_epoch()) {
      newest_epoch_.store(epoch, std::memory_order_relaxed);
      unmarked = {};
    }
    if (count_ == 0 || (span(count_ - 1).last != epoch && count_ != spans_.size())) {
      span(count_++) = {epoch, epoch, 0};
    }
    Span& newest = span(count_ - 1);
    newest.last = epoch;
    newest.bytes += mem.capacity;
    ++unmarked.blocks;
    unmarked.bytes += mem.capacity;
    mem.size = epoch;
    mem.state = MemState::waiting;
    blocks_.add(mem);
    set_bytes(bytes() + mem.capacity);
  }
  /// The oldest one, or null.
  Mem* first() const noexcept { return blocks_.first; }
  static std::uint64_t epoch_of(const Mem& mem) noexcept { return mem.size; }
  Mem* take() noexcept {
    Mem* const mem = blocks_.take();
    if (mem != nullptr) {
      Span& oldest = span(0);
      oldest.bytes -= mem->capacity;
      if (oldest.bytes == 0) {
        first_span_ = (first_span_ + 1) % spans_.size();
        --count_;
      }
      mem->state = MemState::released;
      set_bytes(bytes() - mem->capacity);
    }
    return mem;
  }

  std::uint64_t blocks() const noexcept { return blocks_.count; }
  /// Their capacity; read by anyone.
  std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  /// That of the last one that ever came, or 0; read by anyone.
  std::uint64_t newest_epoch() const noexcept { return newest_epoch_.load(std::memory_order_relaxed); }
  /// Capacity of those whose epochs are complete, up to `completed`.
  std::uint64_t bytes_up_to(std::uint64_t completed) const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count_ && span(i).first <= completed; ++i) {
      if (span(i).last > completed) {
        return count_up_to(completed);
      }
      sum += span(i).bytes;
    }
    return sum;
  }

  /// Those that came in the newest epoch since this was last taken.
  struct Unmarked {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
  };
  Unmarked unmarked;

 private:
  /// Blocks that follow each other, of one epoch, or of several where there are many.
  struct Span {
    std::uint64_t first;  ///< epoch
    std::uint64_t last;   ///< epoch
    std::uint64_t bytes;
  };

  Span& span(std::size_t index) noexcept { return spans_[(first_span_ + index) % spans_.size()]; }
  const Span& span(std::size_t index) const noexcept { return spans_[(first_span_ + index) % spans_.size()]; }
  std::uint64_t count_up_to(std::uint64_t completed) const noexcept {
    std::uint64_t sum = 0;
    for (const Mem* mem = blocks_.first; mem != nullptr && epoch_of(*mem) <= completed; mem = mem->next) {
      sum += mem->capacity;
    }
    return sum;
  }
  void set_bytes(std::uint64_t bytes) noexcept { bytes_.store(bytes, std::memory_order_relaxed); }

  std::atomic<std::uint64_t> bytes_{0};
  Fifo<Mem> blocks_;
  std::atomic<std::uint64_t> newest_epoch_{0};
  std::array<Span, 64> spans_{};  ///< a ring: what figures need to know, without a look at each block
  std::size_t first_span_ = 0;
  std::size_t count_ = 0;  ///< of spans
};

}  // namespace clpool::core
