// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.util.function.Consumer;

/**
 * What memory owns, and how it goes back: the native memory, the calls that use it, what it keeps, and who watches it. It
 * counts in a word of its own, without a {@link Handle}: a hit of a pool makes this one object.
 */
abstract class OwnedMemory extends Usable {
  // How it was closed, in the low bits of `uses`: what the last call that uses it does.
  static final int RELEASE = 1;
  static final int RELEASE_LATER = 2;
  static final int RELEASE_IDLE = 3;
  private static final int CLOSED = 3; // any of them
  private static final int USE = 4; // the other bits count the calls that use it
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
  private volatile int uses;

  /** Views of the memory, and what else it keeps. */
  private static final class OwnViews {
    private final Views views;
    private final Object keeper;

    private OwnViews(OwnedMemory memory, Object keeper) {
      this.views = new Views(memory, memory.with(Native::clpool_mem_is_pooled) != 0 ? memory.handle : 0);
      this.keeper = keeper;
    }
  }

  /** Memory that nobody watches. */
  OwnedMemory(long handle, Object keeper) {
    this.handle = handle;
    this.keeper = keeper;
  }

  /** It comes back when it is forgotten. */
  final void watch(LeakGuard.Leash by) {
    leash = by;
  }

  @Override
  final boolean tryBegin() {
    int now;
    do {
      now = uses;
      if ((now & CLOSED) != 0) {
        return false;
      }
    } while (!USES.weakCompareAndSet(this, now, now + USE));
    return true;
  }

  @Override
  final void end() {
    int before = (int) USES.getAndAdd(this, -USE);
    if (before < 2 * USE && (before & CLOSED) != 0) {
      try {
        release(before & CLOSED);
      } catch (RuntimeException e) {
        Errors.report(e); // the call that ends here has its own result
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
    return (uses & CLOSED) != 0;
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
    if (!USES.compareAndSet(this, 0, CLOSED)) {
      throw wasClosed() ? Errors.closed(what()) : Errors.state("this memory is in use by another thread");
    }
    long[] event = new long[1];
    boolean closed = false;
    try (Uses used = new Uses()) {
      long queue = used.ofOptional(queueOrNull);
      Consumer<long[]> command = waits -> Native.clpool_mem_release_on(handle, queue, waits, event);
      if (keeper instanceof OwnViews) {
        long[] context = new long[1];
        Native.clpool_mem_context(handle, context);
        ((OwnViews) keeper).views.closeBehind(used, queue, context[0], after, command);
      } else {
        command.accept(used.of(after));
      }
      closed = true;
    } finally {
      if (closed) {
        unwatch();
      } else {
        uses = 0;
      }
    }
    return new Event(event[0]);
  }

  // Even two threads that close at once release once: else the second would release the block's next user.
  final void close(int how) {
    int now;
    do {
      now = uses;
      if ((now & CLOSED) != 0) {
        return;
      }
    } while (!USES.weakCompareAndSet(this, now, now | how));
    unwatch();
    if (now == 0) {
      release(how);
    }
  }

  private void unwatch() {
    LeakGuard.Leash watched = leash;
    if (watched != null) {
      leash = null; // it may soon be another memory's
      watched.returned();
    }
    Reference.reachabilityFence(this); // not found forgotten before
  }

  // Nobody uses it, nor will: only views are left.
  private void release(int how) {
    Object kept = keeper;
    if (kept instanceof OwnViews) {
      ((OwnViews) kept).views.closeThen(() -> giveBack(how));
    } else {
      giveBack(how);
    }
  }

  private void giveBack(int how) {
    if (how == RELEASE) {
      Native.clpool_mem_release(handle);
    } else if (how == RELEASE_LATER) {
      Native.clpool_mem_release_later(handle);
    } else {
      Native.clpool_mem_release_idle(handle);
    }
  }
}
