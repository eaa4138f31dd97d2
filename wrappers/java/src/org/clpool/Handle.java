// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A native object that a Java object owns: given back once, when it was closed and no call uses it any more, or when its owner is
 * forgotten. Must not refer to the owner.
 *
 * <p>Calls that use it are counted in lanes, a cache line each, so that threads that use one object seldom meet. Each
 * lane has its own mark that the object is closed: one that was closed and whose last use has ended is through, and the
 * object goes back with the last lane.
 *
 * <p>Java's stack or memory may end anywhere. So nothing is forgotten before the native object is given back: what was not done
 * then, the next {@link #close} does, or the cleaner.
 */
final class Handle implements Runnable {
  /** Gives a native object back. */
  interface Release {
    void release(long value);
  }

  private static final int CLOSED = 1;
  private static final int USE = 2;
  private static final int LANE = 16; // ints of a cache line
  private static final int MOST_LANES = 64; // a power of two
  private static final VarHandle LANES = MethodHandles.arrayElementVarHandle(int[].class);
  private static final VarHandle GIVEN;
  private static final long LOOK_EVERY_MILLIS = 1;
  private static final AtomicReference<Thread> CLEANING = new AtomicReference<>();
  private static final AtomicLong LET_GO = new AtomicLong(); // what keep() kept
  private static final Cleaner CLEANER = Cleaner.create(Handle::cleaning);

  static {
    try {
      GIVEN = MethodHandles.lookup().findVarHandle(Handle.class, "given", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final String what;
  private final Release release;
  private final int[] lanes;
  private volatile boolean given; // back, or about to be
  private Cleaner.Cleanable cleanable;

  /** The native object; 0: not made. Set once, before another thread sees the owner. */
  long value;

  private Handle(String what, Release release, int lanes) {
    this.what = what;
    this.release = release;
    this.lanes = new int[(lanes - 1) * LANE + 1];
  }

  /**
   * A handle of `owner`, called `what` in messages, for a native object that is made when all of Java's part is there: none is lost
   * where Java has no memory for that. It becomes the {@link #value}, which takes no call: none is lost where the stack ends.
   *
   * @param lanes a power of two: {@link #lanesForAll}
   */
  static Handle own(Object owner, String what, Release release, int lanes) {
    Handle handle = new Handle(what, release, lanes);
    handle.cleanable = CLEANER.register(owner, handle);
    return handle;
  }

  /** Lanes for an object that every processor may use at once. */
  static int lanesForAll() {
    int processors = Math.min(Runtime.getRuntime().availableProcessors(), MOST_LANES);
    return Integer.highestOneBit(2 * processors - 1);
  }

  private static Thread cleaning(Runnable task) {
    Thread thread = LeakGuard.thread(task, "clpool cleaner");
    CLEANING.set(thread);
    return thread;
  }

  /** Keeps `kept` reachable as long as `view` is, and until a thread has learned that it is not: {@link #letGo} counts that. */
  static void keep(Object view, Object kept) {
    CLEANER.register(
        view,
        () -> {
          Reference.reachabilityFence(kept);
          LET_GO.incrementAndGet();
        });
  }

  /** How often something was let go that a view kept: only the next collection finds it. */
  static long letGo() {
    return LET_GO.get();
  }

  /** Waits until what is known to be gone was worked off, but not for ever: a driver may take its time. */
  static void awaitCleaned(long patienceMillis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    while (!waits(CLEANING.get().getState()) && System.nanoTime() < end) {
      Thread.sleep(LOOK_EVERY_MILLIS);
    }
  }

  // Which that thread does for what is gone, and nowhere else but in native code.
  private static boolean waits(Thread.State state) {
    return state == Thread.State.TIMED_WAITING || state == Thread.State.WAITING;
  }

  /** Runs an action when an object is gone. */
  static void whenGone(Object object, Runnable action) {
    CLEANER.register(object, action);
  }

  boolean tryBegin() {
    int lane = lane();
    int now;
    do {
      now = (int) LANES.getVolatile(lanes, lane);
      if ((now & CLOSED) != 0) {
        return false;
      }
    } while (!LANES.weakCompareAndSet(lanes, lane, now, now + USE));
    return true;
  }

  /**
   * Begins a use of what is closed, and is there as long as another one lasts, which {@link #end} ends; false if none does. Of what
   * has one lane.
   */
  boolean tryJoin() {
    int lane = lane();
    int now;
    do {
      now = (int) LANES.getVolatile(lanes, lane);
      if (now < USE + CLOSED) {
        return false;
      }
    } while (!LANES.weakCompareAndSet(lanes, lane, now, now + USE));
    return true;
  }

  /** Whether it is closed; uses that began before may go on. */
  boolean isClosed() {
    return ((int) LANES.getVolatile(lanes, lane()) & CLOSED) != 0;
  }

  /** Ends a use. What it throws keeps it from that. */
  void end() {
    if ((int) LANES.getAndAdd(lanes, lane(), -USE) == USE + CLOSED) {
      giveBackAtLast();
    }
  }

  /** The same of whoever closes it next. */
  void endUse() {
    LANES.getAndAdd(lanes, lane(), -USE);
  }

  // The call that ends here has its own result.
  private void giveBackAtLast() {
    try {
      giveBackIfThrough();
    } catch (Throwable e) { // an Error: the next close() gives it back, or the cleaner
      Errors.tryToReport(e);
    }
  }

  long value() {
    return value;
  }

  String what() {
    return what;
  }

  void close() {
    for (int lane = 0; lane < lanes.length; lane += LANE) {
      LANES.getAndBitwiseOr(lanes, lane, CLOSED);
    }
    giveBackIfThrough();
  }

  /** The cleaner's part. No call uses what was forgotten, whatever the lanes say: the stack may have ended at a use's end. */
  @Override
  public void run() {
    giveBack();
  }

  private int lane() {
    return lanes.length == 1 ? 0 : (int) Thread.currentThread().getId() * LANE & (lanes.length - 1);
  }

  private void giveBackIfThrough() {
    for (int lane = 0; lane < lanes.length; lane += LANE) {
      if ((int) LANES.getVolatile(lanes, lane) != CLOSED) {
        return;
      }
    }
    giveBack();
  }

  private void giveBack() {
    if (!GIVEN.compareAndSet(this, false, true)) {
      return;
    }
    try {
      if (value != 0) {
        release.release(value);
      }
    } catch (Error e) { // which kept it from being called; an exception tells how it went
      given = false;
      throw e;
    } catch (RuntimeException e) {
      cleanable.clean();
      throw e;
    }
    cleanable.clean();
  }
}
