// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Progress: how far a pool's queues and events are: looking, settling, waiting, never on one event alone. With the pool's mutex
// held; queues and events are asked, and whoever waits sleeps, without it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/message.hpp"
#include "pool/books/books.hpp"
#include "pool/naps.hpp"
#include "pool/pending/pending.hpp"
#include "pool/rests.hpp"
#include "pool/returns.hpp"
#include "pool/way.hpp"

namespace clpool::core {

class Progress {
 public:
  using Close = Pending::Close;
  /// How many events of an account a look asks about: of those that were waited for in vain before, and of the others. Of ever
  /// more as long as half of these have ended, but of none any more after a millisecond, or, where that is later, after
  /// `deadline_ns`; before that after a tenth of a second where most have not ended and there is memory for the `waiter`, which may
  /// be null. Of all accounts, or of the request's and, for a millisecond, a few of another one, in turn.
  struct Events {
    std::uint64_t most_late = UINT64_MAX;
    std::uint64_t most = UINT64_MAX;
    std::uint64_t deadline_ns = 0;
    bool of_all = true;
    const Request* waiter = nullptr;
  };
  static constexpr Events few_events{8, 8, 0, false, nullptr};

  /// `sink`: for messages, until the pool has ended. `sources`: of its memory, see
  /// EndedPools.
  Progress(Books& books, Pending& pending, Returns& returns, Rests& rests, const MessageSink& sink,
           const std::vector<const void*>& sources) noexcept
      : books_(books), pending_(pending), returns_(returns), rests_(rests), sink_(sink), sources_(sources) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `request`: for which it is made, whose account comes first; or null.
  void look(Way& way, Close close, const Events& events = few_events,
            const Request* request = nullptr) noexcept;
  void look_at_set(Way& way, QueueSet& set, Close close) noexcept;
  /// For a millisecond, in vain if fewer bytes come free than are needed.
  void look_at_all(Way& way, const Request& request) noexcept;
  void look_before_growth(Way& way) noexcept;

  /// Until all that was enqueued so far has ended; for a request: or so many bytes as it needs have come free of its account's,
  /// or Books::may_serve() it; in vain if not, and again by its next one, unless its stream does not get on for long.
  void settle(Way& way, std::uint64_t nanoseconds, const Request* request = nullptr) noexcept;
  void settle_for(Way& way, Request& request, const Step& step) noexcept;
  /// The same again as long as that brings anything: what other queues and events let go then waits for the pool's own queue.
  void settle_all(Way& way, std::uint64_t nanoseconds) noexcept;
  /// In a guarded pool: what rests comes free, if it does within such a time.
  void end_rest(Way& way, std::uint64_t nanoseconds) noexcept;

  /// A request waits by itself, whoever waited in vain before. `on`: what else may serve it, or null.
  Waited wait(Way& way, const Request& request, const OnQueue* on, std::uint64_t nanoseconds) noexcept;

 private:
  void look_at_events(Way& way, const Events& events, const Request* request) noexcept;
  /// Of all but `own`, which may be null.
  void look_at_others(Way& way, const EventLists* own, const Events& events, std::uint64_t soon_ns) noexcept;
  void look_at_lists(Way& way, EventLists& lists, const Events& events, std::uint64_t soon_ns) noexcept;
  /// About the first `left` of a list at most, and for now a `portion` of these.
  template <typename GoesOn>
  void look_at_list(Way& way, EventLists& lists, UsesList& list, std::uint64_t left, std::uint64_t portion,
                    GoesOn&& goes_on) noexcept;
  /// A look that closes all epochs, once more where a driver refuses a marker.
  void look_closely(Way& way, const Events& events, const Request* request = nullptr) noexcept;
  Events events_of_waiter() noexcept;
  Waited wait_for_memory(Way& way, const Request& request, const OnQueue* on, std::uint64_t help,
                         std::uint64_t deadline) noexcept;
  /// Leaves the mutex for a moment, or until something changes.
  void nap(Way& way, Naps& naps, std::uint64_t deadline) noexcept;

  Books& books_;
  Pending& pending_;
  Returns& returns_;
  Rests& rests_;
  const MessageSink& sink_;
  const std::vector<const void*>& sources_;
  std::uint64_t waiters_looked_ns_ = 0;  ///< when one that waits last looked at the queues
};

}  // namespace clpool::core
