// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "held.hpp"

#include <vector>

namespace clpool::load {
namespace {

std::uint32_t new_stamp() {
  static std::atomic<std::uint32_t> last{0};
  std::uint32_t stamp = ++last;
  return stamp != 0 ? stamp : ++last;
}

/// A wait list of up to two events.
class WaitList {
 public:
  explicit WaitList(const Event& first) { add(first); }
  WaitList(const Event& first, const Event& second) : WaitList(first) { add(second); }
  cl_uint count() const { return count_; }
  const cl_event* events() const { return count_ == 0 ? nullptr : events_; }

 private:
  void add(const Event& event) {
    if (event) {
      events_[count_++] = event.get();
    }
  }
  cl_event events_[2] = {};
  cl_uint count_ = 0;
};

void expect_cl(cl_int code, const char* what) {
  if (code != CL_SUCCESS) {
    report().wrong("%s: OpenCL error %d", what, code);
  }
}

}  // namespace

Held::Held(const Arena& arena, clpool_mem* mem, Queue queue, bool is_pooled)
    : mem_(mem),
      queue_(std::move(queue)),
      foreign_(arena.foreign),
      context_(arena.context),
      kind_(arena.kind),
      is_pooled_(is_pooled),
      is_told_queues_(arena.is_told_queues),
      figures_(arena.figures) {
  if (is_pooled_) {
    ++figures_->served;
    ++figures_->active;
  }
}

Held& Held::operator=(Held&& other) noexcept {
  std::swap(mem_, other.mem_);
  std::swap(queue_, other.queue_);
  std::swap(foreign_, other.foreign_);
  std::swap(last_, other.last_);
  std::swap(context_, other.context_);
  std::swap(kind_, other.kind_);
  std::swap(is_pooled_, other.is_pooled_);
  std::swap(is_told_queues_, other.is_told_queues_);
  std::swap(figures_, other.figures_);
  std::swap(stamp_, other.stamp_);
  std::swap(written_, other.written_);
  return *this;
}

Held::~Held() {
  if (mem_ != nullptr) {
    Random random(stamp_);
    release(random);
  }
}

void Held::expect(clpool_status status, const char* what) const {
  if (status != CLPOOL_SUCCESS) {
    report().wrong("%s (%s): status %d: %s", what, figures_->name.c_str(), status,
                   clpool_last_error_message());
  }
}

void Held::wait() {
  if (last_) {
    const cl_event event = last_.get();
    expect_cl(clWaitForEvents(1, &event), "wait for a block's commands");
    last_ = Event();
  }
}

void Held::fill_by_host() {
  wait();
  stamp_ = new_stamp();
  written_ = "by the host";
  std::uint32_t* const all = words();
  for (std::size_t i = 0; i < bytes() / 4; ++i) {
    all[i] = stamp_;
  }
}

void Held::fill_by_library() {
  stamp_ = new_stamp();
  written_ = "by a fill";
  const WaitList waits(last_);
  cl_event event = nullptr;
  expect(clpool_mem_fill(queue_.get(), mem_, &stamp_, 4, 0, bytes(), waits.count(), waits.events(), &event),
         "fill");
  last_ = Event(event);
}

void Held::fill_by_opencl() {
  stamp_ = new_stamp();
  written_ = "by a fill of OpenCL's own";
  const WaitList waits(last_);
  cl_event event = nullptr;
  expect_cl(is_buffer() ? clEnqueueFillBuffer(queue_.get(), clpool_mem_handle(mem_), &stamp_, 4, 0, bytes(),
                                              waits.count(), waits.events(), &event)
                        : clEnqueueSVMMemFill(queue_.get(), words(), &stamp_, 4, bytes(), waits.count(),
                                              waits.events(), &event),
            "fill by OpenCL");
  last_ = Event(event);
}

void Held::write(Random& random) {
  if (bytes() == 0 || kind_ == Kind::numbers) {
    return;
  }
  if (host_may_access() && (kind_ != Kind::svm_fine || random() % 2 == 0)) {
    fill_by_host();
  } else if (is_told_queues_ && random() % 2 == 0) {
    fill_by_opencl();
  } else {
    fill_by_library();
  }
  if (has_commands() && random() % 8 == 0) {
    expect_cl(clFlush(queue_.get()), "flush");
  }
}

void Held::check() {
  if (!is_stamped()) {
    return;
  }
  std::vector<std::uint32_t> copy;
  const std::uint32_t* all = nullptr;
  if (host_may_access()) {
    wait();
    all = words();
  } else {
    copy.resize(bytes() / 4);
    const WaitList waits(last_);
    expect(clpool_mem_read(queue_.get(), mem_, 0, bytes(), copy.data(), bytes(), 1, waits.count(),
                           waits.events(), nullptr),
           "read");
    all = copy.data();
  }
  for (std::size_t i = 0; i < bytes() / 4; ++i) {
    if (all[i] != stamp_) {
      report().wrong("memory of %zu bytes (%s%s%s) has the word %08x at %zu, where %08x was written %s",
                     bytes(), figures_->name.c_str(), is_pooled_ ? "" : ", no pool",
                     is_foreign() ? ", foreign queue" : "", all[i], 4 * i, stamp_, written_.c_str());
      return;
    }
  }
}

/// From host memory that a pool manages, by a command of OpenCL that the library does not see.
bool Held::upload(Held& source, Random& random) {
  if (!is_buffer() || !is_told_queues_) {
    return false;
  }
  const WaitList waits(last_, source.last_);
  if (source.kind_ ==
      Kind::pinned) {  // said before, so that what its pool's queue has to do with it comes first
    expect(clpool_mem_used_on(source.mem_, queue_.get()), "declare a use");
  }
  cl_event event = nullptr;
  expect_cl(clEnqueueWriteBuffer(queue_.get(), clpool_mem_handle(mem_), CL_FALSE, 0, bytes(), source.words(),
                                 waits.count(), waits.events(), &event),
            "write by OpenCL");
  written_ = "by a write from " + source.figures_->name + ", which was written " + source.written_;
  if (source.kind_ == Kind::custom) {
    expect(random() % 2 == 0 ? clpool_mem_used_on(source.mem_, queue_.get())
                             : clpool_mem_release_after(source.mem_, 1, &event),
           "declare a use");
  }
  last_ = Event(event);
  return true;
}

bool Held::copy_from(Held& source, Random& random) {
  if (bytes() == 0 || bytes() > source.bytes() || !source.is_stamped() || !has_commands() ||
      context_.get() != source.context_.get() || !source.is_pooled_ || !is_pooled_ ||
      (kind_ == Kind::pinned && source.kind_ == Kind::pinned)) {
    return false;
  }
  if (source.queue_) {
    expect_cl(clFlush(source.queue_.get()),
              "flush");  // a queue that waits for another must not wait for ever
  }
  if (source.kind_ == Kind::custom || (source.kind_ == Kind::pinned && random() % 2 == 0)) {
    if (!upload(source, random)) {
      return false;
    }
  } else {
    const WaitList waits(last_, source.last_);
    cl_event event = nullptr;
    expect(clpool_mem_copy(queue_.get(), mem_, 0, source.mem_, 0, bytes(), waits.count(), waits.events(),
                           &event),
           "copy");
    written_ = "by a copy from " + source.figures_->name +
               (source.queue_.get() == queue_.get() ? ", the same queue" : ", another queue") +
               ", which was written " + source.written_;
    last_ = Event(event);
  }
  source.last_ = last_;
  stamp_ = source.stamp_;
  expect_cl(clFlush(queue_.get()), "flush");
  return true;
}

void Held::use_on_foreign(Random& random) {
  if (!is_pooled_ || !has_commands() || !is_stamped() || !is_buffer()) {
    return;
  }
  expect_cl(clFlush(queue_.get()), "flush");
  const bool before = random() % 2 == 0;
  if (before) {
    expect(clpool_mem_used_on(mem_, foreign_.get()), "declare a use");
  } else {
    wait();
  }
  const WaitList waits(last_);
  cl_event event = nullptr;
  expect_cl(clEnqueueFillBuffer(foreign_.get(), clpool_mem_handle(mem_), &stamp_, 4, 0, bytes(),
                                waits.count(), waits.events(), &event),
            "fill on a foreign queue");
  written_ = "by a fill on a foreign queue";
  if (!before) {
    expect(clpool_mem_release_after(mem_, 1, &event), "declare a use");
  }
  last_ = Event(event);
  expect_cl(clFlush(foreign_.get()), "flush");
}

void Held::set_tag(Random& random) {
  if (is_pooled_) {
    expect(clpool_mem_set_tag(mem_, random()), "tag");
  }
}

void Held::release(Random& random) {
  clpool_mem* const mem = std::exchange(mem_, nullptr);
  if (is_pooled_) {
    --figures_->active;
  } else {
    wait();  // it goes back to the driver at once
  }
  if (random() % 16 == 0) {
    expect(clpool_mem_retain(mem), "retain");
    expect(clpool_mem_release(mem), "release of one of two references");
  }
  // Too small for a stamp: no command of the library has told a pool without queues about it, so this must.
  const bool is_unknown = has_commands() && !is_told_queues_ && !is_stamped();
  switch (is_unknown ? 0 : random() % 6) {
    case 0:
      wait();
      expect(clpool_mem_release_idle(mem), "release idle");
      break;
    case 1:
      expect(clpool_mem_release_later(mem), "release later");
      break;
    case 2: {
      const clpool_status status = clpool_mem_try_release(mem);
      if (status == CLPOOL_ERROR_WOULD_BLOCK) {
        expect(clpool_mem_release(mem), "release after a try");
      } else {
        expect(status, "try to release");
      }
      break;
    }
    default:
      expect(clpool_mem_release(mem), "release");
  }
}

}  // namespace clpool::load
