// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Every function refuses NULL for each argument that must be there, by name, and empties its results whatever
// else is wrong.
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>

#include "memory.hpp"
#include "support/temporary_file.hpp"

namespace clpool::test {
namespace {

/// An argument that may be NULL, or whose value does not matter.
template <typename T>
struct Optional {
  T value;
};
template <typename T>
Optional<T> optional(T value) {
  return {value};
}

template <typename T>
T value_of(const T& argument) {
  return argument;
}
template <typename T>
T value_of(const Optional<T>& argument) {
  return argument.value;
}
template <typename T>
constexpr bool is_optional(const T&) {
  return false;
}
template <typename T>
constexpr bool is_optional(const Optional<T>&) {
  return true;
}

template <typename P>
bool is_result(P) {
  return false;
}
template <typename T>
bool is_result(T**) {
  return true;
}

/// T** of a result gets something that the function has to replace by NULL.
template <typename P>
void spoil(P, bool) {}
template <typename T>
void spoil(T** out, bool optional) {
  if (!optional && out != nullptr) {
    *out = reinterpret_cast<T*>(std::uintptr_t{16});
  }
}
template <typename P>
bool is_emptied(P, bool) {
  return true;
}
template <typename T>
bool is_emptied(T** out, bool optional) {
  return optional || out == nullptr || *out == nullptr;
}

template <typename Arguments, std::size_t... I>
void spoil_all(Arguments& arguments, const std::array<bool, sizeof...(I)>& optional,
               std::index_sequence<I...>) {
  (spoil(std::get<I>(arguments), optional[I]), ...);
}
template <typename Arguments, std::size_t... I>
bool all_emptied(Arguments& arguments, const std::array<bool, sizeof...(I)>& optional,
                 std::index_sequence<I...>) {
  return (is_emptied(std::get<I>(arguments), optional[I]) && ...);
}

/// Calls with NULL for argument I alone.
template <std::size_t I, typename... P, std::size_t N>
void refuse_one(const char* name, clpool_status (*function)(P...), std::tuple<P...> arguments,
                const std::array<bool, N>& optional) {
  if constexpr (std::is_pointer_v<std::tuple_element_t<I, std::tuple<P...>>>) {
    if (optional[I]) {
      return;
    }
    SCOPED_TRACE(std::string(name) + ", argument " + std::to_string(I + 1));
    spoil_all(arguments, optional, std::make_index_sequence<N>());
    std::get<I>(arguments) = nullptr;
    EXPECT_EQ(std::apply(function, arguments), CLPOOL_ERROR_INVALID_VALUE) << clpool_last_error_message();
    EXPECT_TRUE(last_error_names("NULL")) << clpool_last_error_message();
    EXPECT_TRUE(last_error_names(name)) << clpool_last_error_message();
    if (!is_result(std::get<I>(arguments))) {
      EXPECT_TRUE(all_emptied(arguments, optional, std::make_index_sequence<N>()));
    }
  }
}

template <typename... P, typename... A, std::size_t... I>
void refuse_each(const char* name, clpool_status (*function)(P...), std::index_sequence<I...>, A... given) {
  const std::tuple<P...> arguments(static_cast<P>(value_of(given))...);
  const std::array<bool, sizeof...(P)> optional{is_optional(given)...};
  (refuse_one<I>(name, function, arguments, optional), ...);
}

template <typename... P, typename... A>
void refuses(const char* name, clpool_status (*function)(P...), A... given) {
  static_assert(sizeof...(P) == sizeof...(A));
  refuse_each(name, function, std::index_sequence_for<P...>(), given...);
}

#define REFUSES_NULL(function, ...) refuses(#function, function, __VA_ARGS__)

constexpr auto none = Optional<std::nullptr_t>{nullptr};

class NullArguments : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (cl.queue != nullptr) {
      ASSERT_OK(clpool_allocator_create_immediate(cl.queue, 0, &allocator_));
      ASSERT_OK(clpool_pool_create(allocator_, nullptr, &pool_));
      ASSERT_OK(clpool_buffer_create(cl.context, 0, 4096, nullptr, 0, &a_));
      ASSERT_OK(clpool_buffer_create(cl.context, 0, 4096, nullptr, 0, &b_));
    }
  }
  void TearDown() override {
    clpool_mem_release(b_);
    clpool_mem_release(a_);
    clpool_pool_release(pool_);
    clpool_allocator_release(allocator_);
  }
  clpool_allocator* allocator_ = nullptr;
  clpool_pool* pool_ = nullptr;
  clpool_mem* a_ = nullptr;
  clpool_mem* b_ = nullptr;
  clpool_mem* mem_ = nullptr;  // of functions that make memory
  std::size_t size_ = 0;
  char text_[64] = {};
  char host_[64] = {};
  const std::size_t one_[3] = {1, 1, 1};
  const std::size_t zero_[3] = {0, 0, 0};
};

