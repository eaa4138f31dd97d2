// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Mem: the object behind every clpool_mem. What all kinds share lives here: identity, sizes, the reference
// count and the way back to where the memory came from. What one kind needs besides lives in a type derived
// from Mem.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cl_names.hpp"
#include "base/process.hpp"
#include "base/status.hpp"

namespace clpool::core {

/// What a piece of memory is; the numbers are those of clpool/mem.h.
enum class MemKind : std::uint8_t {
  buffer = 1,
  sub_region = 2,
  image = 3,
  pipe = 4,
  svm = 5,
  pinned = 6,
  custom = 7,
};

/// "a buffer", "SVM", …: for messages.
const char* kind_name(MemKind kind) noexcept;

/// Whether a descriptor is in somebody's hands. Descriptors are type-stable (recycled, never returned to the
/// host's allocator), so that using one after its release is an error and not undefined behaviour.
enum class MemState : std::uint8_t {
  released = 0,
  live = 1,
  resting = 2,  ///< released to a guarded pool, and not handed out again for a while
  waiting = 3,  ///< released to its thread's cache, though commands may still use it
};

struct Mem;

/// Where memory goes when its last reference is given up.
class MemOwner {
 public:
  /// `mem` is live and has no reference left. Must leave it MemState::released, with handle and pointer null.
  virtual Status take_back(Mem& mem) noexcept = 0;
  /// The same, put off to a later call: must neither wait nor call a driver. By default the next release of
  /// memory of no pool carries it out.
  virtual Status take_back_later(Mem& mem) noexcept;
  /// Said before a command of this library that uses `mem` is enqueued on `queue`: the owner remembers the
  /// use until the command is complete. A failure means that the command must not be enqueued.
  virtual Status begin_use(Mem& mem, cl_command_queue queue) noexcept;
  /// Said before that where the command was put off to some later call.
  virtual void note_put_off_use(Mem& mem) noexcept;
  /// True if commands must leave the rounding bytes beyond `mem` alone although nobody else has them.
  virtual bool keeps_rounding_bytes(const Mem& mem) const noexcept;
  /// True if it tells of mistakes of the program's; `tag`: the mark that the program gave the memory.
  virtual bool is_guarded(const Mem& mem, std::uint64_t& tag) const noexcept;
  /// Context in which the memory lives; null for custom memory. No reference is added.
  virtual cl_context context_of(const Mem& mem) const noexcept = 0;
  /// The buffer object that is no sub-buffer and the offset in it (bytes) at which `mem` begins: what
  /// sub-regions are made from, since OpenCL forbids a sub-buffer of a sub-buffer.
  /// INVALID_OPERATION for memory without a handle.
  virtual Status root_of(const Mem& mem, cl_mem& root, std::size_t& offset) const noexcept = 0;

 protected:
  ~MemOwner() = default;
};

/// The first 64 bytes of every descriptor: all that a pool hit reads and writes.
struct alignas(64) Mem {
  MemOwner* owner = nullptr;
  union {
    std::size_t size = 0;  ///< bytes, as requested; MemState::waiting: the epoch of its release
    Mem* previous;         ///< held back where blocks are found by their size: the one before it
  };
  std::size_t capacity = 0;  ///< bytes, as reserved
  cl_mem handle = nullptr;   ///< buffers, images, pipes
  union {
    void* pointer = nullptr;   ///< SVM, pinned, custom: what has no handle
    void* part;                ///< pooled with a handle: the pool's record of that; null for a whole chunk
    std::uint64_t former_tag;  ///< MemState::resting: the mark that the user gave it
  };
  std::atomic<std::uint32_t> references{
      0};  ///< the program's, and kept_reference for each part, map and view
  MemState state = MemState::released;
  MemKind kind = MemKind::buffer;
  std::uint8_t made_in = 0;  ///< the process that made it: process_generation(), in so far as it fits
  std::uint8_t marks = 0;    ///< pooled: what the release must look at, of Mark; 0 on the hit path
  Mem* next = nullptr;       ///< link of whatever list holds the descriptor while it is released
  void* home = nullptr;      ///< pooled: the thread cache from which it was handed out; null: of no pool

