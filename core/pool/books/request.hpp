// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Request: one allocation on its way through the books, and Step: what the books want done for it next.
// Whoever runs a request does each step, with the pool's mutex held or without as the step needs, tells the books how it went,
// and asks again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "pool/blocks/pool_block.hpp"

namespace clpool::core {

struct Step {
  enum class Kind : std::uint64_t {  // as wide as the rest: a step is read right after it was written
    done,                            ///< request.block is to be handed out
    empty_caches,  ///< what threads have released, and what their caches hold in so far as it is worth a system call, back into
    ///< the books, some at a time: see Books::look_into_caches_again()
    empty_all_caches,    ///< all that they hold
    release_garbage,     ///< what Books::garbage() holds goes to the driver; then Books::released()
    make_handle,         ///< of request.part; then Books::handle_made() or handle_failed()
    allocate,            ///< a chunk of `amount` bytes; then Books::arrived() or refused()
    poll,                ///< see which uses have ended, without waiting
    look_at_all,         ///< the same, of all that was released so far, behind any number of events
    look_before_growth,  ///< the same, so that it comes to be known which chunks are idle
    settle,  ///< the same for up to `amount` nanoseconds, until all that was enqueued so far has ended, or `needed` is there
    wait,    ///< until Books::help_for() changes or, if the request waits for queues, these are through with
             ///< what they have now, for up to `amount` nanoseconds; then Books::waited()
    end_pools,  ///< see whether pools that have ended can give their last memory back; then
                ///< Books::pools_ended()
    end_rest,   ///< guarded pools: what rests is to come free
    collect,    ///< ask the user's collector
    ask_user,   ///< ask the user whether to try again; then Books::answered()
    fail        ///< with request.failure, whose text is set unless it is out of memory
  };
  Kind kind;
  std::uint64_t amount = 0;
  std::uint64_t needed = 0;  ///< settle: 0, or the bytes of the request: only until it has as much
};

/// How a wait ended.
enum class Waited : std::uint8_t {
  helped,   ///< memory came free, or may be asked for again
  through,  ///< the queues are through with what they had
  over,     ///< nothing that could help is under way any more
  in_vain
};

struct Request {
  // Not defaulted: that would be a loop over all bytes, slow for so few, where this is a few vector stores.
  Request() noexcept { refusal[0] = '\0'; }

  std::size_t size = 0;        ///< bytes, as asked for
  std::uint64_t rounded = 0;   ///< bytes that its block will have
  PoolBlock* block = nullptr;  ///< found
  Part* part = nullptr;        ///< the handle that is being made for it, or that its block was chosen for
  Status failure = Status::success;
  cl_int code = 0;            ///< OpenCL's, of the last refusal; 0 if it was not OpenCL's
  char refusal[192];          ///< what the allocator said of it
  std::uint32_t attempt = 1;  ///< of asking the user
  std::uint32_t account = 0;  ///< whose it is, see Account
  /// Made from within a callback or step of the same pool: asks nobody, waits for nobody.
  bool inside = false;
  bool grew = false;              ///< a new chunk serves it
  bool has_waiting = false;       ///< its thread's cache has blocks that wait for the pool's queues
  bool waits_for_queues = false;  ///< its wait ends when the pool's own queues are through
  bool waits_for_users = false;   ///< of blocks: for a moment, though nothing is on its way

  // The books' own: where in the order of stages it is.
  bool gave_back = false;            ///< chunks went back for it
  bool driver_refused = false;       ///< the allocator had no memory for it
  bool lacked_room = false;          ///< under the pool's own limit, when it last looked
  bool waits_for_room = false;       ///< for others that ask for memory
  bool waits_for_driver = false;     ///< which may have more when queues are through
  bool waited_in_vain = false;       ///< nothing came free for the longest wait
  bool is_patient = false;           ///< first it takes nothing that others may wait for
  bool is_in_line = false;           ///< its account's place in the line is its own
  std::uint32_t done = 0;            ///< bits of what is done once, see Books
  std::uint16_t stage = 0;           ///< place in Books::stages_
  std::uint16_t handles_failed = 0;  ///< how often its handle could not be made
  std::uint64_t wanted = 0;          ///< bytes of a chunk to ask for
  std::uint64_t planned = 0;         ///< bytes of the chunk that was asked for first
  std::uint64_t came_free = 0;       ///< of its account, when it began
  std::uint64_t freed = 0;           ///< of all accounts, then
  std::uint64_t turn = 0;            ///< Books::turn() when a step was given
  std::uint64_t given_back = 0;      ///< given_back_so_far() when it last looked or asked for a chunk
  std::uint64_t went_back = 0;       ///< how often chunks had gone back when it last looked or asked for one
  std::uint64_t refusals = 0;        ///< how often the allocator had refused then
  std::uint64_t waited_before_growth_ns = 0;  ///< 0: it has not, or noted whether that was in vain
  std::uint64_t settled_ns = 0;               ///< for how long it has let things settle
  std::uint64_t waits_since = 0;              ///< when it first waited, nanoseconds; 0: it has not
  std::uint64_t waits_for_users_since = 0;    ///< nanoseconds
  std::uint64_t waited_for_users_ns = 0;      ///< in all
  std::uint16_t looks_for_room = 0;           ///< how often others that asked for memory had it begin again
  std::uint16_t beginnings = 0;               ///< how often it began again since it last waited
};

/// What the books must know of the world when they plan, asked only when needed; and who may have a block in their place.
class Surroundings {
 public:
  /// Requests served so far that earn driver calls (CallBudget).
  virtual std::uint64_t earning_requests() const noexcept = 0;
  /// Whether there are queues to be asked how far they are.
  virtual bool has_queues() const noexcept = 0;
  /// Whether it makes sense to poll them for so many nanoseconds: false while all that could end was polled for as long, in
  /// vain, and has not ended. For a request, which may be null: false, too, while the stream of its thread stands still.
  virtual bool may_settle(const Request* request, std::uint64_t nanoseconds) const noexcept = 0;
  /// How long it makes sense to wait until so many bytes come free: `least` nanoseconds, or longer where the device has
  /// brought as much in a moment.
  virtual std::uint64_t settling_ns(std::uint64_t needed, std::uint64_t least) const noexcept = 0;
  /// Whether it makes sense to look at all that was released so far.
  virtual bool may_look_at_all() const noexcept = 0;
  /// Highest stamp whose uses have ended (see Books::free), and that of what is used now.
  virtual std::uint64_t completed() const noexcept = 0;
  virtual std::uint64_t open() const noexcept = 0;
  /// Whether blocks that threads have released are still to be brought back.
  virtual bool blocks_come_home() const noexcept = 0;
  /// Whether handles must have been used once, in turn, before they are handed out.
  virtual bool uses_parts_once() const noexcept = 0;
  /// Whether ended pools whose memory would help still have some, which were not waited for in vain yet.
  virtual bool ended_pools_remain() const noexcept = 0;
  /// given_back() of the process.
  virtual std::uint64_t given_back_so_far() const noexcept = 0;
  /// A steady clock, nanoseconds.
  virtual std::uint64_t now_ns() const noexcept = 0;
  /// Takes a block that was held back, and that nothing uses any more, for its thread; false if it is to come free for all.
  virtual bool keep(PoolBlock& block) noexcept = 0;

 protected:
  ~Surroundings() = default;
};

}  // namespace clpool::core
