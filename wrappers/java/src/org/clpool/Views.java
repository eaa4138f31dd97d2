// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Views of one object's memory, and what uses them: calls that were given one as host memory, and the commands that they
 * enqueued. The memory goes back when they are through.
 *
 * <p>Views of memory of no pool are an IllegalStateException once it is closed. That is Java's own work, from 22 on: its
 * arenas end the use of what lies in them, at the price of a word with every thread. They are called by method handles,
 * because this is compiled for Java 11.
 */
final class Views {
  private static final int ARENAS_SINCE = 22;
  private static final MethodHandle NEW_ARENA; // null: this Java has none
  private static final MethodHandle CLOSE;
  private static final MethodHandle AT_ADDRESS;
  private static final MethodHandle WITHIN;
  private static final MethodHandle AS_BUFFER;
  private static final MethodHandle OF_BUFFER;
  private static final MethodHandle SCOPE;
  private static final MethodHandle IS_ALIVE;
  private static final MethodHandle IS_ACCESSIBLE;
  private static final MethodHandle SCOPE_OF_ARENA;
  // What Java has no name for: what the scopes of arenas are that their user may close; null: not to be told from others.
  private static final Class<?> SHARED;
  private static final Class<?> CONFINED;

  static {
    MethodHandle[] found = new MethodHandle[10];
    Class<?>[] scopes = new Class<?>[2];
    if (Runtime.version().feature() >= ARENAS_SINCE) {
      try {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        Class<?> arena = Class.forName("java.lang.foreign.Arena");
        Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
        Class<?> scope = Class.forName("java.lang.foreign.MemorySegment$Scope");
        found[9] = lookup.findVirtual(arena, "scope", MethodType.methodType(scope));
        found[8] = lookup.findVirtual(segment, "isAccessibleBy", MethodType.methodType(boolean.class, Thread.class));
        found[7] = lookup.findVirtual(scope, "isAlive", MethodType.methodType(boolean.class));
        found[6] = lookup.findVirtual(segment, "scope", MethodType.methodType(scope));
        found[5] = lookup.findStatic(segment, "ofBuffer", MethodType.methodType(segment, Buffer.class));
        found[4] = lookup.findVirtual(segment, "asByteBuffer", MethodType.methodType(ByteBuffer.class));
        found[3] =
            lookup.findVirtual(
                segment, "reinterpret", MethodType.methodType(segment, long.class, arena, Consumer.class));
        found[2] = lookup.findStatic(segment, "ofAddress", MethodType.methodType(segment, long.class));
        found[1] = lookup.findVirtual(arena, "close", MethodType.methodType(void.class));
        found[0] = lookup.findStatic(arena, "ofShared", MethodType.methodType(arena));
        scopes = closeable(lookup, arena, found[9]);
      } catch (ReflectiveOperationException e) {
        found = new MethodHandle[10]; // as before 22
      }
    }
    SHARED = scopes[0];
    CONFINED = scopes[1];
    IS_ACCESSIBLE = found[8];
    NEW_ARENA = found[0];
    CLOSE = found[1];
    AT_ADDRESS = found[2];
    WITHIN = found[3];
    AS_BUFFER = found[4];
    OF_BUFFER = found[5];
    SCOPE = found[6];
    IS_ALIVE = found[7];
    SCOPE_OF_ARENA = found[9];
  }

  private static Class<?>[] closeable(MethodHandles.Lookup lookup, Class<?> arena, MethodHandle of)
      throws ReflectiveOperationException {
    Class<?>[] found = new Class<?>[3];
    String[] kinds = {"ofShared", "ofConfined", "ofAuto"};
    for (int i = 0; i < kinds.length; ++i) {
      MethodHandle made = lookup.findStatic(arena, kinds[i], MethodType.methodType(arena));
      found[i] = call(() -> of.invoke(made.invoke())).getClass();
    }
    boolean told = found[0] != found[2] && found[1] != found[2];
    return told ? new Class<?>[] {found[0], found[1]} : new Class<?>[2];
  }

  private final Object owner;
  private final long block; // a pool's, or 0: views of those are not refused
  private ViewIndex.Entry entry; // null: no view since the last close
  private Object arena; // null: the same, or views are not refused
  private Object anchor; // lives as long as a view of this arena
  private final Set<HostBytes> users = new HashSet<>();
  private Runnable last; // what is done when there is none of them any more

  /**
   * For views that keep `owner` reachable.
   *
   * @param block the block of a pool that the memory is; 0: none
   */
  Views(Object owner, long block) {
    this.owner = owner;
    this.block = block;
  }

  /** Whether this Java has what it takes; without, views are used at the user's own risk. */
  static boolean canClose() {
    return NEW_ARENA != null;
  }

  /** Whether a buffer is none that this Java refuses. */
  static boolean isAlive(ByteBuffer buffer) {
    return !canClose() || (boolean) call(() -> IS_ALIVE.invoke(SCOPE.invoke(OF_BUFFER.invoke((Buffer) buffer))));
  }

  /** Whether this thread may use a buffer. */
  static boolean isAccessible(ByteBuffer buffer) {
    return !canClose()
        || (boolean) call(() -> IS_ACCESSIBLE.invoke(OF_BUFFER.invoke((Buffer) buffer), Thread.currentThread()));
  }

