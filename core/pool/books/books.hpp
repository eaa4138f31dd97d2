// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books: what a pool has, who has it, and what is to be done next. Chunks, blocks, living handles, what is
// held back, limits and counts; the order of steps by which a request is served (recovery.cpp). Pure
// bookkeeping: no OpenCL, no lock, no clock, no callback, nothing that waits. The pool calls everything here
// with its mutex held, but for begin() and rules(), which read only what never changes, and leaves it for the steps
// that call a driver or the user.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/fifo.hpp"
#include "base/pause.hpp"
#include "engine/call_budget.hpp"
#include "engine/strategy.hpp"
#include "pool/blocks/block_store.hpp"
#include "pool/blocks/held_back.hpp"
#include "pool/blocks/parts.hpp"
#include "pool/books/account.hpp"
#include "pool/books/line.hpp"
#include "pool/books/request.hpp"
#include "pool/books/waited_slack.hpp"
#include "pool/pool_options.hpp"

namespace clpool::core {

/// What an allocator's memory allows.
struct MemoryRules {
  std::uint64_t granule = 1;
  std::uint64_t max_chunk_bytes = 0;  ///< 0 = unknown
  bool has_handles = false;           ///< parts of chunks need a handle each: buffers
  bool outlives_release =
      true;  ///< the driver keeps memory that is given back until the commands on it have ended
  bool goes_behind_queue =
      false;                 ///< what is given back is free when a queue is through with what it has then
  bool guarded = false;      ///< blocks rest before they are free
  std::uint64_t margin = 0;  ///< guarded: bytes that a block has beyond those that are asked for
  bool writes_chunks =
      false;  ///< a command writes to a chunk, or moves it, before it is handed out: others come after it
  bool uses_are_known = true;  ///< false: commands may use the memory of which nobody told, on unknown queues
};

/// What is to go to the driver.
struct Garbage {
  Fifo<PoolChunk, HeapChunk> chunks;  ///< in the order in which they go
  DyingParts parts;                   ///< these go before the chunks
  std::uint64_t bytes = 0;            ///< of the chunks
  bool empty() const noexcept { return chunks.empty() && parts.empty(); }
};

class Books {
 public:
  Books(const PoolOptions& options, const MemoryRules& rules, Surroundings& surroundings);

  // Requests.
  /// INVALID_VALUE for a size that no device could serve.
  Status begin(std::size_t size, Request& request) const noexcept {
    const std::uint64_t most = rules_.max_chunk_bytes;
    request.size = size;
    request.rounded = strategy_->rounded(size + rules_.margin);
    const bool fits =
        size <= PTRDIFF_MAX && request.rounded >= size && (most == 0 || request.rounded <= most);
    return fits ? Status::success : begin_too_large(size, request);
  }
  /// Whether a free block serves a request that has just begun, without any step. Else next() goes on.
  bool serves_at_once(Request& request) {
    if (!is_at_ease(request)) {
      return false;
    }
    Block* const block = take_within(request, growth_limits());
    if (block == nullptr) {
      request.stage = 1;  // behind take_free(), which would find none either
      request.turn = turn_;
      return false;
    }
    request.block = &pool_block(*block);
    if (!rules_.has_handles) {
      set_address(*request.block);
    } else if (request.part != nullptr) {
      take_living_handle(request);
    } else {
      return false;
    }
    request.block->virgin = false;
    return true;
  }
  /// The next step. Throws std::bad_alloc, and then the request holds nothing.
  Step next(Request& request);
  /// Where it would wait: whether it leaves what is free to the first one in line.
  bool would_wait_for_first(const Request& request) const noexcept {
    return leaves_to_first(request) && is_much_pending(request) && may_wait(request);
  }
  /// A block that is at hand without any step, or null.
  PoolBlock* take_at_once(Request& request);
  void arrived(Request& request, std::unique_ptr<PoolChunk> chunk);
  void refused(Request& request, Status status, cl_int code) noexcept;
  void handle_made(Request& request, cl_mem handle, bool used_once) noexcept;
  void handle_failed(Request& request, Status status, cl_int code) noexcept;
  void pools_ended(Request& request, bool any) noexcept;
  void collected(Request& request) noexcept;
  void waited(Request& request, Waited how) noexcept;
  void answered(Request& request, bool again) noexcept;
  /// The allocator may have more, by others than this pool.
  void others_gave_back() noexcept {
    ++came_free_;
    ++went_back_;
  }
  /// Memory came back from somewhere else after the request had failed.
  void begin_anew(Request& request) noexcept;

