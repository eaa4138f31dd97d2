// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.function.LongUnaryOperator;

/**
 * A cl_command_queue, and the commands on memory. Commands on images are in {@link ImageCommands}, which
 * {@link #images()} gives.
 *
 * <p>Every command may wait for events and gives one, which may be ignored. Every range is checked, host memory
 * included, before anything is enqueued: {@link IllegalArgumentException}. A command of 0 bytes is none, and its event
 * is complete when those waited for are. Host buffers count from position to limit, which commands leave as they are.
 */
public final class Queue implements AutoCloseable {
  private final Handle handle;

  /** Takes over a reference. */
  Queue(long value) {
    handle = Handle.own(this, "queue", value, Native::java_queue_release);
  }

  /**
   * For a queue that another library made; it is retained.
   *
   * @param clCommandQueue its cl_command_queue
   * @return the queue
   */
  public static Queue of(long clCommandQueue) {
    Native.java_queue_retain(Context.requireHandle("cl_command_queue", clCommandQueue));
    return new Queue(clCommandQueue);
  }

  /**
   * Makes an in-order queue.
   *
   * @param context the context
   * @param device a device of it
   * @return the queue
   */
  public static Queue create(Context context, Device device) {
    return new Queue(context.with(c -> Native.java_queue_create(c, device.handle(), 0)));
  }

  /**
   * Makes a queue that may carry commands out in any order.
   *
   * @param context the context
   * @param device a device of it
   * @return the queue
   */
  public static Queue createOutOfOrder(Context context, Device device) {
    return new Queue(context.with(c -> Native.java_queue_create(c, device.handle(), 1)));
  }

  /**
   * The cl_command_queue for other libraries; the reference stays here.
   *
   * @return the handle
   */
  public long handle() {
    return handle.get();
  }

  /**
   * Its context.
   *
   * @return a reference of its own
   */
  public Context context() {
    return Context.of(with(Native::java_queue_context));
  }

  /**
   * Its device.
   *
   * @return the device
   */
  public Device device() {
    return Device.of(with(Native::java_queue_device));
  }

  /** Waits until all commands have ended. */
  public void finish() {
    Native.java_queue_finish(handle.get());
    Reference.reachabilityFence(this);
  }

  /** Hands all commands to the device. */
  public void flush() {
    Native.java_queue_flush(handle.get());
    Reference.reachabilityFence(this);
  }

  /**
   * Commands on images.
   *
   * @return the commands, carried out on this queue
   */
  public ImageCommands images() {
    return new ImageCommands(this);
  }

  /**
   * Fills a part of memory with a repeated pattern.
   *
   * @param memory a buffer, SVM, or a part of one
   * @param pattern 1, 2, 4, … 128 bytes
   * @param offset bytes, a multiple of the pattern's
   * @param size bytes, a multiple of the pattern's
   * @param after events to wait for
   * @return the end of the command
   */
  public Event fill(Memory memory, byte[] pattern, long offset, long size, Event... after) {
    return fillBytes(memory, pattern, Sizes.check("offset", offset), Sizes.check("size", size), after);
  }

  /**
   * Fills memory with a repeated pattern.
   *
   * @param memory a buffer, SVM, or a part of one
   * @param pattern 1, 2, 4, … 128 bytes
   * @param after events to wait for
   * @return the end of the command
   */
  public Event fill(Memory memory, byte[] pattern, Event... after) {
    return fillBytes(memory, pattern, 0, Sizes.WHOLE, after);
  }

  private Event fillBytes(Memory memory, byte[] pattern, long offset, long size, Event[] after) {
    if (pattern == null) {
      throw new IllegalArgumentException("pattern is null");
    }
    long[] event = new long[1];
    Native.clpool_mem_fill(handle.get(), memory.live(), pattern, offset, size, Event.handles(after), event);
    return done(event, null, memory, null, after);
  }

  /**
   * Copies between buffers, SVM and pinned memory, but not from pinned to pinned.
   *
   * @param target where to
   * @param targetOffset bytes
   * @param source where from
   * @param sourceOffset bytes
   * @param size bytes
   * @param after events to wait for
   * @return the end of the command
   */
  public Event copy(Memory target, long targetOffset, Memory source, long sourceOffset, long size, Event... after) {
    Sizes.check("targetOffset", targetOffset);
    Sizes.check("sourceOffset", sourceOffset);
    return copyBytes(target, targetOffset, source, sourceOffset, Sizes.check("size", size), after);
  }

