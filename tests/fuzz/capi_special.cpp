// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Calls of functions whose arguments say more about each other than their types do: capi_calls.py lists them.
#include "fuzz/capi_world.hpp"

namespace clpool::fuzz {

void fill(World& w, clpool_allocator_ops& ops);
void fill(World& w, clpool_device_options& options);
void fill(World& w, clpool_memo_ops& ops);

namespace {

void fill(World& w, clpool_performance_options& options) {
  options.repetitions = w.byte() % 3 + 1U;
  options.warm_ups = w.byte() % 2 + 1U;
  options.reserved = w.rare<std::uint32_t>();
  options.transfer_bytes = w.number<std::uint64_t>();
  options.least_ns = 1;
}

Range pick(World& w) {
  return w.ranges().empty() || w.is_null() ? Range{nullptr, nullptr}
                                           : w.ranges()[w.byte() % w.ranges().size()];
}

}  // namespace

void call_clpool_allocator_create_custom(World& w) {
  auto* const ops = w.options<clpool_allocator_ops>();
  clpool_allocator** const out = w.out<clpool_allocator>();
  const clpool_status status = clpool_allocator_create_custom(ops, w.any_pointer(), out);
  w.check_status(status, "clpool_allocator_create_custom");
  w.made(status, out);
}

void call_clpool_buffer_create(World& w) {
  const auto [host, host_size] = w.lasting();
  const auto flags = w.number<cl_mem_flags>();
  clpool_mem** const out = w.out<clpool_mem>();
  const clpool_status status = clpool_buffer_create(w.context(), flags, w.size(), host, host_size, out);
  w.check_status(status, "clpool_buffer_create");
  w.made(status, out);
}

void call_clpool_characterize_performance(World& w) {
  clpool_performance_options options = CLPOOL_PERFORMANCE_OPTIONS_INIT;
  fill(w, options);
  const clpool_status status =
      clpool_characterize_performance(w.context(), w.device(), &options, w.result<clpool_performance>());
  w.check_status(status, "clpool_characterize_performance");
}

void call_clpool_context_create_default(World& w) {
  auto* const options = w.options<clpool_device_options>();
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  const clpool_status status = clpool_context_create_default(
      options, w.place<cl_device_id>(1), w.is_null() ? nullptr : &context, w.is_null() ? nullptr : &queue);
  w.check_status(status, "clpool_context_create_default");
  require(status != CLPOOL_SUCCESS ? context == nullptr && queue == nullptr
                                   : context != nullptr && queue != nullptr,
          "a context and a queue, or neither");
  if (status == CLPOOL_SUCCESS) {
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
}

void call_clpool_heap_allocate(World& w) {
  clpool_heap* const heap = w.live<clpool_heap>();
  const auto size = w.number<std::uint64_t>();
  clpool_heap_range* range = nullptr;
  const bool has_place = !w.is_null();
  const clpool_status status = clpool_heap_allocate(heap, size, has_place ? &range : nullptr);
  w.check_status(status, "clpool_heap_allocate");
  require((status == CLPOOL_SUCCESS) == (range != nullptr), "a range or an error");
  if (range != nullptr) {
    require(clpool_heap_range_size(range) >= size, "a range of the size");
    w.ranges().push_back({heap, range});
  }
}

void call_clpool_heap_free(World& w) {
  const Range range = pick(w);
  clpool_heap* const heap = range.heap != nullptr ? range.heap : w.live<clpool_heap>();
  const clpool_status status = clpool_heap_free(heap, range.range);
  w.check_status(status, "clpool_heap_free");
  if (status == CLPOOL_SUCCESS) {
    std::erase_if(w.ranges(), [&](const Range& each) { return each.range == range.range; });
  }
}

void call_clpool_heap_destroy(World& w) {
  clpool_heap* const heap = w.live<clpool_heap>();
  clpool_heap_destroy(heap);
  w.gone<clpool_heap>();
  std::erase_if(w.ranges(), [&](const Range& each) { return each.heap == heap; });
}

void call_clpool_heap_range_space(World& w) {
  static_cast<void>(clpool_heap_range_space(pick(w).range));
}

void call_clpool_heap_range_offset(World& w) {
  static_cast<void>(clpool_heap_range_offset(pick(w).range));
}

void call_clpool_heap_range_size(World& w) {
  const Range range = pick(w);
  require((clpool_heap_range_size(range.range) != 0) == (range.range != nullptr), "a range has a size");
}

void call_clpool_memo_get(World& w) {
  clpool_memo* const memo = w.live<clpool_memo>();
  const auto kind = w.byte() < 240 ? w.byte() % 5U : w.number<std::uint32_t>();
  void* const objects[] = {w.any_pointer(), w.context(), w.device(), w.queue(), w.live<clpool_pool>()};
  void* const object = kind < 5 ? objects[kind] : nullptr;
  const auto [key, key_size] = w.bytes();
  auto* const ops = w.options<clpool_memo_ops>();
  clpool_memo_value** const out = w.out<clpool_memo_value>();
  const clpool_status status = clpool_memo_get(memo, kind, object, key, key_size, ops, &w, out);
  w.check_status(status, "clpool_memo_get");
  w.made(status, out);
}

void call_clpool_mem_wrap(World& w) {
  cl_mem const handle = w.mem_object();
  const auto retain = w.number<std::int32_t>();
  if (handle != nullptr && retain == 0) {
    clRetainMemObject(handle);  // to be taken over
  }
  clpool_mem** const out = w.out<clpool_mem>();
  const clpool_status status = clpool_mem_wrap(handle, retain, out);
  w.check_status(status, "clpool_mem_wrap");
  w.made(status, out);
  if (handle != nullptr && retain == 0 && status != CLPOOL_SUCCESS) {
    clReleaseMemObject(handle);
  }
}

void call_clpool_sampler_create(World& w) {
  cl_sampler sampler = nullptr;
  const auto normalized = w.number<std::int32_t>();
  const auto addressing =
      w.byte() < 200 ? static_cast<cl_addressing_mode>(CL_ADDRESS_CLAMP) : w.number<cl_addressing_mode>();
  const auto filter =
      w.byte() < 200 ? static_cast<cl_filter_mode>(CL_FILTER_LINEAR) : w.number<cl_filter_mode>();
  const clpool_status status =
      clpool_sampler_create(w.context(), normalized, addressing, filter, w.is_null() ? nullptr : &sampler);
  w.check_status(status, "clpool_sampler_create");
  require((status == CLPOOL_SUCCESS) == (sampler != nullptr), "a sampler or an error");
  if (sampler != nullptr) {
    clReleaseSampler(sampler);
  }
}

void call_clpool_sampler_create_with_properties(World& w) {
  const cl_bitfield known[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_ADDRESSING_MODE,
                               CL_SAMPLER_FILTER_MODE};
  cl_bitfield properties[7] = {};
  for (std::size_t i = 0; i < w.byte() % 4U; ++i) {
    properties[2 * i] = w.byte() < 200 ? known[w.byte() % 3] : w.number<cl_bitfield>();
    properties[2 * i + 1] = w.number<cl_bitfield>();
  }
  cl_sampler sampler = nullptr;
  const clpool_status status = clpool_sampler_create_with_properties(
      w.context(), w.is_null() ? nullptr : properties, w.is_null() ? nullptr : &sampler);
  w.check_status(status, "clpool_sampler_create_with_properties");
  require((status == CLPOOL_SUCCESS) == (sampler != nullptr), "a sampler or an error");
  if (sampler != nullptr) {
    clReleaseSampler(sampler);
  }
}

void call_clpool_set_message_callback(World& w) {
  clpool_set_message_callback(w.function_message(), nullptr);
}

void call_clpool_svm_wrap(World& w) {
  const auto [host, host_size] = w.lasting();
  const std::size_t size = w.byte() < 200 ? host_size : w.byte() % 2 == 0 ? CLPOOL_WHOLE_SIZE : 0;
  clpool_mem** const out = w.out<clpool_mem>();
  const clpool_status status = clpool_svm_wrap(w.context(), host, size, 1 + w.byte(), out);
  w.check_status(status, "clpool_svm_wrap");
  w.made(status, out);
}

}  // namespace clpool::fuzz
