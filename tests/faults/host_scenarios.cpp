// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What needs host memory and hardly a driver: heaps, logs and their replay, results cached per object.
#include <cstring>

#include "faults/world.hpp"

namespace clpool::test {
namespace {

using Heap = Owned<clpool_heap*, [](clpool_heap* heap) -> clpool_status {
  clpool_heap_destroy(heap);
  return CLPOOL_SUCCESS;
}>;
using Trace = Owned<clpool_trace*, clpool_trace_release>;
using Writer = Owned<clpool_trace_writer*, clpool_trace_writer_release>;
using DeviceData = Owned<clpool_device_data*, clpool_device_data_release>;
using Memo = Owned<clpool_memo*, clpool_memo_release>;
using Value = Owned<clpool_memo_value*, clpool_memo_value_release>;

clpool_status heaps(World& world) {
  Heap heap;
  CALL(clpool_heap_create(16, heap.receive()));
  uint64_t spaces[2] = {};
  for (uint64_t& space : spaces) {
    CALL(clpool_heap_add_space(heap, 1 << 16, &space));
  }
  clpool_heap_range* ranges[20] = {};
  for (std::size_t i = 0; i < 20; ++i) {
    CALL(clpool_heap_allocate(heap, 100 + 900 * i % 5000, &ranges[i]));
  }
  for (std::size_t i = 0; i < 20; i += 2) {
    CALL(clpool_heap_free(heap, ranges[i]));
  }
  for (int i = 0; i < 40; ++i) {
    CALL(clpool_heap_add_space(heap, 1 << 10, &spaces[0]));
  }
  CALL(clpool_heap_remove_space(heap, spaces[0]));
  if (const clpool_status status = clpool_heap_check(heap); status != CLPOOL_SUCCESS) {
    world.require(false, clpool_last_error_message());
  }
  return CLPOOL_SUCCESS;
}

const char log_text[] =
    "Thread,Time,Action,Pointer,Size,Stream\n"
    "0,1,allocate,0x1000,1000,0\n"
    "0,2,allocate,0x2000,3000,0\n"
    "0,3,free,0x1000,1000,0\n"
    "0,4,allocate,0x1000,500,0\n"
    "0,5,free,0x2000,3000,0\n";

clpool_status logs(World& world) {
  Trace of_file;
  CALL(clpool_trace_open(CLPOOL_FAULT_LOG, of_file.receive()));
  Trace trace;
  CALL(clpool_trace_parse(log_text, std::strlen(log_text), "a log whose name is long", trace.receive()));
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
  CALL(clpool_trace_statistics(trace, &stats));
  Allocator allocator;
  CALL(clpool_allocator_create_immediate(world.cl.queue, 0, allocator.receive()));
  Pool pool;
  CALL(clpool_pool_create(allocator, &impatient, pool.receive()));
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  CALL(clpool_trace_replay_pool(trace, pool, nullptr, &result));
  CALL(clpool_trace_replay_allocator(trace, allocator, nullptr, &result));
  CALL(clpool_trace_release_later(trace.take()));
  return CLPOOL_SUCCESS;
}

clpool_status writers(World&) {
  Writer writer;
  CALL(clpool_trace_writer_create("/dev/null", writer.receive()));
  for (uint64_t i = 1; i < 4; ++i) {
    CALL(clpool_trace_writer_write(writer, CLPOOL_TRACE_ALLOCATE, 4096 * i, 100 * i, 0, CLPOOL_SUCCESS,
                                   "tag"));
  }
  CALL(clpool_trace_writer_flush(writer));
  CALL(clpool_trace_writer_release_later(writer.take()));
  return CLPOOL_SUCCESS;
}

clpool_status cached_results(World& world) {
  Allocator allocator;
  CALL(clpool_allocator_create_immediate(world.cl.queue, 0, allocator.receive()));
  Pool pool;
  CALL(clpool_pool_create(allocator, &impatient, pool.receive()));
  Memo memo;
  CALL(clpool_memo_create(memo.receive()));
  clpool_memo_ops ops = CLPOOL_MEMO_OPS_INIT;
  ops.compute = [](void* user, void** value) -> clpool_status {
    *value = user;
    ++*static_cast<int*>(user);
    return CLPOOL_SUCCESS;
  };
  ops.destroy = [](void* user, void*) { --*static_cast<int*>(user); };
  static int alive = 0;
  const struct {
    uint32_t kind;
    void* object;
  } objects[] = {{CLPOOL_MEMO_CONTEXT, world.cl.context},
                 {CLPOOL_MEMO_DEVICE, world.cl.device},
                 {CLPOOL_MEMO_QUEUE, world.cl.queue},
                 {CLPOOL_MEMO_POOL, static_cast<clpool_pool*>(pool)},
                 {CLPOOL_MEMO_ANY, &ops}};
  for (const auto& [kind, object] : objects) {
    Value value;
    CALL(clpool_memo_get(memo, kind, object, "key", 3, &ops, &alive, value.receive()));
    Value again;
    CALL(clpool_memo_find(memo, object, "key", 3, again.receive()));
  }
  CALL(clpool_memo_clear_object(memo, world.cl.queue));
  CALL(clpool_memo_clear(memo));
  memo.reset();
  world.require(alive == 0, "results outlive their cache");
  return CLPOOL_SUCCESS;
}

clpool_status device_data(World&) {
  DeviceData data[2];
  CALL(clpool_device_data_create_from_architecture("gfx90a", CLPOOL_MODEL_CURRENT, data[0].receive()));
  CALL(clpool_device_data_create_from_compute_capability(9, 0, CLPOOL_MODEL_CURRENT, data[1].receive()));
  clpool_device_limits limits = CLPOOL_DEVICE_LIMITS_INIT;
  CALL(clpool_device_data_limits(data[1], &limits));
  DeviceData same;
  CALL(clpool_device_data_create_from_limits(&limits, same.receive()));
  CALL(clpool_device_data_release_later(same.take()));
  return CLPOOL_SUCCESS;
}

}  // namespace

std::vector<Scenario> host_scenarios() {
  return {{"DeviceData", device_data},
          {"Heaps", heaps},
          {"Logs", logs},
          {"LogWriters", writers},
          {"CachedResults", cached_results}};
}

}  // namespace clpool::test