TEST_F(NullArguments, OfAllocatorsAreRefused) {
  clpool_allocator* out = nullptr;
  const clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  REFUSES_NULL(clpool_allocator_create_deferred, cl.context, 0, &out);
  REFUSES_NULL(clpool_allocator_create_immediate, cl.queue, 0, &out);
  REFUSES_NULL(clpool_allocator_create_svm, cl.context, 0, 0, none, &out);
  REFUSES_NULL(clpool_allocator_create_pinned, cl.queue, 0, &out);
  REFUSES_NULL(clpool_allocator_create_custom, &ops, none, &out);
  REFUSES_NULL(clpool_allocator_create_limit, allocator_, 1000, &out);
  REFUSES_NULL(clpool_allocator_create_trace, allocator_, "/nowhere/log", &out);
  REFUSES_NULL(clpool_allocator_allocate, allocator_, 100, &mem_);
  REFUSES_NULL(clpool_allocator_retain, allocator_);
}

TEST_F(NullArguments, OfPoolsAreRefused) {
  clpool_pool* out = nullptr;
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  std::uint64_t number = 0;
  REFUSES_NULL(clpool_pool_create, allocator_, none, &out);
  REFUSES_NULL(clpool_pool_allocate, pool_, 100, &mem_);
  REFUSES_NULL(clpool_pool_try_allocate, pool_, 100, &mem_);
  REFUSES_NULL(clpool_pool_allocate_on, pool_, cl.queue, 100, &mem_);
  REFUSES_NULL(clpool_pool_statistics, pool_, &stats);
  REFUSES_NULL(clpool_pool_free_held, pool_);
  REFUSES_NULL(clpool_pool_stop_holding, pool_);
  REFUSES_NULL(clpool_pool_trim, pool_, 0);
  REFUSES_NULL(clpool_pool_tick, pool_);
  REFUSES_NULL(clpool_pool_retain, pool_);
  REFUSES_NULL(clpool_pool_check, pool_);
  REFUSES_NULL(clpool_pool_dump_json, pool_, text_, sizeof text_, none);
  REFUSES_NULL(clpool_bin_number, 100, 4, &number);
  REFUSES_NULL(clpool_bin_alloc_size, 100, 4, &number);
  clpool_mem* block = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool_, 100, &block));
  REFUSES_NULL(clpool_mem_set_tag, block, 1);
  REFUSES_NULL(clpool_mem_used_on, block, cl.queue);
  REFUSES_NULL(clpool_mem_release_after, block, 0, none);
  EXPECT_OK(clpool_mem_release(block));
}

TEST_F(NullArguments, OfBuffersAndTheirFactsAreRefused) {
  cl_mem root = nullptr;
  cl_context context = nullptr;
  void* pointer = nullptr;
  std::uint64_t number = 0;
  REFUSES_NULL(clpool_buffer_create, cl.context, 0, 100, none, 0, &mem_);
  REFUSES_NULL(clpool_mem_sub_region, a_, 0, 100, 0, &mem_);
  REFUSES_NULL(clpool_mem_wrap, clpool_mem_handle(a_), 1, &mem_);
  REFUSES_NULL(clpool_mem_root, a_, &root, &size_);
  REFUSES_NULL(clpool_mem_info, a_, CL_MEM_SIZE, sizeof size_, optional(&size_), none);
  REFUSES_NULL(clpool_mem_info_number, a_, CL_MEM_SIZE, &number);
  REFUSES_NULL(clpool_mem_context, a_, &context);
  REFUSES_NULL(clpool_mem_host_memory, a_, &pointer, &size_);
  Kernel kernel(cl, "kernel void f(global int* a) { a[0] = 1; }", "f");
  if (kernel.get() != nullptr) {
    REFUSES_NULL(clpool_mem_set_kernel_arg, a_, kernel.get(), 0);
  }
}

