// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Blocks, limits, address space, ranges.
#include "memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>

namespace stub {
namespace {

constexpr unsigned char fresh = 0xA5;
constexpr unsigned char freed = 0xDD;
constexpr std::size_t page = 4096;

/// Large blocks are poisoned at both ends only, so that gigabytes cost no host memory until they are used.
void poison(unsigned char* data, std::size_t size, unsigned char value) {
  constexpr std::size_t whole = std::size_t{64} << 20;
  constexpr std::size_t end = std::size_t{1} << 20;
  if (size <= whole) {
    std::memset(data, value, size);
    return;
  }
  std::memset(data, value, end);
  std::memset(data + size - end, value, end);
}

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// What is taken of the address space, by begin: size.
std::map<std::uint64_t, std::uint64_t>& taken() {
  static auto& map = *new std::map<std::uint64_t, std::uint64_t>;
  return map;
}

bool find_gap(std::uint64_t bytes, std::uint64_t& address) {
  address = 0;
  for (const auto& [begin, size] : taken()) {
    if (begin - address >= bytes) {
      return true;
    }
    address = begin + size;
  }
  return address + bytes <= state().options.memory_limit();
}

std::map<std::uintptr_t, Range*>& ranges() {
  static auto& map = *new std::map<std::uintptr_t, Range*>;
  return map;
}

/// Keeps dead ranges until there are many.
void keep_dead(Range& range) {
  constexpr std::size_t most_ranges = 256;
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  static auto& dead = *new std::deque<Ref<Range>>;
  static std::size_t bytes = 0;
  if (range.block.size > most_bytes) {
    return;
  }
  dead.emplace_back(&range);
  bytes += range.block.size;
  while (dead.size() > most_ranges || bytes > most_bytes) {
    bytes -= dead.front()->block.size;
    dead.pop_front();
  }
}

}  // namespace

HostBlock allocate_block(std::size_t size, std::size_t alignment, bool can_protect) {
  HostBlock block;
  block.size = size;
  block.is_mmapped = can_protect && state().options.protect && alignment <= page;
  if (block.is_mmapped) {
    void* const pages =
        mmap(nullptr, round_up(size, page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    block.data = pages == MAP_FAILED ? nullptr : static_cast<unsigned char*>(pages);
  } else {
    const std::size_t multiple = std::max<std::size_t>(alignment, 64);
    block.data = static_cast<unsigned char*>(
        std::aligned_alloc(multiple, round_up(std::max<std::size_t>(size, 1), multiple)));
  }
  require(block.data != nullptr, CL_OUT_OF_HOST_MEMORY);
  if (state().options.poison) {
    poison(block.data, size, fresh);
  }
  return block;
}

void free_block(HostBlock& block) {
  if (block.is_mmapped) {
    munmap(block.data, round_up(block.size, page));
  } else {
    std::free(block.data);
  }
  block = {};
}

bool take_device_memory(std::uint64_t bytes, std::uint64_t& address) {
  State& s = state();
  if (bytes > s.options.memory_limit() || s.device_bytes > s.options.memory_limit() - bytes) {
    return false;
  }
  address = 0;
  if (s.options.fragments) {
    if (!find_gap(bytes, address)) {
      return false;
    }
    taken()[address] = bytes;
  }
  s.device_bytes += bytes;
  return true;
}

void give_device_memory(std::uint64_t bytes, std::uint64_t address) {
  state().device_bytes -= bytes;
  const auto found = taken().find(address);
  if (found != taken().end() && found->second == bytes) {
    taken().erase(found);
  }
}

void make_resident(Mem& mem) {
  Mem& root = mem.root();
  if (!root.is_resident) {
    require(take_device_memory(root.size, root.device_address), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    root.is_resident = true;
  }
}

void free_memory(Mem& mem) {
  for (const Ref<Range>& map : std::vector<Ref<Range>>(std::move(mem.maps))) {
    end_range(*map, "clReleaseMemObject of its buffer");
    drop_reference(*map);
  }
  if (mem.is_resident) {
    give_device_memory(mem.size, mem.device_address);
    mem.is_resident = false;
  }
  if (mem.block.data != nullptr) {
    free_block(mem.block);
  }
  mem.data = nullptr;
  mem.svm = {};
}

Range* find_range(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  auto after = ranges().upper_bound(address);
  if (after == ranges().begin()) {
    return nullptr;
  }
  Range& range = *std::prev(after)->second;
  return address < reinterpret_cast<std::uintptr_t>(range.begin) + range.size ? &range : nullptr;
}

void add_range(Range& range) {
  if (range.block.data != nullptr) {
    ranges()[reinterpret_cast<std::uintptr_t>(range.begin)] = &range;
  }
}

void end_range(Range& range, const char* death) {
  range.death = death;
  if (range.device_bytes != 0) {
    give_device_memory(range.device_bytes, range.device_address);
    range.device_bytes = 0;
  }
  if (range.block.data == nullptr) {
    return;
  }
  if (range.block.is_mmapped) {
    mprotect(range.block.data, round_up(range.block.size, page), PROT_NONE);
  } else if (state().options.poison) {
    poison(range.begin, range.size, freed);
  }
  keep_dead(range);
}

void free_range(Range& range) {
  const auto found = ranges().find(reinterpret_cast<std::uintptr_t>(range.begin));
  if (found != ranges().end() && found->second == &range) {
    ranges().erase(found);
  }
  if (range.block.data != nullptr) {
    free_block(range.block);
  }
}

void require_alive(const Ref<Range>& range, const void* pointer) {
  if (range && range->death != nullptr) {
    die("this command runs on %s at %p (in %zu bytes at %p) that %s ended before", name_of(range->kind),
        pointer, range->size, static_cast<void*>(range->begin), range->death);
  }
}

void repeat(const std::vector<unsigned char>& pattern, unsigned char* begin, std::size_t size) {
  std::size_t filled = std::min(pattern.size(), size);
  std::copy_n(pattern.begin(), filled, begin);
  while (filled < size) {
    const std::size_t more = std::min(filled, size - filled);
    std::memcpy(begin + filled, begin, more);
    filled += more;
  }
}

}  // namespace stub