  /**
   * Copies as much as both have.
   *
   * @param target where to
   * @param source where from
   * @param after events to wait for
   * @return the end of the command
   */
  public Event copy(Memory target, Memory source, Event... after) {
    return copyBytes(target, 0, source, 0, Sizes.WHOLE, after);
  }

  private Event copyBytes(
      Memory target, long targetOffset, Memory source, long sourceOffset, long size, Event[] after) {
    long[] event = new long[1];
    Native.clpool_mem_copy(
        handle.get(), target.live(), targetOffset, source.live(), sourceOffset, size, Event.handles(after), event);
    return done(event, null, target, source, after);
  }

  /**
   * Copies between buffers of different contexts, from device to device.
   *
   * @param target where to
   * @param source where from
   * @param size bytes
   * @param after events to wait for
   * @return the end of the command
   * @throws NotSupportedException without the extension cl_amd_copy_buffer_p2p
   */
  public Event copyPeerToPeer(Memory target, Memory source, long size, Event... after) {
    long[] event = new long[1];
    Native.clpool_mem_copy_p2p(
        handle.get(), target.live(), source.live(), Sizes.check("size", size), Event.handles(after), event);
    return done(event, null, target, source, after);
  }

  /**
   * Reads memory into a host buffer, as much as that has room for, and waits.
   *
   * @param memory where from: a buffer or SVM
   * @param offset bytes
   * @param host where to
   * @param after events to wait for
   */
  public void read(Memory memory, long offset, ByteBuffer host, Event... after) {
    HostBytes bytes = HostBytes.toWrite(host);
    Native.clpool_mem_read(
        handle.get(), memory.live(), Sizes.check("offset", offset), bytes.size(), bytes.address(), bytes.size(), 1,
        Event.handles(after), null);
    bytes.finish();
    done(null, bytes, memory, null, after);
  }

  /**
   * Reads memory into a host buffer, as much as that has room for, without waiting.
   *
   * @param memory where from: a buffer or SVM
   * @param offset bytes
   * @param host where to; direct, and to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command, which holds the host buffer
   */
  public Event readLater(Memory memory, long offset, ByteBuffer host, Event... after) {
    HostBytes bytes = HostBytes.direct(host, true);
    long[] event = new long[1];
    Native.clpool_mem_read(
        handle.get(), memory.live(), Sizes.check("offset", offset), bytes.size(), bytes.address(), bytes.size(), 0,
        Event.handles(after), event);
    return done(event, bytes, memory, null, after);
  }

  /**
   * Writes a host buffer into memory, and waits until the host buffer may be changed.
   *
   * @param memory where to: a buffer or SVM
   * @param offset bytes
   * @param host where from
   * @param after events to wait for
   */
  public void write(Memory memory, long offset, ByteBuffer host, Event... after) {
    HostBytes bytes = HostBytes.toRead(host);
    Native.clpool_mem_write(
        handle.get(), memory.live(), Sizes.check("offset", offset), bytes.size(), bytes.address(), bytes.size(), 1,
        Event.handles(after), null);
    done(null, bytes, memory, null, after);
  }

  /**
   * Writes a host buffer into memory without waiting.
   *
   * @param memory where to: a buffer or SVM
   * @param offset bytes
   * @param host where from; direct, and to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command, which holds the host buffer
   */
  public Event writeLater(Memory memory, long offset, ByteBuffer host, Event... after) {
    HostBytes bytes = HostBytes.direct(host, false);
    long[] event = new long[1];
    Native.clpool_mem_write(
        handle.get(), memory.live(), Sizes.check("offset", offset), bytes.size(), bytes.address(), bytes.size(), 0,
        Event.handles(after), event);
    return done(event, bytes, memory, null, after);
  }

  /**
   * Copies a box from buffer to buffer.
   *
   * @param target where to
   * @param source where from
   * @param box the box
   * @param after events to wait for
   * @return the end of the command
   */
  public Event copyBox(Memory target, Memory source, Box box, Event... after) {
    long[] event = new long[1];
    try (clpool_box c = box.toC()) {
      Native.clpool_mem_copy_box(handle.get(), target.live(), source.live(), c, Event.handles(after), event);
    }
    return done(event, null, target, source, after);
  }

  /**
   * Reads a box of a buffer, the source, into a host buffer, the target, and waits.
   *
   * @param memory where from
   * @param box the box
   * @param host where to; bytes outside the box keep their values
   * @param after events to wait for
   */
  public void readBox(Memory memory, Box box, ByteBuffer host, Event... after) {
    HostBytes bytes = HostBytes.toUpdate(host);
    try (clpool_box c = box.toC()) {
      Native.clpool_mem_read_box(
          handle.get(), memory.live(), c, bytes.address(), bytes.size(), 1, Event.handles(after), null);
    }
    bytes.finish();
    done(null, bytes, memory, null, after);
  }

