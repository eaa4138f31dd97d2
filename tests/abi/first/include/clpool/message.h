/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* message.h as first pinned, without its comments: see ../../README.md. Never changed. */
#ifndef CLPOOL_MESSAGE_H
#define CLPOOL_MESSAGE_H

#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  CLPOOL_MESSAGE_TRACE = 1,

  CLPOOL_MESSAGE_WARNING = 2,

  CLPOOL_MESSAGE_ERROR = 3
};

typedef void (*clpool_message_callback)(void* user, int32_t severity, const char* text);

CLPOOL_API void clpool_set_message_callback(clpool_message_callback callback, void* user) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
