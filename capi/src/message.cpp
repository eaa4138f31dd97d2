// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shim of clpool/message.h.
#include "clpool/message.h"

#include "base/message.hpp"

void clpool_set_message_callback(clpool_message_callback callback, void* user) noexcept {
  clpool::core::set_message_sink({callback, user});
}
