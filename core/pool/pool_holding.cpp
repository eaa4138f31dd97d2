// How much a pool holds: giving it all back, or down to a limit, or what is old.
#include <chrono>

#include "pool/borrowed.hpp"
#include "pool/uses.hpp"

namespace clpool::core {

std::uint64_t Pool::cached_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const ThreadCache* cache = caches_; cache != nullptr; cache = cache->next) {
    bytes += cache->cached_bytes;
  }
  return bytes;
}

bool Pool::over_held_limit() const noexcept {
  // Where there is a limit, nothing is cached.
  return options_.max_held_bytes != UINT64_MAX &&
         strategy_->free_bytes() + pending_bytes_ > options_.max_held_bytes &&
         strategy_->largest_free_chunk() != nullptr;
}

void Pool::give_back_beyond(std::uint64_t most_held) noexcept {
  while (strategy_->free_bytes() + pending_bytes_ > most_held) {
    HeapChunk* chunk = strategy_->largest_free_chunk();
    if (chunk == nullptr || !is_idle(*chunk)) {
      return;
    }
    give_chunk_back(*chunk);
  }
}

void Pool::give_back_aged() noexcept {
  if (options_.decay_ns == 0) {
    return;
  }
  const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  for (HeapChunk* chunk = strategy_->first_chunk(); chunk != nullptr;) {
    HeapChunk* next = chunk->next;
    const bool unused = chunk->first->free && is_whole_chunk(*chunk->first);
    if (unused && now - pool_chunk(*chunk).last_used_ns >= options_.decay_ns && is_idle(*chunk) &&
        strategy_->free_bytes() + pending_bytes_ > options_.release_threshold) {
      give_chunk_back(*chunk);
    }
    chunk = next;
  }
}

void Pool::give_back_all() noexcept {
  if (frees_at_once()) {
    for (HeapChunk* chunk = strategy_->first_chunk(); chunk != nullptr;) {
      HeapChunk* next = chunk->next;
      if (chunk->first->free && is_whole_chunk(*chunk->first) && is_idle(*chunk)) {
        give_chunk_back(*chunk);
      }
      chunk = next;
    }
    return;
  }
  while (HeapChunk* chunk = strategy_->next_free_chunk()) {
    give_chunk_back(*chunk);
  }
}

void Pool::free_held() {
  finish_later_releases();
  std::unique_lock lock(mutex_);
  flush_all();
  if (frees_at_once()) {
    settle(lock, settling_for_a_better_fit_ns);
  }
  collect_finished(lock);
  give_back_all();
  share_limits();
  unlock_and_dispose(lock);
}

void Pool::stop_holding() {
  {
    const std::lock_guard lock(mutex_);
    holding_ = false;
    share_limits();
  }
  free_held();
}

void Pool::trim(std::uint64_t keep_bytes) {
  finish_later_releases();
  std::unique_lock lock(mutex_);
  flush_all();
  if (frees_at_once()) {
    settle(lock, settling_for_a_better_fit_ns);
  }
  collect_finished(lock);
  while (strategy_->free_bytes() + pending_bytes_ > keep_bytes) {
    HeapChunk* chunk = strategy_->largest_free_chunk();
    if (chunk == nullptr || !may_give_back(*chunk)) {
      break;
    }
    give_chunk_back(*chunk);
  }
  share_limits();
  unlock_and_dispose(lock);
}

void Pool::tick() {
  finish_later_releases();
  if (epochs_.has_queues()) {
    close_epoch();
    epochs_.poll();
  }
  std::unique_lock lock(mutex_);
  collect_finished(lock);
  if (options_.release_threshold != 0 || options_.decay_ns != 0) {
    flush_all();
    give_back_aged();
    if (options_.decay_ns == 0) {
      give_back_beyond(options_.release_threshold);
    }
  }
  share_limits();
  unlock_and_dispose(lock);
}

}  // namespace clpool::core
