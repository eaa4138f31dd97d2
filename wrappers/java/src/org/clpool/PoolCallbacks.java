// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A pool's functions in Java. The native pool knows them by a number: it may outlive every Java object, and then the
 * number leads nowhere. The pool and its blocks hold them.
 */
final class PoolCallbacks {
  private static final int COLLECT = 1;
  private static final int OUT_OF_MEMORY = 2;
  private static final int MESSAGE = 4;

  private static final Map<Long, WeakReference<PoolCallbacks>> ALL = new ConcurrentHashMap<>();
  private static final AtomicLong LAST = new AtomicLong();

  private final Runnable collector;
  private final OutOfMemoryHandler outOfMemory;
  private final MessageListener messages;

  PoolCallbacks(Runnable collector, OutOfMemoryHandler outOfMemory, MessageListener messages) {
    this.collector = collector;
    this.outOfMemory = outOfMemory;
    this.messages = messages;
  }

  static PoolCallbacks find(long number) {
    WeakReference<PoolCallbacks> reference = ALL.get(number);
    return reference == null ? null : reference.get();
  }

  /** Who gets a pool's messages; the library's listener where the pool's objects are gone. */
  static MessageListener listener(long number) {
    PoolCallbacks callbacks = find(number);
    return callbacks == null ? Clpool.messageListener() : callbacks.messages;
  }

  /** Which callbacks there are, as glue.hpp has it. */
  int which() {
    return (collector == null ? 0 : COLLECT)
        | (outOfMemory == null ? 0 : OUT_OF_MEMORY)
        | (messages == null ? 0 : MESSAGE);
  }

  MessageListener messages() {
    return messages;
  }

  /** Makes it findable as long as it is reachable. */
  long register() {
    long number = LAST.incrementAndGet();
    ALL.put(number, new WeakReference<>(this));
    Handle.whenGone(this, () -> ALL.remove(number));
    return number;
  }

  void collect() {
    collector.run();
  }

  boolean outOfMemory(long size, int attempt) {
    return outOfMemory.tryAgain(size, attempt);
  }
}
