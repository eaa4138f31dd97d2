// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The life of a pool over every source of memory, with both strategies.
#include <cstring>
#include <utility>

#include "faults/world.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

enum class Source { deferred, immediate, pinned, svm, svm_without_queue, svm_fine, numbers, limited, logged };

struct Numbers {
  uint64_t next = 1 << 20;
  uint64_t live = 0;  ///< bytes
};

clpool_status take_number(void* user, uint64_t size, uint64_t alignment, uint64_t* chunk) {
  auto& numbers = *static_cast<Numbers*>(user);
  *chunk = (numbers.next + alignment - 1) / alignment * alignment;
  numbers.next = *chunk + size;
  numbers.live += size;
  return CLPOOL_SUCCESS;
}
void give_number_back(void* user, uint64_t, uint64_t size) {
  static_cast<Numbers*>(user)->live -= size;
}

template <Source source>
clpool_status make_allocator(World& world, Allocator& out) {
  static Numbers numbers;
  if constexpr (source == Source::deferred) {
    CALL(clpool_allocator_create_deferred(world.cl.context, 0, out.receive()));
  } else if constexpr (source == Source::immediate) {
    CALL(clpool_allocator_create_immediate(world.cl.queue, 0, out.receive()));
  } else if constexpr (source == Source::pinned) {
    CALL(clpool_allocator_create_pinned(world.cl.queue, 0, out.receive()));
  } else if constexpr (source == Source::svm) {
    CALL(clpool_allocator_create_svm(world.cl.context, 0, 4096, world.cl.queue, out.receive()));
  } else if constexpr (source == Source::svm_without_queue) {
    CALL(clpool_allocator_create_svm(world.cl.context, 0, 0, nullptr, out.receive()));
  } else if constexpr (source == Source::svm_fine) {
    CALL(clpool_allocator_create_svm(world.cl.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 0,
                                     world.cl.queue, out.receive()));
  } else if constexpr (source == Source::numbers) {
    clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
    ops.allocate = take_number;
    ops.deallocate = give_number_back;
    world.require(numbers.live == 0, "chunks of a custom allocator were not given back");
    numbers.live = 0;
    CALL(clpool_allocator_create_custom(&ops, &numbers, out.receive()));
  } else {
    Allocator inner;
    CALL(clpool_allocator_create_immediate(world.cl.queue, 0, inner.receive()));
    if constexpr (source == Source::limited) {
      CALL(clpool_allocator_create_limit(inner, 64 << 20, out.receive()));
    } else {
      CALL(clpool_allocator_create_trace(inner, "/dev/null", out.receive()));
    }
  }
  return CLPOOL_SUCCESS;
}

/// Writes something to a block and reads it again; memory that is numbers only has nothing to be read.
clpool_status use(World& world, clpool_mem* mem) {
  if (clpool_mem_kind(mem) == CLPOOL_MEM_KIND_CUSTOM) {
    return CLPOOL_SUCCESS;
  }
  if (clpool_mem_kind(mem) == CLPOOL_MEM_KIND_PINNED) {
    std::memset(clpool_mem_pointer(mem), 7, clpool_mem_size(mem));
    return CLPOOL_SUCCESS;
  }
  std::memset(world.host, 7, 64);
  CALL(clpool_mem_write(world.cl.queue, mem, 0, 64, world.host, 64, 0, 0, nullptr, nullptr));
  unsigned char read[64] = {};
  CALL(clpool_mem_read(world.cl.queue, mem, 0, 64, read, 64, 1, 0, nullptr, nullptr));
  world.require(std::memcmp(read, world.host, 64) == 0, "a block does not keep what is written");
  return CLPOOL_SUCCESS;
}

/// Guarded pools keep the descriptors of what was released, up to a number: from then on they make no more of them.
void let_descriptors_rest() {
  static bool done = false;
  if (std::exchange(done, true)) {
    return;
  }
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.guard = CLPOOL_GUARD_ON;
  const PoolHandle pool = make_pool(allocator.get(), options);
  for (int i = 0; i < 20'000; ++i) {
    allocate(pool, 100).reset();
  }
}