  /**
   * Writes a box of a host buffer, the source, into a buffer, the target, and waits until the host buffer may be
   * changed.
   *
   * @param memory where to
   * @param box the box
   * @param host where from
   * @param after events to wait for
   */
  public void writeBox(Memory memory, Box box, ByteBuffer host, Event... after) {
    HostBytes bytes = HostBytes.toRead(host);
    try (clpool_box c = box.toC()) {
      Native.clpool_mem_write_box(
          handle.get(), memory.live(), c, bytes.address(), bytes.size(), 1, Event.handles(after), null);
    }
    done(null, bytes, memory, null, after);
  }

  /**
   * Moves memory to the queue's device, or to the host.
   *
   * @param memory buffers, images and SVM, also mixed
   * @param flags {@link Cl#MIGRATE_HOST}, {@link Cl#MIGRATE_CONTENT_UNDEFINED} or 0
   * @param after events to wait for
   * @return the end of the command
   */
  public Event migrate(Memory[] memory, long flags, Event... after) {
    long[] handles = new long[memory.length];
    for (int i = 0; i < handles.length; ++i) {
      handles[i] = memory[i].live();
    }
    long[] event = new long[1];
    Native.clpool_mem_migrate(handle.get(), handles, flags, Event.handles(after), event);
    Event end = done(event, null, null, null, after);
    Reference.reachabilityFence(memory);
    return end;
  }

  /**
   * Maps bytes of a buffer or of SVM, and waits until the host may use them.
   *
   * @param memory a buffer, SVM, or a part of one
   * @param flags {@link Cl#MAP_READ}, {@link Cl#MAP_WRITE}, {@link Cl#MAP_WRITE_INVALIDATE_REGION}
   * @param offset bytes
   * @param size bytes, at least 1
   * @param after events to wait for
   * @return the map
   */
  public MappedMemory map(Memory memory, long flags, long offset, long size, Event... after) {
    long map =
        Native.clpool_mem_map(
            handle.get(), memory.live(), flags, Sizes.check("offset", offset), Sizes.check("size", size), 1,
            Event.handles(after), null);
    done(null, null, memory, null, after);
    return new MappedMemory(map, memory, null);
  }

  /**
   * Maps all of a buffer or of SVM, and waits until the host may use it.
   *
   * @param memory a buffer, SVM, or a part of one
   * @param flags {@link Cl#MAP_READ}, {@link Cl#MAP_WRITE}, {@link Cl#MAP_WRITE_INVALIDATE_REGION}
   * @param after events to wait for
   * @return the map
   */
  public MappedMemory map(Memory memory, long flags, Event... after) {
    return map(memory, flags, 0, memory.size(), after);
  }

  /**
   * Maps bytes of a buffer or of SVM without waiting.
   *
   * @param memory a buffer, SVM, or a part of one
   * @param flags as for {@link #map(Memory, long, Event...)}
   * @param offset bytes
   * @param size bytes, at least 1
   * @param after events to wait for
   * @return the map, to be used when its {@link MappedMemory#mapped()} is complete
   */
  public MappedMemory mapLater(Memory memory, long flags, long offset, long size, Event... after) {
    long[] event = new long[1];
    long map =
        Native.clpool_mem_map(
            handle.get(), memory.live(), flags, Sizes.check("offset", offset), Sizes.check("size", size), 0,
            Event.handles(after), event);
    return new MappedMemory(map, memory, done(event, null, memory, null, after));
  }

  /** The event of a command, if there is one; what the command was given stays reachable up to here. */
  Event done(long[] event, Object host, Memory first, Memory second, Event[] after) {
    Reference.reachabilityFence(this);
    Reference.reachabilityFence(host);
    Reference.reachabilityFence(first);
    Reference.reachabilityFence(second);
    Reference.reachabilityFence(after);
    return event == null ? null : new Event(event[0], host);
  }

  /** What a native call makes of the handle, which stays valid until it returns. */
  long with(LongUnaryOperator call) {
    return Handle.with(this, handle, call);
  }

  /** The same for a queue that may be missing: its handle is 0. */
  static long with(Queue queueOrNull, LongUnaryOperator call) {
    return queueOrNull == null ? call.applyAsLong(0) : queueOrNull.with(call);
  }

  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return handle.isClosed() ? "Queue[closed]" : "Queue[0x" + Long.toHexString(handle.get()) + "]";
  }
}
