// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Fills, copies, reads, writes, boxes and migration, between all kinds of memory; with an event to wait for
// and one of the command.
#include <cstring>

#include "faults/world.hpp"

namespace clpool::test {
namespace {

constexpr std::size_t size = 1024;

enum class Side { buffer, part, pooled, svm, pinned };

/// Memory of a kind, with what it needs.
struct Memory {
  Allocator allocator;
  Pool pool;
  Mem root;
  Mem neighbour;
  Mem mem;
};

clpool_status make(World& world, Side side, Memory& out) {
  switch (side) {
    case Side::buffer:
      CALL(clpool_buffer_create(world.cl.context, 0, size, nullptr, 0, out.mem.receive()));
      break;
    case Side::part:
      CALL(clpool_buffer_create(world.cl.context, 0, 4 * size, nullptr, 0, out.root.receive()));
      CALL(clpool_mem_sub_region(out.root, 0, size, 0, out.mem.receive()));
      break;
    case Side::pooled:
      CALL(clpool_allocator_create_deferred(world.cl.context, 0, out.allocator.receive()));
      CALL(clpool_pool_create(out.allocator, &impatient, out.pool.receive()));
      CALL(clpool_pool_allocate(out.pool, size, out.neighbour.receive()));
      CALL(clpool_pool_allocate(out.pool, size, out.mem.receive()));
      break;
    case Side::svm:
      CALL(clpool_svm_create(world.cl.context, 0, size, 0, world.cl.queue, out.mem.receive()));
      break;
    case Side::pinned:
      CALL(clpool_allocator_create_pinned(world.cl.queue, 0, out.allocator.receive()));
      CALL(clpool_allocator_allocate(out.allocator, size, out.mem.receive()));
      break;
  }
  return CLPOOL_SUCCESS;
}

#define MAKE(side, memory)                                                                         \
  do {                                                                                             \
    if (const clpool_status made = make(world, side, memory); made != CLPOOL_SUCCESS) return made; \
  } while (false)

template <Side side>
clpool_status fill_read_write(World& world) {
  Memory memory;
  MAKE(side, memory);
  const cl_event complete = world.complete_event();
  const unsigned char pattern[] = {1, 2, 3, 4};
  const cl_command_queue queue = world.cl.queue;
  unsigned char* const host = world.host;
  if (side != Side::pinned) {
    Event event;
    CALL(clpool_mem_fill(queue, memory.mem, pattern, 4, 0, CLPOOL_WHOLE_SIZE, 1, &complete, event.receive()));
    world.require(event != nullptr, "a fill has no event");
    Event read;
    CALL(clpool_mem_read(queue, memory.mem, 0, size, host, size, 0, 1, &complete, read.receive()));
    Event written;
    CALL(clpool_mem_write(queue, memory.mem, 64, 64, host, size, 0, 1, &complete, written.receive()));
    Event nothing;
    CALL(clpool_mem_write(queue, memory.mem, 0, 0, host, 0, 0, 0, nullptr, nothing.receive()));
    const cl_event both[] = {complete, written};
    Event nothing_after;
    CALL(clpool_mem_write(queue, memory.mem, 0, 0, host, 0, 0, 2, both, nothing_after.receive()));
    host[0] = 0;
    CALL(clpool_mem_read(queue, memory.mem, 0, size, host, size, 1, 0, nullptr, nullptr));
    world.require(host[0] == 1 && host[size - 1] == 4, "what was filled is not what is read");
  }
  return CLPOOL_SUCCESS;
}

template <Side target, Side source>
clpool_status copy(World& world) {
  Memory from;
  MAKE(source, from);
  Memory to;
  MAKE(target, to);
  const cl_event complete = world.complete_event();
  Event event;
  CALL(clpool_mem_copy(world.cl.queue, to.mem, 0, from.mem, 0, CLPOOL_WHOLE_SIZE, 1, &complete,
                       event.receive()));
  world.require(event != nullptr, "a copy has no event");
  CALL(clpool_mem_copy(world.cl.queue, to.mem, 64, from.mem, 0, 64, 0, nullptr, nullptr));
  return CLPOOL_SUCCESS;
}

clpool_box box_of(std::size_t row_pitch) {
  clpool_box box = CLPOOL_BOX_INIT;
  box.region[0] = 8;
  box.region[1] = 4;
  box.region[2] = 2;
  box.source_row_pitch = row_pitch;
  return box;
}

clpool_status boxes(World& world) {
  Memory from;
  MAKE(Side::part, from);
  Memory to;
  MAKE(Side::pooled, to);
  const cl_event complete = world.complete_event();
  const clpool_box box = box_of(16);
  Event events[4];
  CALL(clpool_mem_copy_box(world.cl.queue, to.mem, from.mem, &box, 1, &complete, events[0].receive()));
  clpool_box apart = box;
  apart.target_origin[1] = size / 16;
  apart.target_row_pitch = 16;
  CALL(clpool_mem_copy_box(world.cl.queue, from.root, from.mem, &apart, 1, &complete, events[1].receive()));
  CALL(clpool_mem_read_box(world.cl.queue, to.mem, &box, world.host, sizeof world.host, 1, 1, &complete,
                           events[2].receive()));
  CALL(clpool_mem_write_box(world.cl.queue, to.mem, &box, world.host, sizeof world.host, 0, 1, &complete,
                            events[3].receive()));
  return CLPOOL_SUCCESS;
}

clpool_status migrate(World& world) {
  Memory buffer;
  MAKE(Side::pooled, buffer);
  const cl_event complete = world.complete_event();
  clpool_mem* const one[] = {buffer.mem};
  Event alone;
  CALL(clpool_mem_migrate(world.cl.queue, one, 1, 0, 1, &complete, alone.receive()));
  Memory svm;
  MAKE(Side::svm, svm);
  clpool_mem* const both[] = {buffer.mem, svm.mem};
  Event event;
  CALL(clpool_mem_migrate(world.cl.queue, both, 2, 0, 1, &complete, event.receive()));
  return CLPOOL_SUCCESS;
}

clpool_status copy_p2p(World& world) {
  struct Extension {
    Extension() { stub_configure("with=cl_amd_copy_buffer_p2p"); }
    ~Extension() { stub_configure("with="); }
  };
  const Extension extension;
  Memory from;
  MAKE(Side::buffer, from);
  Memory to;
  MAKE(Side::buffer, to);
  Event event;
  CALL(clpool_mem_copy_p2p(world.cl.queue, to.mem, 0, from.mem, 0, CLPOOL_WHOLE_SIZE, 0, nullptr,
                           event.receive()));
  return CLPOOL_SUCCESS;
}

/// Commands on one out-of-order queue of blocks that a pool over another queue gave.
clpool_status commands_on_another_queue(World& world) {
  if (world.out_of_order == nullptr) {
    return CLPOOL_ERROR_NOT_SUPPORTED;
  }
  Memory memory;
  MAKE(Side::pooled, memory);
  const unsigned char pattern = 1;
  Event events[3];
  CALL(clpool_mem_fill(world.cl.queue, memory.mem, &pattern, 1, 0, 100, 0, nullptr, events[0].receive()));
  const cl_event first = events[0];
  CALL(clpool_mem_copy(world.out_of_order, memory.mem, 512, memory.mem, 0, 256, 1, &first,
                       events[1].receive()));
  CALL(
      clpool_mem_copy(world.second, memory.neighbour, 0, memory.mem, 0, 256, 1, &first, events[2].receive()));
  return CLPOOL_SUCCESS;
}

}  // namespace

std::vector<Scenario> transfer_scenarios() {
  return {{"TransfersOfBuffers", fill_read_write<Side::buffer>},
          {"TransfersOfParts", fill_read_write<Side::part>},
          {"TransfersOfBlocks", fill_read_write<Side::pooled>},
          {"TransfersOfSvm", fill_read_write<Side::svm>},
          {"CopyBufferToPart", copy<Side::part, Side::buffer>},
          {"CopyBufferToSvm", copy<Side::svm, Side::buffer>},
          {"CopySvmToBlock", copy<Side::pooled, Side::svm>},
          {"CopySvmToSvm", copy<Side::svm, Side::svm>},
          {"CopyPageLockedToBlock", copy<Side::pooled, Side::pinned>},
          {"CopyBufferToPageLocked", copy<Side::pinned, Side::buffer>},
          {"CopyPageLockedToSvm", copy<Side::svm, Side::pinned>},
          {"Boxes", boxes},
          {"Migrate", migrate},
          {"CopyBetweenContexts", copy_p2p},
          {"CommandsOnAnotherQueue", commands_on_another_queue}};
}

}  // namespace clpool::test