/// Results that are no object are emptied, too, whatever fails first.
TEST_F(NullArguments, LeaveNoResultAsItWas) {
  uint32_t major = 77;
  uint32_t minor = 77;
  clpool_answer wrong = CLPOOL_ANSWER_INIT;
  wrong.struct_size = 1;
  EXPECT_NE(clpool_characterize_compute_capability(nullptr, &major, &minor, &wrong), CLPOOL_SUCCESS);
  EXPECT_EQ(std::pair(major, minor), std::pair(0u, 0u));
  major = minor = 77;
  EXPECT_NE(clpool_characterize_pocl_version(nullptr, &major, &minor, &wrong), CLPOOL_SUCCESS);
  EXPECT_EQ(std::pair(major, minor), std::pair(0u, 0u));
  size_t size = 77;
  EXPECT_NE(clpool_pool_dump_json(nullptr, nullptr, 0, &size), CLPOOL_SUCCESS);
  EXPECT_EQ(size, 0u);
  size = 77;
  EXPECT_NE(clpool_bank_conflicts(nullptr, 4, nullptr, 2, nullptr, 0, nullptr, nullptr, 0, &size),
            CLPOOL_SUCCESS);
  EXPECT_EQ(size, 0u);
  size = 77;
  EXPECT_NE(clpool_mem_root(a_, nullptr, &size), CLPOOL_SUCCESS);
  EXPECT_EQ(size, 0u);
  size = 77;
  EXPECT_NE(clpool_mem_host_memory(a_, nullptr, &size), CLPOOL_SUCCESS);
  EXPECT_EQ(size, 0u);
  size_t shape[3] = {77, 77, 77};
  EXPECT_NE(clpool_image_shape(nullptr, nullptr, shape), CLPOOL_SUCCESS);
  EXPECT_EQ(shape[0] + shape[1] + shape[2], 0u);
  const auto is_emptied = [](auto&& function) {
    char text[] = "77";
    const clpool_status status = function(text, sizeof text);
    return status == CLPOOL_ERROR_INVALID_VALUE && *text == '\0';
  };
  EXPECT_TRUE(is_emptied([](char* text, size_t room) {
    return clpool_bank_conflicts(nullptr, 4, nullptr, 0, nullptr, 0, nullptr, text, room, nullptr);
  }));
  EXPECT_TRUE(is_emptied(
      [&](char* text, size_t room) { return clpool_device_describe(cl.device, text, room, nullptr); }));
  EXPECT_TRUE(is_emptied([&](char* text, size_t room) {
    return clpool_characterize_fast_build_options(cl.device, 0, text, room, nullptr);
  }));
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  answer.value = 77;
  EXPECT_NE(clpool_characterize_simd_group_sizes(cl.device, nullptr, 0, nullptr, &answer), CLPOOL_SUCCESS);
  EXPECT_EQ(answer.value, 0u);
}

/// The parameter is named as in the header.
TEST_F(NullArguments, AreNamedWhereTheyWouldCountALists) {
  const auto names_count = [](clpool_status status) {
    return status == CLPOOL_ERROR_INVALID_VALUE && last_error_names("count is NULL");
  };
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  clpool_device_data* data = nullptr;
  ASSERT_OK(clpool_device_data_create_from_architecture("9.0", CLPOOL_MODEL_CURRENT, &data));
  clpool_occupancy_request request = CLPOOL_OCCUPANCY_REQUEST_INIT;
  EXPECT_TRUE(names_count(clpool_device_list(nullptr, nullptr, 0, nullptr)));
  EXPECT_TRUE(names_count(clpool_device_list_for_tests(nullptr, 0, nullptr)));
  EXPECT_TRUE(names_count(clpool_image_formats(cl.context, 0, CL_MEM_OBJECT_IMAGE2D, nullptr, 0, nullptr)));
  EXPECT_TRUE(names_count(clpool_characterize_simd_group_sizes(cl.device, nullptr, 0, nullptr, &answer)));
  EXPECT_TRUE(names_count(clpool_occupancy_suggest(data, &request, nullptr, 0, nullptr, nullptr)));
  EXPECT_OK(clpool_device_data_release(data));
}

