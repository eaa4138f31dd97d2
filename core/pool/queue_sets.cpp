// Sets of queues.
#include "pool/queue_sets.hpp"

#include <utility>

namespace clpool::core {

Status QueueSet::make(const std::vector<cl_command_queue>& queues, std::unique_ptr<QueueSet>& result) {
  auto made = std::make_unique<QueueSet>();
  for (cl_command_queue queue : queues) {
    CLPOOL_TRY(made->epochs.add_queue(queue));
  }
  result = std::move(made);
  return Status::success;
}

QueueSets::~QueueSets() {
  while (first_ != nullptr) {
    delete std::exchange(first_, first_->next);
  }
}

QueueSet* QueueSets::find(const std::vector<cl_command_queue>& queues) const noexcept {
  QueueSet* set = first_;
  while (set != nullptr && !set->epochs.is_over(queues)) {
    set = set->next;
  }
  return set;
}

QueueSet& QueueSets::add(std::unique_ptr<QueueSet> set) noexcept {
  set->next = first_;
  first_ = set.release();
  return *first_;
}

void QueueSets::drop_if_unused(QueueSet& set, QueueSet*& retired) noexcept {
  if (set.users != 0 || set.first != nullptr) {
    return;
  }
  for (QueueSet** link = &first_; *link != nullptr; link = &(*link)->next) {
    if (*link == &set) {
      *link = set.next;
      set.next = retired;
      retired = &set;
      return;
    }
  }
}

}  // namespace clpool::core
