// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// HeapChunk and Block: what the engine keeps about memory. Numbers and links only; the memory itself is never
// touched. The blocks of one chunk form a list in address order without gaps; free ones are also in a
// FreeIndex.
#pragma once

#include <cstdint>

namespace clpool::core {

struct Block;

/// A stretch of somebody's number space that is cut into blocks.
struct HeapChunk {
  std::uint64_t size = 0;         ///< bytes
  Block* first = nullptr;         ///< the block at offset 0
  HeapChunk* previous = nullptr;  ///< all chunks of a heap, in the order of their arrival
  HeapChunk* next = nullptr;
  std::uint64_t used = 0;    ///< bytes of blocks that are handed out
  std::uint64_t blocks = 0;  ///< number of these
  double squares = 0;        ///< sum of the squares of their sizes; of a few that remain of many, nearly
  std::uint64_t last_release = 0;  ///< stamp that the owner gave with the latest release of a block in it
};

/// A stretch of a chunk, free or handed out.
struct alignas(64) Block {
  HeapChunk* chunk = nullptr;
  std::uint64_t offset = 0;  ///< bytes from the chunk's start
  std::uint64_t size = 0;    ///< bytes
  Block* left = nullptr;     ///< neighbours by address
  Block* right = nullptr;
  union {
    Block* free_previous = nullptr;  ///< link of the list that holds it while it is free
    Block** free_link;               ///< FreeIndex: what leads to it
    std::uint64_t tag;               ///< else the owner's
  };
  union {
    Block* free_next = nullptr;  ///< the other link
    void* attachment;            ///< else the owner's
  };
  std::uint32_t bin = 0;  ///< the list of the index that holds it while it is free; else the owner's
  bool free = false;
  bool virgin = false;        ///< no part of it was ever handed out; cleared by whoever hands it out
  std::uint16_t account = 0;  ///< the owner's
};
static_assert(sizeof(Block) == 64);

/// True if the block is all of its chunk.
inline bool is_whole_chunk(const Block& block) noexcept {
  // Both at once: one branch, or none.
  return (reinterpret_cast<std::uintptr_t>(block.left) | reinterpret_cast<std::uintptr_t>(block.right)) == 0;
}

/// Of a number of less than 2^63, of which processors make floating-point numbers faster than of larger ones.
constexpr double square(std::uint64_t bytes) noexcept {
  const auto root = static_cast<double>(static_cast<std::int64_t>(bytes));
  return root * root;
}

/// Whether blocks of a chunk that are handed out have no more than so many bytes, as their root mean square, of which this is the
/// square: one that is much larger than the others counts, however many these are.
inline bool has_blocks_up_to(const HeapChunk& chunk, double most_square) noexcept {
  return chunk.squares <= most_square * static_cast<double>(static_cast<std::int64_t>(chunk.blocks));
}

constexpr double any_square = square(INT64_MAX);

/// Chunks in use that a request may share.
struct Sharing {
  std::uint64_t most_free = UINT64_MAX;    ///< bytes that they have free
  double most_beside = any_square;         ///< the mean of the squares of their blocks' bytes
  std::uint64_t most_blocks = UINT64_MAX;  ///< that they have then
};

inline bool may_share(const HeapChunk& chunk, const Sharing& sharing) noexcept {
  return chunk.size - chunk.used <= sharing.most_free && chunk.blocks < sharing.most_blocks &&
         has_blocks_up_to(chunk, sharing.most_beside);
}

/// So many free blocks of about one size are looked at for the figure of the largest; a program may have any number of them.
constexpr std::uint32_t most_looks_at_largest = 2048;

/// Where an engine gets block descriptors from. Descriptors are type-stable: a recycled one may still be
/// read.
class BlockSource {
 public:
  /// A descriptor whose Block part is cleared; throws std::bad_alloc.
  virtual Block* make() = 0;
  virtual void recycle(Block* block) noexcept = 0;

 protected:
  ~BlockSource() = default;
};

}  // namespace clpool::core
