// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * What waits for the driver: for the end of a command, or of a memory object. The driver knows it by a number and tells it on
 * a thread of its own, which never enters Java (native/ends.cpp): a thread of this class fetches it, asks the event what became of its
 * command (PoCL tells that one is complete which has failed), and looks at the events that nothing was told of (PoCL tells
 * nothing of a command that fails). Memory goes back on a second one, because drivers may wait then. What the program
 * adds to a future runs on neither, but on the second one where the future's own executor refuses it, as where no thread can be
 * made or no memory is left; where the second one cannot have it either, it is tried again with each look.
 *
 * <p>The program's threads take no lock of java.util.concurrent and put nothing into a map: where
 * the stack ends, the one may stay locked for ever and the other half grown. A monitor is left whatever happens.
 */
final class Completions {
  /** What is done once at an end. It runs where it is handed on to, which takes no object. */
  static final class End implements Runnable {
    private final boolean ofCommand; // else a memory object is waited for
    private final Executor where;
    private Long number; // boxed once: later there may be no memory
    private End before; // added before it, and not taken over either
    private IntConsumer action; // null: done
    private volatile int status = UNKNOWN; // what is known of it
    private boolean wasRefused; // by the executor, which is told once
    private boolean answered; // by the driver, what became of the command
    private int looks; // in vain, at a command of which an end is told

    // Fields, because a call might fail:
    /** The command, or the driver's word, was refused: nothing is to be done. */
    volatile boolean refused;

    /** The command's event, which is closed here when it has ended; null: none, or it is not enqueued yet. */
    volatile Event enqueued;

    private End(boolean ofCommand, Event event, Executor where, IntConsumer action) {
      this.ofCommand = ofCommand;
      this.enqueued = event;
      this.where = where;
      this.action = action;
    }

    /** Does it here, or waits until it is done. */
    @Override
    public synchronized void run() {
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

    /** Asks the driver to tell of the command that is enqueued. */
    void notifyEnqueued() {
      try {
        enqueued.with(event -> Native.java_event_notify(event, number));
      } catch (Throwable untold) {
        // looking at it finds its end
      }
    }

    private boolean hasEnded(int told) {
      status = Math.min(status, told);
      if (ofCommand) {
        status = Math.min(status, ask());
      }
      // A command that is complete, as is told, may have failed.
      return status < COMPLETE || status == COMPLETE && (!ofCommand || answered || ++looks > MOST_LOOKS);
    }

    private int ask() {
      answered = false;
      try {
        int asked = enqueued == null ? UNKNOWN : (int) enqueued.status();
        answered = enqueued != null;
        return asked;
      } catch (Throwable unanswered) {
        return UNKNOWN;
      }
    }

    private void closeEvent() {
      try {
        if (enqueued != null) {
          enqueued.close();
        }
      } catch (Throwable e) {
        Errors.report(e);
      }
    }
  }

  private static final int COMPLETE = 0;
  private static final int UNKNOWN = 1; // more than complete: it may go on
  private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MOST_LOOKS = 20; // a second
  private static final int FOR_EVER = -1;
  private static final long IDLE_MS = 1000; // then the second thread ends

  private static final ScheduledThreadPoolExecutor RELEASES = releases();
  private static final Map<Long, End> WAITING = new ConcurrentHashMap<>(); // changed by the first thread alone
  // Of this class's monitor:
  private static boolean started; // the first thread
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

  /** Completes a future when the command of an event has ended; during a use of it. */
  static long complete(Event of, long event, CompletableFuture<Void> future) {
    End end = watch(event, future.defaultExecutor(), status -> finish(future, status));
    tell(of::flushQueue, end);
    return event;
  }

  /**
   * Waits until a command has ended without a call into native code, in which a virtual thread keeps its carrier. Drivers flush the
   * queue of an event that is waited for: where nobody here can, a thread of the library's own does wait in native code.
   *
   * @throws ClpoolException if it failed
   */
  static long await(Event of, long event) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    int[] status = new int[1];
    if (!isWatched(event, ended, status) || !isFlushed(of) && !NativeWaits.begin(event, ended)) {
      Native.java_event_wait(event);
      return event;
    }
    join(ended);
    if (status[0] < COMPLETE) {
      throw failure(status[0]);
    }
    return event;
  }

