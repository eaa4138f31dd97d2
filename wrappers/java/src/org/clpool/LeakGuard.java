// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;

/**
 * Brings memory back that a program forgot to close: one guard for each piece of memory that is watched. Guards are
 * kept in a few lists with a lock each, so that threads seldom meet; a thread of its own takes those whose memory
 * object the garbage collector found, and hands the native memory to the pool's list of late releases, which neither
 * waits nor calls a driver.
 */
final class LeakGuard extends PhantomReference<Memory> {
  private static final long SETTLE_MILLIS = 10;
  private static final int LISTS = 64; // a power of two
  private static final LeakGuard[] HEADS = new LeakGuard[LISTS];
  private static final ReferenceQueue<Memory> FORGOTTEN = new ReferenceQueue<>();

  static {
    for (int i = 0; i < LISTS; ++i) {
      HEADS[i] = new LeakGuard();
    }
    Thread thread = new Thread(LeakGuard::bringBack, "clpool leak guard");
    thread.setDaemon(true);
    thread.start();
  }

  private final long handle;
  private final LeakGuard head;
  private final Object keeper;
  private final Throwable origin;
  private LeakGuard previous;
  private LeakGuard next;

  private LeakGuard() {
    super(null, null);
    handle = 0;
    head = this;
    keeper = null;
    origin = null;
    previous = this;
    next = this;
  }

  private LeakGuard(Memory memory, long handle, Object keeper, Throwable origin) {
    super(memory, FORGOTTEN);
    this.handle = handle;
    this.keeper = keeper;
    this.origin = origin;
    this.head = HEADS[(int) Thread.currentThread().getId() & (LISTS - 1)];
    synchronized (head) {
      previous = head;
      next = head.next;
      next.previous = this;
      head.next = this;
    }
  }

  /**
   * Watches memory until it is closed.
   *
   * @param keeper what must stay reachable as long as the memory
   * @param origin where it was allocated, for the message; null: no message
   */
  static LeakGuard watch(Memory memory, long handle, Object keeper, Throwable origin) {
    return new LeakGuard(memory, handle, keeper, origin);
  }

  /** Ends the watch; false if it had ended. Without clear(), which is a call into the virtual machine. */
  boolean disarm() {
    synchronized (head) {
      if (next == null) {
        return false;
      }
      previous.next = next;
      next.previous = previous;
      next = null;
      return true;
    }
  }

  /** Gives what the garbage collector has just found a moment to come back: it queues that, and the thread takes it. */
  static void settle() {
    try {
      Thread.sleep(SETTLE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void bringBack() {
    while (true) {
      try {
        LeakGuard guard = (LeakGuard) FORGOTTEN.remove();
        if (guard.disarm()) {
          guard.report();
          Native.clpool_mem_release_later(guard.handle);
        }
      } catch (InterruptedException e) {
        // Nobody has a reason to interrupt this thread; it goes on.
      } catch (RuntimeException e) {
        Errors.report(e);
      }
    }
  }

  private void report() {
    if (origin == null) {
      return;
    }
    MessageListener listener = keeper instanceof Pool ? ((Pool) keeper).messages() : null;
    listener = listener == null ? Clpool.messageListener() : listener;
    if (listener == null) {
      return;
    }
    StringBuilder text = new StringBuilder("memory was forgotten that was allocated");
    for (StackTraceElement element : origin.getStackTrace()) {
      text.append(" at ").append(element);
    }
    listener.message(Severity.WARNING, text.toString());
  }
}