TEST_F(NullArguments, OfTransfersAreRefused) {
  clpool_box box = CLPOOL_BOX_INIT;
  box.region[0] = box.region[1] = box.region[2] = 1;
  clpool_mem* const mems[] = {a_};
  clpool_map* map = nullptr;
  REFUSES_NULL(clpool_mem_fill, optional(cl.queue), a_, optional("1"), 1, 0, 4, 0, none, none);
  REFUSES_NULL(clpool_mem_copy, optional(cl.queue), a_, 0, b_, 0, 4, 0, none, none);
  REFUSES_NULL(clpool_mem_read, optional(cl.queue), a_, 0, 4, optional(host_), 4, 1, 0, none, none);
  REFUSES_NULL(clpool_mem_write, optional(cl.queue), a_, 0, 4, optional(host_), 4, 1, 0, none, none);
  REFUSES_NULL(clpool_mem_copy_box, optional(cl.queue), a_, b_, &box, 0, none, none);
  REFUSES_NULL(clpool_mem_read_box, optional(cl.queue), a_, &box, optional(host_), sizeof host_, 1, 0, none,
               none);
  REFUSES_NULL(clpool_mem_write_box, optional(cl.queue), a_, &box, optional(host_), sizeof host_, 1, 0, none,
               none);
  REFUSES_NULL(clpool_mem_migrate, optional(cl.queue), mems, 1, 0, 0, none, none);
  REFUSES_NULL(clpool_mem_copy_p2p, optional(cl.queue), a_, 0, b_, 0, 4, 0, none, none);
  REFUSES_NULL(clpool_mem_map, optional(cl.queue), a_, CL_MAP_READ, 0, 4, 1, 0, none, none, &map);
  ASSERT_OK(clpool_mem_map(cl.queue, a_, CL_MAP_READ, 0, 4, 1, 0, nullptr, nullptr, &map));
  REFUSES_NULL(clpool_map_unmap, map, none, 0, none, none);
  EXPECT_OK(clpool_map_release(map));
}

TEST_F(NullArguments, OfImagesAreRefused) {
  std::uint32_t count = 0;
  std::size_t formats = 0;
  cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  REFUSES_NULL(clpool_image_channel_count, CL_RGBA, &count);
  REFUSES_NULL(clpool_image_channel_size, CL_FLOAT, &size_);
  REFUSES_NULL(clpool_image_item_size, &format, &size_);
  REFUSES_NULL(clpool_image_formats, cl.context, 0, CL_MEM_OBJECT_IMAGE2D, none, 0, &formats);
  clpool_image_options options = CLPOOL_IMAGE_OPTIONS_INIT;
  clpool_image_array array = CLPOOL_IMAGE_ARRAY_INIT;
  REFUSES_NULL(clpool_image_create, cl.context, &options, &mem_);
  REFUSES_NULL(clpool_image_create_from_array, cl.context, &array, &mem_);
  options.format = format;
  options.dimensions = 2;
  options.shape[0] = options.shape[1] = 4;
  clpool_mem* image = nullptr;
  if (clpool_image_create(cl.context, &options, &image) != CLPOOL_SUCCESS) {
    GTEST_SKIP() << "no images: " << clpool_last_error_message();
  }
  std::size_t shape[3] = {};
  const std::uint32_t color[4] = {};
  clpool_map* map = nullptr;
  const auto queue = optional(cl.queue);
  REFUSES_NULL(clpool_image_shape, image, &count, shape);
  REFUSES_NULL(clpool_image_format, image, &format);
  REFUSES_NULL(clpool_image_info, image, CL_IMAGE_WIDTH, sizeof size_, optional(&size_), none);
  REFUSES_NULL(clpool_image_fill, queue, image, optional(color), sizeof color, optional(zero_), one_, 0, none,
               none);
  REFUSES_NULL(clpool_image_read, queue, image, optional(zero_), one_, 0, 0, optional(host_), sizeof host_, 1,
               0, none, none);
  REFUSES_NULL(clpool_image_write, queue, image, optional(zero_), one_, 0, 0, optional(host_), sizeof host_,
               1, 0, none, none);
  REFUSES_NULL(clpool_image_copy, queue, image, optional(zero_), image, optional(one_), one_, 0, none, none);
  REFUSES_NULL(clpool_image_copy_to_buffer, queue, a_, 0, image, optional(zero_), one_, 0, none, none);
  REFUSES_NULL(clpool_image_copy_from_buffer, queue, image, optional(zero_), one_, a_, 0, 0, none, none);
  REFUSES_NULL(clpool_image_map, queue, image, CL_MAP_READ, optional(zero_), one_, 1, 0, none, none, &map);
  EXPECT_OK(clpool_mem_release(image));
}

