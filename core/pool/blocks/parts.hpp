// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Parts: the handles of parts of one chunk (sub-buffers) that are alive, in the order of their addresses. The
// rule is: never two that overlap. A region that is handed out gets the unused handle of just its shape, or
// first has every unused handle that it overlaps released. Bookkeeping only, called with the pool's mutex held:
// whoever keeps the books makes and releases the handles, with no lock held, and says so here afterwards.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/fifo.hpp"
#include "engine/block.hpp"
#include "engine/size_index.hpp"
#include "pool/blocks/store.hpp"

namespace clpool::core {

struct PoolChunk;

/// One handle. It is alive from the moment that it is claimed to the moment that it is forgotten. What a look at it reads is on its
/// first cache line.
struct alignas(128) Part {
  enum class State : std::uint8_t { used, unused, dying };
  std::uint64_t size = 0;     ///< bytes
  std::uint64_t offset = 0;   ///< bytes from the chunk's start
  Part* free_next = nullptr;  ///< this and the next two unused: the index of Shapes
  Part** free_link = nullptr;
  std::uint32_t bin = 0;
  State state = State::used;
  bool used_once = false;  ///< the pool used it itself, in turn (cl::SubBuffers)
  Part* left = nullptr;    ///< neighbours by address
  Block* block =
      nullptr;  ///< used: the block whose handle it is; else the free one that it was in when somebody looked, or null
  PoolChunk* chunk = nullptr;
  Part* right = nullptr;
  Part* previous = nullptr;  ///< unused: the list of those of the chunk, the longest unused first
  Part* next = nullptr;      ///< the same; dying: the list of what is to be released
  void* handle = nullptr;    ///< null while it is being made
  std::uint64_t excess = 0;  ///< used: bytes that its block does not show
};

/// The unused handles of a pool by their size, so that a request can be sent to a place where one of its shape is alive, and the
/// storage of the records of all.
struct Shapes : SizeIndex<Part> {
  using SizeIndex::SizeIndex;

  Store<Part> records;
};

/// Handles that are to be released.
using DyingParts = Fifo<Part>;

class Parts {
 public:
  /// Most unused handles of a chunk: both ends of a sub-buffer's life walk the list of its siblings in some
  /// drivers (NVIDIA, 580.159: 0.4 µs among 64, 4 µs among 512).
  static constexpr std::size_t most_unused = 64;
  /// For the same reason a chunk that has so many blocks gets no more that should not pin it, although the pool grows instead.
  static constexpr std::uint64_t most_blocks = 512;

  enum class Claim {
    ready,    ///< `part` has its handle
    make,     ///< `part` is entered: make the handle, then call made()
    release,  ///< release `dying`, which overlap the region, then ask again
    wait      ///< another thread is about to release a handle that overlaps; ask again then
  };
  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  /// Where unused handles are to be entered, and records come from: to be called before any other function.
  void enter_in(Shapes& shapes) noexcept { shapes_ = &shapes; }

  /// For a region that is in nobody's hands. A handle that was not used once does not serve it if
  /// `only_used_once`. `part`: any of the chunk's from which the way to the region is short, or null; afterwards
  /// the claimed one, or null. Throws std::bad_alloc, changing nothing.
  Claim claim(PoolChunk& chunk, std::uint64_t offset, std::uint64_t size, bool only_used_once, Part*& part,
              DyingParts& dying);

  /// An unused one is claimed, for a region of just its shape.
  void take(Part& part) noexcept {
    unlink(part);
    part.state = Part::State::used;
  }

  /// The handle of the region that begins there, or null; the way is as long as there are handles between it and the last place that
  /// was looked for.
  Part* at(std::uint64_t offset) const noexcept;
  /// The one with the lowest address, or null.
  Part* first() const noexcept { return first_; }

  /// True if claim() would find an unused handle of just this shape. `from` is what its `part` is.
  bool has_unused(Part* from, std::uint64_t offset, std::uint64_t size, bool only_used_once) const noexcept;

  /// The free block that holds the region of an unused handle; null if the chunk is in use as a whole. The part remembers it:
  /// where descriptors come to be other pools' meanwhile, as guarded ones' do, the caller drops that (`Part::block`).
  static Block* hole_of(Part& part) noexcept;

  /// The handle of a claimed part was made; null if it could not be: the part is forgotten.
  void made(Part& part, void* handle, bool used_once) noexcept;

  /// A handle is no longer used. What is beyond the bound goes to `dying`. Returns the excess that it had.
  std::uint64_t put_aside(Part& part, DyingParts& dying) noexcept;

  /// All handles of a chunk that is to be given back; none is used.
  void put_all(DyingParts& dying) noexcept;

  /// The driver has released a dying handle.
  void forget(Part& part) noexcept;

  std::size_t alive() const noexcept { return alive_; }  ///< for tests
  /// Handles that somebody makes or is to release: while there are any, the chunk must stay.
  std::size_t in_work() const noexcept { return in_work_; }

  /// Of all that are used.
  std::uint64_t excess() const noexcept;
  /// A text of what is wrong, or null; for tests.
  const char* check() const noexcept;

 private:
  void enlist(Part& part, Part* right) noexcept;
  void erase(Part& part) noexcept;
  void unlink(Part& part) noexcept;
  void doom(Part& part, DyingParts& dying) noexcept;

  /// The first that ends beyond `offset`, or null; the way begins at `from`, or, if that is null, where the last one ended.
  Part* first_beyond(Part* from, std::uint64_t offset) const noexcept;

  Part* first_ = nullptr;  ///< by address; they do not overlap
  Part* last_ = nullptr;
  mutable Part* recent_ = nullptr;  ///< where the last way along the addresses ended
  Part* oldest_ = nullptr;          ///< unused ones
  Part* newest_ = nullptr;
  Shapes* shapes_ = nullptr;
  std::size_t alive_ = 0;
  std::size_t unused_ = 0;
  std::size_t in_work_ = 0;
};

}  // namespace clpool::core
