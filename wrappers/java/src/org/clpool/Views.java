// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Views of one object's memory that are an IllegalStateException once it is closed. That is Java's own work, from 22 on: its
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

  static {
    MethodHandle[] found = new MethodHandle[5];
    if (Runtime.version().feature() >= ARENAS_SINCE) {
      try {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        Class<?> arena = Class.forName("java.lang.foreign.Arena");
        Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
        found[4] = lookup.findVirtual(segment, "asByteBuffer", MethodType.methodType(ByteBuffer.class));
        found[3] =
            lookup.findVirtual(
                segment, "reinterpret", MethodType.methodType(segment, long.class, arena, Consumer.class));
        found[2] = lookup.findStatic(segment, "ofAddress", MethodType.methodType(segment, long.class));
        found[1] = lookup.findVirtual(arena, "close", MethodType.methodType(void.class));
        found[0] = lookup.findStatic(arena, "ofShared", MethodType.methodType(arena));
      } catch (ReflectiveOperationException e) {
        found = new MethodHandle[5]; // as before 22
      }
    }
    NEW_ARENA = found[0];
    CLOSE = found[1];
    AT_ADDRESS = found[2];
    WITHIN = found[3];
    AS_BUFFER = found[4];
  }

  private final Object owner;
  private Object arena; // null: no view since the last close
  private Object anchor; // lives as long as a view of this arena

  /** For views that keep `owner` reachable. */
  Views(Object owner) {
    this.owner = owner;
  }

  /** Whether this Java has what it takes; without, views are used at the user's own risk. */
  static boolean canClose() {
    return NEW_ARENA != null;
  }

  /** A view of memory at an address, in Java's byte order. */
  synchronized ByteBuffer of(long address, long size) {
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
    if (arena == null) {
      return;
    }
    Object closed = arena;
    try {
      call(
          () -> {
            CLOSE.invoke(closed);
            return null;
          });
    } catch (IllegalStateException e) {
      throw Errors.state("a view of this memory is in use by another thread");
    }
    arena = null;
    anchor = null;
  }

  /** The same for what must not fail: `then` is run at once, or if a view is in use, when all of them are forgotten. */
  void closeThen(Runnable then) {
    if (closedOrForgottenBefore(then)) {
      then.run();
    }
  }

  private synchronized boolean closedOrForgottenBefore(Runnable then) {
    try {
      close();
      return true;
    } catch (IllegalStateException inUse) {
      Handle.whenGone(anchor, then);
      arena = null;
      anchor = null;
      return false;
    }
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