  /// The caches have more than they have given up so far.
  static void look_into_caches_again(Request& request) noexcept {
    request.done &= ~static_cast<std::uint32_t>(caches_emptied);
  }

  // Blocks that come back.
  /// Free for any request. `stamp`: in-order queues may use it up to that epoch; 0: nothing uses it.
  void free(PoolBlock& block, std::uint64_t stamp) noexcept;
  /// Guarded pools: free() only lists the blocks, as pending and with the stamp (stamp_of()). The pool takes
  /// that list, linked by next, and frees each of them when it has rested.
  Mem* take_freed() noexcept { return std::exchange(freed_, nullptr); }
  void free_rested(PoolBlock& block) noexcept;
  /// Kept until `stamp` of its uses has ended.
  void hold_back(HeldBack& list, PoolBlock& block, std::uint64_t stamp) noexcept;
  /// A block that was pending elsewhere, and whose uses have ended.
  void free_completed(PoolBlock& block, std::uint64_t stamp) noexcept;
  /// Frees what is held back up to `completed`, so many blocks at most, unless its thread keeps it; returns how many there
  /// were. `stamp` is as for free().
  std::size_t free_completed(HeldBack& list, std::uint64_t completed, std::uint64_t stamp,
                             std::size_t most = SIZE_MAX) noexcept;
  /// Takes back the oldest block of just that capacity, for a request that needs not wait for it; null if there is none.
  PoolBlock* take_held_back(HeldBack& list, std::uint64_t capacity) noexcept;
  /// A block that waits elsewhere (for events) counts as pending from the one to the other.
  void count_pending(PoolBlock& block) noexcept;
  void end_pending(PoolBlock& block) noexcept;

  // What is held.
  /// Idle chunks, larger ones first, until at most `most_held` bytes are held. Others stay, also where the
  /// driver would keep them for their commands: some drivers wait for these.
  void give_back_beyond(std::uint64_t most_held) noexcept;
  void keep_to_held_limit() noexcept { give_back_beyond(most_held()); }
  void give_back_aged() noexcept;
  /// Free chunks that may go, about `most` at a time: all of the rest at once where others have to stay, so
  /// that those are not looked at again and again. False if there are no more.
  bool give_back_some(std::size_t most) noexcept;
  /// The same until at most `keep_bytes` are held, and at a pool's end, when nobody is asked any more.
  bool trim_some(std::uint64_t keep_bytes, std::size_t most) noexcept;
  bool give_back_at_end(std::size_t most) noexcept;
  /// Memory that commands may use of which nobody told: it stays, however far the pool's queues are.
  enum class Staying : bool { counts, is_left_out };
  /// True if some free chunk must stay because queues may use it.
  bool has_busy_chunk(Staying staying = Staying::counts) const noexcept;
  bool over_held_limit() const noexcept {
    // What rests in a guarded pool does not go by that.
    return most_held() != UINT64_MAX && is_held_beyond(most_held()) &&
           (strategy_->next_free_chunk() != nullptr || (pending_blocks_ != 0 && !rules_.guarded));
  }
  void hold(bool holding) noexcept { holding_ = holding; }
  bool holding() const noexcept { return holding_; }

  // What is to be released without a lock.
  const Garbage& garbage() const noexcept { return garbage_; }
  /// Takes it out; its parts and its bytes are to be reported to released().
  Garbage take_garbage() noexcept;
  void released(std::uint64_t bytes) noexcept;
  void released(Part& part) noexcept;

