// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Ends of commands and of memory objects, for managed code that does something else meanwhile. The driver's thread, which must
// never enter managed code (the runtime's end may wait for it, and it may have no memory for that), only leaves a number;
// a managed thread fetches what was left.
#ifndef CLPOOL_WRAPPERS_COMMON_ENDS_HPP
#define CLPOOL_WRAPPERS_COMMON_ENDS_HPP

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

#include "clpool/clpool.h"

namespace clpool_wrappers {

// Where numbers are left. It has one reference of whoever made it, and one of each end that may come at any time. No lock: a
// thread that the runtime has stopped might hold it.
class Ends {
 public:
  // NULL if the system has none.
  static Ends* create() noexcept {
    const int bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    auto* const ends = bell < 0 ? nullptr : new (std::nothrow) Ends(bell);
    if (ends == nullptr && bell >= 0) {
      close(bell);
    }
    return ends;
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  // One reference more, and one less: without any it is gone.
  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

  // Leaves `number` here when the driver says that the event's command has ended, or that the memory object is gone.
  cl_int expect(cl_event event, uint64_t number) noexcept {
    return expect(number, [event](End* end) {
      return clSetEventCallback(
          event, CL_COMPLETE, [](cl_event, cl_int status, void* user) { leave(user, status); }, end);
    });
  }
  cl_int expect(cl_mem mem, uint64_t number) noexcept {
    return expect(number, [mem](End* end) {
      return clSetMemObjectDestructorCallback(
          mem, [](cl_mem, void* user) { leave(user, CL_COMPLETE); }, end);
    });
  }

  // Ends the wait of next(), from any thread.
  void ring() noexcept { eventfd_write(bell_, 1); }  // fails only if it rings already

  // The first number that was left, which stays until drop(); waits for it so long or less, for ever if less than 0. One thread
  // at a time. False if there is none.
  bool next(int32_t milliseconds, uint64_t& number, cl_int& status) noexcept {
    if (fetched_ == nullptr) {
      fetch();
    }
    if (fetched_ == nullptr && milliseconds != 0) {
      pollfd bell{bell_, POLLIN, 0};
      if (poll(&bell, 1, milliseconds) > 0) {
        eventfd_t rung = 0;
        eventfd_read(bell_, &rung);
      }
      fetch();
    }
    if (fetched_ != nullptr) {
      number = fetched_->number;
      status = fetched_->status;
    }
    return fetched_ != nullptr;
  }
  void drop() noexcept {
    const std::unique_ptr<End> end(fetched_);
    fetched_ = end->next;
  }

 private:
  // One number, made when it is expected, so that the driver's thread needs no memory. Until it is left it has a reference.
  struct End {
    Ends* ends;
    uint64_t number;
    cl_int status;
    End* next;
  };

  explicit Ends(int bell) noexcept : bell_(bell) {}
  ~Ends() {
    fetch();
    while (fetched_ != nullptr) {
      drop();
    }
    close(bell_);
  }

  template <typename Ask>
  cl_int expect(uint64_t number, Ask ask) noexcept {
    std::unique_ptr<End> end(new (std::nothrow) End{this, number, CL_COMPLETE, nullptr});
    if (end == nullptr) {
      return CL_OUT_OF_HOST_MEMORY;
    }
    retain();
    const cl_int code = ask(end.get());
    if (code == CL_SUCCESS) {
      static_cast<void>(end.release());
    } else {
      release();
    }
    return code;
  }

  static void leave(void* user, cl_int status) noexcept {
    auto* const end = static_cast<End*>(user);
    Ends& ends = *end->ends;
    end->status = status;
    end->next = ends.left_.load(std::memory_order_relaxed);
    while (!ends.left_.compare_exchange_weak(end->next, end, std::memory_order_release,
                                             std::memory_order_relaxed)) {
    }
    ends.ring();
    ends.release();
  }

  void fetch() noexcept {
    for (End* end = left_.exchange(nullptr, std::memory_order_acquire); end != nullptr;) {
      End* const next = end->next;
      end->next = fetched_;
      fetched_ = end;
      end = next;
    }
  }

  const int bell_;  // an eventfd
  std::atomic<uint32_t> references_ = 1;
  std::atomic<End*> left_ = nullptr;  // the last one first
  End* fetched_ = nullptr;            // the first one first
};

}  // namespace clpool_wrappers

#endif
