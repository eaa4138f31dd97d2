// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the pools are compared with.
#include "peers.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <vector>

namespace clpool::benchmarks {
namespace {

struct Floor {
  static constexpr std::size_t capacity = 4096;
  void* stack[capacity];
  std::size_t top = 0;
  std::uint64_t active_blocks = 0;
  std::uint64_t active_bytes = 0;
  std::uint64_t peak_active_bytes = 0;
  std::uint64_t hits = 0;
};
thread_local Floor the_floor;

struct SetHeap {
  SetHeap() { insert(0, std::uint64_t{1} << 40); }
  void insert(std::uint64_t offset, std::uint64_t size) {
    by_offset[offset] = size;
    by_size.insert({size, offset});
  }
  void remove(std::map<std::uint64_t, std::uint64_t>::iterator hole) {
    by_size.erase({hole->second, hole->first});
    by_offset.erase(hole);
  }
  std::mutex mutex;
  std::map<std::uint64_t, std::uint64_t> by_offset;
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size;
  std::map<std::uint64_t, std::uint64_t> active;
};

SetHeap& set_heap() {
  static auto* const heap = new SetHeap;
  return *heap;
}

}  // namespace

void* floor_allocate(std::size_t size) {
  Floor& mine = the_floor;
  ++mine.hits;
  ++mine.active_blocks;
  mine.active_bytes += size;
  mine.peak_active_bytes =
      mine.active_bytes > mine.peak_active_bytes ? mine.active_bytes : mine.peak_active_bytes;
  return mine.top != 0 ? mine.stack[--mine.top] : std::malloc(size);
}

void floor_release(void* block, std::size_t size) {
  Floor& mine = the_floor;
  --mine.active_blocks;
  mine.active_bytes -= size;
  if (mine.top < Floor::capacity) {
    mine.stack[mine.top++] = block;
  } else {
    std::free(block);
  }
}

void* c_allocate(std::size_t size) {
  return std::malloc(size);
}
void c_release(void* block) {
  std::free(block);
}

const Mimalloc& mimalloc() {
  static const Mimalloc found = [] {
    Mimalloc functions;
    if (void* library = dlopen("libmimalloc.so.2", RTLD_NOW | RTLD_LOCAL); library != nullptr) {
      functions.allocate = reinterpret_cast<AllocateFunction>(dlsym(library, "mi_malloc"));
      functions.release = reinterpret_cast<ReleaseFunction>(dlsym(library, "mi_free"));
    }
    return functions;
  }();
  return found;
}

std::uint64_t set_allocate(std::size_t size) {
  SetHeap& heap = set_heap();
  const std::uint64_t rounded = (size + 255) & ~std::uint64_t{255};
  const std::lock_guard lock(heap.mutex);
  const auto fit = heap.by_size.lower_bound({rounded, 0});
  const std::uint64_t offset = fit->second;
  const std::uint64_t rest = fit->first - rounded;
  heap.remove(heap.by_offset.find(offset));
  if (rest != 0) {
    heap.insert(offset + rounded, rest);
  }
  heap.active[offset] = rounded;
  return offset;
}

void set_release(std::uint64_t offset) {
  SetHeap& heap = set_heap();
  const std::lock_guard lock(heap.mutex);
  const auto block = heap.active.find(offset);
  std::uint64_t begin = offset;
  std::uint64_t size = block->second;
  heap.active.erase(block);
  auto right = heap.by_offset.lower_bound(begin);
  if (right != heap.by_offset.begin()) {
    const auto left = std::prev(right);
    if (left->first + left->second == begin) {
      begin = left->first;
      size += left->second;
      heap.remove(left);
    }
  }
  if (right != heap.by_offset.end() && offset + (begin + size - offset) == right->first) {
    size += right->second;
    heap.remove(right);
  }
  heap.insert(begin, size);
}

}  // namespace clpool::benchmarks
