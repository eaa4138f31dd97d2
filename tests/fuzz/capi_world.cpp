// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The world's objects, its memory and its callers' functions.
#include "fuzz/capi_world.hpp"

#include <unistd.h>

#include <cstring>
#include <filesystem>

namespace clpool::fuzz {
namespace {

constexpr std::size_t most_events = 8;

struct Objects {
  cl_context context = nullptr;
  cl_command_queue queues[3] = {};
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
};
Objects objects;

void make_objects() {
  stub_define_kernel(
      "fuzzed", [](const stub_launch*) {}, nullptr);
  const cl_device_id devices[] = {stub_device(0), stub_device(1)};
  objects.context = clCreateContext(nullptr, 2, devices, nullptr, nullptr, nullptr);
  objects.queues[0] = clCreateCommandQueue(objects.context, devices[0], 0, nullptr);
  objects.queues[1] =
      clCreateCommandQueue(objects.context, devices[0], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, nullptr);
  objects.queues[2] = clCreateCommandQueue(objects.context, devices[1], 0, nullptr);
  const char* source = "kernel void fuzzed(global float* a, global float* b) {}";
  objects.program = clCreateProgramWithSource(objects.context, 1, &source, nullptr, nullptr);
  clBuildProgram(objects.program, 0, nullptr, "", nullptr, nullptr);
  objects.kernel = clCreateKernel(objects.program, "fuzzed", nullptr);
}

void release_objects() {
  clReleaseKernel(objects.kernel);
  clReleaseProgram(objects.program);
  for (cl_command_queue queue : objects.queues) {
    clReleaseCommandQueue(queue);
  }
  clReleaseContext(objects.context);
}

}  // namespace

World::World(Input& input) : input_(input) {
  make_objects();
  contexts_ = objects.context;
  begin();
}

/// One of each kind to begin with, as far as the device has it.
void World::begin() {
  clpool_allocator* allocator = nullptr;
  clpool_pool* pool = nullptr;
  clpool_mem* mem = nullptr;
  const auto keep_mem = [&](clpool_status status) {
    if (status == CLPOOL_SUCCESS) {
      keep(mem);
    }
  };
  const auto keep_all = [&](clpool_status status) {
    if (status != CLPOOL_SUCCESS) {
      return;
    }
    keep(allocator);
    keep_mem(clpool_allocator_allocate(allocator, 1024, &mem));
    if (clpool_pool_create(allocator, nullptr, &pool) == CLPOOL_SUCCESS) {
      keep(pool);
      keep_mem(clpool_pool_allocate(pool, 2048, &mem));
    }
  };
  keep_all(clpool_allocator_create_immediate(objects.queues[0], 0, &allocator));
  keep_all(clpool_allocator_create_svm(objects.context, 0, 0, nullptr, &allocator));
  keep_all(clpool_allocator_create_pinned(objects.queues[0], 0, &allocator));
  clpool_image_options image = CLPOOL_IMAGE_OPTIONS_INIT;
  image.format = {CL_RGBA, CL_UNSIGNED_INT8};
  image.dimensions = 2;
  image.shape[0] = image.shape[1] = 16;
  keep_mem(clpool_image_create(objects.context, &image, &mem));
  keep_mem(clpool_buffer_create(objects.context, 0, 4096, nullptr, 0, &mem));
  clpool_heap* heap = nullptr;
  if (clpool_heap_create(0, &heap) == CLPOOL_SUCCESS) {
    keep(heap);
  }
}

World::~World() {
  const auto all = [](auto& handles) {
    for (auto* handle : handles.live) {
      require(give_up(handle) == CLPOOL_SUCCESS, clpool_last_error_message());
    }
  };
  clpool_set_message_callback(nullptr, nullptr);
  clpool_memo_clear_all();
  // Maps before what they map, and so on; blocks may outlive their pool.
  std::apply([&](auto&... handles) { (all(handles), ...); }, handles_);
  for (cl_event event : events_) {
    clReleaseEvent(event);
  }
  for (int i = 0; i < 3; ++i) {
    call_later();
  }
  release_objects();
}

cl_command_queue World::queue() {
  return is_null() ? nullptr : objects.queues[input_.byte() % 3];
}

cl_kernel World::kernel() {
  return is_null() ? nullptr : objects.kernel;
}

cl_mem World::mem_object() {
  return clpool_mem_handle(live<clpool_mem>());
}

void World::made_event(clpool_status status, cl_event* slot) {
  if (slot == nullptr) {
    return;
  }
  require((status == CLPOOL_SUCCESS) == (*slot != nullptr), "an event if and only if the call succeeds");
  if (*slot != nullptr && events_.size() < most_events) {
    events_.push_back(*slot);
  } else if (*slot != nullptr) {
    clReleaseEvent(*slot);
  }
}

void* World::result_of(void* place, std::size_t size) {
  if (told != nullptr && size != 0) {
    results_.emplace_back(place, size);
  }
  return place;
}

void World::next_call() {
  // Word by word; what may be an address differs from process to process.
  for (const auto& [place, size] : results_) {
    for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, static_cast<const char*>(place) + at, std::min(size - at, sizeof word));
      *told += word >> 40 > 0x40 && word >> 48 == 0 ? " address" : ' ' + std::to_string(word);
    }
  }
  results_.clear();
  temporary_.clear();
}

