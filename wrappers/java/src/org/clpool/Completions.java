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
 * it on a thread of its own, on which nothing of the user may run. PoCL tells nobody of a command that failed, so a thread
 * looks for those while any command is waited for.
 */
final class Completions {
  /** What is done at the end. */
  private interface Action {
    void run(int status);
  }

  private static final class Waiting {
    private final Action action;
    private final Event event; // null: a memory object is waited for

    private Waiting(Action action, Event event) {
      this.action = action;
      this.event = event;
    }
  }

  private static final long LOOK_EVERY_MS = 50;
  private static final int LOOKS_IN_VAIN = 20; // then the thread ends

  private static final Map<Long, Waiting> WAITING = new ConcurrentHashMap<>();
  private static final AtomicLong LAST = new AtomicLong();
  private static Thread watcher; // of this class's monitor

  private Completions() {}

  /** Keeps host memory until a command has ended. */
  static void keepUntilComplete(long event, HostBytes kept) {
    long number = add(Event.of(event), status -> end(kept));
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
    long number = add(null, status -> end(kept));
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
        add(Event.of(event), status -> ForkJoinPool.commonPool().execute(() -> finish(future, status)));
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
    Waiting waiting = remove(number);
    if (waiting != null) {
      waiting.action.run(status);
    }
  }

  /** How many wait, for tests. */
  static int waiting() {
    return WAITING.size();
  }

  private static long add(Event event, Action action) {
    long number = LAST.incrementAndGet();
    WAITING.put(number, new Waiting(action, event));
    if (event != null) {
      synchronized (Completions.class) {
        if (watcher == null) {
          watcher = new Thread(Completions::watch, "clpool-completions");
          watcher.setDaemon(true);
          watcher.start();
        }
      }
    }
    return number;
  }

  private static Waiting remove(long number) {
    Waiting waiting = WAITING.remove(number);
    if (waiting != null && waiting.event != null) {
      ForkJoinPool.commonPool().execute(waiting.event::close); // not on the driver's thread
    }
    return waiting;
  }

  private static void watch() {
    int inVain = 0;
    while (true) {
      try {
        Thread.sleep(LOOK_EVERY_MS);
      } catch (InterruptedException nobodyKnowsThisThread) {
        continue;
      }
      inVain = endFailed() ? 0 : inVain + 1;
      synchronized (Completions.class) {
        if (inVain >= LOOKS_IN_VAIN && WAITING.values().stream().noneMatch(waiting -> waiting.event != null)) {
          watcher = null;
          return;
        }
      }
    }
  }

  // Whether any command is waited for.
  private static boolean endFailed() {
    boolean any = false;
    for (Map.Entry<Long, Waiting> entry : WAITING.entrySet()) {
      Event event = entry.getValue().event;
      if (event != null) {
        any = true;
        try {
          long status = event.status();
          if (status < 0) {
            done(entry.getKey(), (int) status);
          }
        } catch (RuntimeException endedMeanwhile) {
          // its event is closed
        }
      }
    }
    return any;
  }

  private static void tell(Runnable asking, long number) {
    boolean asked = false;
    try {
      asking.run();
      asked = true;
    } finally {
      if (!asked) {
        remove(number);
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
