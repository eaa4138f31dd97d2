// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How the program begins and ends, and what must hold after each operation.
#include "fuzz/pool_program.hpp"

#include <cstring>

namespace clpool::fuzz {

uint64_t HostChunks::allocate(uint64_t size, uint64_t alignment) {
  std::vector<unsigned char> bytes(size + alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uint64_t chunk = (address + alignment - 1) / alignment * alignment;
  books_.live += size;
  books_.chunks.insert_or_assign(chunk, std::move(bytes));
  return chunk;
}

void HostChunks::deallocate(uint64_t chunk, uint64_t size) noexcept {
  if (books_.overwrites) {
    std::memset(reinterpret_cast<void*>(static_cast<std::uintptr_t>(chunk)), 0xDD, size);
  }
  books_.live -= size;
}

namespace {

Allocator make_allocator(Memory memory, bool with_queue, const Traffic& traffic, HostChunks::Books& chunks) {
  switch (memory) {
    case Memory::immediate:
      return Allocator::immediate(traffic.queue(0));
    case Memory::deferred:
      return Allocator::deferred(traffic.context());
    case Memory::svm:
    case Memory::fine_svm:
      return Allocator::svm(traffic.context(), memory == Memory::svm ? 0 : CL_MEM_SVM_FINE_GRAIN_BUFFER, 0,
                            with_queue && traffic.is_in_order(0) ? traffic.queue(0) : nullptr);
    case Memory::pinned:
      return Allocator::pinned(traffic.queue(0));
    case Memory::custom:
      break;
  }
  return Allocator::custom(std::make_unique<HostChunks>(chunks));
}

bool has_queue(Memory memory, bool with_queue, const Traffic& traffic) {
  switch (memory) {
    case Memory::immediate:
    case Memory::pinned:
      return true;
    case Memory::svm:
    case Memory::fine_svm:
      return with_queue && traffic.is_in_order(0);
    default:
      return false;
  }
}

}  // namespace

PoolProgram::PoolProgram(Input& input)
    : input_(input),
      memory_(static_cast<Memory>(input.byte() % 6)),
      nvidia_(input.byte() % 4 == 3),
      stub_(nvidia_ ? "mode=manual,devices=1,deadlock=abort,nvidia=1,align=512"
                    : "mode=manual,devices=1,deadlock=abort,overlap=abort"),
      traffic_(input.byte() % 8) {
  const std::uint8_t queues = input.byte();  // bits 0 to 2: the pool's; bit 3: the allocator's; bit 4: silent
  const bool with_queue = (queues & 8) != 0;
  allocator_ = make_allocator(memory_, with_queue, traffic_, chunks_);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  std::vector<cl_command_queue> named;
  for (std::size_t i = 0; i < Traffic::queue_count; ++i) {
    if (!traffic_.is_in_order(i)) {
      custody_.out_of_order.insert(i);
    }
    if ((queues >> i & 1) != 0) {
      named.push_back(traffic_.queue(i));
      custody_.own.insert(i);
    }
  }
  if (named.empty() && has_queue(memory_, with_queue, traffic_)) {
    custody_.own.insert(0);
  }
  is_told_ = !custody_.own.empty() || memory_ == Memory::immediate || memory_ == Memory::deferred;
  custody_.host_writes = memory_ == Memory::pinned || memory_ == Memory::fine_svm;
  custody_.adopts = memory_ != Memory::custom;
  custody_.is_silent =
      custody_.own.empty() && (queues & 16) != 0 && traffic_.is_in_order(0) && !custody_.host_writes;
  chunks_.overwrites = !custody_.is_silent;
  options.queues = named.data();
  options.queue_count = static_cast<std::uint32_t>(named.size());
  options.wait_ns = 1;
  options.name = "the pool";
  const std::uint8_t how = input.byte();
  options.strategy = how % 2 == 0 ? CLPOOL_STRATEGY_COALESCING : CLPOOL_STRATEGY_BINNED;
  options.max_bytes = how / 2 % 4 == 3 ? 1U << 17 : 0;
  options.max_held_bytes = how / 8 % 4 == 3 ? 1U << 14 : 0;
  options.min_chunk_bytes = how / 32 % 2 == 1 ? 1U << 14 : 0;
  options.decay_ns = how / 64 == 3 ? 1 : 0;
  options.trace_messages = how / 64 == 2 ? 1 : 0;
  max_bytes_ = options.max_bytes != 0 ? options.max_bytes : UINT64_MAX;
  pool_ = Pool(allocator_, options);
}

void PoolProgram::run(Input& input, const std::function<void(const Pool&)>& told) {
  PoolProgram program(input);
  while (!input.empty()) {
    program.step();
    program.traffic_.check();
    program.expect_figures();
    if (told) {
      told(program.pool_);
    }
  }
  program.end();
}

void PoolProgram::expect_figures() {
  const clpool_pool_stats stats = pool_.statistics();
  require(stats.active_blocks == blocks_.size(), "active_blocks");
  require(stats.active_bytes == bytes_, "active_bytes");
  require(stats.allocations == served_, "allocations");
  require(stats.hits + stats.misses == served_, "hits and misses");
  require(stats.reserved_bytes >= stats.active_bytes, "reserved_bytes");
  require(stats.managed_bytes == stats.held_bytes + stats.reserved_bytes, "held_bytes");
  require(stats.managed_bytes <= max_bytes_, "max_bytes");
  require(stats.peak_managed_bytes >= stats.managed_bytes, "peak_managed_bytes");
  if (memory_ == Memory::custom) {
    require(stats.managed_bytes == chunks_.live, "managed_bytes");
  } else {
    require(stats.managed_bytes <= stub_.device_bytes(), "managed_bytes");
  }
  require(clpool_pool_check(pool_.get()) == CLPOOL_SUCCESS, clpool_last_error_message());
}

void PoolProgram::end() {
  // Where the pool was not told of the uses of addresses, the program has to wait for them itself.
  if (!is_told_ || next_byte_ % 2 == 0) {
    traffic_.finish();
  }
  if (next_byte_ % 3 == 0) {
    pool_ = Pool();
  }
  while (!blocks_.empty()) {
    release(0, next_byte_);
  }
  allocator_ = Allocator();
  pool_ = Pool();
  traffic_.finish();
  // Memory that was still in use goes back by later calls of the library: one enqueues a marker, the next
  // finds it complete; and so for the block's events, its declared queues and the pool's own, one after the
  // other.
  for (int i = 0; i < 8; ++i) {
    call_later();
    traffic_.finish();
  }
  require(chunks_.live == 0, "all chunks are back");
}

}  // namespace clpool::fuzz
