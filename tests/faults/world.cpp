// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A world's calls, gates and checks.
#include "faults/world.hpp"

namespace clpool::test {
namespace {

World* the_world = nullptr;

void record_call(const char* entry_point, void* user) {
  auto& world = *static_cast<World*>(user);
  if (world.is_recording()) {
    world.record.emplace_back(entry_point);
  }
}

cl_kernel make_kernel(const OpenCl& cl) {
  const char* source = "kernel void nothing(global uchar *bytes) {}";
  const cl_program program = clCreateProgramWithSource(cl.context, 1, &source, nullptr, nullptr);
  cl_kernel kernel = nullptr;
  if (clBuildProgram(program, 1, &cl.device, "", nullptr, nullptr) == CL_SUCCESS) {
    kernel = clCreateKernel(program, "nothing", nullptr);
  }
  clReleaseProgram(program);
  return kernel;
}

void do_nothing(const stub_launch*) {}

}  // namespace

World::World() {
  the_world = this;
  stub_hold_faults(1);
  second = cl.another_queue();
  out_of_order = cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  stub_define_kernel("nothing", do_nothing, nullptr);
  kernel = make_kernel(cl);
  clpool_set_message_callback(
      [](void* user, int32_t severity, const char* text) {
        const host_memory::InTest in_test;
        static_cast<World*>(user)->messages_.push_back({severity, text});
      },
      this);
}

World::~World() {
  clpool_set_message_callback(nullptr, nullptr);
  stub_set_hook(nullptr, nullptr);
  if (kernel != nullptr) {
    clReleaseKernel(kernel);
  }
  stub_hold_faults(0);
  the_world = nullptr;
}

World& World::current() {
  return *the_world;
}

void World::begin_call() {
  in_call_ = true;
  if (records) {
    stub_set_hook(record_call, this);
  }
  stub_hold_faults(0);
}

void World::end_call(clpool_status status, const char* text) {
  stub_hold_faults(1);
  stub_set_hook(nullptr, nullptr);
  in_call_ = false;
  if (status != CLPOOL_SUCCESS && failure_.status == CLPOOL_SUCCESS) {
    failure_ = {status, clpool_last_cl_error(), clpool_last_error_message(), text};
    open_gates();  // so that the releases that follow may wait for commands
  }
}

void World::end_release(clpool_status status) {
  stub_hold_faults(1);
  stub_set_hook(nullptr, nullptr);
  in_call_ = false;
  if (status != CLPOOL_SUCCESS) {
    failed_releases_.push_back({status, clpool_last_cl_error(), clpool_last_error_message(), "release"});
  }
}

void World::require(bool condition, const char* what) {
  if (!condition) {
    complaints_.emplace_back(what);
  }
}

cl_event World::gate() {
  cl_event event = clCreateUserEvent(cl.context, nullptr);
  gates_.push_back(event);
  return event;
}

void World::open_gates() {
  for (cl_event event : gates_) {
    clSetUserEventStatus(event, CL_COMPLETE);
    events_.push_back(event);
  }
  gates_.clear();
}

cl_event World::complete_event() {
  cl_event event = clCreateUserEvent(cl.context, nullptr);
  clSetUserEventStatus(event, CL_COMPLETE);
  events_.push_back(event);
  return event;
}

void World::begin() {
  failure_ = {};
  is_hidden_ = false;
  complaints_.clear();
  messages_.clear();
  failed_releases_.clear();
  record.clear();
}

void World::end() {
  open_gates();
  for (cl_command_queue queue : {cl.queue, second, out_of_order}) {
    if (queue != nullptr) {
      clFinish(queue);
    }
  }
  for (cl_event event : events_) {
    clReleaseEvent(event);
  }
  events_.clear();
  // The next release of the library works off what an ended pool could not give back at once.
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = [](void*, uint64_t, uint64_t, uint64_t*) -> clpool_status {
    return CLPOOL_ERROR_OUT_OF_MEMORY;
  };
  ops.deallocate = [](void*, uint64_t, uint64_t) {};
  clpool_allocator* allocator = nullptr;
  clpool_pool* pool = nullptr;
  clpool_allocator_create_custom(&ops, nullptr, &allocator);
  clpool_pool_create(allocator, nullptr, &pool);
  clpool_pool_release(pool);
  clpool_allocator_release(allocator);
}

clpool_status check_and_release(clpool_pool* pool) {
  World& world = World::current();
  {
    const host_memory::InTest in_test;
    if (clpool_pool_check(pool) != CLPOOL_SUCCESS) {
      world.require(false, clpool_last_error_message());
    }
    clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
    clpool_pool_statistics(pool, &stats);
    world.require(stats.active_blocks == 0 && stats.active_bytes == 0 && stats.reserved_bytes == 0,
                  "no block is handed out, but the figures say so");
    world.require(stats.held_bytes == stats.managed_bytes, "what the pool has is not what it holds");
    world.require(stats.hits + stats.misses == stats.allocations, "hits and misses are not the allocations");
    world.require(stats.driver_allocations - stats.driver_releases == stats.chunks,
                  "chunks had and given back are not those that there are");
    world.require(stats.cached_bytes + stats.pending_bytes <= stats.held_bytes,
                  "more is cached and pending than held");
  }
  return clpool_pool_release(pool);
}

}  // namespace clpool::test