  bool pooled() const noexcept { return home != nullptr; }
};
static_assert(sizeof(Mem) == 64);

/// What a part, a map or a view of the memory adds to its references: above all that the program may have, so that a release of
/// the program's that it has no reference for is seen.
inline constexpr std::uint32_t kept_reference = std::uint32_t{1} << 14;

/// What the release of a pooled block must know.
enum Mark : std::uint8_t {
  look_mark = 1,   ///< it has uses or a tag, or its pool holds back elsewhere than in caches, or may yet
  idle_mark = 2,   ///< the caller says that no command uses it
  known_mark = 4,  ///< the library enqueued its uses or was told of them, where the pool knows of no others
  late_mark =
      8,  ///< a command that was put off was enqueued, of which the caller cannot know whether it is through
  larger_mark = 16,  ///< it is larger than need be, which its thread's cache has counted
  waits_mark = 32,   ///< released, it waits for its pool's queues, and may do so in its thread's cache
  alone_mark =
      64,  ///< held back: the queues that it waits for come after all that used it, but for declared events
};

/// Sets a mark. Several threads may, while the memory is live.
inline void set_mark(Mem& mem, Mark mark) noexcept {
  std::atomic_ref(mem.marks).fetch_or(mark, std::memory_order_relaxed);
}
inline void clear_mark(Mem& mem, Mark mark) noexcept {
  std::atomic_ref(mem.marks).fetch_and(static_cast<std::uint8_t>(~mark), std::memory_order_relaxed);
}
/// The marks where another thread may set one meanwhile: whoever carries out what was put off.
inline std::uint8_t glance_at_marks(Mem& mem) noexcept {
  return std::atomic_ref(mem.marks).load(std::memory_order_relaxed);
}

/// The state where threads that only look (pictures of a pool) may read while the releasing thread writes.
inline void mark_released(Mem& mem) noexcept {
  std::atomic_ref(mem.state).store(MemState::released, std::memory_order_relaxed);
}
inline void mark_resting(Mem& mem, std::uint64_t tag) noexcept {
  mem.former_tag = tag;
  std::atomic_ref(mem.state).store(MemState::resting, std::memory_order_relaxed);
}
inline MemState glance_at_state(Mem& mem) noexcept {
  return std::atomic_ref(mem.state).load(std::memory_order_relaxed);
}

/// INVALID_OPERATION for released memory and, in a child of fork(), for that of the parent. Released memory
/// of a guarded pool is a finding. Called without any lock held.
Status require_live(const Mem& mem) noexcept;

/// INVALID_OPERATION, naming `what`, in a child of fork() of the process that made `mem`.
Status require_own_process(const Mem& mem, const char* what) noexcept;

/// What every owner does to a descriptor that it takes back: MemState::released, nothing left to be read.
void clear_mem(Mem& mem) noexcept;

/// INVALID_OPERATION if `mem` has no cl_mem (SVM, pinned and custom memory).
Status require_handle(const Mem& mem) noexcept;

/// INVALID_OPERATION if the program has no reference of `mem` any more, though something of it may still keep it.
Status require_held(const Mem& mem) noexcept;

/// Gives up one reference of the program's; `is_last` tells whether the owner is to take the memory back. INVALID_OPERATION as
/// require_held().
Status give_up_reference(Mem& mem, bool& is_last) noexcept;

/// Gives up one reference of the program's; the last one of all goes to the owner. INVALID_OPERATION as require_held().
Status release_mem(Mem& mem) noexcept;

/// The same without waiting and without calling a driver, for finalizers.
Status release_mem_later(Mem& mem) noexcept;
/// Leaves memory that is marked as released to the next finish_later_releases().
void put_off_release(Mem& mem) noexcept;

/// Carries out what was put off: of memory of no pool, and of all other objects (LateRelease).
void finish_later_releases() noexcept;

/// Adds one reference of the program's. INVALID_OPERATION as require_held(), and if it has as many as there may be.
Status retain_mem(Mem& mem) noexcept;

/// For what keeps live memory: adds a kept_reference. INVALID_OPERATION if there are as many as there may be.
Status keep_mem(Mem& mem) noexcept;
/// Gives one up; true if the owner is to take the memory back, as it was the last reference of all.
bool let_go_of_mem(Mem& mem) noexcept;

}  // namespace clpool::core
