// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;

/**
 * What waits for the driver: for the end of a command, or of a memory object. The driver knows it by a number and tells it on
 * a thread of its own, which does nothing but hand the number on: a thread of this class asks the event what became of its
 * command (PoCL tells that one is complete which has failed), and looks at the events that nothing was told of (PoCL tells
 * nothing of a command that fails). Memory goes back on a second one, because drivers may wait then. What the program
 * adds to a future runs on neither.
 */
final class Completions {
  /** What is done once at an end. */
  static final class End {
    private final Event event; // null: a memory object is waited for
    private final Executor where;
    private IntConsumer action; // null: done

    private End(Event event, Executor where, IntConsumer action) {
      this.event = event;
      this.where = where;
      this.action = action;
    }

    /** Does it here, or waits until it is done. */
    synchronized void now(int status) {
      IntConsumer once = action;
      action = null;
      if (once != null) {
        try {
          once.accept(status);
        } catch (RuntimeException e) {
          Errors.report(e);
        }
      }
    }

    private int status() {
      try {
        return event == null ? UNKNOWN : (int) event.status();
      } catch (RuntimeException unanswered) {
        return UNKNOWN;
      }
    }
  }

  private static final int COMPLETE = 0;
  private static final int UNKNOWN = 1; // more than complete: it may go on
  private static final long LOOK_EVERY_MS = 50;
  private static final long IDLE_MS = 1000; // then a thread ends

  private static final ScheduledThreadPoolExecutor ENDS = thread("clpool-completions");
  private static final ScheduledThreadPoolExecutor RELEASES = thread("clpool-releases");
  private static final Map<Long, End> WAITING = new ConcurrentHashMap<>();
  private static final AtomicLong LAST = new AtomicLong();
  private static boolean looks; // of this class's monitor

  private Completions() {}

  private static ScheduledThreadPoolExecutor thread(String name) {
    ScheduledThreadPoolExecutor one =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(null, task, name, 0, false);
              thread.setDaemon(true);
              return thread;
            });
    one.setKeepAliveTime(IDLE_MS, TimeUnit.MILLISECONDS);
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  /** Keeps host memory until a command has ended. */
  static End keepUntilComplete(long event, HostBytes kept) {
    Executor where = kept.usesViews() ? RELEASES : Runnable::run;
    End end = new End(Event.of(event), where, status -> kept.ended());
    long number = add(end);
    try {
      Native.java_event_notify(event, number);
    } catch (RuntimeException untold) {
      // looking at it finds its end
    }
    return end;
  }

  /** Keeps host memory until a memory object that lies in it is gone. */
  static void keepUntilGone(long clMem, HostBytes kept) {
    long number = add(new End(null, RELEASES, status -> kept.ended()));
    tell(() -> Native.java_mem_notify(clMem, number), number);
  }

  /** Completes a future when a command has ended. */
  static long complete(long event, CompletableFuture<Void> future) {
    long number = add(new End(Event.of(event), future.defaultExecutor(), status -> finish(future, status)));
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
    ENDS.execute(() -> look(number, status));
  }

  /** How many wait, for tests. */
  static int waiting() {
    return WAITING.size();
  }

  private static synchronized long add(End end) {
    long number = LAST.incrementAndGet();
    WAITING.put(number, end);
    if (end.event != null && !looks) {
      looks = true;
      lookSoon();
    }
    return number;
  }

  private static void lookSoon() {
    ENDS.schedule(Completions::lookAtAll, LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
  }

  private static void lookAtAll() {
    WAITING.keySet().forEach(number -> look(number, UNKNOWN));
    synchronized (Completions.class) {
      looks = WAITING.values().stream().anyMatch(end -> end.event != null);
      if (looks) {
        lookSoon();
      }
    }
  }

  // It has ended if the driver told so, or if it says so itself.
  private static void look(long number, int told) {
    End end = WAITING.get(number);
    if (end != null) {
      int status = Math.min(told, end.status());
      if (status <= COMPLETE && remove(number)) {
        end.where.execute(() -> end.now(status));
      }
    }
  }

  private static boolean remove(long number) {
    End end = WAITING.remove(number);
    if (end != null && end.event != null) {
      end.event.close();
    }
    return end != null;
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
    if (status < COMPLETE) {
      String message = "the command failed with " + Clpool.clErrorName(status) + " (" + status + ")";
      future.completeExceptionally(new ClpoolException(Status.OPENCL, message, status, null));
    } else {
      future.complete(null);
    }
  }
}