/// Blocks are taken, used, released and taken again; what is held goes back.
template <Source source, uint32_t strategy, uint32_t guard = CLPOOL_GUARD_DEFAULT>
clpool_status live(World& world) {
  if (guard == CLPOOL_GUARD_ON) {
    let_descriptors_rest();
  }
  Allocator allocator;
  if (const clpool_status status = make_allocator<source>(world, allocator); status != CLPOOL_SUCCESS) {
    return status;
  }
  clpool_pool_options options = impatient;
  options.strategy = strategy;
  options.guard = guard;
  options.name = "a pool whose name is too long for a short string";
  Pool pool;
  CALL(clpool_pool_create(allocator, &options, pool.receive()));
  allocator.reset();
  Mem first;
  Mem last;
  CALL(clpool_pool_allocate(pool, 1000, first.receive()));
  {
    Mem blocks[3];
    for (std::size_t i = 0; i < 3; ++i) {
      CALL(clpool_pool_allocate(pool, 30'000 * i + 10, blocks[i].receive()));
    }
    if (const clpool_status status = use(world, blocks[2]); status != CLPOOL_SUCCESS) {
      return status;
    }
    CALL(clpool_mem_set_tag(blocks[1], 3));
  }
  CALL(clpool_pool_allocate(pool, 30'010, last.receive()));
  if (const clpool_status status = use(world, last); status != CLPOOL_SUCCESS) {
    return status;
  }
  CALL(clpool_mem_release_later(last.take()));
  CALL(clpool_pool_trim(pool, 1 << 20));
  CALL(clpool_pool_allocate(pool, 70'000, last.receive()));
  CALL(clpool_mem_release_idle(last.take()));
  CALL(clpool_pool_tick(pool));
  std::size_t needed = 0;
  CALL(clpool_pool_dump_json(pool, nullptr, 0, &needed));
  CALL(clpool_pool_check(pool));
  CALL(clpool_pool_visit(
      pool, [](void*, const clpool_pool_stretch*) -> int32_t { return 0; }, nullptr));
  CALL(clpool_pool_free_held(pool));
  CALL(clpool_pool_allocate(pool, 200'000, last.receive()));
  CALL(clpool_pool_stop_holding(pool));
  return CLPOOL_SUCCESS;
}

/// A pool that is released before its last blocks, of which one is a part of.
template <Source source>
clpool_status outlive(World& world) {
  Allocator allocator;
  if (const clpool_status status = make_allocator<source>(world, allocator); status != CLPOOL_SUCCESS) {
    return status;
  }
  clpool_pool* pool = nullptr;
  CALL(clpool_pool_create(allocator, &impatient, &pool));
  Mem block;
  Mem other;
  clpool_status status =
      world.call([&] { return clpool_pool_allocate(pool, 8192, block.receive()); }, "first");
  if (status == CLPOOL_SUCCESS) {
    status = world.call([&] { return clpool_pool_allocate(pool, 100, other.receive()); }, "second");
  }
  world.release([&] { return clpool_pool_release(pool); });
  if (status != CLPOOL_SUCCESS) {
    return status;
  }
  if (const clpool_status used = use(world, block); used != CLPOOL_SUCCESS) {
    return used;
  }
  Mem part;
  CALL(clpool_mem_sub_region(block, 4096, 512, 0, part.receive()));
  block.reset();
  if (clpool_mem_handle(part) != nullptr) {
    std::uint64_t size = 0;
    CALL(clpool_mem_info_number(part, CL_MEM_SIZE, &size));
    world.require(size == 512, "a part has another size");
  }
  return CLPOOL_SUCCESS;
}

template <Source source>
void add(std::vector<Scenario>& all, const std::string& name) {
  all.push_back({"Coalescing" + name, live<source, CLPOOL_STRATEGY_COALESCING>});
  all.push_back({"Binned" + name, live<source, CLPOOL_STRATEGY_BINNED>});
  all.push_back({"Outlived" + name, outlive<source>});
}

}  // namespace

std::vector<Scenario> pool_scenarios() {
  std::vector<Scenario> all;
  add<Source::deferred>(all, "Deferred");
  add<Source::immediate>(all, "Immediate");
  add<Source::pinned>(all, "PageLocked");
  add<Source::svm>(all, "Svm");
  add<Source::svm_without_queue>(all, "SvmWithoutQueue");
  add<Source::svm_fine>(all, "FineSvm");
  add<Source::numbers>(all, "Numbers");
  add<Source::limited>(all, "Limited");
  add<Source::logged>(all, "Logged");
  all.push_back(
      {"GuardedImmediate", live<Source::immediate, CLPOOL_STRATEGY_COALESCING, CLPOOL_GUARD_ON>, true});
  all.push_back(
      {"GuardedPageLocked", live<Source::pinned, CLPOOL_STRATEGY_COALESCING, CLPOOL_GUARD_ON>, true});
  all.push_back({"GuardedSvm", live<Source::svm, CLPOOL_STRATEGY_COALESCING, CLPOOL_GUARD_ON>, true});
  return all;
}

}  // namespace clpool::test