  /// Changes whenever memory has come free or an attempt to get some has ended.
  std::uint64_t turn() const noexcept { return turn_; }
  /// Changes whenever something has happened that may help a request that waits. That another one was refused
  /// is none, where it did not keep the last room from this one: two would ask the driver in turn for ever.
  std::uint64_t help_for(const Request& request) const noexcept {
    return request.block != nullptr ? turn_ : came_free_ + (request.waits_for_room ? refusals_ : 0);
  }
  /// True while something is on its way that may help a request that has found nothing.
  bool help_is_under_way(const Request& request) const noexcept {
    return pending_blocks_ != 0 || reserved_bytes_ != 0 || leaving_bytes_ != 0 || leaving_parts_ != 0 ||
           (request.driver_refused && surroundings_.ended_pools_remain());
  }
  /// A request that has no block looks for memory, of an account that is known.
  void note_beginning(Request& request) const noexcept {
    request.came_free = account_of(request).came_free();
    request.freed = freed_bytes_;
  }
  /// Blocks of other accounts came free since the request began: what their threads use now may follow before long.
  bool others_go_on(const Request& request) const noexcept {
    return freed_bytes_ - request.freed > account_of(request).came_free() - request.came_free;
  }
  /// The highest stamp with which anything was freed, made, or given back behind a queue.
  std::uint64_t newest_stamp() const noexcept { return newest_stamp_; }
  /// Of what went back to the driver: commands up to it may still keep some of that.
  std::uint64_t gone_stamp() const noexcept { return gone_stamp_; }
  /// So little is held back that nobody will wait for it before long.
  bool has_little_held_back() const noexcept { return pending_bytes_ <= least_slack / 2; }
  /// Bytes that may be held back without being waited for: what queues may cost.
  std::uint64_t slack() const noexcept {
    constexpr std::uint64_t part = 8;  // of what the pool has
    // Not a part of what is held back, which would let more be held back.
    return std::max(least_slack, (managed_bytes() - std::min(managed_bytes(), pending_bytes_)) / part);
  }
  WaitedSlack& waited_slack() noexcept { return waited_slack_; }
  void note_wait(std::uint64_t start_ns, std::uint64_t end_ns) noexcept {
    waited_slack_.note_wait(start_ns, end_ns, {freed_bytes_, freed_blocks_}, pending_bytes_);
  }
  /// Whether the request need not wait for what is held back: there is a block for it, or little is held back.
  bool may_serve(const Request& request) noexcept;
  /// No more than may be held back is, with it and `besides`, bytes that wait elsewhere, and it has room.
  bool is_little_pending(const Request& request, std::uint64_t besides = 0) const noexcept {
    return !would_exceed_slack(request, besides) && has_room(request);
  }
  /// Whether there is any free block for a request that has found none, or memory to go back for one.
  bool has_any_for(const Request& request) const noexcept {
    const std::uint64_t bytes = request.lacked_room ? room() : 0;
    return strategy_->find(request.rounded) != nullptr ||
           bytes + free_chunks(UINT64_MAX, request.rounded) >= request.rounded;
  }
  /// The first one in line is another's, and waits for a much larger block, or for one of that size at least where the request's
  /// account has its part of the pool held back: what is free, and room, is for that one.
  bool leaves_to_first(const Request& request) const noexcept {
    return !line_.is_empty() && yields_to_first(request);
  }
  /// The request is served, or has failed: what others left to it they may take now.
  void leave_line(Request& request) noexcept {
    if (std::exchange(request.is_in_line, false)) {
      line_.leave(request.account);
      ++turn_;
    }
  }
  /// The pool's limit leaves no room for it.
  bool lacks_room(const Request& request) const noexcept { return request.rounded > room(); }
  /// What a request waits for, where it does, are the other accounts' blocks as well.
  bool waits_for_others(const Request& request) const noexcept {
    return lacks_room(request) ? strategy_->exchanges_chunks() : account_of(request).awaited() == 0;
  }
  /// More than the account may have held back has been added to what it waited for in vain.
  bool is_beyond_tolerated(const Account& account) const noexcept {
    return account.awaited() - std::min(account.awaited(), account.tolerated()) >
           share_of(awaited(account), most_held_back());
  }
  /// Others' blocks came free, by far more than may be held back, and none of the account's.
  bool stands_still(const Account& account) const noexcept {
    return account.stands_still(freed_bytes_, most_held_back());
  }
  /// Bytes of blocks that were held back and have come free.
  std::uint64_t freed_bytes() const noexcept { return freed_bytes_; }
  Account& account_of(const Request& request) noexcept { return accounts_[request.account]; }
  const Account& account_of(const Request& request) const noexcept { return accounts_[request.account]; }
  /// Is waited for again, whatever was waited for in vain before.
  void forget_waits() noexcept {
    for (Account& account : accounts_) {
      account.forget_waits();
    }
  }

