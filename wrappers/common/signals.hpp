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
#include <link.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

namespace clpool_wrappers {

// Around calls that may load drivers; several at a time count as one. What others install meanwhile stays: only handlers go that lie in
// shared objects which were loaded within such calls, and of signals that had a handler before (else the driver's may have taken the place
// of one that was installed meanwhile, to which it hands the signal on).
class SignalGuard {
 public:
  SignalGuard() noexcept { begin(); }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard() { end(); }

  // The same for those who have no scope. `ends_of_process`: those signals, too, that ask a process to end. .NET installs its handlers of
  // them when they are first asked for, which may be while drivers are loaded; a driver's handler hands them on.
  static void begin(bool ends_of_process = true) noexcept {
    const std::lock_guard lock(mutex_);
    if (guards_++ == 0) {
      others_ = loaded();
      for (size_t i = 0; i < count; ++i) {
        const bool ends =
            signals[i] == SIGHUP || signals[i] == SIGINT || signals[i] == SIGTERM || signals[i] == SIGQUIT;
        known_[i] = (ends_of_process || !ends) && sigaction(signals[i], nullptr, &before_[i]) == 0;
      }
    }
  }
  static void end() noexcept {
    const std::lock_guard lock(mutex_);
    if (--guards_ != 0) {
      return;
    }
    note_drivers();
    for (size_t i = 0; i < count; ++i) {
      struct sigaction now;
      if (known_[i] && before_[i].sa_handler != SIG_DFL && sigaction(signals[i], nullptr, &now) == 0 &&
          now.sa_sigaction != before_[i].sa_sigaction && is_of_driver(now)) {
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

  // Of the shared object, or program, that holds an address; null if there is none.
  static const void* begin_of_object(const void* address, const char** name) noexcept {
    Dl_info info;
    if (dladdr(address, &info) == 0) {
      return nullptr;
    }
    *name = info.dli_fname;
    return info.dli_fbase;
  }
  static const void* begin_of_object(const struct sigaction& action) noexcept {
    const char* name = nullptr;
    const bool is_handler = action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
    return is_handler ? begin_of_object(reinterpret_cast<const void*>(action.sa_sigaction), &name) : nullptr;
  }

  // Where shared objects begin; none where there is no memory for that.
  using Objects = std::vector<const void*>;
  static Objects loaded() noexcept try {
    Objects objects;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* all) {
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            if (info->dlpi_phdr[i].p_type == PT_LOAD) {
              static_cast<Objects*>(all)->push_back(
                  reinterpret_cast<const void*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
              break;
            }
          }
          return 0;
        },
        &objects);
    for (const void*& object : objects) {  // not before: another lock of the loader's is held there
      const char* name = nullptr;
      object = begin_of_object(object, &name);
    }
    return objects;
  } catch (const std::bad_alloc&) {
    return {};
  }
  static bool has(const Objects& objects, const void* object) noexcept {
    return std::find(objects.begin(), objects.end(), object) != objects.end();
  }
  static void note_drivers() noexcept try {
    if (others_.empty()) {
      return;
    }
    for (const void* const object : loaded()) {
      if (!has(others_, object) && !has(drivers_, object)) {
        drivers_.push_back(object);
      }
    }
  } catch (const std::bad_alloc&) {
    // Their handlers stay.
  }
  static bool is_of_driver(const struct sigaction& action) noexcept {
    const void* const object = begin_of_object(action);
    return object != nullptr && has(drivers_, object);
  }

  // Who has a SIGFPE: one level for each handler of a driver, as the next one may hand on to the one before. Never freed, as another
  // thread may be in it.
  struct Divisions {
    struct sigaction runtime;
    struct sigaction driver;
    const void* runtime_begin;
  };
  static constexpr size_t levels = 4;
  using Handler = void (*)(int, siginfo_t*, void*);

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
    } else {
      action.sa_handler(signal);
    }
  }
  template <size_t level>
  static void on_division(int signal, siginfo_t* info, void* context) {
    const Divisions& divisions = *divisions_[level].load(std::memory_order_acquire);
    call(is_of_runtime(place_of(context), divisions) ? divisions.runtime : divisions.driver, signal, info,
         context);
  }
  static Handler handler_of(size_t level) noexcept {
    constexpr Handler handlers[levels] = {on_division<0>, on_division<1>, on_division<2>, on_division<3>};
    return handlers[level];
  }
  // A driver has put `now` in the place of `before`: both are asked from now on.
  static void share_divisions(const struct sigaction& before, const struct sigaction& now) noexcept {
    if (before.sa_handler == SIG_IGN) {
      return;  // the runtime takes none
    }
    size_t level = 0;
    struct sigaction runtime = before;
    for (; level < levels; ++level) {
      const Divisions* const former = divisions_[level].load(std::memory_order_relaxed);
      if (former == nullptr) {
        break;
      }
      runtime = handler_of(level) == before.sa_sigaction ? former->runtime : runtime;
      if (former->driver.sa_sigaction == now.sa_sigaction) {  // it would hand on to itself from there
        set(level, {former->runtime, former->runtime, former->runtime_begin});
      }
    }
    if (level == levels || !set(level, {runtime, now, begin_of_object(runtime)})) {
      return;
    }
    struct sigaction ours = runtime;
    ours.sa_flags = (ours.sa_flags & ~SA_RESETHAND) | SA_SIGINFO | (now.sa_flags & SA_NODEFER);
    ours.sa_sigaction = handler_of(level);
    sigaction(SIGFPE, &ours, nullptr);
  }
  static bool set(size_t level, const Divisions& divisions) noexcept {
    const auto* const made = new (std::nothrow) Divisions(divisions);
    if (made != nullptr) {
      divisions_[level].store(made, std::memory_order_release);
    }
    return made != nullptr;
  }

  static inline constinit std::mutex mutex_;
  static inline constinit int guards_ = 0;
  static inline struct sigaction before_[count];
  static inline bool known_[count];
  static inline Objects& others_ = *new Objects;   // that were there when the first guard began
  static inline Objects& drivers_ = *new Objects;  // … and that came within guards
  static inline constinit std::atomic<const Divisions*> divisions_[levels] = {};
};

}  // namespace clpool_wrappers

#endif
