// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the allocators of OpenCL memory have to know of a context and its devices, and the checks they share.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <vector>

#include "allocator/allocator.hpp"
#include "base/status.hpp"
#include "cl/handle.hpp"
#include "cl/info.hpp"

namespace clpool::core {

/// Limits that hold on every device of a context.
struct ContextFacts {
  std::vector<cl_device_id> devices;
  std::uint64_t base_alignment = 1;   ///< bytes, the largest CL_DEVICE_MEM_BASE_ADDR_ALIGN
  std::uint64_t max_alloc_bytes = 0;  ///< the least CL_DEVICE_MAX_MEM_ALLOC_SIZE
  std::uint64_t global_bytes = 0;     ///< the largest CL_DEVICE_GLOBAL_MEM_SIZE
  cl::Version newest;                 ///< the newest version that a device has
};
Status read_context_facts(cl_context context, ContextFacts& facts);

/// A queue that an allocator was made over, its context (both retained) and its device.
struct QueueFacts {
  cl::Queue queue;
  cl::Context context;
  cl_device_id device = nullptr;
};
Status read_queue_facts(cl_command_queue queue, QueueFacts& facts);

/// What a device and what the host does with memory; of each at most one is valid.
constexpr cl_mem_flags access_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
constexpr cl_mem_flags host_access_flags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

/// With these, and only with these, a buffer or image is made of host memory.
constexpr cl_mem_flags host_memory_flags = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/// INVALID_VALUE unless host memory is given where the flags need it, and only there.
Status check_host_memory_flags(cl_mem_flags flags, const void* host) noexcept;

/// INVALID_VALUE for flags of access that exclude each other, for which clSVMAlloc has no code and which some drivers
/// take.
Status check_access_flags(cl_mem_flags flags) noexcept;

/// The same, and for the flags that need host memory, which an allocator has none of. Flags that the library
/// does not know go to the driver as they are.
Status check_allocator_flags(cl_mem_flags flags) noexcept;

/// INVALID_VALUE for 0 bytes, sizes beyond the address space and alignments that `traits` cannot
/// promise.
Status check_request(std::uint64_t size, std::uint64_t alignment, const AllocatorTraits& traits) noexcept;

/// clCreateBuffer. A size over the driver's limit keeps its code, CL_INVALID_BUFFER_SIZE; so does one
/// over `global_bytes`, which NVIDIA's driver accepts as long as nothing uses the buffer.
Status create_buffer(cl_context context, cl_mem_flags flags, std::uint64_t size, std::uint64_t global_bytes,
                     cl::Memory& buffer) noexcept;

/// For memory that could not be freed behind its commands, of which the last error tells: waits for the order's events and
/// queue, which may be null. False, with a message, where that fails: the memory stays allocated.
bool wait_to_free(const Chunk& chunk, const cl::Order& order) noexcept;

/// clFlush behind a command that frees memory and is on its way all the same: what goes wrong is a message.
void flush_behind(const char* command, cl_command_queue queue) noexcept;

/// A buffer as a chunk; the chunk owns the reference.
Chunk chunk_of(cl::Memory&& buffer, std::uint64_t size) noexcept;

}  // namespace clpool::core