TEST_F(NullArguments, OfSharedVirtualMemoryPipesAndSamplersAreRefused) {
  cl_bitfield capabilities = 0;
  cl_sampler sampler = nullptr;
  REFUSES_NULL(clpool_svm_create, cl.context, 0, 100, 0, none, &mem_);
  REFUSES_NULL(clpool_svm_wrap, cl.context, static_cast<void*>(host_), sizeof host_, 0, &mem_);
  REFUSES_NULL(clpool_svm_capabilities, cl.device, &capabilities);
  REFUSES_NULL(clpool_pipe_create, cl.context, 0, 4, 4, &mem_);
  REFUSES_NULL(clpool_pipe_info, a_, 0, 0, none, none);
  REFUSES_NULL(clpool_sampler_create, cl.context, 0, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &sampler);
  REFUSES_NULL(clpool_sampler_create_with_properties, cl.context, none, &sampler);
  clpool_mem* svm = nullptr;
  if (clpool_svm_create(cl.context, 0, 4096, 0, nullptr, &svm) != CLPOOL_SUCCESS) {
    GTEST_SKIP() << "no SVM: " << clpool_last_error_message();
  }
  REFUSES_NULL(clpool_svm_as_buffer, svm, 0, 100, &mem_);
  REFUSES_NULL(clpool_mem_bind_queue, svm, cl.queue);
  REFUSES_NULL(clpool_mem_unbind_queue, svm);
  REFUSES_NULL(clpool_mem_release_on, svm, none, 0, none, none);
  EXPECT_OK(clpool_mem_release(svm));
}

