// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait in native code, so that the driver hands the commands of a queue to the device that nobody here can flush: it
 * is not known, or closed here but used elsewhere, or the driver refuses. One for each event, whoever awaits it. That the command
 * has ended others tell ({@link Completions}); a thread of this class tells only that it cannot wait.
 */
final class NativeWaits implements Runnable {
  private static final int MOST_TRIES = 3;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Who awaits the event. */
  private static final class Waiter {
    private final CompletableFuture<Void> ended;
    private Waiter next;

    private Waiter(CompletableFuture<Void> ended) {
      this.ended = ended;
    }
  }

  private static NativeWaits first; // of this class's monitor, as is what follows
  private NativeWaits next;
  private Waiter waiters;

  private final Event own;
  private final long event; // whose handle nobody else gets as long as this waits

  private NativeWaits(long event) {
    this.event = event;
    this.own = Event.of(event);
  }

  /**
   * Has a thread wait for an event; during a use of it.
   *
   * @param ended completed exceptionally where the driver refuses that
   * @return false where no thread can be made, or the event not be held
   */
  static synchronized boolean begin(long event, CompletableFuture<Void> ended) {
    Waiter waiter = new Waiter(ended);
    NativeWaits wait = first;
    while (wait != null && wait.event != event) {
      wait = wait.next;
    }
    if (wait == null) {
      wait = started(event);
      if (wait == null) {
        return false;
      }
      wait.next = first;
      first = wait;
    }
    waiter.next = wait.waiters;
    wait.waiters = waiter;
    return true;
  }

  // Null: the caller has to wait itself.
  private static NativeWaits started(long event) {
    NativeWaits wait = null;
    boolean isStarted = false;
    try {
      wait = new NativeWaits(event);
      LeakGuard.thread(wait, "clpool-wait").start(); // which asks for the monitor before it ends
      isStarted = true;
    } catch (ClpoolException | OutOfMemoryError notToBeHad) {
      // nothing is begun
    } finally {
      if (!isStarted && wait != null) {
        wait.own.close();
      }
    }
    return isStarted ? wait : null;
  }

  @Override
  public void run() {
    RuntimeException failure = null;
    try {
      failure = waitForIt();
    } finally {
      refuse(removed(), failure);
      own.close();
    }
  }

  // What the driver refused it with. Where Java has no memory, which an exception takes, the driver is asked until there is some.
  private RuntimeException waitForIt() {
    for (int tries = 1; ; ) {
      try {
        Native.java_event_wait(event);
        return null;
      } catch (RuntimeException e) {
        if (own.isKnownDone()) {
          return null;
        }
        if (tries == MOST_TRIES) {
          return e;
        }
        ++tries;
      } catch (OutOfMemoryError e) {
        if (own.isKnownDone()) {
          return null;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private Waiter removed() {
    synchronized (NativeWaits.class) {
      if (first == this) {
        first = next;
      }
      for (NativeWaits before = first; before != null; before = before.next) {
        if (before.next == this) {
          before.next = next;
        }
      }
      return waiters;
    }
  }

  private static void refuse(Waiter one, RuntimeException failure) {
    while (one != null && failure != null) {
      try {
        one.ended.completeExceptionally(failure);
        one = one.next;
      } catch (OutOfMemoryError e) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }
}
