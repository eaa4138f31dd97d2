// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What waits for the driver: for the end of a command, or of a memory object. The driver knows it by a number and tells
 * it on a thread of its own, on which nothing of the user may run.
 */
final class Completions {
  /** What is done at the end. */
  private interface Action {
    void run(int status);
  }

  private static final Map<Long, Action> WAITING = new ConcurrentHashMap<>();
  private static final AtomicLong LAST = new AtomicLong();

  private Completions() {}

  /** Keeps host memory until a command has ended. */
  static void keepUntilComplete(long event, HostBytes kept) {
    long number = add(status -> end(kept));
    try {
      Native.java_event_notify(event, number);
    } catch (RuntimeException untold) { // the command runs, and nobody will say when it has ended
      try {
        Native.java_event_wait(event);
      } catch (RuntimeException failed) {
        untold.addSuppressed(failed); // it has ended all the same
      }
      done(number, 0);
    }
  }

  /** Keeps host memory until a memory object that lies in it is gone. */
  static void keepUntilGone(long clMem, HostBytes kept) {
    long number = add(status -> end(kept));
    tell(() -> Native.java_mem_notify(clMem, number), number);
  }

  // What is given back then is no work for the driver's thread.
  private static void end(HostBytes kept) {
    if (kept.usesViews()) {
      ForkJoinPool.commonPool().execute(kept::ended);
    }
  }

  /** Completes a future when a command has ended. */
  static long complete(long event, CompletableFuture<Void> future) {
    long number =
        add(status -> ForkJoinPool.commonPool().execute(() -> finish(future, status)));
    tell(
        () -> {
          Native.java_event_notify(event, number);
          Native.java_event_flush(event);
        },
        number);
    return event;
  }

  /** The driver's call. */
  static void done(long number, int status) {
    Action action = WAITING.remove(number);
    if (action != null) {
      action.run(status);
    }
  }

  /** How many wait, for tests. */
  static int waiting() {
    return WAITING.size();
  }

  private static long add(Action action) {
    long number = LAST.incrementAndGet();
    WAITING.put(number, action);
    return number;
  }

  private static void tell(Runnable asking, long number) {
    boolean asked = false;
    try {
      asking.run();
      asked = true;
    } finally {
      if (!asked) {
        WAITING.remove(number);
      }
    }
  }

  private static void finish(CompletableFuture<Void> future, int status) {
    if (status < 0) {
      String message = "the command failed with " + Clpool.clErrorName(status) + " (" + status + ")";
      future.completeExceptionally(new ClpoolException(Status.OPENCL, message, status, null));
    } else {
      future.complete(null);
    }
  }
}