  const MemoryRules& rules() const noexcept { return rules_; }
  const Strategy& strategy() const noexcept { return *strategy_; }
  std::uint64_t managed_bytes() const noexcept { return chunks_.bytes; }
  /// Chunks that went back to the driver for new ones so far.
  std::uint64_t exchanged_chunks() const noexcept { return exchanged_chunks_; }
  std::uint64_t pending_blocks() const noexcept { return pending_blocks_; }
  std::uint64_t pending_bytes() const noexcept { return pending_bytes_; }
  /// Bytes that are held though no block can be made of them: see Part::excess.
  std::uint64_t excess_bytes() const noexcept { return excess_bytes_; }
  void add_to(PoolStats& stats) const noexcept;
  const char* check() const noexcept;

 private:
  /// True if `step` is to be done, or the request has come further and is to be asked again (Step::Kind::done
  /// and no block); false if it is the next stage's turn, unless a block was found.
  using Stage = bool (Books::*)(Request&, Step&);
  static const Stage stages_[];
  /// Where a stage is among them.
  static std::uint16_t place_of(Stage stage) noexcept;
  /// What a request does only once (or once after each wait).
  enum Once : std::uint32_t {
    caches_emptied = 1U << 0,
    looked = 1U << 1,
    pending_settled = 1U << 2,
    settled_before_peak = 1U << 3,
    grown = 1U << 4,
    grown_exactly = 1U << 5,
    collected_once = 1U << 6,
    retried = 1U << 7,
    all_caches_emptied = 1U << 8,
    exact_tried = 1U << 9,
    queues_through = 1U << 10,
    ended_pools_asked = 1U << 11,
    rest_ended = 1U << 12,
    tried_to_the_last = 1U << 13,
    looked_before_growth = 1U << 14,
    looked_at_all = 1U << 15,
    // What a request that begins again does not do again: polling instead of waiting, asking the user; and
    // asking the driver, unless that may have more by now.
    settled_for_good = looked_at_all | pending_settled | settled_before_peak | looked_before_growth,
    asked_for_good = collected_once | retried | tried_to_the_last,
    asked_the_driver = grown | grown_exactly | exact_tried,
  };
  static void begin_again(Request& request, bool asks_driver) noexcept;
  /// Whether the allocator, or the pool's own limit, may have more than when the request last looked.
  bool may_be_more(const Request& request) const noexcept;
  bool more_went_back(const Request& request) const noexcept;
  void note_look(Request& request) const noexcept;
  static bool once(Request& request, Once what) noexcept;
  /// True if the failure may be answered by giving memory back or asking for less: out of memory, or a size
  /// over the device's limit that rounding up made.
  static bool may_recover(Status status, cl_int code, bool was_rounded) noexcept;

  bool take_free(Request& request, Step& step);
  bool empty_caches(Request& request, Step& step);
  bool empty_all_caches(Request& request, Step& step);
  bool look_at_pending(Request& request, Step& step);
  bool look_at_all(Request& request, Step& step);
  bool settle_pending(Request& request, Step& step);
  bool take_left(Request& request, Step& step);
  bool look_before_growth(Request& request, Step& step);
  bool settle_before_peak(Request& request, Step& step);
  bool grow(Request& request, Step& step);
  bool take_misfit(Request& request, Step& step);
  bool grow_exactly(Request& request, Step& step);
  bool end_pools(Request& request, Step& step);
  bool end_rest(Request& request, Step& step);
  bool collect(Request& request, Step& step);
  bool retry(Request& request, Step& step);
  bool take_larger(Request& request, Step& step);
  bool give_back_for_rounded(Request& request, Step& step);
  bool try_exact(Request& request, Step& step);
  bool give_back_for_exact(Request& request, Step& step);
  bool wait(Request& request, Step& step);
  bool try_to_the_last(Request& request, Step& step);
  bool ask_user(Request& request, Step& step);
  bool give_up(Request& request, Step& step);

