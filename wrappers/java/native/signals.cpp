// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// See signals.hpp. SIGFPE is left to drivers: PoCL's handler passes on what does not come from its kernels.
#include "signals.hpp"

#include <csignal>
#include <cstddef>

namespace clpool_java {

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL,  SIGPIPE, SIGXFSZ, SIGUSR2,
                            SIGHUP,  SIGINT, SIGTERM, SIGQUIT, SIGTRAP};
constexpr size_t kCount = sizeof kSignals / sizeof kSignals[0];

struct sigaction remembered[kCount];
bool known[kCount];

}  // namespace

void remember_signal_handlers() {
  for (size_t i = 0; i < kCount; ++i) known[i] = sigaction(kSignals[i], nullptr, &remembered[i]) == 0;
}

void restore_signal_handlers() {
  for (size_t i = 0; i < kCount; ++i) {
    struct sigaction now;
    if (!known[i] || sigaction(kSignals[i], nullptr, &now) != 0) continue;
    if (now.sa_sigaction == remembered[i].sa_sigaction) continue;
    sigaction(kSignals[i], &remembered[i], nullptr);
  }
}

}  // namespace clpool_java