  /**
   * Whether a buffer that is no view of ours lies in an arena that may be closed while the driver uses it: Java lets nobody else keep one
   * open.
   *
   * @param beyond whether the use goes on after this thread's call
   */
  static boolean mayBeClosed(ByteBuffer buffer, boolean beyond) {
    if (SHARED == null) {
      return false;
    }
    Class<?> scope = call(() -> SCOPE.invoke(OF_BUFFER.invoke((Buffer) buffer))).getClass();
    return scope == SHARED || beyond && scope == CONFINED;
  }

  /** Begins a use of all memory that contains an address; it ends with {@link #end} of each. */
  static List<Views> begin(long address, HostBytes user) {
    List<Views> found = ViewIndex.at(address);
    found.removeIf(views -> !views.begin(user));
    return found;
  }

  private synchronized boolean begin(HostBytes user) {
    return entry != null && users.add(user);
  }

  /** The use goes on until a command has ended; a pool is told, and finds out by itself when that is. */
  void usedBy(HostBytes user, Event command) {
    if (block != 0) {
      try {
        command.with(event -> Native.clpool_mem_release_after(block, new long[] {event}));
      } catch (RuntimeException untold) {
        return; // the block goes back when the command has ended
      }
      end(user);
    }
  }

  /** Ends a use. */
  void end(HostBytes user) {
    Runnable then = endedLast(user);
    if (then != null) {
      try {
        then.run();
      } catch (RuntimeException e) {
        Errors.report(e); // what ends here has its own result
      }
    }
  }

  private synchronized Runnable endedLast(HostBytes user) {
    users.remove(user);
    Runnable then = users.isEmpty() ? last : null;
    if (then != null) {
      last = null;
    }
    return then;
  }

  /** Whether anything uses a view. */
  synchronized boolean inUse() {
    return !users.isEmpty();
  }

  /** A view of a part of the owner's memory, in native byte order. */
  synchronized ByteBuffer of(long start, long available, long offset, long size) {
    HostBytes.checkView(available, offset, size);
    ByteBuffer view = block == 0 && canClose() ? closing(start + offset, size) : HostBytes.view(owner, start + offset, size);
    if (entry == null) {
      entry = ViewIndex.add(this, start, available);
    }
    return view.order(ByteOrder.nativeOrder());
  }

  private ByteBuffer closing(long address, long size) {
    if (arena == null) {
      arena = call(() -> NEW_ARENA.invoke());
      anchor = new Object();
    }
    Object kept = owner;
    Object held = anchor;
    Consumer<Object> keep =
        segment -> {
          Reference.reachabilityFence(kept);
          Reference.reachabilityFence(held);
        };
    return (ByteBuffer) call(() -> AS_BUFFER.invoke(WITHIN.invoke(AT_ADDRESS.invoke(address), size, arena, keep)));
  }

  /**
   * Refuses all use of the views that there are.
   *
   * @throws IllegalStateException if another thread is reading or writing a file or the like by one: nothing is refused then
   */
  synchronized void close() {
    closeArena();
    forget();
  }

  private void closeArena() {
    if (arena != null) {
      Object closed = arena;
      try {
        call(
            () -> {
              CLOSE.invoke(closed);
              return null;
            });
      } catch (IllegalStateException e) {
        if ((boolean) call(() -> IS_ALIVE.invoke(SCOPE_OF_ARENA.invoke(closed)))) { // else an Error ended a close() behind that
          throw Errors.state("a view of this memory is in use by another thread");
        }
      }
    }
    arena = null;
    anchor = null;
  }

  private void forget() {
    arena = null;
    anchor = null;
    if (entry != null) {
      ViewIndex.remove(entry);
      entry = null;
    }
  }

  /**
   * The same with a command that ends the use of the memory. Views that this Java refuses are refused before it, because that
   * may fail and the command cannot be taken back: so what it would fail for is looked at first.
   *
   * @param queue the command's; 0: one that fits
   * @param context the memory's; 0: none
   * @param command enqueues it, after what it is given: `after`, and the commands that use views
   * @throws IllegalStateException also if a call that another thread makes uses a view, or a buffer lies in one
   */
  synchronized void closeBehind(Uses uses, long queue, long context, Event[] after, Consumer<long[]> command) {
    if (queue != 0 && context != 0 && Native.java_queue_context(queue) != context) {
      throw Errors.invalid("the queue is of another context than the memory");
    }
    List<Event> waits = new ArrayList<>(after == null ? List.of() : Arrays.asList(after));
    for (HostBytes user : users) {
      if (user.command() == null) {
        throw Errors.state("a view of this memory is in use by another thread, or a buffer lies in it");
      }
      waits.add(user.command());
    }
    long[] events = uses.of(waits.toArray(new Event[0]));
    closeArena();
    command.accept(events);
    forget();
  }

  /**
   * The same for what must not fail: `then` is run when the calls and commands that use views have ended, or if a file is read
   * into one or the like, when all of them are forgotten.
   *
   * @return what the caller is to do at once; null: nothing
   */
  synchronized Runnable closed(Runnable then) {
    Runnable next = then;
    try {
      close();
    } catch (IllegalStateException inUse) {
      Object seen = anchor;
      next = () -> Handle.whenGone(seen, then);
      forget();
    }
    if (users.isEmpty()) {
      return next;
    }
    Runnable former = last; // of another thread that closes at the same time
    Runnable latter = next;
    last =
        former == null
            ? latter
            : () -> {
              former.run();
              latter.run();
            };
    return null;
  }

  private interface Call {
    Object run() throws Throwable;
  }

  private static Object call(Call call) {
    try {
      return call.run();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e); // none of them has checked exceptions
    }
  }
}
