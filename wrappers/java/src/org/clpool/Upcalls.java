// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.function.Supplier;

/**
 * Callbacks from native code. Nothing is thrown: what a user's function throws becomes the cause of the exception that
 * the call ends with, or, where no call can fail for it, goes to the thread's handler of uncaught exceptions. Calls of the library
 * that a user's function makes itself have no part in what is kept for the call that it is in.
 */
final class Upcalls {
  private interface Function {
    void run() throws Throwable;
  }

  private interface Taker {
    void take(CustomAllocator allocator, long chunk, long size) throws Throwable;
  }

  private static final Taker DEALLOCATE = CustomAllocator::deallocate;
  private static final Taker DESTROY = (allocator, chunk, size) -> allocator.destroy();

  private Upcalls() {}

  // What it throws, which is kept; null: nothing.
  private static Throwable run(Function function) {
    Throwable thrown = apart(function);
    if (thrown != null) {
      Errors.keepCause(thrown);
    }
    return thrown;
  }

  // What it throws is told.
  private static void runWhereNoCallFails(Function function) {
    apart(
        () -> {
          try {
            function.run();
          } catch (Throwable e) {
            Errors.report(e);
          }
        });
  }

  private static Throwable apart(Function function) {
    Throwable kept = Errors.takeCause();
    try {
      function.run();
      return null;
    } catch (Throwable e) {
      return e;
    } finally {
      Errors.setCause(kept);
    }
  }

  private static int status(Throwable thrown) {
    return thrown == null ? Status.SUCCESS.number() : Errors.statusOf(thrown);
  }

  static int allocate(CustomAllocator allocator, long size, long alignment, long[] chunk) {
    return status(run(() -> chunk[0] = allocator.allocate(size, alignment)));
  }

  static void deallocate(CustomAllocator allocator, long chunk, long size) {
    offer(DEALLOCATE, allocator, chunk, size);
  }

  static void destroy(CustomAllocator allocator) {
    offer(DESTROY, allocator, 0, 0);
  }

  // What the user's function takes back is not offered again: it is called also where there is no memory for anything here.
  private static void offer(Taker taker, CustomAllocator allocator, long chunk, long size) {
    Throwable kept = tryToTakeCause();
    try {
      taker.take(allocator, chunk, size);
    } catch (Throwable e) {
      Errors.tryToReport(e);
    }
    tryToSetCause(kept);
  }

  private static Throwable tryToTakeCause() {
    try {
      return Errors.takeCause();
    } catch (Throwable noMemory) {
      return null; // what is kept is lost
    }
  }

  private static void tryToSetCause(Throwable kept) {
    try {
      Errors.setCause(kept);
    } catch (Throwable noMemory) {
      // the call's error has no cause then
    }
  }

  /** False if it threw. */
  static boolean collect(long pool) {
    PoolCallbacks callbacks = PoolCallbacks.find(pool);
    return callbacks == null || run(callbacks::collect) == null;
  }

  static boolean outOfMemory(long pool, long size, int attempt) {
    PoolCallbacks callbacks = PoolCallbacks.find(pool);
    boolean[] again = new boolean[1];
    return callbacks != null && run(() -> again[0] = callbacks.outOfMemory(size, attempt)) == null && again[0];
  }

  /** Pool 0 stands for the library's own messages. */
  static void message(long pool, int severity, byte[] text) {
    runWhereNoCallFails(
        () -> {
          MessageListener listener = pool == 0 ? Clpool.messageListener() : PoolCallbacks.listener(pool);
          if (listener != null) {
            listener.message(Severity.of(severity), Text.fromBytes(text));
          }
        });
  }

  static int compute(Supplier<?> supplier, Object[] result) {
    return status(run(() -> result[0] = supplier.get()));
  }

  static void forget(Cache.Result<?, ?> result) {
    result.forget();
  }

  static boolean progress(ReplayProgress receiver, long done, long total) {
    boolean[] on = new boolean[1];
    return run(() -> on[0] = receiver.proceed(done, total)) == null && on[0];
  }
}
