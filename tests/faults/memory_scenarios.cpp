// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Memory of no pool: buffers, parts, wrapped objects, SVM and its views, maps, questions.
#include "faults/world.hpp"

namespace clpool::test {
namespace {

clpool_status buffers(World& world) {
  constexpr std::size_t page = 4096;  // every device's parts may begin at its multiples
  Mem buffer;
  CALL(clpool_buffer_create(world.cl.context, CL_MEM_COPY_HOST_PTR, 0, world.host, 4 * page,
                            buffer.receive()));
  Mem part;
  CALL(clpool_mem_sub_region(buffer, page, 2 * page, CL_MEM_READ_ONLY, part.receive()));
  Mem part_of_part;
  CALL(clpool_mem_sub_region(part, page, CLPOOL_WHOLE_SIZE, 0, part_of_part.receive()));
  Mem wrapped;
  CALL(clpool_mem_wrap(clpool_mem_handle(part), 1, wrapped.receive()));
  cl_mem root = nullptr;
  std::size_t offset = 0;
  CALL(clpool_mem_root(wrapped, &root, &offset));
  world.require(root == clpool_mem_handle(buffer) && offset == page, "the root of a part is another");
  std::uint64_t size = 0;
  CALL(clpool_mem_info_number(wrapped, CL_MEM_SIZE, &size));
  cl_context context = nullptr;
  CALL(clpool_mem_context(wrapped, &context));
  if (world.kernel != nullptr) {
    CALL(clpool_mem_set_kernel_arg(buffer, world.kernel, 0));
  }
  Mem on_host;
  CALL(
      clpool_buffer_create(world.cl.context, CL_MEM_USE_HOST_PTR, page, world.host, page, on_host.receive()));
  void* memory = nullptr;
  std::size_t bytes = 0;
  CALL(clpool_mem_host_memory(on_host, &memory, &bytes));
  world.require(memory == world.host, "a buffer is at another place of the host's memory");
  return CLPOOL_SUCCESS;
}

clpool_status direct_memory(World& world) {
  Allocator allocators[3];
  CALL(clpool_allocator_create_pinned(world.cl.queue, 0, allocators[0].receive()));
  CALL(clpool_allocator_create_immediate(world.cl.queue, 0, allocators[1].receive()));
  CALL(clpool_allocator_create_touching(world.cl.queue, 0, CLPOOL_TOUCH_WHOLE, allocators[2].receive()));
  for (const Allocator& allocator : allocators) {
    Mem mem;
    CALL(clpool_allocator_allocate(allocator, 5000, mem.receive()));
    Mem part;
    CALL(clpool_mem_sub_region(mem, 4096, 100, 0, part.receive()));
    mem.reset();
    CALL(clpool_mem_release_later(part.take()));
    CALL(clpool_allocator_allocate(allocator, 5000, mem.receive()));
  }
  return CLPOOL_SUCCESS;
}

clpool_status shared_memory(World& world) {
  Mem svm;
  CALL(clpool_svm_create(world.cl.context, 0, 8192, 256, world.cl.queue, svm.receive()));
  Mem part;
  CALL(clpool_mem_sub_region(svm, 4096, 4096, 0, part.receive()));
  Mem view;
  CALL(clpool_svm_as_buffer(part, 0, 1000, view.receive()));
  const unsigned char pattern = 9;
  CALL(clpool_mem_fill(world.cl.queue, view, &pattern, 1, 0, 100, 0, nullptr, nullptr));
  Mem wrapped;
  CALL(clpool_svm_wrap(world.cl.context, clpool_mem_pointer(svm), 100, 0, wrapped.receive()));
  if (world.kernel != nullptr) {
    CALL(clpool_mem_set_kernel_arg(svm, world.kernel, 0));
  }
  Mem fine;
  CALL(clpool_svm_create(world.cl.context,
                         CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64, 0,
                         nullptr, fine.receive()));
  return CLPOOL_SUCCESS;
}

clpool_status shared_memory_on_queues(World& world) {
  Mem svm;
  CALL(clpool_svm_create(world.cl.context, 0, 4096, 0, nullptr, svm.receive()));
  CALL(clpool_mem_bind_queue(svm, world.cl.queue));
  CALL(clpool_mem_bind_queue(svm, world.second));
  CALL(clpool_mem_unbind_queue(svm));
  CALL(clpool_mem_bind_queue(svm, world.cl.queue));
  return CLPOOL_SUCCESS;
}

/// Released behind a queue, at once or, with a part that is left, by that.
template <bool has_part>
clpool_status shared_memory_released_on_a_queue(World& world) {
  Mem svm;
  CALL(clpool_svm_create(world.cl.context, 0, 4096, 0, nullptr, svm.receive()));
  Mem part;
  if (has_part) {
    CALL(clpool_mem_sub_region(svm, 128, 128, 0, part.receive()));
  }
  const cl_event complete = world.complete_event();
  Event event;
  CALL(clpool_mem_release_on(svm, world.second, 1, &complete, event.receive()));
  svm.take();
  world.require(event != nullptr, "a release on a queue has no event");
  return CLPOOL_SUCCESS;
}

clpool_status map_and_unmap(World& world, clpool_mem* mem) {
  const cl_event complete = world.complete_event();
  {
    Map map;
    Event mapped;
    CALL(clpool_mem_map(world.cl.queue, mem, CL_MAP_READ | CL_MAP_WRITE, 0, CLPOOL_WHOLE_SIZE, 0, 1,
                        &complete, mapped.receive(), map.receive()));
    Event unmapped;
    CALL(clpool_map_unmap(map, world.second, 1, &complete, unmapped.receive()));
    Event again;
    CALL(clpool_map_unmap(map, nullptr, 0, nullptr, again.receive()));
  }
  Map map;
  CALL(clpool_mem_map(world.cl.queue, mem, CL_MAP_WRITE, 128, 64, 1, 0, nullptr, nullptr, map.receive()));
  static_cast<unsigned char*>(clpool_map_pointer(map))[0] = 5;
  return CLPOOL_SUCCESS;
}

clpool_status maps_of_buffers(World& world) {
  Mem buffer;
  CALL(clpool_buffer_create(world.cl.context, 0, 4096, nullptr, 0, buffer.receive()));
  return map_and_unmap(world, buffer);
}

/// Released before they are mapped, on a queue that does not see to the order; that needs no host memory.
clpool_status maps_that_are_to_come(World& world) {
  if (world.out_of_order == nullptr) {
    return CLPOOL_ERROR_NOT_SUPPORTED;
  }
  Mem buffer;
  CALL(clpool_buffer_create(world.cl.context, 0, 4096, nullptr, 0, buffer.receive()));
  cl_event gate = world.gate();
  Map map;
  CALL(clpool_mem_map(world.out_of_order, buffer, CL_MAP_READ, 0, 64, 0, 1, &gate, nullptr, map.receive()));
  Map late;
  CALL(clpool_mem_map(world.out_of_order, buffer, CL_MAP_READ, 64, 64, 0, 1, &gate, nullptr, late.receive()));
  CALL(clpool_map_release_later(late.take()));
  Mem another;  // carries that out
  CALL(clpool_buffer_create(world.cl.context, 0, 4096, nullptr, 0, another.receive()));
  CALL(clpool_map_release(map.take()));
  world.open_gates();
  return CLPOOL_SUCCESS;
}

clpool_status maps_of_svm(World& world) {
  Mem svm;
  CALL(clpool_svm_create(world.cl.context, 0, 4096, 0, world.cl.queue, svm.receive()));
  return map_and_unmap(world, svm);
}

/// The map outlives its block, and the block's pool.
clpool_status maps_of_blocks(World& world) {
  Map map;
  Allocator allocator;
  CALL(clpool_allocator_create_immediate(world.cl.queue, 0, allocator.receive()));
  Pool pool;
  CALL(clpool_pool_create(allocator, &impatient, pool.receive()));
  Mem block;
  CALL(clpool_pool_allocate(pool, 4096, block.receive()));
  if (const clpool_status status = map_and_unmap(world, block); status != CLPOOL_SUCCESS) {
    return status;
  }
  Map released;
  CALL(clpool_mem_map(world.second, block, CL_MAP_READ, 0, 100, 1, 0, nullptr, nullptr, released.receive()));
  block.reset();
  return CLPOOL_SUCCESS;
}

clpool_status pipes(World& world) {
  Mem pipe;
  CALL(clpool_pipe_create(world.cl.context, 0, 16, 10, pipe.receive()));
  cl_uint packets = 0;
  CALL(clpool_pipe_info(pipe, CL_PIPE_MAX_PACKETS, sizeof packets, &packets, nullptr));
  return CLPOOL_SUCCESS;
}

clpool_status samplers(World& world) {
  Sampler sampler;
  CALL(clpool_sampler_create(world.cl.context, 1, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, sampler.receive()));
  const cl_bitfield properties[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, 0};
  Sampler another;
  CALL(clpool_sampler_create_with_properties(world.cl.context, properties, another.receive()));
  return CLPOOL_SUCCESS;
}

}  // namespace

std::vector<Scenario> memory_scenarios() {
  return {{"Buffers", buffers},
          {"DirectMemory", direct_memory},
          {"SharedMemory", shared_memory},
          {"SharedMemoryOnQueues", shared_memory_on_queues},
          {"SharedMemoryReleasedOnAQueue", shared_memory_released_on_a_queue<false>},
          {"SharedMemoryReleasedByItsPart", shared_memory_released_on_a_queue<true>},
          {"MapsOfBuffers", maps_of_buffers},
          {"MapsOfSvm", maps_of_svm},
          {"MapsThatAreToCome", maps_that_are_to_come},
          {"MapsOfBlocks", maps_of_blocks},
          {"Pipes", pipes},
          {"Samplers", samplers}};
}

}  // namespace clpool::test
