// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Managed runtimes live on signals: a null pointer in compiled code, and a thread that is to stop, are a SIGSEGV, a division by
// zero is a SIGFPE. Drivers that contain LLVM (PoCL) replace their handlers when they are loaded, by ones that hand the first
// signal on but are reset to the default meanwhile (SA_RESETHAND): a second thread's fault at that moment would end the process.
// And PoCL's own handler of SIGFPE goes on behind the division, on whatever thread, so that 7 / 0 would be a number in managed
// code. So what was there before is put back after calls that load drivers; but a SIGFPE of native code goes to the driver's
// handler still, as a kernel that divides by zero would end the process.
#ifndef CLPOOL_WRAPPERS_COMMON_SIGNALS_HPP
#define CLPOOL_WRAPPERS_COMMON_SIGNALS_HPP

#include <dlfcn.h>
#include <ucontext.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <new>

namespace clpool_wrappers {

// Around calls that may load drivers; several at a time count as one.
class SignalGuard {
 public:
  SignalGuard() noexcept { begin(); }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard() { end(); }

  // The same for those who have no scope.
  static void begin() noexcept {
    const std::lock_guard lock(mutex_);
    if (guards_++ == 0) {
      for (size_t i = 0; i < count; ++i) {
        known_[i] = sigaction(signals[i], nullptr, &before_[i]) == 0;
      }
    }
  }
  static void end() noexcept {
    const std::lock_guard lock(mutex_);
    if (--guards_ != 0) {
      return;
    }
    for (size_t i = 0; i < count; ++i) {
      struct sigaction now;
      if (known_[i] && sigaction(signals[i], nullptr, &now) == 0 &&
          now.sa_sigaction != before_[i].sa_sigaction) {
        signals[i] == SIGFPE ? share_divisions(before_[i], now)
                             : static_cast<void>(sigaction(signals[i], &before_[i], nullptr));
      }
    }
  }

 private:
  // All that LLVM takes, and those that users' programs have handlers of.
  static constexpr int signals[] = {SIGSEGV, SIGBUS,  SIGILL,  SIGFPE, SIGPIPE, SIGXFSZ, SIGXCPU, SIGSYS,
                                    SIGABRT, SIGUSR1, SIGUSR2, SIGHUP, SIGINT,  SIGTERM, SIGQUIT, SIGTRAP};
  static constexpr size_t count = sizeof signals / sizeof signals[0];

  // Who has a SIGFPE. Never freed, as another thread may be in it.
  struct Divisions {
    struct sigaction runtime;
    struct sigaction driver;
    const void* runtime_begin;  // of the shared object, or program, that the runtime's handler is in
  };

  static const void* begin_of_object(const void* address, const char** name) noexcept {
    Dl_info info;
    if (dladdr(address, &info) == 0) {
      return nullptr;
    }
    *name = info.dli_fname;
    return info.dli_fbase;
  }
  static const void* place_of(const void* context) noexcept {
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(registers.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(registers.pc);
#else
    static_cast<void>(registers);
    return nullptr;
#endif
  }
  // Compiled by the runtime, now or ahead of time (Mono's .dll.so), or its own code.
  static bool is_of_runtime(const void* place, const Divisions& divisions) noexcept {
    const char* name = nullptr;
    const void* const begin = begin_of_object(place, &name);
    const size_t length = name != nullptr ? std::strlen(name) : 0;
    return begin == nullptr || begin == divisions.runtime_begin ||
           (length > 7 && (std::strcmp(name + length - 7, ".dll.so") == 0 ||
                           std::strcmp(name + length - 7, ".exe.so") == 0));
  }
  static void call(const struct sigaction& action, int signal, siginfo_t* info, void* context) noexcept {
    if ((action.sa_flags & SA_SIGINFO) != 0) {
      action.sa_sigaction(signal, info, context);
    } else if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) {
      std::signal(signal, SIG_DFL);  // it comes again, and ends the process
    } else {
      action.sa_handler(signal);
    }
  }
  static void on_division(int signal, siginfo_t* info, void* context) noexcept {
    const Divisions& divisions = *divisions_.load(std::memory_order_acquire);
    call(is_of_runtime(place_of(context), divisions) ? divisions.runtime : divisions.driver, signal, info,
         context);
  }
  // Drivers have put `now` in the place of `before`: both are asked from now on.
  static void share_divisions(const struct sigaction& before, const struct sigaction& now) noexcept {
    if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
      return;  // the runtime takes none
    }
    const Divisions* const former = divisions_.load(std::memory_order_relaxed);
    const bool is_second = before.sa_sigaction == on_division;
    auto* const made = new (std::nothrow) Divisions{is_second ? former->runtime : before, now, nullptr};
    if (made == nullptr) {
      return;
    }
    const char* name = nullptr;
    made->runtime_begin = begin_of_object(reinterpret_cast<const void*>(made->runtime.sa_sigaction), &name);
    divisions_.store(made, std::memory_order_release);
    struct sigaction ours = made->runtime;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = on_division;
    sigaction(SIGFPE, &ours, nullptr);
  }

  static inline constinit std::mutex mutex_;
  static inline constinit int guards_ = 0;
  static inline struct sigaction before_[count];
  static inline bool known_[count];
  static inline constinit std::atomic<const Divisions*> divisions_{nullptr};
};

}  // namespace clpool_wrappers

#endif