void* World::temporary(std::size_t size) {
  temporary_.emplace_back(new unsigned char[size]);
  std::memset(temporary_.back().get(), 0xA5, size);
  return temporary_.back().get();
}

void* World::result_slot(std::size_t size) {
  return is_null() ? nullptr : temporary(size);
}

std::pair<void*, std::size_t> World::bytes() {
  const std::uint8_t choice = input_.byte();
  const std::size_t size = choice < 128 ? choice : std::size_t{choice - 127U} * 64;
  return {is_null() ? nullptr : temporary(size), size};
}

std::pair<void*, std::size_t> World::lasting() {
  const std::uint8_t choice = input_.byte();
  const std::size_t size = std::size_t{choice} * 32;
  if (choice < 128) {  // most buffers have none
    return {nullptr, choice % 8 == 7 ? size : 0};
  }
  lasting_.emplace_back(new unsigned char[size]());
  return {lasting_.back().get(), size};
}

std::pair<const char*, std::size_t> World::log() {
  std::string text =
      input_.byte() % 2 == 0 ? "Thread,Time,Action,Pointer,Size,Stream\n1,1,allocate,0x10,256,0\n" : "";
  text += input_.text();
  char* const copy = static_cast<char*>(temporary(text.size()));
  text.copy(copy, text.size());
  return {is_null() ? nullptr : copy, text.size()};
}

/// Any number, with as much memory as it could be valid for.
std::pair<void*, std::size_t> World::at_most(std::size_t most) {
  const auto size = number<std::size_t>();
  return {is_null() ? nullptr : temporary(std::min(size, most)), size};
}

std::pair<cl_event*, std::size_t> World::events() {
  const std::uint8_t choice = input_.byte();
  const std::size_t count = events_.empty() ? 0 : choice % 4;
  if (choice >= 240) {
    return {nullptr, choice % 4};
  }
  if (count == 0) {
    return {choice >= 232 ? place<cl_event>(1) : nullptr, 0};
  }
  auto* const list = static_cast<cl_event*>(temporary(count * sizeof(cl_event)));
  for (std::size_t i = 0; i < count; ++i) {
    list[i] = choice >= 224 && i == 1 ? nullptr : events_[(choice / 4 + i) % events_.size()];
  }
  return {list, count};
}

std::pair<clpool_mem**, std::size_t> World::mems() {
  const std::size_t count = input_.byte() % 4;
  auto* const list = static_cast<clpool_mem**>(temporary(count * sizeof(clpool_mem*)));
  for (std::size_t i = 0; i < count; ++i) {
    list[i] = live<clpool_mem>();
  }
  return {is_null() ? nullptr : list, count};
}

/// A rank of any size, with 32 extents at most.
std::pair<size_t*, std::size_t> World::extents() {
  const std::uint8_t choice = input_.byte();
  const std::size_t rank = choice < 240 ? choice % 4 : number<std::size_t>();
  auto* const list = static_cast<size_t*>(temporary(std::min<std::size_t>(rank, 32) * sizeof(size_t)));
  for (std::size_t i = 0; i < std::min<std::size_t>(rank, 32); ++i) {
    list[i] = choice < 200 ? input_.byte() % 40 : number<std::size_t>();
  }
  return {is_null() ? nullptr : list, rank};
}

std::pair<cl_command_queue*, std::size_t> World::queues() {
  const std::size_t count = input_.byte() % 4;
  auto* const list = static_cast<cl_command_queue*>(temporary(count * sizeof(cl_command_queue)));
  for (std::size_t i = 0; i < count; ++i) {
    list[i] = queue();
  }
  return {is_null() ? nullptr : list, count};
}

