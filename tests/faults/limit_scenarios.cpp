// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pools that run out of memory: at their own limit, at the allocator's and at the device's; what they hold is
// given back, callbacks are asked.
#include "faults/world.hpp"

namespace clpool::test {
namespace {

/// What callbacks are asked; made before the pool, which may ask until its end.
struct Asked {
  int collected = 0;
  int out_of_memory = 0;
  Mem kept;  ///< given up when the pool asks for it
};

void collect(void* user) {
  const host_memory::InTest in_test;
  ++static_cast<Asked*>(user)->collected;
}

int32_t give_up(void* user, uint64_t, uint32_t) {
  auto& asked = *static_cast<Asked*>(user);
  ++asked.out_of_memory;
  clpool_mem* const kept = asked.kept.take();
  if (kept == nullptr) {
    return 0;
  }
  static_cast<void>(clpool_mem_release(kept));
  return 1;
}

template <uint32_t strategy>
clpool_status fill_and_recover(World& world, clpool_allocator* allocator, uint64_t max_bytes) {
  Asked asked;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.collect = collect;
  callbacks.out_of_memory = give_up;
  clpool_pool_options options = impatient;
  options.strategy = strategy;
  options.callbacks = &callbacks;
  options.user = &asked;
  options.max_bytes = max_bytes;
  Pool pool;
  CALL(clpool_pool_create(allocator, &options, pool.receive()));
  struct Rest {  // no block is to outlive the pool
    Mem& mem;
    ~Rest() { mem.reset(); }
  };
  const Rest rest{asked.kept};
  CALL(clpool_pool_allocate(pool, 600 << 10, asked.kept.receive()));
  {
    Mem small;
    CALL(clpool_pool_allocate(pool, 100 << 10, small.receive()));
  }
  Mem block;
  CALL(clpool_pool_allocate(pool, 700 << 10, block.receive()));
  world.require(asked.out_of_memory > 0, "the callback is not asked");
  Mem never;
  return world.call_that_fails(
      CLPOOL_ERROR_OUT_OF_MEMORY, [&] { return clpool_pool_allocate(pool, 900 << 10, never.receive()); },
      "more than there is");
}

template <uint32_t strategy>
clpool_status at_the_pools_limit(World& world) {
  Allocator allocator;
  CALL(clpool_allocator_create_immediate(world.cl.queue, 0, allocator.receive()));
  return fill_and_recover<strategy>(world, allocator, 1 << 20);
}

template <uint32_t strategy>
clpool_status at_the_allocators_limit(World& world) {
  Allocator inner;
  CALL(clpool_allocator_create_immediate(world.cl.queue, 0, inner.receive()));
  Allocator allocator;
  CALL(clpool_allocator_create_limit(inner, 1 << 20, allocator.receive()));
  return fill_and_recover<strategy>(world, allocator, 0);
}

/// The device has a mebibyte.
template <uint32_t strategy, bool svm>
clpool_status at_the_devices_end(World& world) {
  struct Small {
    // Memory that was lost before is not the pool's.
    Small() { stub_configure(("limit=" + std::to_string(stub_device_bytes() + (1 << 20))).c_str()); }
    ~Small() { stub_configure("limit=0"); }
  };
  const Small small;
  Allocator allocator;
  if (svm) {
    CALL(clpool_allocator_create_svm(world.cl.context, 0, 0, world.cl.queue, allocator.receive()));
  } else {
    CALL(clpool_allocator_create_immediate(world.cl.queue, 0, allocator.receive()));
  }
  return fill_and_recover<strategy>(world, allocator, 0);
}

/// Little is held: what is more goes back at once.
clpool_status held_bytes(World& world) {
  Allocator allocator;
  CALL(clpool_allocator_create_immediate(world.cl.queue, 0, allocator.receive()));
  clpool_pool_options options = impatient;
  options.max_held_bytes = 1 << 16;
  options.decay_ns = 1;
  options.release_threshold = 1 << 10;
  options.trace_messages = 1;
  Pool pool;
  CALL(clpool_pool_create(allocator, &options, pool.receive()));
  for (int round = 0; round < 3; ++round) {
    Mem large;
    Mem small;
    CALL(clpool_pool_allocate(pool, 300'000, large.receive()));
    CALL(clpool_pool_allocate(pool, 300, small.receive()));
    large.reset();
    CALL(clpool_pool_tick(pool));
  }
  return CLPOOL_SUCCESS;
}

}  // namespace

std::vector<Scenario> limit_scenarios() {
  constexpr uint32_t coalescing = CLPOOL_STRATEGY_COALESCING;
  constexpr uint32_t binned = CLPOOL_STRATEGY_BINNED;
  return {{"CoalescingAtThePoolsLimit", at_the_pools_limit<coalescing>},
          {"BinnedAtThePoolsLimit", at_the_pools_limit<binned>},
          {"CoalescingAtTheAllocatorsLimit", at_the_allocators_limit<coalescing>},
          {"BinnedAtTheAllocatorsLimit", at_the_allocators_limit<binned>},
          {"CoalescingAtTheDevicesEnd", at_the_devices_end<coalescing, false>},
          {"BinnedAtTheDevicesEnd", at_the_devices_end<binned, false>},
          {"CoalescingSvmAtTheDevicesEnd", at_the_devices_end<coalescing, true>},
          {"BinnedSvmAtTheDevicesEnd", at_the_devices_end<binned, true>},
          {"HeldBytes", held_bytes}};
}

}  // namespace clpool::test
