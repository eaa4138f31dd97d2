// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pools over several queues and out-of-order ones, and blocks whose uses are declared.
#include <thread>

#include "faults/world.hpp"

namespace clpool::test {
namespace {

enum class Kind { buffer, svm, pinned };

clpool_status make_allocator(World& world, Kind kind, Allocator& out) {
  switch (kind) {
    case Kind::buffer:
      CALL(clpool_allocator_create_deferred(world.cl.context, 0, out.receive()));
      break;
    case Kind::svm:
      CALL(clpool_allocator_create_svm(world.cl.context, 0, 0, nullptr, out.receive()));
      break;
    case Kind::pinned:
      CALL(clpool_allocator_create_pinned(world.cl.queue, 0, out.receive()));
      break;
  }
  return CLPOOL_SUCCESS;
}

/// What all of these do with a pool: blocks released while commands use them, waited for, taken again.
clpool_status release_under_commands(World& world, clpool_pool* pool, cl_command_queue queue) {
  const unsigned char pattern = 3;
  cl_event gate = world.gate();
  {
    Mem blocks[3];
    for (Mem& block : blocks) {
      CALL(clpool_pool_allocate(pool, 5000, block.receive()));
    }
    if (clpool_mem_kind(blocks[0]) != CLPOOL_MEM_KIND_PINNED) {
      Event event;
      CALL(clpool_mem_fill(queue, blocks[0], &pattern, 1, 0, 5000, 1, &gate, event.receive()));
      cl_event uses = event;
      CALL(clpool_mem_release_after(blocks[1], 1, &uses));
    }
    CALL(clpool_mem_used_on(blocks[2], queue));
  }
  Mem during;
  CALL(clpool_pool_allocate(pool, 5000, during.receive()));
  world.open_gates();
  CALL(clpool_pool_tick(pool));
  Mem after;
  CALL(clpool_pool_allocate(pool, 5000, after.receive()));
  after.reset();
  during.reset();
  CALL(clpool_pool_free_held(pool));
  return CLPOOL_SUCCESS;
}

clpool_status live_on(World& world, Kind kind, const std::vector<cl_command_queue>& queues,
                      cl_command_queue used) {
  Allocator allocator;
  if (const clpool_status status = make_allocator(world, kind, allocator); status != CLPOOL_SUCCESS) {
    return status;
  }
  clpool_pool_options options = impatient;
  options.queues = queues.empty() ? nullptr : queues.data();
  options.queue_count = static_cast<uint32_t>(queues.size());
  Pool pool;
  CALL(clpool_pool_create(allocator, &options, pool.receive()));
  return release_under_commands(world, pool, used);
}

template <Kind kind>
clpool_status two_queues(World& world) {
  return live_on(world, kind, {world.cl.queue, world.second}, world.second);
}

template <Kind kind>
clpool_status out_of_order_queue(World& world) {
  return world.out_of_order == nullptr ? CLPOOL_ERROR_NOT_SUPPORTED
                                       : live_on(world, kind, {world.out_of_order}, world.out_of_order);
}

/// The first queue that the library meets becomes the pool's own.
template <Kind kind>
clpool_status unknown_queue(World& world) {
  return live_on(world, kind, {}, world.second);
}

/// Another queue than the pool's one has to wait for that.
template <Kind kind>
clpool_status foreign_queue(World& world) {
  return live_on(world, kind, {world.cl.queue}, world.second);
}

clpool_status blocks_of_a_queue(World& world) {
  Allocator allocator;
  CALL(clpool_allocator_create_immediate(world.cl.queue, 0, allocator.receive()));
  clpool_pool_options options = impatient;
  const cl_command_queue queues[] = {world.cl.queue, world.second};
  options.queues = queues;
  options.queue_count = 2;
  Pool pool;
  CALL(clpool_pool_create(allocator, &options, pool.receive()));
  for (cl_command_queue queue : {world.cl.queue, world.second, world.second}) {
    Mem block;
    CALL(clpool_pool_allocate_on(pool, queue, 3000, block.receive()));
    CALL(clpool_mem_used_on(block, queue));
  }
  CALL(clpool_pool_trim(pool, 0));
  return CLPOOL_SUCCESS;
}

clpool_status bound_blocks(World& world) {
  Allocator allocator;
  CALL(clpool_allocator_create_svm(world.cl.context, 0, 0, world.cl.queue, allocator.receive()));
  Pool pool;
  CALL(clpool_pool_create(allocator, &impatient, pool.receive()));
  Mem block;
  CALL(clpool_pool_allocate(pool, 3000, block.receive()));
  CALL(clpool_mem_bind_queue(block, world.second));
  CALL(clpool_mem_unbind_queue(block));
  CALL(clpool_mem_bind_queue(block, world.second));
  Event released;
  const cl_event complete = world.complete_event();
  if (const clpool_status status =
          world.call([&] { return clpool_mem_release_on(block, nullptr, 1, &complete, released.receive()); },
                     "release_on");
      status != CLPOOL_SUCCESS) {
    return status;
  }
  block.take();
  CALL(clpool_pool_tick(pool));
  CALL(clpool_pool_allocate(pool, 3000, block.receive()));
  return CLPOOL_SUCCESS;
}

/// Requests of many sizes cut a chunk anew again and again: handles are kept, found and given up.
clpool_status many_handles(World& world) {
  Allocator allocator;
  CALL(clpool_allocator_create_deferred(world.cl.context, 0, allocator.receive()));
  clpool_pool_options options = impatient;
  options.min_chunk_bytes = 64 << 10;
  Pool pool;
  CALL(clpool_pool_create(allocator, &options, pool.receive()));
  for (std::size_t round = 1; round <= 3; ++round) {
    Mem blocks[6];
    for (std::size_t i = 0; i < 6; ++i) {
      CALL(clpool_pool_allocate(pool, 700 * round + 1300 * i, blocks[i].receive()));
    }
  }
  return CLPOOL_SUCCESS;
}

/// Other threads than that which made the pool ask for memory, which NVIDIA's driver has the library use on a queue of its own.
template <std::uint32_t touch>
clpool_status several_threads(World& world) {
  Allocator allocator;
  CALL(clpool_allocator_create_touching(world.cl.queue, 0, touch, allocator.receive()));
  clpool_pool_options options = impatient;
  options.min_chunk_bytes = 64 << 10;
  const cl_command_queue queues[] = {world.cl.queue, world.second};
  options.queues = queues;
  options.queue_count = 2;
  Pool pool;
  CALL(clpool_pool_create(allocator, &options, pool.receive()));
  clpool_status status = CLPOOL_SUCCESS;
  std::thread([&] {
    status = [&]() -> clpool_status {
      Mem blocks[3];
      for (std::size_t i = 0; i < 3; ++i) {
        CALL(clpool_pool_allocate(pool, 1000 + 40'000 * i, blocks[i].receive()));
      }
      return CLPOOL_SUCCESS;
    }();
  }).join();
  return status;
}

}  // namespace

std::vector<Scenario> queue_scenarios() {
  return {{"BuffersOnTwoQueues", two_queues<Kind::buffer>},
          {"SvmOnTwoQueues", two_queues<Kind::svm>},
          {"PageLockedOnTwoQueues", two_queues<Kind::pinned>},
          {"BuffersOutOfOrder", out_of_order_queue<Kind::buffer>},
          {"SvmOutOfOrder", out_of_order_queue<Kind::svm>},
          {"BuffersOfUnknownQueues", unknown_queue<Kind::buffer>},
          {"SvmOfUnknownQueues", unknown_queue<Kind::svm>},
          {"BuffersOnAForeignQueue", foreign_queue<Kind::buffer>},
          {"SvmOnAForeignQueue", foreign_queue<Kind::svm>},
          {"PageLockedOnAForeignQueue", foreign_queue<Kind::pinned>},
          {"BlocksOfAQueue", blocks_of_a_queue},
          {"BoundBlocks", bound_blocks},
          {"ManyHandles", many_handles},
          {"BuffersOfSeveralThreads", several_threads<CLPOOL_TOUCH_BYTE>},
          {"FilledBuffersOfSeveralThreads", several_threads<CLPOOL_TOUCH_WHOLE>}};
}

}  // namespace clpool::test
