// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * What waits for the driver: for the end of a command, or of a memory object. The driver knows it by a number and tells it on
 * a thread of its own, which does nothing but hand the number on: a thread of this class asks the event what became of its
 * command (PoCL tells that one is complete which has failed), and looks at the events that nothing was told of (PoCL tells
 * nothing of a command that fails). Memory goes back on a second one, because drivers may wait then. What the program
 * adds to a future runs on neither, but on the second one where the future's own executor refuses it, as where no thread can be
 * made; where that one cannot be made either, it is tried again with each look.
 */
final class Completions {
  /** What is done once at an end. */
  static final class End {
    private final boolean ofCommand; // else a memory object is waited for
    private final Executor where;
    private volatile Event event; // null: none, or not enqueued yet
    private long number;
    private IntConsumer action; // null: done

    private End(boolean ofCommand, Event event, Executor where, IntConsumer action) {
      this.ofCommand = ofCommand;
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
        } catch (Throwable e) {
          Errors.report(e);
        }
      }
    }

    /** The command is enqueued; its event is closed here when it has ended. */
    void enqueued(Event command) {
      event = command;
      try {
        command.with(e -> Native.java_event_notify(e, number));
      } catch (Throwable untold) {
        // looking at it finds its end
      }
    }

    /** The command was refused. */
    void refused() {
      WAITING.remove(number);
    }

    private int status() {
      try {
        return event == null ? UNKNOWN : (int) event.status();
      } catch (Throwable unanswered) {
        return UNKNOWN;
      }
    }

    private void closeEvent() {
      try {
        if (event != null) {
          event.close();
        }
      } catch (Throwable e) {
        Errors.report(e);
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
  private static long last; // with `looks` of this class's monitor
  private static boolean looks;

  private Completions() {}

  private static ScheduledThreadPoolExecutor thread(String name) {
    ScheduledThreadPoolExecutor one = new ScheduledThreadPoolExecutor(1, task -> LeakGuard.thread(task, name));
    one.setKeepAliveTime(IDLE_MS, TimeUnit.MILLISECONDS);
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  /**
   * Keeps host memory until a command has ended that is enqueued next: {@link End#enqueued} or {@link End#refused} follows. What
   * may fail does so here.
   */
  static End keepUntilComplete(HostBytes kept) {
    Executor where = kept.usesViews() ? RELEASES : Runnable::run;
    return add(new End(true, null, where, status -> kept.ended()));
  }

  /** Keeps host memory until a memory object that lies in it is gone. */
  static void keepUntilGone(long clMem, HostBytes kept) {
    End end = add(new End(false, null, RELEASES, status -> kept.ended()));
    tell(() -> Native.java_mem_notify(clMem, end.number), end);
  }

  /** Completes a future when a command has ended. */
  static long complete(long event, CompletableFuture<Void> future) {
    return whenComplete(event, future.defaultExecutor(), status -> finish(future, status));
  }

  /**
   * Waits until a command has ended without a call into native code, in which a virtual thread keeps its carrier.
   *
   * @throws ClpoolException if it failed
   */
  static long await(long event) {
    CompletableFuture<Integer> ended = new CompletableFuture<>();
    whenComplete(event, Runnable::run, ended::complete);
    int status = ended.join();
    if (status < COMPLETE) {
      throw failure(status);
    }
    return event;
  }

  private static long whenComplete(long event, Executor where, IntConsumer action) {
    End end = add(new End(true, Event.of(event), where, action));
    tell(
        () -> {
          Native.java_event_notify(event, end.number);
          Native.java_event_flush(event);
        },
        end);
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

  private static synchronized End add(End end) {
    boolean added = false;
    try {
      if (end.ofCommand) {
        ENDS.prestartCoreThread(); // fails where no thread can be made
        lookAgain();
      }
      end.number = ++last;
      WAITING.put(end.number, end);
      added = true;
    } finally {
      if (!added) {
        end.closeEvent();
      }
    }
    return end;
  }

  private static synchronized void lookAgain() {
    if (!looks) {
      ENDS.schedule(Completions::lookAtAll, LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
      looks = true;
    }
  }

  private static void lookAtAll() {
    try {
      WAITING.keySet().forEach(number -> look(number, UNKNOWN));
    } finally {
      synchronized (Completions.class) {
        looks = false;
        if (releasesAreStuck() | WAITING.values().stream().anyMatch(end -> end.ofCommand)) {
          lookAgain();
        }
      }
    }
  }

  // What was to run there waits in the queue until there is a thread.
  private static boolean releasesAreStuck() {
    try {
      if (!RELEASES.getQueue().isEmpty()) {
        RELEASES.prestartCoreThread();
      }
      return false;
    } catch (Throwable noThread) {
      return true;
    }
  }

  // It has ended if the driver told so, or if it says so itself. What goes wrong with one is no matter of the others.
  private static void look(long number, int told) {
    try {
      End end = WAITING.get(number);
      if (end != null) {
        int status = Math.min(told, end.status());
        if (status <= COMPLETE && WAITING.remove(number, end)) {
          end.closeEvent();
          handOn(end, status);
        }
      }
    } catch (Throwable e) {
      Errors.report(e);
    }
  }

  private static void handOn(End end, int status) {
    try {
      end.where.execute(() -> end.now(status));
    } catch (Throwable refused) {
      try {
        if (end.where != RELEASES) {
          RELEASES.execute(() -> end.now(status));
        }
      } catch (Throwable noThread) {
        // it is queued all the same
      }
      lookAgain();
      Errors.report(refused);
    }
  }

  private static void tell(Runnable asking, End end) {
    boolean asked = false;
    try {
      asking.run();
      asked = true;
    } finally {
      if (!asked && WAITING.remove(end.number, end)) {
        end.closeEvent();
      }
    }
  }

  private static ClpoolException failure(int status) {
    String message = "the command failed with " + Clpool.clErrorName(status) + " (" + status + ")";
    return new ClpoolException(Status.OPENCL, message, status, null);
  }

  private static void finish(CompletableFuture<Void> future, int status) {
    if (status < COMPLETE) {
      future.completeExceptionally(failure(status));
    } else {
      future.complete(null);
    }
  }
}
