// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.function.LongUnaryOperator;

/**
 * A native object that a Java object owns: released once, by close() or when the owner is forgotten. Must not refer to
 * the owner. Blocks of pools, of which there are many, have {@link LeakGuard} instead.
 */
final class Handle implements Runnable {
  /** Gives a native object back. */
  interface Release {
    void release(long value);
  }

  private static final Cleaner CLEANER = Cleaner.create();

  private final String what;
  private final Release release;
  private volatile long value;
  private Cleaner.Cleanable cleanable;

  private Handle(String what, long value, Release release) {
    this.what = what;
    this.value = value;
    this.release = release;
  }

  /** A handle of `owner`, called `what` in messages. */
  static Handle own(Object owner, String what, long value, Release release) {
    Handle handle = new Handle(what, value, release);
    handle.cleanable = CLEANER.register(owner, handle);
    return handle;
  }

  /** Keeps `kept` reachable as long as `view` is. */
  static void keep(Object view, Object kept) {
    CLEANER.register(view, () -> Reference.reachabilityFence(kept));
  }

  /** Runs an action when an object is gone. */
  static void whenGone(Object object, Runnable action) {
    CLEANER.register(object, action);
  }

  /** The native object. The owner has to stay reachable while it is used. */
  long get() {
    long current = value;
    if (current == 0) {
      throw Errors.closed(what);
    }
    return current;
  }

  /** What a native call makes of the native object; the owner stays reachable until it returns. */
  static long with(Object owner, Handle handle, LongUnaryOperator call) {
    try {
      return call.applyAsLong(handle.get());
    } finally {
      Reference.reachabilityFence(owner);
    }
  }

  boolean isClosed() {
    return value == 0;
  }

  void close() {
    cleanable.clean();
  }

  /** The cleaner's part; runs once. */
  @Override
  public void run() {
    long last = value;
    value = 0;
    release.release(last);
  }
}
