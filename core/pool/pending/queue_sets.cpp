// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Sets of queues. QueueSet::make(), which calls the driver, and the end of a set: without the pool's mutex; all else with
// it held.
#include "pool/pending/queue_sets.hpp"

#include <utility>

#include "cl/order.hpp"

namespace clpool::core {

Status QueueSet::make(const std::vector<cl_command_queue>& queues, cl_context context,
                      std::unique_ptr<QueueSet>& result) {
  auto made = std::make_unique<QueueSet>();
  for (cl_command_queue queue : queues) {
    CLPOOL_TRY(cl::require_context(queue, context));
    CLPOOL_TRY(made->epochs.add_queue(queue));
  }
  made->key = key_of(made->epochs.queues());  // each once
  result = std::move(made);
  return Status::success;
}

std::uint64_t QueueSet::key_of(const std::vector<cl_command_queue>& queues) noexcept {
  std::uint64_t key = 0;
  for (cl_command_queue queue : queues) {
    const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(queue) * 0x9E3779B97F4A7C15U;
    key += mixed ^ (mixed >> 29);
  }
  return key;
}

QueueSets::~QueueSets() {
  while (first_ != nullptr) {
    delete std::exchange(first_, first_->next);
  }
}

QueueSet* QueueSets::find(const std::vector<cl_command_queue>& queues) const noexcept {
  const std::uint64_t key = QueueSet::key_of(queues);
  return find_if([&](const QueueSet& set) { return set.key == key && set.epochs.is_over(queues); });
}

QueueSet& QueueSets::add(std::unique_ptr<QueueSet> set) noexcept {
  set->next = first_;
  first_ = set.release();
  ++count_;
  return *first_;
}

void QueueSets::drop_if_unused(QueueSet& set, QueueSet*& retired) noexcept {
  if (set.users != 0 || !set.empty()) {
    return;
  }
  for (QueueSet** link = &first_; *link != nullptr; link = &(*link)->next) {
    if (*link == &set) {
      *link = set.next;
      --count_;
      if (set.with_own != nullptr) {
        --set.with_own->users;
      }
      set.next = retired;
      retired = &set;
      return;
    }
  }
}

}  // namespace clpool::core
