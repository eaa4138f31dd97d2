// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "arena.hpp"

#include <atomic>
#include <deque>
#include <mutex>

#include "source.hpp"

namespace clpool::load {
namespace {

constexpr Kind all_kinds[] = {Kind::deferred,          Kind::immediate, Kind::pinned, Kind::svm,
                              Kind::svm_without_queue, Kind::svm_fine,  Kind::custom, Kind::numbers};

std::atomic<Relief> relieve{nullptr};  ///< set by every thread that makes an arena, always to the same

Figures* new_figures() {
  static std::mutex mutex;
  static std::deque<Figures> all;
  const std::lock_guard lock(mutex);
  return &all.emplace_back();
}

bool one_in(Random& random, std::uint32_t of) {
  return random() % of == 0;
}

Queue make_queue(const Context& context, const Device& device, bool in_order) {
  cl_int code = CL_SUCCESS;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  Queue queue(clCreateCommandQueue(context.get(), device.id,
                                   in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code));
#pragma GCC diagnostic pop
  if (code != CL_SUCCESS) {
    report().wrong("no queue: %d", code);
  }
  return queue;
}

Allocator make_allocator(const Arena& arena, Random& random) {
  clpool_allocator* made = nullptr;
  clpool_status status = CLPOOL_SUCCESS;
  switch (arena.kind) {
    case Kind::deferred:
      status = clpool_allocator_create_deferred(arena.context.get(), 0, &made);
      break;
    case Kind::immediate:
      status = clpool_allocator_create_immediate(arena.queues[0].get(), 0, &made);
      break;
    case Kind::pinned:
      status = clpool_allocator_create_pinned(arena.queues[0].get(), 0, &made);
      break;
    case Kind::svm:
      status = clpool_allocator_create_svm(arena.context.get(), 0, 0, arena.queues[0].get(), &made);
      break;
    case Kind::svm_without_queue:
      status = clpool_allocator_create_svm(arena.context.get(), 0, 0, nullptr, &made);
      break;
    case Kind::svm_fine:
      status = clpool_allocator_create_svm(
          arena.context.get(), CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 0, nullptr, &made);
      break;
    case Kind::custom:
    case Kind::numbers:
      return Source::make(arena.kind == Kind::custom, arena.may_fail ? 6 : 0, random());
  }
  if (status != CLPOOL_SUCCESS) {
    report().wrong("no allocator (%s): %s", name_of(arena.kind), clpool_last_error_message());
  }
  return Allocator(made);
}

/// The user's callbacks: each helps at times, and gives up at times.
clpool_pool_callbacks callbacks() {
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.collect = [](void*) { relieve.load()(); };
  callbacks.out_of_memory = [](void*, std::uint64_t size, std::uint32_t attempt) -> std::int32_t {
    return size % 3 != 0 && attempt <= 3 && relieve.load()() ? 1 : 0;
  };
  return callbacks;
}

}  // namespace

const char* name_of(Kind kind) {
  static const char* const names[] = {
      "deferred",       "immediate", "page-locked", "SVM", "SVM without a queue",
      "fine-grain SVM", "custom",    "numbers"};
  return names[static_cast<int>(kind)];
}

Device::Device(cl_device_id device) : id(device) {
  cl_device_svm_capabilities svm = 0;
  if (clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, nullptr) == CL_SUCCESS) {
    has_svm = (svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
    has_fine_svm = (svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0;
  }
  cl_command_queue_properties queues = 0;
  clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof queues, &queues, nullptr);
  has_out_of_order = (queues & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

bool Device::has(Kind kind) const {
  switch (kind) {
    case Kind::svm:
    case Kind::svm_without_queue:
      return has_svm;
    case Kind::svm_fine:
      return has_fine_svm;
    default:
      return true;
  }
}

Arena make_arena(const Device& device, const Context& shared, Random& random, Relief relief) {
  relieve = relief;
  Arena arena;
  do {
    arena.kind = all_kinds[random() % (sizeof all_kinds / sizeof *all_kinds)];
  } while (!device.has(arena.kind));

  arena.context = shared;
  if (one_in(random, 8)) {
    cl_int code = CL_SUCCESS;
    arena.context = Context(clCreateContext(nullptr, 1, &device.id, nullptr, nullptr, &code));
    if (code != CL_SUCCESS) {
      report().wrong("no context: %d", code);
    }
  }
  // SVM is freed behind an in-order queue, which is its first.
  const bool first_in_order = arena.kind == Kind::svm || !device.has_out_of_order || !one_in(random, 4);
  const std::size_t count = one_in(random, 2) ? 1 : 2 + random() % 2;
  for (std::size_t i = 0; i < count; ++i) {
    arena.queues.push_back(make_queue(arena.context, device, i != 0 || first_in_order));
  }
  arena.foreign = make_queue(arena.context, device, true);

  arena.may_fail = arena.is_custom() && one_in(random, 3);
  arena.limit = one_in(random, 3) ? (std::uint64_t{1} << 20) * (1 + random() % 8) : 0;
  arena.limits_allocator = arena.limit != 0 && one_in(random, 2);
  arena.allocator = make_allocator(arena, random);
  if (arena.limits_allocator) {
    clpool_allocator* limited = nullptr;
    if (clpool_allocator_create_limit(arena.allocator.get(), arena.limit, &limited) != CLPOOL_SUCCESS) {
      report().wrong("no limit: %s", clpool_last_error_message());
    }
    arena.allocator = Allocator(limited);
  }

  std::vector<cl_command_queue> queues;
  for (const Queue& queue : arena.queues) {
    queues.push_back(queue.get());
  }
  arena.is_told_queues =
      !arena.is_custom() && (arena.kind != Kind::svm_without_queue || !first_in_order || one_in(random, 2));
  const clpool_pool_callbacks asked = callbacks();
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.strategy = one_in(random, 3) ? CLPOOL_STRATEGY_BINNED : CLPOOL_STRATEGY_COALESCING;
  options.max_bytes = arena.limits_allocator ? 0 : arena.limit;
  options.max_held_bytes = one_in(random, 8) ? 1 << 20 : 0;
  options.decay_ns = one_in(random, 8) ? 1000000 : 0;
  options.callbacks = one_in(random, 2) ? &asked : nullptr;
  options.queues = arena.is_told_queues ? queues.data() : nullptr;
  options.queue_count = arena.is_told_queues ? static_cast<std::uint32_t>(queues.size()) : 0;
  // Custom memory of which commands are known is given back after this time in any case, so it must be long.
  options.wait_ns = arena.is_custom() ? 0 : 20000000;
  clpool_pool* pool = nullptr;
  if (clpool_pool_create(arena.allocator.get(), &options, &pool) != CLPOOL_SUCCESS) {
    report().wrong("no pool (%s): %s", name_of(arena.kind), clpool_last_error_message());
  }
  arena.pool = Pool(pool);
  arena.figures = new_figures();
  arena.figures->name = std::string(name_of(arena.kind)) +
                        (options.strategy == CLPOOL_STRATEGY_BINNED ? " binned, " : " coalescing, ") +
                        std::to_string(options.queue_count) +
                        (first_in_order ? " queues" : " queues out of order") +
                        (arena.limit != 0 ? ", limited" : "") + (arena.may_fail ? ", failing" : "");
  return arena;
}

}  // namespace clpool::load
