// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Reference counting of memory descriptors.
#include "base/mem.hpp"

#include <utility>

#include "base/arrivals.hpp"
#include "base/finding.hpp"
#include "base/late_release.hpp"

namespace clpool::core {

namespace {

/// Memory of no pool whose release was put off.
constinit Arrivals later_releases;

[[gnu::cold]] Status released_already(const Mem& mem) noexcept {
  const void* const name = &mem;
  if (glance_at_state(const_cast<Mem&>(mem)) != MemState::resting) {
    return fail(Status::invalid_operation, "memory %p was released already", name);
  }
  const auto tag = static_cast<unsigned long long>(mem.former_tag);
  report_finding({}, "released memory is used: %p, a block of %zu bytes with tag %llu", name, mem.size, tag);
  return fail(Status::invalid_operation,
              "memory %p was released already; it was a block of %zu bytes with tag %llu", name, mem.size,
              tag);
}

constexpr std::uint32_t references_of_program(std::uint32_t references) noexcept {
  return references % kept_reference;
}

[[gnu::cold]] Status kept_by_others(const Mem& mem) noexcept {
  const void* const name = &mem;
  if (std::uint64_t tag = 0; mem.owner->is_guarded(mem, tag)) {
    report_finding({},
                   "released memory is used: %p, a block of %zu bytes with tag %llu, which a part, a map or "
                   "a view keeps",
                   name, mem.size, static_cast<unsigned long long>(tag));
  }
  return fail(Status::invalid_operation,
              "memory %p was released already; a part, a map or a view of it keeps it", name);
}

/// Of those that are counted by `mask`.
Status add_reference(Mem& mem, std::uint32_t one, std::uint32_t mask, const char* what) noexcept {
  std::uint32_t references = mem.references.load(std::memory_order_relaxed);
  do {
    if ((references & mask) == mask) {
      return fail(Status::invalid_operation, "memory %p has %u %s, the most that there may be",
                  static_cast<const void*>(&mem), mask / one, what);
    }
  } while (!mem.references.compare_exchange_weak(references, references + one, std::memory_order_relaxed));
  return Status::success;
}

}  // namespace

Status require_live(const Mem& mem) noexcept {
  if (mem.state != MemState::live) {
    return released_already(mem);
  }
  return require_own_process(mem, "the memory");
}

Status require_own_process(const Mem& mem, const char* what) noexcept {
  return mem.made_in == static_cast<std::uint8_t>(process_generation())
             ? Status::success
             : require_own_process(process_generation() - 1, what);
}

Status MemOwner::begin_use(Mem&, cl_command_queue) noexcept {
  return Status::success;
}

void MemOwner::note_put_off_use(Mem&) noexcept {}

bool MemOwner::keeps_rounding_bytes(const Mem&) const noexcept {
  return false;
}

bool MemOwner::is_guarded(const Mem&, std::uint64_t&) const noexcept {
  return false;
}

void clear_mem(Mem& mem) noexcept {
  mem.state = MemState::released;
  mem.owner = nullptr;
  mem.handle = nullptr;
  mem.pointer = nullptr;
  mem.size = 0;
  mem.capacity = 0;
}

Status require_handle(const Mem& mem) noexcept {
  return mem.handle != nullptr
             ? Status::success
             : fail(Status::invalid_operation, "memory %p has no cl_mem", static_cast<const void*>(&mem));
}

Status require_held(const Mem& mem) noexcept {
  CLPOOL_TRY(require_live(mem));
  return references_of_program(mem.references.load(std::memory_order_acquire)) != 0 ? Status::success
                                                                                    : kept_by_others(mem);
}

Status give_up_reference(Mem& mem, bool& is_last) noexcept {
  CLPOOL_TRY(require_held(mem));
  // A count of one cannot change under us: whoever could raise it would need a reference of their own.
  std::uint32_t references = mem.references.load(std::memory_order_acquire);
  while (references != 1) {
    if (references_of_program(references) == 0) {
      return kept_by_others(mem);  // two gave up one reference at once
    }
    if (mem.references.compare_exchange_weak(references, references - 1, std::memory_order_acq_rel)) {
      is_last = false;
      return Status::success;
    }
  }
  is_last = true;
  return Status::success;
}

bool let_go_of_mem(Mem& mem) noexcept {
  const bool is_last = mem.references.fetch_sub(kept_reference, std::memory_order_acq_rel) == kept_reference;
  if (is_last) {
    mem.references.store(1, std::memory_order_relaxed);  // as the program's last one leaves it
  }
  return is_last;
}

Status release_mem(Mem& mem) noexcept {
  bool last = false;
  CLPOOL_TRY(give_up_reference(mem, last));
  const Status status = last ? mem.owner->take_back(mem) : Status::success;
  finish_later_releases();
  return status;
}

Status release_mem_later(Mem& mem) noexcept {
  bool last = false;
  CLPOOL_TRY(give_up_reference(mem, last));
  return last ? mem.owner->take_back_later(mem) : Status::success;
}

Status MemOwner::take_back_later(Mem& mem) noexcept {
  mark_released(mem);
  put_off_release(mem);
  return Status::success;
}

namespace {

void take_back_later_releases(LateRelease&) noexcept {
  Mem* mem = later_releases.take_all();
  while (mem != nullptr) {
    Mem* next = std::exchange(mem->next, nullptr);
    std::atomic_ref(mem->state).store(MemState::live, std::memory_order_relaxed);
    static_cast<void>(mem->owner->take_back(*mem));
    mem = next;
  }
}

/// So that whoever may carry out releases looks at one list for all.
constinit LateRelease release_of_memory{take_back_later_releases};

}  // namespace

void put_off_release(Mem& mem) noexcept {
  after_fork_in_child([]() noexcept {
    static_cast<void>(later_releases.take_all());  // they are the parent's to carry out
    release_of_memory.forget();
  });
  static_cast<void>(later_releases.add(mem));  // it is never closed
  release_of_memory.put_off();
}

void finish_later_releases() noexcept {
  LateRelease::finish_all();
}

Status retain_mem(Mem& mem) noexcept {
  CLPOOL_TRY(require_held(mem));
  return add_reference(mem, 1, references_of_program(UINT32_MAX), "references");
}

Status keep_mem(Mem& mem) noexcept {
  CLPOOL_TRY(require_live(mem));
  return add_reference(mem, kept_reference, ~references_of_program(UINT32_MAX), "parts, maps and views");
}

const char* kind_name(MemKind kind) noexcept {
  switch (kind) {
    case MemKind::buffer:
      return "a buffer";
    case MemKind::sub_region:
      return "a sub-region";
    case MemKind::image:
      return "an image";
    case MemKind::pipe:
      return "a pipe";
    case MemKind::svm:
      return "SVM";
    case MemKind::pinned:
      return "page-locked memory";
    case MemKind::custom:
      return "custom memory";
  }
  return "unknown memory";
}

}  // namespace clpool::core
