// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "handlers.hpp"

#include "signals.hpp"

void csharp_signals_keep() {
  clpool_wrappers::SignalGuard::begin(false);
}

void csharp_signals_put_back() {
  clpool_wrappers::SignalGuard::end();
}
