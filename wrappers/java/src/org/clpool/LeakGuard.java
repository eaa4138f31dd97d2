// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Brings memory back that a program forgot to close. Memory holds a {@link Leash}, which nothing else refers to: a guard
 * learns from the garbage collector that its leash, and with it the memory object, is gone, and a thread of its own hands
 * the native memory to the pool's list of late releases, which neither waits nor calls a driver.
 *
 * <p>Guards and leashes are made in pairs and used again, because references that the garbage collector looks after cost
 * more than a pool's hit. All guards are kept in a few lists with a lock each, which only making and dropping one takes.
 */
final class LeakGuard extends PhantomReference<LeakGuard.Leash> {
  /** What one memory object at a time holds. */
  static final class Leash {
    final LeakGuard guard = new LeakGuard(this);

    /**
     * The leash is for another memory object: nothing is watched any more. Called once, by the one that closed the memory. Where
     * Java has no memory or no stack left for that, the leash is found unreachable instead.
     */
    void returned() {
      if (guard.origin != null) {
        guard.origin = null;
        guard.listener = null;
      }
      try {
        FREE.get().add(this);
      } catch (Throwable noRoom) {
        // nothing but the leash is lost
      }
    }
  }

  /** The leashes that a thread has left. */
  private static final class Leashes {
    private static final int MOST = 256;

    private Leash[] free = new Leash[4];
    private int count;

    private Leash take() {
      if (count == 0) {
        return new Leash();
      }
      Leash leash = free[--count];
      free[count] = null;
      return leash;
    }

    private void add(Leash leash) {
      if (count == free.length && !grow()) {
        leash.guard.unlink();
        return;
      }
      free[count++] = leash;
    }

    private boolean grow() {
      if (count == MOST) {
        return false;
      }
      free = Arrays.copyOf(free, 2 * count);
      return true;
    }
  }

  private static final long SETTLE_MILLIS = 10;
  private static final long PATIENCE_MILLIS = 500; // a collection may find nothing at once
  private static final int LISTS = 64; // a power of two
  private static final LeakGuard[] HEADS = new LeakGuard[LISTS];
  private static final ReferenceQueue<Leash> FORGOTTEN = new ReferenceQueue<>();
  private static final ThreadLocal<Leashes> FREE = ThreadLocal.withInitial(Leashes::new);

  static {
    for (int i = 0; i < LISTS; ++i) {
      HEADS[i] = new LeakGuard();
    }
    thread(LeakGuard::bringBack, "clpool leak guard").start();
  }

  /** A thread of the library's own that keeps no program alive, nor what the thread has that makes it. */
  @SuppressWarnings("removal") // of what Java 24 and later need no more
  static Thread thread(Runnable task, String name) {
    // Without the domains of those who called, which have class loaders.
    Thread thread =
        java.security.AccessController.doPrivileged(
            (java.security.PrivilegedAction<Thread>) () -> new Thread(null, task, name, 0, false));
    thread.setDaemon(true);
    thread.setContextClassLoader(null);
    return thread;
  }

  private static volatile boolean switchedOff; // System.gc() found nothing of ours in all its patience

  private final LeakGuard head;
  long handle; // 0 while nothing is watched
  private Throwable origin;
  private MessageListener listener;
  private CountDownLatch whenFound; // null but for what is queued to see how far the thread is
  private LeakGuard previous;
  private LeakGuard next;

  private LeakGuard() {
    super(null, null);
    head = this;
    previous = this;
    next = this;
  }

  private LeakGuard(Leash leash) {
    super(leash, FORGOTTEN);
    this.head = HEADS[(int) Thread.currentThread().getId() & (LISTS - 1)];
    synchronized (head) {
      previous = head;
      next = head.next;
      next.previous = this;
      head.next = this;
    }
  }

  /** A leash. It watches the memory whose handle its guard is given, which takes no call: none is lost in one that fails. */
  static Leash leash() {
    return FREE.get().take();
  }

  /**
   * The same with a message if the memory is forgotten.
   *
   * @param listener who gets it; null: the library's listener
   * @param origin where the memory was allocated
   */
  static Leash leash(MessageListener listener, Throwable origin) {
    Leash leash = leash();
    leash.guard.origin = origin;
    leash.guard.listener = listener;
    return leash;
  }

  /**
   * Asks the garbage collector to run, and waits until what it found has come back, however busy the machine is: until it has
   * queued something that was forgotten for that, a moment for what it queues behind that, and until this thread and that of
   * {@link Handle} have worked off their queues. Once more if views were found, which keep what they look at until then. Where
   * System.gc() does nothing (-XX:+DisableExplicitGC), only the first call waits for it in vain. A thread that was interrupted waits
   * all the same, and stays interrupted.
   */
  static void collectGarbage() {
    boolean interrupted = Thread.interrupted();
    long letGo = Handle.letGo();
    try {
      collectOnce();
      if (Handle.letGo() != letGo) {
        collectOnce();
      }
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void collectOnce() throws InterruptedException {
    CountDownLatch found = new CountDownLatch(1);
    WeakReference<Leash> forgotten = new WeakReference<>(thatTells(found));
    System.gc();
    if (forgotten.get() != null && switchedOff) {
      return;
    }
    found.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    switchedOff = forgotten.get() != null;
    if (switchedOff) {
      return;
    }
    Thread.sleep(SETTLE_MILLIS);
    Handle.awaitCleaned(PATIENCE_MILLIS);
    CountDownLatch workedOff = new CountDownLatch(1);
    thatTells(workedOff).guard.enqueue();
    workedOff.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static Leash thatTells(CountDownLatch found) {
    Leash leash = new Leash();
    leash.guard.whenFound = found;
    return leash;
  }

  // Without clear(), which is a call into the virtual machine: what nobody refers to is not queued.
  private void unlink() {
    synchronized (head) {
      previous.next = next;
      next.previous = previous;
    }
  }

  private static void bringBack() {
    while (true) {
      try {
        ((LeakGuard) FORGOTTEN.remove()).bringBackOne();
      } catch (InterruptedException e) {
        // Nobody has a reason to interrupt this thread; it goes on.
      } catch (Throwable e) { // whatever a listener throws: without this thread nothing comes back
        Errors.report(e);
      }
    }
  }

  private void bringBackOne() {
    unlink();
    if (whenFound != null) {
      try {
        for (LeakGuard other = next(); other != null; other = next()) {
          other.bringBackOne();
        }
      } finally {
        whenFound.countDown();
      }
    } else if (handle != 0) { // else the thread that had it left ended
      try {
        report();
      } finally {
        Native.java_mem_give_back(handle, OwnedMemory.RELEASE_LATER);
      }
    }
  }

  private static LeakGuard next() {
    return (LeakGuard) FORGOTTEN.poll();
  }

  private void report() {
    MessageListener told = listener == null ? Clpool.messageListener() : listener;
    if (origin == null || told == null) {
      return;
    }
    StringBuilder text = new StringBuilder("memory was forgotten that was allocated");
    for (StackTraceElement element : origin.getStackTrace()) {
      text.append(" at ").append(element);
    }
    told.message(Severity.WARNING, text.toString());
  }
}