TEST_F(NullArguments, OfFactsAboutDevicesAreRefused) {
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  clpool_performance performance = CLPOOL_PERFORMANCE_INIT;
  const auto text = optional(text_);
  REFUSES_NULL(clpool_characterize_fast_build_options, cl.device, 0, text, sizeof text_, optional(&size_));
  REFUSES_NULL(clpool_characterize_amd_double_support, cl.device, &answer);
  REFUSES_NULL(clpool_characterize_double_support, cl.device, 0, &answer);
  REFUSES_NULL(clpool_characterize_local_access_granularity, cl.device, 0, &answer);
  REFUSES_NULL(clpool_characterize_local_access_work_items, cl.device, 0, &answer);
  REFUSES_NULL(clpool_characterize_local_bank_count, cl.device, 0, &answer);
  REFUSES_NULL(clpool_characterize_simd_group_size, cl.device, 0, &answer);
  REFUSES_NULL(clpool_characterize_source_build_cache, cl.device, &answer);
  REFUSES_NULL(clpool_characterize_sub_groups, cl.device, &answer);
  REFUSES_NULL(clpool_characterize_simd_group_sizes, cl.device, none, 0, &size_, &answer);
  REFUSES_NULL(clpool_characterize_work_group_size_multiple, cl.device, none, 0, &answer);
  REFUSES_NULL(clpool_characterize_struct_argument_bug, cl.device, none, &answer);
  REFUSES_NULL(clpool_characterize_compute_capability, cl.device, &major, &minor, &answer);
  REFUSES_NULL(clpool_characterize_pocl_version, cl.platform, &major, &minor, &answer);
  REFUSES_NULL(clpool_characterize_svm, cl.device, 0, 0, &answer);
  REFUSES_NULL(clpool_characterize_usable_local_memory, cl.device, 0, &answer);
  REFUSES_NULL(clpool_characterize_local_access_conflicts, cl.device, 0, 4, optional(one_), 1, none, 0,
               &answer, text_, sizeof text_, optional(&size_));
  REFUSES_NULL(clpool_characterize_performance, cl.context, cl.device, none, &performance);
  REFUSES_NULL(clpool_device_choose, none, &device);
  REFUSES_NULL(clpool_device_list, none, none, 0, &size_);
  REFUSES_NULL(clpool_device_list, none, optional(&device), 1, &size_);
  EXPECT_EQ(clpool_device_list(nullptr, nullptr, 1, &size_), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_device_list_for_tests(nullptr, 1, &size_), CLPOOL_ERROR_INVALID_VALUE);
  REFUSES_NULL(clpool_device_list_for_tests, none, 0, &size_);
  REFUSES_NULL(clpool_device_describe, cl.device, text_, sizeof text_, &size_);
  REFUSES_NULL(clpool_context_create_default, none, none, &context, &queue);
  clpool_pool* pool = nullptr;
  REFUSES_NULL(clpool_pool_create_default, none, CLPOOL_MEMORY_BUFFER, none, &pool, none, &context, &queue);
  Kernel kernel(cl, "kernel void f(global int* a) { a[0] = 1; }", "f");
  if (kernel.get() != nullptr) {
    REFUSES_NULL(clpool_characterize_simd_group_size_of_kernel, cl.device, kernel.get(), &answer);
    REFUSES_NULL(clpool_characterize_usable_local_memory_of_kernel, cl.device, kernel.get(), &answer);
  }
}

TEST_F(NullArguments, OfDeviceDataAndOccupancyAreRefused) {
  clpool_device_data* out = nullptr;
  clpool_device_data* data = nullptr;
  ASSERT_OK(clpool_device_data_create_from_compute_capability(9, 0, 0, &data));
  clpool_device_limits limits = CLPOOL_DEVICE_LIMITS_INIT;
  clpool_occupancy_request request = CLPOOL_OCCUPANCY_REQUEST_INIT;
  request.threads = 64;
  clpool_occupancy occupancy = CLPOOL_OCCUPANCY_INIT;
  std::uint64_t number = 0;
  std::uint32_t channels = 0;
  std::uint64_t multiplicity = 0;
  REFUSES_NULL(clpool_device_data_create_from_device, cl.device, 0, &out);
  REFUSES_NULL(clpool_device_data_create_from_compute_capability, 9, 0, 0, &out);
  REFUSES_NULL(clpool_device_data_create_from_architecture, "gfx90a", 0, &out);
  REFUSES_NULL(clpool_device_data_create_from_limits, &limits, &out);
  REFUSES_NULL(clpool_device_data_limits, data, &limits);
  REFUSES_NULL(clpool_device_data_retain, data);
  REFUSES_NULL(clpool_occupancy_compute, data, &request, &occupancy);
  REFUSES_NULL(clpool_occupancy_suggest, data, &request, none, 0, &size_, none);
  REFUSES_NULL(clpool_align_bytes, 4, &number);
  REFUSES_NULL(clpool_align, 4, 4, &number);
  REFUSES_NULL(clpool_align_words, 4, &number);
  REFUSES_NULL(clpool_align_elements, 4, 4, &number);
  REFUSES_NULL(clpool_coalesce_threads, 4, &number);
  REFUSES_NULL(clpool_valid_channel_count, 4, &channels);
  REFUSES_NULL(clpool_bank_conflicts, none, 4, optional(one_), 1, none, 0, &multiplicity, text_, sizeof text_,
               optional(&size_));
  EXPECT_OK(clpool_device_data_release(data));
}

