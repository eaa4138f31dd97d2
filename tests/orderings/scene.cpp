// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Operands of the cases.
#include "orderings/orderings.hpp"

#include <algorithm>

#include "support/pools.hpp"

namespace clpool::test {
namespace {

clpool_mem* make_buffer(const OpenCl& cl, std::size_t size) {
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_buffer_create(cl.context, 0, size, nullptr, 0, &mem));
  return mem;
}

clpool_mem* make_svm(const OpenCl& cl, std::size_t size) {
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_svm_create(cl.context, 0, size, 0, nullptr, &mem));
  return mem;
}

/// The second block of its chunk.
clpool_mem* make_pooled(const OpenCl& cl) {
  clpool_allocator* allocator = nullptr;
  EXPECT_OK(clpool_allocator_create_deferred(cl.context, 0, &allocator));
  clpool_pool* pool = nullptr;
  EXPECT_OK(clpool_pool_create(allocator, nullptr, &pool));
  clpool_mem* first = nullptr;
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_pool_allocate(pool, operand_size, &first));
  EXPECT_OK(clpool_pool_allocate(pool, operand_size, &mem));
  clpool_mem_release(first);
  clpool_pool_release(pool);
  clpool_allocator_release(allocator);
  return mem;
}

clpool_mem* make_pinned(const OpenCl& cl) {
  clpool_allocator* allocator = nullptr;
  EXPECT_OK(clpool_allocator_create_pinned(cl.queue, 0, &allocator));
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_allocator_allocate(allocator, operand_size, &mem));
  clpool_allocator_release(allocator);
  return mem;
}

}  // namespace

const char* name_of(Side side) {
  constexpr const char* names[] = {"Buffer", "Part", "Pooled", "Svm", "SvmPart", "Pinned"};
  return names[static_cast<int>(side)];
}

Scene::Scene() {
  stub_configure("deadlock=abort");  // a call that must not block and does would hang
  queue = cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

Scene::~Scene() {
  stub_run_all();
  maps.clear();
  stub_run_all();  // unmaps
  memories_.clear();
  // What pools that ended gave back behind their queues is through; a later call of the library ends their objects.
  stub_run_all();
  NumberSource source;
  EXPECT_OK(clpool_pool_tick(make_pool(source.allocator().get()).get()));
}

clpool_mem* Scene::own(clpool_mem* mem) {
  memories_.emplace_front(mem);  // parts go before what they are parts of
  return mem;
}

clpool_mem* Scene::memory(Side side, unsigned char value) {
  constexpr std::size_t offset = 128;
  clpool_mem* mem = nullptr;
  switch (side) {
    case Side::buffer:
      mem = own(make_buffer(cl, operand_size));
      break;
    case Side::part:
      EXPECT_OK(clpool_mem_sub_region(own(make_buffer(cl, 1024)), offset, operand_size, 0, &mem));
      own(mem);
      break;
    case Side::pooled:
      mem = own(make_pooled(cl));
      break;
    case Side::svm:
      mem = own(make_svm(cl, operand_size));
      break;
    case Side::svm_part:
      EXPECT_OK(clpool_mem_sub_region(own(make_svm(cl, 1024)), offset, operand_size, 0, &mem));
      own(mem);
      break;
    case Side::pinned:
      mem = own(make_pinned(cl));
      break;
  }
  std::memset(bytes(mem), value, operand_size);
  return mem;
}

std::pair<clpool_mem*, clpool_mem*> Scene::two_parts() {
  clpool_mem* const root = own(make_buffer(cl, 4 * operand_size));
  clpool_mem* parts[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_OK(clpool_mem_sub_region(root, 2 * i * operand_size, operand_size, 0, &parts[i]));
    std::memset(bytes(own(parts[i])), i == 0 ? source_byte : target_byte, operand_size);
  }
  return {parts[0], parts[1]};
}

clpool_mem* Scene::image(unsigned char value) {
  clpool_image_options options = CLPOOL_IMAGE_OPTIONS_INIT;
  options.format = {CL_R, CL_UNSIGNED_INT8};
  options.dimensions = 2;
  options.shape[0] = 16;
  options.shape[1] = operand_size / 16;
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_image_create(cl.context, &options, &mem));
  std::memset(bytes(own(mem)), value, operand_size);
  return mem;
}

std::vector<unsigned char>& Scene::host(unsigned char value) {
  return hosts_.emplace_back(operand_size, value);
}

unsigned char* Scene::bytes(clpool_mem* mem) {
  if (void* const pointer = clpool_mem_pointer(mem)) {
    return static_cast<unsigned char*>(pointer);
  }
  return stub_memory(clpool_mem_handle(mem));
}

bool Scene::has(clpool_mem* mem, unsigned char value) {
  const unsigned char* const first = bytes(mem);
  return std::all_of(first, first + operand_size, [value](unsigned char byte) { return byte == value; });
}

bool Scene::has(const std::vector<unsigned char>& bytes, unsigned char value) {
  return std::all_of(bytes.begin(), bytes.end(), [value](unsigned char byte) { return byte == value; });
}

}  // namespace clpool::test