  /// See slack(): however little the pool has.
  static constexpr std::uint64_t least_slack = std::uint64_t{64} * 1024 * 1024;

  static void set_address(PoolBlock& block) noexcept {
    const std::uint64_t address = pool_chunk(*block.chunk).memory.value + block.offset;
    block.pointer = reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
  }

  /// For a size beyond what a block may have, if not just by its rounding.
  Status begin_too_large(std::size_t size, Request& request) const noexcept;
  /// Under an unused handle of just that size, or a little more, where there are handles.
  Block* take_place(Request& request, const GrowthLimits& limits);
  Block* take_place_of(Part& part, Request& request, const GrowthLimits& limits);
  /// Bytes by which its place may be larger than need be.
  std::uint64_t most_excess(const Request& request) const noexcept;
  Block* take_within(Request& request, const GrowthLimits& limits) {
    Block* block = shapes_ != nullptr ? take_place(request, limits) : nullptr;
    return block != nullptr ? block : take(request, strategy_->choose(request.rounded, limits));
  }
  /// Of a free block, which may be null.
  Block* take(const Request& request, Block* free) {
    return free != nullptr ? strategy_->take(*free, request.rounded) : nullptr;
  }
  GrowthLimits limits_of(const Request& request) noexcept {
    return request.is_patient ? patient_limits() : growth_limits();
  }
  void free_now(PoolBlock& block, std::uint64_t stamp) noexcept;
  /// A block that was held back comes free.
  void note_free(const PoolBlock& block) noexcept {
    freed_bytes_ += block.capacity;
    ++freed_blocks_;
    accounts_[block.account].note_free(block.capacity, most_held_back(), freed_bytes_);
  }
  /// To the strategy; the wholly free chunk that resulted, or null.
  HeapChunk* put_back(Block& block, std::uint64_t stamp) noexcept;
  bool give_back_for(Request& request, std::uint64_t bytes);
  /// Enters the block, or null. False, for the next stage: the same one would come to the same place again if
  /// there is no handle to be had there.
  static bool found(Request& request, Block* block) noexcept;
  static bool want(Request& request, std::uint64_t bytes) noexcept;
  /// Of the place that its block was chosen for.
  void take_living_handle(Request& request) noexcept;
  /// One that was taken.
  void use_living_handle(Request& request) noexcept;
  /// There is no handle to be had for it.
  void lose_block(Request& request) noexcept;
  /// From which the way to the handle of a block that is handed out is short; null: none is known.
  Part* part_beside(const Block& block) const noexcept;
  /// `amount`: of the step, where it has one. With request.block null the request is to be asked again.
  Step::Kind handle_step(Request& request, std::uint64_t& amount);
  Step::Kind chunk_step(Request& request, std::uint64_t& amount);
  void discard(HeapChunk& chunk) noexcept;
  void enter_garbage(HeapChunk& chunk) noexcept;
  bool is_idle(const HeapChunk& chunk) const noexcept;
  bool may_give_back(const HeapChunk& chunk) const noexcept;
  bool is_held_beyond(std::uint64_t most_held) const noexcept;
  /// The slack, or a multiple where the device gets more done with that.
  std::uint64_t most_held_back() const noexcept {
    return waited_slack_.times() * slack();  // a pool has less than 2^63 bytes, so that this fits
  }
  /// … with that request: a try is for one more of its blocks, which may be larger than the slack, where no other thread has
  /// less for that. What takes the device long is not worth so much memory.
  std::uint64_t most_held_back(const Request& request) const noexcept {
    constexpr std::uint64_t largest = std::uint64_t{512} * 1024 * 1024;
    const std::uint64_t times = waited_slack_.times();
    const auto blocks = static_cast<std::uint64_t>(std::bit_width(times));
    const std::uint64_t of_blocks =
        blocks * std::min({request.rounded, largest, waited_slack_.largest_block()});
    const std::uint64_t most = most_held_back();
    return times != 1 && of_blocks > most && is_alone(request) ? of_blocks : most;
  }
  /// What is held back and is likely to come free before long: of that account, and of the others that do not stand still.
  struct Awaited {
    std::uint64_t bytes = 0;
    std::uint64_t accounts = 0;  ///< that have some, or just had
    std::uint64_t ever = 0;      ///< that had some at any time
  };
  Awaited awaited(const Account& own) const noexcept;
  /// No other account has any.
  bool is_alone(const Request& request) const noexcept {
    const Account& own = account_of(request);
    const Awaited all = awaited(own);
    return all.accounts <= 1 && all.bytes == own.awaited();
  }
  /// Bytes that each of them may have held back while all together have more than may be, `most`.
  static std::uint64_t share_of(const Awaited& all, std::uint64_t most) noexcept {
    return most / std::max<std::uint64_t>(all.accounts, 1);
  }
  /// Nothing is waited for, whatever is free.
  bool is_at_ease(const Request& request) const noexcept {
    return !would_exceed_slack(request) && line_.is_empty() &&
           (pending_bytes_ == 0 || request.rounded <= room());
  }
  std::uint64_t settling_left(const Request& request) const noexcept;
  bool may_wait(const Request& request) const noexcept;
  /// Of who waits rather than cut up what others may wait for.
  GrowthLimits patient_limits() noexcept;
  /// More would be held back than may be without a wait, or there is no room for what is needed besides; and the request's
  /// account has its share of that.
  bool is_much_pending(const Request& request) const noexcept {
    return pending_bytes_ != 0 && !is_little_pending(request) && is_beyond_share(request, has_room(request));
  }
  /// The rest of both, which hardly any request asks.
  bool is_beyond_share(const Request& request, bool may_grow) const noexcept;
  bool yields_to_first(const Request& request) const noexcept;
  /// Then: others, too, have some held back, and what is free is for those that have less than their share. The request is to
  /// wait until as much as it needs has come free of its own account's.
  bool waits_for_own(const Request& request) const noexcept;
  /// Whether the pool may take a chunk for it.
  bool has_room(const Request& request) const noexcept {
    return request.rounded <= room() && !leaves_to_first(request);
  }
  /// More than may be held back is, with it. Hardly any request asks the rest.
  bool would_exceed_slack(const Request& request, std::uint64_t besides = 0) const noexcept {
    const std::uint64_t pending = pending_bytes_ + request.rounded + besides;
    return pending > least_slack && pending > most_held_back() && pending > most_held_back(request);
  }
  /// It is to take nothing that is free, though it finds some.
  bool leaves_free(const Request& request) const noexcept {
    return waits_for_own(request) || leaves_to_first(request) ||
           (waited_slack_.is_too_much(pending_bytes_) && is_alone(request));
  }
  /// Where the pool's limit leaves no room for it.
  void join_line(Request& request) noexcept;
  /// There is none, but chunks that are much too small for the request are free and may go.
  bool small_chunks_make_room(const Request& request) noexcept;
  /// Bytes of wholly free chunks of at most `largest` bytes that may go, as far as they are needed; of so many chunks, as each look
  /// of each request that waits asks about them.
  static constexpr int few_chunks = 64;
  std::uint64_t free_chunks(std::uint64_t largest, std::uint64_t needed,
                            int most_chunks = few_chunks) const noexcept;
  /// Whether free chunks go back for the request, as the pool would have more than ever, and so whether they are idle matters.
  bool exchanges(const Request& request) const noexcept;
  /// Whether a free chunk may go back when the queues are through.
  bool awaits_chunks() const noexcept;
  std::uint64_t wait_before_growth_ns() const noexcept;
  /// Bytes that may be held: none where the pool has stopped holding.
  std::uint64_t most_held() const noexcept { return holding_ ? options_.max_held_bytes : 0; }
  /// Bytes that the pool may still take.
  std::uint64_t room() const noexcept {
    const std::uint64_t taken = chunks_.bytes + reserved_bytes_ + leaving_bytes_;
    const std::uint64_t most = std::min(options_.max_bytes, std::uint64_t{INT64_MAX});  // counts are signed
    return most - std::min(most, taken);
  }
  bool may_fit(std::uint64_t bytes) const noexcept;
  /// Calls `action` for each wholly free chunk, larger ones first, until it returns false, which is returned then. It may
  /// discard the chunk.
  template <typename Action>
  bool for_each_free_chunk(Action&& action) const;
  GrowthLimits growth_limits() noexcept {
    // Seldom, as what is little goes by it, which takes long to work out (Coalescing::pinned()).
    constexpr unsigned looks_a_budget = 64;
    if (looks_at_budget_++ % looks_a_budget == 0) [[unlikely]] {
      calls_left_ = budget_.left(surroundings_.earning_requests());
    }
    return {.max_chunk_bytes = rules_.max_chunk_bytes,
            .room = room(),
            .peak_managed_bytes = peak_managed_bytes_,
            .calls_left = calls_left_,
            .most_blocks = shapes_ != nullptr ? Parts::most_blocks : UINT64_MAX};
  }