  // What the driver refuses of that is no matter of the command.
  private static boolean isWatched(long event, CompletableFuture<Void> ended, int[] status) {
    try {
      watch(
          event,
          Runnable::run,
          told -> { // without an object: there may be no memory
            status[0] = told;
            ended.complete(null);
          });
      return true;
    } catch (ClpoolException refused) {
      return false;
    }
  }

  private static boolean isFlushed(Event of) {
    try {
      return of.flushQueue();
    } catch (ClpoolException refused) {
      return false;
    }
  }

  private static void join(CompletableFuture<Void> ended) {
    try {
      ended.join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause(); // another thread's: who reads it should see who waited
      if (cause instanceof ClpoolException) {
        ClpoolException refusal = (ClpoolException) cause;
        throw new ClpoolException(refusal.status(), refusal.getMessage(), refusal.clError(), refusal);
      }
      throw e;
    }
  }

  private static End watch(long event, Executor where, IntConsumer action) {
    End end = add(new End(true, Event.of(event), where, action));
    end.notifyEnqueued();
    return end;
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

  // Waits until the driver tells of an end, or somebody rings. What there is no memory for is told again.
  private static void lookAtTold(int patienceMillis) {
    long number = Native.java_ends_next(patienceMillis);
    takeOver(); // what that tells of was added before
    if (number != 0) {
      End end = WAITING.get(number);
      if (end != null) { // else it was looked at already
        look(end, Native.java_ends_status());
      }
      Native.java_ends_drop();
    }
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
    if (!started) {
      Native.java_ends_open();
      LeakGuard.thread(Completions::work, "clpool-completions").start();
      started = true;
    }
  }

  // The thread is woken first, as that may fail; before it asks it waits for the monitor.
  private static synchronized void lookAgain() {
    if (!looks) {
      Native.java_ends_ring();
      looks = true;
    }
  }

  private static synchronized boolean looks() {
    return looks;
  }

  private static void work() {
    LockSupport.parkNanos(Completions.class, 0); // what a first call loads there may be no memory for later
    long next = System.nanoTime();
    while (true) {
      try {
        Thread.interrupted(); // nobody has a reason to interrupt this thread, which would not rest any more
        if (looks()) {
          lookAtTold(1 + (int) TimeUnit.NANOSECONDS.toMillis(Math.max(0, next - System.nanoTime())));
        } else {
          lookAtTold(FOR_EVER);
          next = System.nanoTime() + LOOK_EVERY_NANOS;
        }
        if (System.nanoTime() - next >= 0) {
          next = System.nanoTime() + LOOK_EVERY_NANOS;
          lookAtAll();
        }
      } catch (Throwable e) { // there is no memory
        Errors.tryToReport(e);
        LockSupport.parkNanos(Completions.class, LOOK_EVERY_NANOS);
      }
    }
  }

  private static void lookAtAll() {
    try {
      WAITING.values().forEach(end -> look(end, UNKNOWN));
    } finally {
      synchronized (Completions.class) {
        looks = added != null | WAITING.values().stream().anyMatch(end -> end.ofCommand || end.status <= COMPLETE);
      }
    }
  }

  // It has ended if the driver told so, or if it says so itself. What goes wrong with one is no matter of the others.
  private static void look(End end, int told) {
    try {
      if (end.refused || end.hasEnded(told) && handOn(end)) {
        WAITING.remove(end.number);
        end.closeEvent();
      }
    } catch (Throwable e) {
      Errors.report(e);
    }
  }

  // False where nobody can have it now.
  private static boolean handOn(End end) {
    if (end.where != RELEASES) {
      try {
        end.where.execute(end);
        return true;
      } catch (Throwable refused) {
        tellOnce(end, refused);
      }
    }
    try {
      RELEASES.prestartCoreThread(); // else it would be queued though no thread can be made
      RELEASES.execute(end);
      return true;
    } catch (Throwable refused) {
      tellOnce(end, refused);
      lookAgain();
      return false;
    }
  }

  private static void tellOnce(End end, Throwable refused) {
    boolean told = end.wasRefused;
    end.wasRefused = true;
    if (!told) {
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

  // A failure takes an exception, for which there may be no memory until later.
  private static void finish(CompletableFuture<Void> future, int status) {
    while (status < COMPLETE && !future.isDone()) {
      try {
        future.completeExceptionally(failure(status));
      } catch (OutOfMemoryError e) {
        LockSupport.parkNanos(LOOK_EVERY_NANOS);
      }
    }
    future.complete(null);
  }
}
