// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * What waits for the driver: for the end of a command, or of a memory object. The driver knows it by a number and tells it on
 * a thread of its own, which does nothing but hand the number on: a thread of this class asks the event what became of its
 * command (PoCL tells that one is complete which has failed), and looks at the events that nothing was told of (PoCL tells
 * nothing of a command that fails). Memory goes back on a second one, because drivers may wait then. What the program
 * adds to a future runs on neither, but on the second one where the future's own executor refuses it, as where no thread can be
 * made; where that one cannot be made either, it is tried again with each look.
 *
 * <p>The driver's thread waits for no lock. The program's threads take no lock of java.util.concurrent and put nothing into a map: where
 * the stack ends, the one may stay locked for ever and the other half grown. A monitor is left whatever happens.
 */
final class Completions {
  /** What is done once at an end. */
  static final class End {
    private final boolean ofCommand; // else a memory object is waited for
    private final Executor where;
    private volatile Event event; // null: none, or not enqueued yet
    private long number;
    private End before; // added before it, and not taken over either
    private IntConsumer action; // null: done

    /** The command, or the driver's word, was refused: nothing is to be done. A field, because a call might fail. */
    volatile boolean refused;

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

  /** What the driver told. */
  private static final class Told {
    private final long number;
    private final int status;

    private Told(long number, int status) {
      this.number = number;
      this.status = status;
    }
  }

  private static final int COMPLETE = 0;
  private static final int UNKNOWN = 1; // more than complete: it may go on
  private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long IDLE_MS = 1000; // then the second thread ends

  private static final ConcurrentLinkedQueue<Told> TOLD = new ConcurrentLinkedQueue<>();
  private static final ScheduledThreadPoolExecutor RELEASES = releases();
  private static final Map<Long, End> WAITING = new ConcurrentHashMap<>(); // changed by the first thread alone
  private static volatile Thread ends; // the first thread; null: not started. It is set in this class's monitor, to which belong:
  private static End added; // the last one that the thread has not taken over
  private static long last;
  private static boolean looks;

  private Completions() {}

  private static ScheduledThreadPoolExecutor releases() {
    ScheduledThreadPoolExecutor one =
        new ScheduledThreadPoolExecutor(1, task -> LeakGuard.thread(task, "clpool-releases"));
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
    TOLD.add(new Told(number, status));
    LockSupport.unpark(ends);
  }

  /** How many wait, for tests. */
  static synchronized int waiting() {
    int count = (int) WAITING.values().stream().filter(end -> !end.refused).count();
    for (End end = added; end != null; end = end.before) {
      count += end.refused ? 0 : 1;
    }
    return count;
  }

  private static synchronized End add(End end) {
    boolean ready = false;
    try {
      start(); // fails where no thread can be made
      if (end.ofCommand) {
        lookAgain();
      }
      ready = true;
    } finally {
      if (!ready) {
        end.closeEvent();
      }
    }
    end.number = ++last;
    end.before = added;
    added = end;
    return end;
  }

  private static synchronized void takeOver() {
    while (added != null) {
      End end = added;
      WAITING.put(end.number, end);
      added = end.before;
      end.before = null;
    }
  }

  private static void start() {
    if (ends == null) {
      Thread thread = LeakGuard.thread(Completions::work, "clpool-completions");
      thread.start();
      ends = thread;
    }
  }

  // The thread is woken first, as that may fail; before it asks it waits for the monitor.
  private static synchronized void lookAgain() {
    if (!looks) {
      LockSupport.unpark(ends);
      looks = true;
    }
  }

  private static synchronized boolean looks() {
    return looks;
  }

  private static void work() {
    long next = System.nanoTime();
    while (true) {
      try {
        Thread.interrupted(); // nobody has a reason to interrupt this thread, which would not rest any more
        Told told = TOLD.peek();
        takeOver(); // what that tells of was added before
        if (told != null) {
          TOLD.poll();
          look(told.number, told.status);
        } else if (looks()) {
          LockSupport.parkNanos(Completions.class, next - System.nanoTime());
        } else {
          LockSupport.park(Completions.class);
          next = System.nanoTime() + LOOK_EVERY_NANOS;
        }
        if (System.nanoTime() - next >= 0) {
          next = System.nanoTime() + LOOK_EVERY_NANOS;
          lookAtAll();
        }
      } catch (Throwable e) { // there is no memory
        Errors.report(e);
        LockSupport.parkNanos(Completions.class, LOOK_EVERY_NANOS);
      }
    }
  }

  private static void lookAtAll() {
    try {
      WAITING.keySet().forEach(number -> look(number, UNKNOWN));
    } finally {
      synchronized (Completions.class) {
        looks = releasesAreStuck() | added != null | WAITING.values().stream().anyMatch(end -> end.ofCommand);
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
      if (end == null) {
        return; // it was looked at already
      }
      boolean refused = end.refused;
      int status = refused ? COMPLETE : Math.min(told, end.status());
      if (status <= COMPLETE) {
        WAITING.remove(number);
        end.closeEvent();
        if (!refused) {
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
      if (!asked) {
        end.refused = true;
        lookAgain();
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
