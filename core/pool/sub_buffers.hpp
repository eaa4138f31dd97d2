// SubBuffers: sub-buffer objects of parts of chunks, kept so that a program that repeats itself stops calling
// the driver. Keyed by chunk, offset and size; bounded; what belongs to a chunk goes with it. Bookkeeping
// only: objects are made and released by the pool.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <list>
#include <unordered_map>

#include "pool/block.hpp"

namespace clpool::core {

class SubBuffers {
 public:
  /// Most objects that are kept.
  static constexpr std::size_t bound = 4096;

  /// Takes the object for a stretch out of the cache; null if there is none.
  cl_mem take(const HeapChunk& chunk, std::uint64_t offset, std::uint64_t size) noexcept;

  /// Keeps an object. `stamp`: the epoch in which its memory was last in use. Throws std::bad_alloc.
  void keep(const HeapChunk& chunk, std::uint64_t offset, std::uint64_t size, cl_mem handle,
            std::uint64_t stamp);

  struct Key {
    const HeapChunk* chunk;
    std::uint64_t offset;
    std::uint64_t size;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Entry {
    Key key;
    cl_mem handle;
    std::uint64_t stamp;
  };
  using Entries = std::list<Entry>;

  /// Moves all objects of a chunk, which is to be given back, to `removed`.
  void take_all_of(const HeapChunk& chunk, Entries& removed) noexcept;

  /// Moves the least recently kept objects beyond the bound to `removed`, as far as their stamps are at most
  /// `completed`.
  void take_excess(std::uint64_t completed, Entries& removed) noexcept;

  bool over_bound() const noexcept { return entries_.size() > bound; }
  /// So many more that it is worth waiting a little for a device that is behind.
  bool far_over_bound() const noexcept { return entries_.size() > 2 * bound; }

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      const std::uint64_t mixed =
          (reinterpret_cast<std::uintptr_t>(key.chunk) ^ (key.offset * 31) ^ (key.size << 17));
      return mixed * 0x9E3779B97F4A7C15U >> 16;
    }
  };
  Entries entries_;  ///< least recently kept first
  std::unordered_map<Key, Entries::iterator, Hash> places_;
};

}  // namespace clpool::core