size_t* World::triple() {
  if (is_null()) {
    return nullptr;
  }
  auto* const three = static_cast<size_t*>(temporary(3 * sizeof(size_t)));
  const std::uint8_t choice = input_.byte();
  for (int i = 0; i < 3; ++i) {
    three[i] = choice < 192 ? choice >> 2 * i & 3 : choice < 240 ? input_.byte() % 20 : number<std::size_t>();
  }
  return three;
}

const char* World::text() {
  constexpr const char* known[] = {"", "gpu", "0:0", "stub", "sm_90", "gfx90a", "xe-hpg", "9.0"};
  if (is_null()) {
    return nullptr;
  }
  const std::uint8_t choice = input_.byte();
  const std::string made = choice < 128 ? known[choice % 8] : input_.text();
  auto* const copy = static_cast<char*>(temporary(made.size() + 1));
  std::memcpy(copy, made.c_str(), made.size() + 1);
  return copy;
}

const std::string& own_file() {
  static const std::string& own = *new std::string(
      (std::filesystem::temp_directory_path() / ("clpool_fuzz_" + std::to_string(getpid()))).string());
  static const bool removed_at_exit = std::atexit([] { std::filesystem::remove(own); }) == 0;
  static_cast<void>(removed_at_exit);
  return own;
}

/// Files of our own, and such as cannot be written or read.
const char* World::path() {
  static const std::string& zipped = *new std::string(own_file() + ".gz");
  const char* const own = own_file().c_str();
  const char* const paths[] = {own, own, "", "/", "/dev/full", "/nonexistent/log", zipped.c_str()};
  return is_null() ? nullptr : paths[input_.byte() % 7];
}

/// The same, less what has no end.
const char* World::path_to_read() {
  const char* const found = path();
  return found != nullptr && std::strcmp(found, "/dev/full") == 0 ? "/dev/null" : found;
}

const cl_image_format* World::format_value() {
  auto* const format = static_cast<cl_image_format*>(temporary(sizeof(cl_image_format)));
  constexpr cl_channel_order orders[] = {CL_R, CL_RGBA, CL_RGB, CL_DEPTH};
  constexpr cl_channel_type types[] = {CL_UNSIGNED_INT8, CL_FLOAT, CL_UNORM_SHORT_565, CL_UNORM_INT8};
  const std::uint8_t choice = input_.byte();
  *format = choice < 224 ? cl_image_format{orders[choice % 4], types[choice / 4 % 4]}
                         : cl_image_format{number<cl_channel_order>(), number<cl_channel_type>()};
  return format;
}

std::uint32_t World::struct_size(std::size_t ours) {
  const std::uint8_t choice = input_.byte();
  return choice < 224   ? static_cast<std::uint32_t>(ours)
         : choice < 232 ? static_cast<std::uint32_t>(ours - choice % 8)
         : choice < 240 ? static_cast<std::uint32_t>(ours + choice % 8 * 8)
                        : number<std::uint32_t>();
}

void World::check_status(clpool_status status, const char* function) {
  require(status >= CLPOOL_SUCCESS && status < CLPOOL_ERROR_INTERNAL, function);
  if (told != nullptr) {
    *told += ' ' + std::to_string(status);
  }
  const bool is_silent = status == CLPOOL_SUCCESS || status == CLPOOL_ERROR_WOULD_BLOCK ||
                         (status == CLPOOL_ERROR_NOT_FOUND && std::strcmp(function, "clpool_memo_find") == 0);
  require(is_silent || *clpool_last_error_message() != '\0', function);
}

void World::check(const char* text, const char* function) {
  const bool may_be_null = std::strncmp(function, "clpool_image_channel_", 21) == 0;
  require(text != nullptr ? std::strlen(text) < 4096 : may_be_null, function);
  if (told != nullptr && text != nullptr) {
    *told += std::string(" ") + text;
  }
}

void run_calls(Input& input, const Watch& watch) {
  constexpr const char* devices[] = {"",
                                     ",version=1.2",
                                     ",version=2.0",
                                     ",version=1.1,svm=none",
                                     ",nvidia=1,align=512",
                                     ",svm=system",
                                     ",images=0",
                                     ",svm=coarse"};
  const std::string options = "mode=immediate,handles=error,devices=2,global=64M,max_alloc=16M,limit=64M" +
                              std::string(devices[input.byte() % 8]);
  const StubRun stub(options.c_str());
  World world(input);
  std::string text;
  world.told = watch.after ? &text : nullptr;
  while (!input.empty()) {
    const Call& next = calls[input.two() % call_count];
    if (watch.before) {
      watch.before();
    }
    next.call(world);
    stub_fail_none();
    world.next_call();
    if (watch.after) {
      watch.after(next.name, text);
      text.clear();
    }
  }
}

}  // namespace clpool::fuzz