TEST_F(NullArguments, OfHeapsAreRefused) {
  clpool_heap* out = nullptr;
  clpool_heap* heap = nullptr;
  clpool_heap_range* range = nullptr;
  clpool_heap_stats stats = CLPOOL_HEAP_STATS_INIT;
  std::uint64_t space = 0;
  ASSERT_OK(clpool_heap_create(0, &heap));
  REFUSES_NULL(clpool_heap_create, 0, &out);
  REFUSES_NULL(clpool_heap_add_space, heap, 4096, &space);
  REFUSES_NULL(clpool_heap_remove_space, heap, 0);
  REFUSES_NULL(clpool_heap_allocate, heap, 64, &range);
  REFUSES_NULL(clpool_heap_statistics, heap, &stats);
  REFUSES_NULL(clpool_heap_check, heap);
  REFUSES_NULL(clpool_heap_free, heap, none);
  clpool_heap_destroy(heap);
}

TEST_F(NullArguments, OfMemosAreRefused) {
  clpool_memo* out = nullptr;
  clpool_memo* memo = nullptr;
  clpool_memo_value* value = nullptr;
  clpool_memo_ops ops = CLPOOL_MEMO_OPS_INIT;
  ops.compute = [](void*, void**) -> clpool_status { return CLPOOL_SUCCESS; };
  ASSERT_OK(clpool_memo_create(&memo));
  REFUSES_NULL(clpool_memo_create, &out);
  REFUSES_NULL(clpool_memo_get, memo, CLPOOL_MEMO_CONTEXT, static_cast<void*>(cl.context), optional("k"), 1,
               &ops, none, &value);
  REFUSES_NULL(clpool_memo_find, memo, optional(cl.context), optional("k"), 1, &value);
  REFUSES_NULL(clpool_memo_clear, memo);
  REFUSES_NULL(clpool_memo_clear_object, memo, optional(cl.context));
  REFUSES_NULL(clpool_memo_size, memo, &size_);
  REFUSES_NULL(clpool_memo_retain, memo);
  EXPECT_OK(clpool_memo_release(memo));
}

TEST_F(NullArguments, OfLogsAreRefused) {
  const std::string path = temporary_file();
  clpool_trace* out = nullptr;
  clpool_trace_writer* made = nullptr;
  clpool_trace_writer* writer = nullptr;
  ASSERT_OK(clpool_trace_writer_create(path.c_str(), &writer));
  REFUSES_NULL(clpool_trace_writer_create, path.c_str(), &made);
  REFUSES_NULL(clpool_trace_writer_write, writer, 0, 1, 1, 0, CLPOOL_SUCCESS, none);
  REFUSES_NULL(clpool_trace_writer_flush, writer);
  REFUSES_NULL(clpool_trace_writer_retain, writer);
  ASSERT_OK(clpool_trace_writer_write(writer, CLPOOL_TRACE_ALLOCATE, 1, 1, 0, CLPOOL_SUCCESS, nullptr));
  ASSERT_OK(clpool_trace_writer_release(writer));
  clpool_trace* trace = nullptr;
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
  clpool_trace_event event = CLPOOL_TRACE_EVENT_INIT;
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  ASSERT_OK(clpool_trace_open(path.c_str(), &trace));
  REFUSES_NULL(clpool_trace_open, path.c_str(), &out);
  REFUSES_NULL(clpool_trace_parse, "text", 4, "name", &out);
  REFUSES_NULL(clpool_trace_retain, trace);
  REFUSES_NULL(clpool_trace_statistics, trace, &stats);
  REFUSES_NULL(clpool_trace_event_at, trace, 0, &event);
  REFUSES_NULL(clpool_trace_replay_pool, trace, pool_, none, &result);
  REFUSES_NULL(clpool_trace_replay_allocator, trace, allocator_, none, &result);
  EXPECT_OK(clpool_trace_release(trace));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace clpool::test