  const PoolOptions& options_;
  Surroundings& surroundings_;
  // From here to line_, of which whether it is empty, is what each request and release reads.
  BlockStore blocks_;
  const MemoryRules rules_;
  const std::unique_ptr<Strategy> strategy_;
  const ChunkList& chunks_;                   ///< the strategy's
  const std::unique_ptr<Shapes> shapes_;      ///< null unless parts need handles
  double calls_left_ = CallBudget::at_first;  ///< what the budget said last, not long ago
  std::uint64_t leaving_bytes_ = 0;  ///< of chunks that left the books and have not reached the allocator yet
  std::uint64_t reserved_bytes_ = 0;  ///< of chunks that are being asked for
  std::uint64_t peak_managed_bytes_ = 0;
  std::uint64_t excess_bytes_ = 0;  ///< of blocks at places that are larger than need be
  std::uint64_t refusals_ = 0;      ///< how often the allocator had none
  std::uint64_t turn_ = 0;
  std::uint64_t came_free_ = 0;  ///< how often memory came free
  std::uint64_t pending_blocks_ = 0;
  std::uint64_t pending_bytes_ = 0;
  std::uint64_t newest_stamp_ = 0;
  std::uint64_t next_idle_ = 0;  ///< no free chunk may go before this stamp is complete
  bool holding_ = true;
  unsigned looks_at_budget_ = 0;
  Garbage garbage_;
  std::uint64_t leaving_parts_ = 0;  ///< handles that left the books and have not reached the driver yet
  std::uint64_t handles_made_ = 0;
  std::uint64_t misses_ = 0;
  Line line_;
  CallBudget budget_;
  Mem* freed_ = nullptr;
  WaitedSlack waited_slack_;
  std::uint64_t held_back_so_far_ = 0;  ///< bytes
  std::uint64_t freed_bytes_ = 0;
  std::uint64_t freed_blocks_ = 0;
  std::uint64_t went_back_ = 0;   ///< how often chunks reached the allocator
  std::uint64_t gone_stamp_ = 0;  ///< the highest of the chunks that went back: their commands may run yet
  Pause growth_pause_;            ///< in which requests wait for a moment at most before the pool grows
  std::uint64_t driver_allocations_ = 0;
  std::uint64_t driver_releases_ = 0;
  std::uint64_t exchanged_chunks_ = 0;
  std::uint64_t out_of_memory_events_ = 0;
  std::array<Account, Account::most> accounts_;
};

template <typename Action>
bool Books::for_each_free_chunk(Action&& action) const {
  for (HeapChunk* chunk = strategy_->next_smaller_chunk(nullptr); chunk != nullptr;) {
    HeapChunk* const next = strategy_->next_smaller_chunk(chunk);
    if (!action(*chunk)) {
      return false;
    }
    chunk = next;
  }
  return true;
}

}  // namespace clpool::core
