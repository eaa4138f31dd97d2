/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Messages of the library: warnings and traces that a program may want to show. The library itself prints
 * nothing but what guarded pools find where nobody receives messages (pool.h). Who sets a receiver gets all
 * severities, and shows those that are wanted.
 *
 * Thread safety: any functions, from any threads, at the same time. Since 1.0. Unless a function says
 * otherwise, it does not block and makes no OpenCL calls.
 */
#ifndef CLPOOL_MESSAGE_H
#define CLPOOL_MESSAGE_H

#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How much a message matters. */
enum {
  /** What the library does, where nothing is wrong: which device was chosen and what decided, at every
   * choice; what a pool does, only where clpool_pool_options.trace_messages asks for it. */
  CLPOOL_MESSAGE_TRACE = 1,
  /** Works, but probably not as meant: a deferred allocator under a pool, blocks leaked at a pool's end. */
  CLPOOL_MESSAGE_WARNING = 2,
  /** Something failed where no status could be returned, such as a release by a finalizer. */
  CLPOOL_MESSAGE_ERROR = 3
};

/**
 * Receives one message.
 * @param user what was given with the callback
 * @param severity one of CLPOOL_MESSAGE_…
 * @param text one line without a line end; valid during the call only
 * Called without any lock held, from the thread in which the message arose, possibly from several at once. It
 * may call the library, whose messages it then receives from within itself; a message that arises within
 * three others is dropped, but for a guard's, which goes to standard error. It must return and not throw.
 */
typedef void (*clpool_message_callback)(void* user, int32_t severity, const char* text);

/**
 * Sets the receiver of all messages that no pool's own callback takes. A call in flight may still use the
 * former one.
 * @param callback the receiver; NULL for none, which is the initial state
 * @param user passed to it.
 * Thread safety: any thread.
 */
CLPOOL_API void clpool_set_message_callback(clpool_message_callback callback, void* user) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
