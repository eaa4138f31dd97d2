// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What memory owns, and how it goes back: the native memory, the calls that use it, what it keeps, and who watches it. It
 * counts in a word of its own, without a {@link Handle}: a hit of a pool makes this one object.
 *
 * <p>Java may have no memory or no stack left for any object and any call. So what is Java's is there before the native memory is,
 * which then takes no call to be owned, and watched; and nothing is forgotten before the call that gives it back has begun.
 */
abstract class OwnedMemory extends Usable {
  // How it was closed, in the low bits of `uses`: what the last call that uses it does.
  static final int RELEASE = 1;
  static final int RELEASE_LATER = 2;
  static final int RELEASE_IDLE = 3;
  private static final int CLOSED = 3; // any of them
  private static final int GIVING_UP = 4; // a command that may be refused closes it
  private static final int GONE = 8; // given back, whatever goes wrong afterwards
  private static final int USE = 16; // the other bits count the calls that use it
  private static final VarHandle USES;

  static {
    try {
      USES = MethodHandles.lookup().findVarHandle(OwnedMemory.class, "uses", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private Object keeper; // a pool, allocator or parent, whose Java part (callbacks) must live as long; or OwnViews
  private final long handle;
  private LeakGuard.Leash leash; // null: nobody watches
  private int uses; // read by USES; written plainly where nobody else may change it, which takes neither a call nor a fence

  /** Views of the memory, and what else it keeps. */
  private static final class OwnViews {
    private final Views views;
    private final Object keeper;

    private OwnViews(OwnedMemory memory, Object keeper) {
      this.views = new Views(memory, memory.with(Native::clpool_mem_is_pooled) != 0 ? memory.handle : 0);
      this.keeper = keeper;
    }
  }

  /**
   * Memory that `made` makes.
   *
   * @param by brings it back when it is forgotten; null: nobody
   */
  OwnedMemory(Object keeper, LeakGuard.Leash by, LongSupplier made) {
    this.keeper = keeper;
    leash = by;
    handle = made.getAsLong();
    if (by != null) {
      by.guard.handle = handle;
      Reference.reachabilityFence(by); // not found forgotten before
    }
  }

  /** The same for a block of a pool: a hit makes no function. */
  OwnedMemory(Pool pool, LeakGuard.Leash by, long size) {
    keeper = pool;
    leash = by;
    handle = pool.take(size);
    if (by != null) {
      by.guard.handle = handle;
      Reference.reachabilityFence(by);
    }
  }

  /** Whether there was none. */
  final boolean isNone() {
    return handle == 0;
  }

  @Override
  final boolean tryBegin() {
    int now;
    do {
      now = (int) USES.getVolatile(this);
      if ((now & (CLOSED | GIVING_UP)) != 0) {
        return false;
      }
    } while (!USES.weakCompareAndSet(this, now, now + USE));
    return true;
  }

  @Override
  final void end() {
    int before = (int) USES.getAndAdd(this, -USE);
    if (before < 2 * USE) {
      releaseAtLast(before & CLOSED);
    }
  }

  // What ends here has its own result.
  private void releaseAtLast(int how) {
    if (how != 0) {
      try {
        release(how);
      } catch (RuntimeException e) {
        Errors.report(e);
      }
    }
  }

  @Override
  final long value() {
    return handle;
  }

  @Override
  final String what() {
    return "memory";
  }

  final boolean wasClosed() {
    return ((int) USES.getVolatile(this) & CLOSED) != 0;
  }

  final synchronized Views ownViews() {
    if (!(keeper instanceof OwnViews)) {
      keeper = new OwnViews(this, keeper);
    }
    return ((OwnViews) keeper).views;
  }

  final Object keeper() {
    Object kept = keeper;
    return kept instanceof OwnViews ? ((OwnViews) kept).keeper : kept;
  }

  /** Closes it behind a queue's commands, some events, and the commands that were enqueued with views of it. */
  final Event closeBehind(CommandQueue queueOrNull, Event[] after) {
    if (!USES.compareAndSet(this, 0, GIVING_UP)) {
      throw wasClosed() ? Errors.closed(what()) : Errors.state("this memory is in use by another thread");
    }
    try {
      return new Event((used, event) -> closeBehind(used, queueOrNull, after, event)); // the library has flushed it
    } finally {
      int before = (int) USES.getAndBitwiseAnd(this, ~GIVING_UP);
      if ((before & GIVING_UP) != 0) {
        releaseAtLast(before & CLOSED); // another thread closed it meanwhile
      }
    }
  }

  private void closeBehind(Uses used, CommandQueue queueOrNull, Event[] after, long[] event) {
    long queue = used.ofOptional(queueOrNull);
    Consumer<long[]> command = waits -> giveBackOn(queue, waits, event);
    if (keeper instanceof OwnViews) {
      long[] context = new long[1];
      Native.clpool_mem_context(handle, context);
      ((OwnViews) keeper).views.closeBehind(used, queue, context[0], after, command);
    } else {
      command.accept(used.of(after));
    }
  }

  private void giveBackOn(long queue, long[] waits, long[] event) {
    Native.clpool_mem_release_on(handle, queue, waits, event);
    uses = RELEASE | GONE;
    if (leash != null) {
      leash.guard.handle = 0;
    }
    unwatch();
  }

  // Even two threads that close at once release once: else the second would release the block's next user. Where this fails
  // before it has gone back, it is open again.
  final void close(int how) {
    int now;
    do {
      now = (int) USES.getVolatile(this);
      if ((now & CLOSED) != 0) {
        return;
      }
    } while (!USES.weakCompareAndSet(this, now, now | how));
    if (now == 0) {
      try {
        release(how);
      } catch (Throwable e) {
        if ((uses & GONE) == 0) {
          uses = 0;
        }
        throw e;
      }
    }
  }

  // Nobody uses it, nor will: only views are left.
  private void release(int how) {
    Object kept = keeper;
    if (!(kept instanceof OwnViews)) {
      giveBack(how);
      return;
    }
    Runnable now = ((OwnViews) kept).views.closed(() -> giveBack(how));
    if (now != null) {
      now.run();
    }
  }

  private void giveBack(int how) {
    int status;
    try {
      status = Native.java_mem_give_back(handle, how); // which throws only what keeps it from being called
    } catch (Throwable e) {
      uses = 0; // also where it was put off until the views are through
      throw e;
    }
    uses = how | GONE;
    if (leash != null) {
      leash.guard.handle = 0; // before any call, which might fail
    }
    unwatch();
    if (status != 0) {
      Native.java_check(status);
    }
  }

  // The leash is for another memory.
  private void unwatch() {
    LeakGuard.Leash watched = leash;
    if (watched != null) {
      leash = null;
      watched.returned();
    }
  }
}
