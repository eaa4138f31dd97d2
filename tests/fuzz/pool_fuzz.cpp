// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Bytes as a program that uses a pool: the first four choose its options, each following pair is an
// operation. After each the counters are those of a model, and in the end everything is back.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

#include "allocator/custom.hpp"
#include "pool/pool.hpp"

namespace clpool::core {
namespace {

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

/// Memory that is only numbers, with a capacity, and calls that fail when told to.
struct Numbers {
  std::map<std::uint64_t, std::uint64_t> chunks;
  std::uint64_t next = 4096;
  std::uint64_t live = 0;
  int failures_left = 0;

  CustomFunctions functions() {
    return {
        .allocate = [](void* user, std::uint64_t size, std::uint64_t, std::uint64_t* chunk) -> std::int32_t {
          auto& self = *static_cast<Numbers*>(user);
          if (self.failures_left > 0) {
            --self.failures_left;
            return self.failures_left % 2 == 0 ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_INVALID_BUFFER_SIZE;
          }
          if (size > (4U << 20) - self.live) {
            return CL_OUT_OF_RESOURCES;
          }
          *chunk = self.next;
          self.next += (size + 4095) / 4096 * 4096;
          self.live += size;
          self.chunks.emplace(*chunk, size);
          return 0;
        },
        .deallocate =
            [](void* user, std::uint64_t chunk, std::uint64_t size) {
              auto& self = *static_cast<Numbers*>(user);
              const auto place = self.chunks.find(chunk);
              require(place != self.chunks.end() && place->second == size);
              self.chunks.erase(place);
              self.live -= size;
            },
        .destroy = nullptr,
        .user = this};
  }
};

class Program {
 public:
  Program(std::uint8_t kind, std::uint8_t limit, std::uint8_t held, std::uint8_t chunk) {
    Reference<Allocator> allocator;
    require(make_custom_allocator(numbers_.functions(), allocator) == Status::success);
    PoolOptions options;
    options.strategy = kind % 2 == 0 ? StrategyKind::coalescing : StrategyKind::binned;
    options.leading_bits = kind / 2 % (max_leading_bits + 1);
    options.max_bytes = limit == 0 ? UINT64_MAX : std::uint64_t{limit} << 12;
    options.max_held_bytes = held < 128 ? UINT64_MAX : std::uint64_t{held} << 8;
    options.min_chunk_bytes = chunk < 128 ? 0 : std::uint64_t{chunk} << 6;
    require(Pool::create(*allocator, options, pool_) == Status::success);
  }

  void step(std::uint8_t operation, std::uint8_t operand) {
    switch (operation % 16) {
      case 0:
      case 1:
      case 2:
      case 3:
        allocate(operand);
        break;
      case 4:
        allocate(std::size_t{operand} << 8);
        break;
      case 5:
        allocate((std::size_t{operand} << 12) + operation / 16);
        break;
      case 6:
        allocate(SIZE_MAX - operand);
        break;
      case 7:
        numbers_.failures_left = operand % 8;
        break;
      case 8:
        static_cast<void>(pool_->trim(std::uint64_t{operand} << 8));
        break;
      case 9:
        static_cast<void>(operand % 4 == 0 ? pool_->free_held() : pool_->tick());
        break;
      case 10:
        if (operand == 255) {
          static_cast<void>(pool_->stop_holding());
        }
        break;
      default:
        release(operand, operation / 16 % 4);
    }
    const PoolStats stats = pool_->statistics();
    require(stats.active_blocks == live_.size());
    require(stats.active_bytes == bytes_);
    require(stats.managed_bytes == numbers_.live);
    require(stats.reserved_bytes >= stats.active_bytes);
    require(pool_->check() == nullptr);
  }

  void end() {
    while (!live_.empty()) {
      release(0, 0);
    }
    static_cast<void>(pool_->free_held());
    require(pool_->statistics().managed_bytes == 0);
    require(numbers_.chunks.empty());
  }

 private:
  void allocate(std::size_t size) {
    Mem* mem = pool_->try_hit(size);
    if (mem != nullptr || pool_->allocate_slowly(size, mem) == Status::success) {
      require(mem->capacity >= size && mem->capacity > 0);
      live_.push_back(mem);
      bytes_ += size;
    }
  }
  void release(std::uint8_t which, int how) {
    if (live_.empty()) {
      return;
    }
    std::swap(live_[which % live_.size()], live_.back());
    Mem& mem = *live_.back();
    live_.pop_back();
    bytes_ -= mem.size;
    if (how == 1) {
      pool_->set_tag(mem, which);
    } else if (how == 2) {
      require(retain_mem(mem) == Status::success && release_mem(mem) == Status::success);
    }
    require((how == 3 ? release_mem_later(mem) : release_mem(mem)) == Status::success);
    require(release_mem(mem) == Status::invalid_operation);
  }

  Numbers numbers_;
  Reference<Pool> pool_;
  std::vector<Mem*> live_;
  std::uint64_t bytes_ = 0;
};

}  // namespace
}  // namespace clpool::core

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) {
    return 0;
  }
  clpool::core::Program program(data[0], data[1], data[2], data[3]);
  for (std::size_t i = 4; i + 1 < size && i < 4000; i += 2) {
    program.step(data[i], data[i + 1]);
  }
  program.end();
  return 0;
}
