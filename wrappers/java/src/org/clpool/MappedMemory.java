// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * A mapping: memory of a device in the host's address space. It keeps its memory and its queue alive, is unmapped once,
 * and at the latest when it is closed.
 */
public final class MappedMemory extends NativeObject {
  private final boolean writable;
  private final Memory memory; // what it belongs to stays reachable
  private final Event mapped;
  private final long context;
  private final Views views = new Views(this, 0);
  private boolean halfClosed; // in the monitor of the views: an Error has ended a close() that still uses it

  /** A map that a queue of `context` made. */
  private MappedMemory(LongSupplier made, long flags, Memory memory, Event mapped, long context) {
    super("map", made, MappedMemory::release);
    this.writable = (flags & ~Cl.MAP_READ) != 0;
    this.memory = memory;
    this.mapped = mapped;
    this.context = context;
  }

  // The map is gone, whatever the driver says of the unmapping: where there is no memory to tell that, it is not tried again.
  private static void release(long map) {
    int status = Native.java_map_give_back(map);
    if (status != 0) {
      try {
        Native.java_check(status);
      } catch (Error untold) {
        Errors.tryToReport(untold);
      }
    }
  }

  /**
   * A map that a command makes, which puts its event into the array, which is null where it waits.
   *
   * @param queue the command's, which is used as `clQueue`
   */
  static MappedMemory of(
      CommandQueue queue, long clQueue, Memory memory, long flags, int blocking, ToLongFunction<long[]> command) {
    long context = Native.java_queue_context(clQueue);
    long[] event = blocking == CommandQueue.BLOCKING ? null : new long[1];
    Event mapped = event == null ? null : new Event((CommandQueue) null); // which the map keeps: a forgotten queue has to go
    MappedMemory made =
        new MappedMemory(
            () -> {
              long map = command.applyAsLong(event);
              if (mapped != null) {
                mapped.handle.value = event[0];
              }
              return map;
            },
            flags, memory, mapped, context);
    if (mapped != null) {
      queue.tryToFlush();
    }
    return made;
  }

  /**
   * The end of the command that maps.
   *
   * @return the event; null where the call that mapped has waited for it
   */
  public Event mapped() {
    return mapped;
  }

  /**
   * The mapped bytes, in native byte order. The view keeps the map from being collected. After {@link #unmap} or
   * {@link #close()} its use, also as host memory of a command, is an IllegalStateException from Java 22 on; before, it must
   * not be used then. It is read-only if the memory was mapped for reading alone. From Java 22 on,
   * {@code MemorySegment.ofBuffer(view)} is a segment of it.
   *
   * @return the bytes, at most 2,147,483,647
   */
  public ByteBuffer byteBuffer() {
    return byteBuffer(0, size());
  }

  /**
   * A part of the mapped bytes.
   *
   * @param offset bytes from the map's start
   * @param size bytes, at most 2,147,483,647
   * @return the bytes, in native byte order
   */
  public ByteBuffer byteBuffer(long offset, long size) {
    ByteBuffer view = viewOf(offset, size);
    return writable ? view : view.asReadOnlyBuffer().order(view.order());
  }

  // A map that was closed meanwhile may have ended its views already: then this one ends here.
  private ByteBuffer viewOf(long offset, long size) {
    begin();
    try {
      synchronized (views) {
        ByteBuffer view = views.of(address(), Native.clpool_map_size(value()), offset, size);
        if (!tryBegin()) {
          views.close();
          throw Errors.closed(what());
        }
        end();
        return view;
      }
    } finally {
      end();
    }
  }

  private long address() {
    long address = pointer();
    if (address == 0) {
      throw Errors.state("this map was unmapped");
    }
    return address;
  }

  /**
   * Address of the first byte.
   *
   * @return the address; 0 after unmapping
   */
  public long pointer() {
    return with(Native::clpool_map_pointer);
  }

  /**
   * Bytes that belong to the mapping, gaps between rows included.
   *
   * @return bytes
   */
  public long size() {
    return with(Native::clpool_map_size);
  }

  /**
   * Bytes from row to row of an image.
   *
   * @return bytes; 0 for buffers and SVM
   */
  public long rowPitch() {
    return with(Native::clpool_map_row_pitch);
  }

  /**
   * Bytes from slice to slice of an image.
   *
   * @return bytes; 0 where there are none
   */
  public long slicePitch() {
    return with(Native::clpool_map_slice_pitch);
  }

  /**
   * Unmaps on the queue that mapped.
   *
   * @return the end of the command
   * @throws IllegalStateException if a call of another thread uses a view, or a buffer lies in one
   */
  public Event unmap() {
    return unmap(null, new Event[0]);
  }

  /**
   * Unmaps, after the commands that were enqueued with views as host memory. Doing it again is no command and succeeds.
   * Views are of no use any more; where the driver refuses the command, from Java 22 on, new ones are.
   *
   * @param queueOrNull the queue; null: the one that mapped
   * @param after events to wait for
   * @return the end of the command
   * @throws IllegalArgumentException if the queue is of another context
   * @throws IllegalStateException if a call of another thread uses a view, or a buffer lies in one
   */
  public Event unmap(CommandQueue queueOrNull, Event... after) {
    Event unmapped =
        new Event(
            (uses, event) -> {
              long map = uses.of("map", this);
              long queue = uses.ofOptional(queueOrNull);
              views.closeBehind(
                  uses, queue, context, after,
                  waits -> {
                    Native.clpool_map_unmap(map, queue, waits, event);
                    if (queueOrNull == null && !isAmong(waits, event[0])) { // where nothing was to do, it may be one of them
                      Native.java_event_flush(event[0]); // while the map keeps the queue, which later nobody knows
                    }
                  });
            });
    Reference.reachabilityFence(memory);
    return unmapped;
  }

  private static boolean isAmong(long[] events, long event) {
    return events != null && Arrays.stream(events).anyMatch(one -> one == event);
  }

  /**
   * Unmaps if that was not done: after the commands that were enqueued with views as host memory. Where another thread waits
   * for such a command, that is done when its call has ended; where it reads or writes a file or the like by a view, when the
   * views are forgotten.
   *
   * @throws ClpoolException if the driver refuses to unmap: the map is closed then, too
   */
  @Override
  public void close() {
    if (beginClosing()) {
      boolean ended = false;
      try {
        super.close();
        if (views.inUse()) {
          unmapBehindCommands();
        }
        Runnable later = this::end;
        Runnable now = views.closed(later);
        if (now == later) {
          handle.endUse();
        } else if (now != null) {
          now.run();
        }
        ended = true;
      } finally {
        if (!ended) {
          synchronized (views) {
            halfClosed = true;
          }
        }
      }
    }
    super.close(); // gives it back if nothing uses it, and throws what the unmapping fails of
  }

  private boolean beginClosing() {
    synchronized (views) {
      boolean again = halfClosed;
      halfClosed = false;
      return again || tryBegin();
    }
  }

  // At its place among the commands of the queue: what is enqueued next may rely on it.
  private void unmapBehindCommands() {
    try (Uses uses = new Uses()) {
      views.closeBehind(uses, 0, context, null, waits -> Native.clpool_map_unmap(value(), 0, waits, null));
    } catch (RuntimeException inUse) {
      // else it is unmapped when the calls and commands have ended
    }
  }

  @Override
  String details() {
    return Native.clpool_map_size(value()) + " bytes";
  }
}
