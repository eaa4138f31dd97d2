// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Device memory: host blocks that stand for it, the limit and the address space, and the ranges that programs
// know by address. With the driver's lock held.
#pragma once

#include <vector>

#include "objects.hpp"

namespace stub {

/// Fresh host memory, poisoned as the options say; refuses with CL_OUT_OF_HOST_MEMORY.
HostBlock allocate_block(std::size_t size, std::size_t alignment, bool can_protect);
void free_block(HostBlock& block);

/// Takes `bytes` of the device's memory; false if they are not there. `address` is where they lie.
bool take_device_memory(std::uint64_t bytes, std::uint64_t& address);
void give_device_memory(std::uint64_t bytes, std::uint64_t address);

/// The root of `mem` gets its device memory, if it has none; refuses with CL_MEM_OBJECT_ALLOCATION_FAILURE.
void make_resident(Mem& mem);

/// Everything that clear() has to give back.
void free_memory(Mem& mem);

/// The range, living or dead, that `pointer` lies in; null if none.
Range* find_range(const void* pointer);
void add_range(Range& range);
/// The range is over by the call `death`: its memory is kept for a while, as poison.
void end_range(Range& range, const char* death);
void free_range(Range& range);

/// Dies if the range is over: to be called by commands when they run.
void require_alive(const Ref<Range>& range, const void* pointer);

/// Fills `size` bytes with a pattern, of which they are a multiple.
void repeat(const std::vector<unsigned char>& pattern, unsigned char* begin, std::size_t size);

}  // namespace stub
