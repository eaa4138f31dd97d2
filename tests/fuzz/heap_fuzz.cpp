// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Bytes as a program that uses a heap: the first chooses the granule, each following pair is an operation.
// What is handed out never overlaps, and what is free is what is not handed out.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

#include "engine/space_heap.hpp"

namespace clpool::core {
namespace {

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

class Program {
 public:
  explicit Program(std::uint8_t granule) : heap_(std::uint64_t{1} << granule % 13) {}

  void step(std::uint8_t operation, std::uint8_t operand) {
    switch (operation % 8) {
      case 0:
        add_space(std::uint64_t{operand} << (operation / 8));
        break;
      case 1:
        remove_space(operand % 16);
        break;
      case 2:
      case 3:
        allocate(operand);
        break;
      case 4:
        allocate(std::uint64_t{operand} << (operation / 8));
        break;
      default:
        free(operand);
    }
    require(heap_.heap().check() == nullptr);
    require(heap_.active_ranges() == live_.size());
    require(heap_.heap().managed_bytes() - heap_.heap().free_bytes() == used_);
  }

 private:
  void add_space(std::uint64_t size) {
    std::uint64_t number = 0;
    if (heap_.add_space(size, number) == Status::success) {
      require(number == ranges_.size());
      ranges_.emplace_back();
    }
  }
  void remove_space(std::uint64_t number) {
    const Status status = heap_.remove_space(number);
    if (number < ranges_.size()) {
      require(ranges_[number].empty() || status == Status::invalid_operation);
    } else {
      require(status == Status::invalid_value);
    }
  }
  void allocate(std::uint64_t size) {
    Block* range = nullptr;
    if (heap_.allocate(size, range) != Status::success) {
      require(heap_.heap().largest_free() < heap_.heap().rounded(size));
      return;
    }
    require(range->size >= size);
    auto& taken = ranges_[static_cast<const SpaceHeap::Space*>(range->chunk)->number];
    const auto [place, is_new] = taken.emplace(range->offset, range->size);
    require(is_new);
    require(std::next(place) == taken.end() || range->offset + range->size <= std::next(place)->first);
    require(place == taken.begin() || std::prev(place)->first + std::prev(place)->second <= range->offset);
    live_.push_back(range);
    used_ += range->size;
  }
  void free(std::uint8_t which) {
    if (live_.empty()) {
      return;
    }
    std::swap(live_[which % live_.size()], live_.back());
    Block& range = *live_.back();
    live_.pop_back();
    ranges_[static_cast<const SpaceHeap::Space*>(range.chunk)->number].erase(range.offset);
    used_ -= range.size;
    require(heap_.free(range) == Status::success);
    require(heap_.free(range) == Status::invalid_operation);
  }

  SpaceHeap heap_;
  std::vector<std::map<std::uint64_t, std::uint64_t>> ranges_;  // by space: sizes by offset
  std::vector<Block*> live_;
  std::uint64_t used_ = 0;
};

}  // namespace
}  // namespace clpool::core

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  clpool::core::Program program(data[0]);
  for (std::size_t i = 1; i + 1 < size && i < 4000; i += 2) {
    program.step(data[i], data[i + 1]);
  }
  return 0;
}
