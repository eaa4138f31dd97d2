// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// C++ layer over heap.h. Header only, C++17; what the functions do is documented there.
#ifndef CLPOOL_HEAP_HPP
#define CLPOOL_HEAP_HPP

#include <cstdint>
#include <memory>
#include <utility>

#include "clpool/error.hpp"
#include "clpool/heap.h"

namespace clpool {

/// Hands out ranges of spaces that the caller owns; shared by copies. Ranges keep it alive. A heap, its copies and its
/// ranges are used by one thread at a time.
class Heap {
 public:
  /// Goes back to its heap with the object.
  class Range {
   public:
    Range() noexcept = default;
    Range(Range&& other) noexcept
        : heap_(std::move(other.heap_)), range_(std::exchange(other.range_, nullptr)) {}
    Range& operator=(Range&& other) noexcept {
      Range moved(std::move(other));
      std::swap(heap_, moved.heap_);
      std::swap(range_, moved.range_);
      return *this;
    }
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;
    ~Range() { reset(); }

    uint64_t space() const noexcept { return clpool_heap_range_space(range_); }
    uint64_t offset() const noexcept { return clpool_heap_range_offset(range_); }
    uint64_t size() const noexcept { return clpool_heap_range_size(range_); }
    explicit operator bool() const noexcept { return range_ != nullptr; }
    void reset() noexcept {
      if (range_ != nullptr) {
        clpool_heap_free(heap_.get(), std::exchange(range_, nullptr));
      }
      heap_.reset();
    }

   private:
    friend class Heap;
    std::shared_ptr<clpool_heap> heap_;
    clpool_heap_range* range_ = nullptr;
  };

  /// `granule`: units, a power of two; 0 means 1.
  explicit Heap(uint64_t granule = 0, OnError error = {}) {
    clpool_heap* heap = nullptr;
    if (error(clpool_heap_create(granule, &heap))) {
      heap_.reset(heap, clpool_heap_destroy);
    }
  }
  /// The space's number.
  uint64_t add_space(uint64_t size, OnError error = {}) {
    uint64_t space = 0;
    error(clpool_heap_add_space(heap_.get(), size, &space));
    return space;
  }
  void remove_space(uint64_t space, OnError error = {}) {
    error(clpool_heap_remove_space(heap_.get(), space));
  }
  Range allocate(uint64_t size, OnError error = {}) {
    Range range;
    if (error(clpool_heap_allocate(heap_.get(), size, &range.range_))) {
      range.heap_ = heap_;
    }
    return range;
  }
  clpool_heap_stats statistics(OnError error = {}) const {
    clpool_heap_stats stats = CLPOOL_HEAP_STATS_INIT;
    error(clpool_heap_statistics(heap_.get(), &stats));
    return stats;
  }
  void check_books(OnError error = {}) const { error(clpool_heap_check(heap_.get())); }
  clpool_heap* get() const noexcept { return heap_.get(); }
  explicit operator bool() const noexcept { return heap_ != nullptr; }

 private:
  std::shared_ptr<clpool_heap> heap_;
};

}  // namespace clpool

#endif
