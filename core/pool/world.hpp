// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// World: what a pool's books ask of what is around them. With the pool's mutex held, but for what reads nothing but constants and the
// clock.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "base/given_back.hpp"
#include "cl/sub_buffer.hpp"
#include "pool/caches/caches.hpp"
#include "pool/ended_pools.hpp"
#include "pool/pending/pending.hpp"
#include "pool/returns.hpp"

namespace clpool::core {

class World final : public Surroundings {
 public:
  /// `sources`: of the pool's memory, see EndedPools. `wait_ns`: how long its requests wait.
  World(const Caches& caches, const Pending& pending, Returns& returns, const cl::SubBuffers& sub_buffers,
        const std::vector<const void*>& sources, std::uint64_t wait_ns) noexcept
      : sub_buffers_(sub_buffers),
        caches_(caches),
        pending_(pending),
        returns_(returns),
        sources_(sources),
        wait_ns_(wait_ns) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::uint64_t earning_requests() const noexcept override { return caches_.earning_requests(); }
  bool blocks_come_home() const noexcept override { return returns_.has_backlog(); }
  bool has_queues() const noexcept override { return pending_.own().epochs.has_queues(); }
  bool may_settle(const Request* request, std::uint64_t nanoseconds) const noexcept override {
    return pending_.may_settle(request, nanoseconds, now_ns());
  }
  std::uint64_t settling_ns(std::uint64_t needed, std::uint64_t least) const noexcept override {
    // What comes free is for all that wait.
    return pending_.brings(needed, now_ns()) ? Pending::settling_of_one_ns * (returns_.settling + 1) : least;
  }
  bool may_look_at_all() const noexcept override { return pending_.may_look(now_ns()); }
  std::uint64_t completed() const noexcept override { return pending_.own().epochs.completed(); }
  std::uint64_t open() const noexcept override { return pending_.own().epochs.open(); }
  bool uses_parts_once() const noexcept override { return sub_buffers_.uses_once(); }
  bool ended_pools_remain() const noexcept override { return ended_pools.remain_for(sources_, wait_ns_); }
  std::uint64_t given_back_so_far() const noexcept override { return given_back(); }
  std::uint64_t now_ns() const noexcept override { return clock_ns(); }
  bool keep(PoolBlock& block) noexcept override { return returns_.keep(block); }

 private:
  const cl::SubBuffers& sub_buffers_;
  const Caches& caches_;
  const Pending& pending_;
  Returns& returns_;
  const std::vector<const void*>& sources_;
  const std::uint64_t wait_ns_;
};

}  // namespace clpool::core
