// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/**
 * A cl_command_queue, and the commands on memory. Commands on images are in {@link ImageCommands}, which
 * {@link #images()} gives.
 *
 * <p>Every command may wait for events and gives one, which may be ignored. Every range is checked, host memory
 * included, before anything is enqueued: {@link IllegalArgumentException}. A command of 0 bytes is none, and its event
 * is complete when those waited for are. Host buffers count from position to limit, which commands leave as they are.
 *
 * <p>Bytes go as they lie. Java's buffers begin in big-endian order, devices are mostly little-endian: numbers are what they should be
 * in buffers of {@code order(ByteOrder.nativeOrder())}, to be set before numbers are put or views such as {@code asFloatBuffer()} are
 * taken. Buffers that this package gives are in native order. Those on Java's heap, such as {@code ByteBuffer.wrap(array)}, are for
 * commands that wait, which copy them to native memory and back.
 */
public final class CommandQueue extends NativeObject {
  static final int BLOCKING = 1;

  /** One that comes with its context: {@link #own} follows. */
  CommandQueue() {
    super("queue", Native::java_queue_release);
  }

  private CommandQueue(LongSupplier made) {
    super("queue", made, Native::java_queue_release);
  }

  /**
   * For a queue that another library made; it is retained.
   *
   * @param clCommandQueue its cl_command_queue
   * @return the queue
   */
  public static CommandQueue of(long clCommandQueue) {
    Context.requireHandle("cl_command_queue", clCommandQueue);
    return new CommandQueue(
        () -> {
          Native.java_queue_retain(clCommandQueue);
          return clCommandQueue;
        });
  }

  /**
   * Makes an in-order queue on a context's first device.
   *
   * @param context the context
   * @return the queue
   */
  public static CommandQueue create(Context context) {
    return create(context, firstDevice(context));
  }

  /**
   * Makes an in-order queue.
   *
   * @param context the context
   * @param device a device of it
   * @return the queue
   */
  public static CommandQueue create(Context context, Device device) {
    return create(context, device, 0);
  }

  /**
   * Makes a queue on a context's first device that may carry commands out in any order.
   *
   * @param context the context
   * @return the queue
   */
  public static CommandQueue createOutOfOrder(Context context) {
    return createOutOfOrder(context, firstDevice(context));
  }

  private static Device firstDevice(Context context) {
    return Errors.required("context", context).devices().get(0);
  }

  /**
   * Makes a queue that may carry commands out in any order.
   *
   * @param context the context
   * @param device a device of it
   * @return the queue
   */
  public static CommandQueue createOutOfOrder(Context context, Device device) {
    return create(context, device, 1);
  }

  private static CommandQueue create(Context context, Device device, int outOfOrder) {
    long clDevice = Errors.required("device", device).handle();
    return new CommandQueue(
        () -> Errors.required("context", context).with(c -> Native.java_queue_create(c, clDevice, outOfOrder)));
  }

  /**
   * The cl_command_queue for other libraries; the reference stays here.
   *
   * @return the handle
   */
  public long handle() {
    return with(queue -> queue);
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
    with(Native::java_queue_finish);
  }

  /** Hands all commands to the device. */
  public void flush() {
    with(Native::java_queue_flush);
  }

  /** The same where it is open, and whether it is: to close it has done so. */
  boolean flushIfOpen() {
    boolean isOpen = tryBegin();
    if (isOpen) {
      try {
        Native.java_queue_flush(value());
      } finally {
        end();
      }
    }
    return isOpen;
  }

  /**
   * The same for one that is closed, but kept by a call that goes on; true, too, where it went back, which hands its commands on.
   * Who closed it did so, and who used it then, but the driver may have failed.
   */
  boolean flushIfKept() {
    if (!handle.tryJoin()) {
      return true;
    }
    boolean isFlushed = false;
    try {
      Native.java_queue_flush(handle.value);
      isFlushed = true;
    } catch (ClpoolException later) {
      // somebody has to wait
    } finally {
      handle.end();
    }
    return isFlushed;
  }

  /** Flushes it where the caller does not fail of it. */
  void tryToFlush() {
    try {
      flushIfOpen();
    } catch (ClpoolException later) {
      // what it fails of, the commands fail of too
    }
  }

  /** Gives the queue up, with all its commands handed to the device; it may be called again. Calls that use it end in order. */
  @Override
  public void close() {
    tryToFlush(); // as the queue may go only when another thread's call has ended, which may wait for a command
    super.close();
    if (handle.tryJoin()) {
      end(); // with what came since, of a call that ended before it could see that the queue is closed
    }
  }

  /** For the same reason whoever ends a call on one that was closed meanwhile hands on what was enqueued till then. */
  @Override
  void end() {
    if (handle.isClosed()) {
      try {
        Native.java_queue_flush(handle.value);
      } catch (ClpoolException | Error later) {
        // the use ends in any case
      }
    }
    handle.end(); // as close to the stack's end as any other object's
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
    Errors.required("pattern", pattern);
    return new Event(
        (uses, event) ->
            Native.clpool_mem_fill(
                uses.of("queue", this), uses.of("memory", memory), pattern, offset, size, uses.of(after), event));
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
   * Copies all of the source.
   *
   * @param target where to; at least as large as the source
   * @param source where from
   * @param after events to wait for
   * @return the end of the command
   */
  public Event copy(Memory target, Memory source, Event... after) {
    return copyBytes(target, 0, source, 0, Errors.required("source", source).size(), after);
  }

  private Event copyBytes(
      Memory target, long targetOffset, Memory source, long sourceOffset, long size, Event[] after) {
    return new Event(
        (uses, event) ->
            Native.clpool_mem_copy(
                uses.of("queue", this), uses.of("target", target), targetOffset, uses.of("source", source),
                sourceOffset, size, uses.of(after), event));
  }

  /**
   * Copies all of a buffer to one of a different context, from device to device.
   *
   * @param target where to; at least as large as the source
   * @param source where from
   * @param after events to wait for
   * @return the end of the command
   * @throws NotSupportedException without the extension cl_amd_copy_buffer_p2p
   */
  public Event copyPeerToPeer(Memory target, Memory source, Event... after) {
    return copyPeerToPeer(target, source, Errors.required("source", source).size(), after);
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
    return new Event(
        (uses, event) ->
            Native.clpool_mem_copy_p2p(
                uses.of("queue", this), uses.of("target", target), 0, uses.of("source", source), 0,
                Sizes.check("size", size), uses.of(after), event));
  }

  /**
   * Reads memory from its start into a host buffer, as much as that has room for, and waits.
   *
   * @param memory where from: a buffer or SVM
   * @param host where to
   * @param after events to wait for
   */
  public void read(Memory memory, ByteBuffer host, Event... after) {
    read(memory, 0, host, after);
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
    readBytes(memory, offset, HostBytes.toUpdate(host), BLOCKING, after);
  }

  /**
   * Reads memory from its start into a host buffer, as much as that has room for, without waiting.
   *
   * @param memory where from: a buffer or SVM
   * @param host where to; direct, of no arena that may be closed, and to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command; the host buffer is kept until then, even if the event is dropped
   */
  public Event readLater(Memory memory, ByteBuffer host, Event... after) {
    return readLater(memory, 0, host, after);
  }

  /**
   * Reads memory into a host buffer, as much as that has room for, without waiting.
   *
   * @param memory where from: a buffer or SVM
   * @param offset bytes
   * @param host where to; direct, of no arena that may be closed, and to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command; the host buffer is kept until then, even if the event is dropped
   */
  public Event readLater(Memory memory, long offset, ByteBuffer host, Event... after) {
    return readBytes(memory, offset, HostBytes.direct(host, true), 0, after);
  }

  private Event readBytes(Memory memory, long offset, HostBytes host, int blocking, Event[] after) {
    try (Uses uses = new Uses()) {
      long queue = uses.of("queue", this);
      long from = uses.of("memory", memory);
      Sizes.check("offset", offset);
      long to = uses.of("host", host);
      long size = host.size();
      long[] waits = uses.of(after);
      return host.run(uses, blocking, event -> Native.clpool_mem_read(queue, from, offset, size, to, size, blocking, waits, event));
    }
  }

  /**
   * Writes a host buffer to the start of memory, and waits until the host buffer may be changed.
   *
   * @param memory where to: a buffer or SVM
   * @param host where from
   * @param after events to wait for
   */
  public void write(Memory memory, ByteBuffer host, Event... after) {
    write(memory, 0, host, after);
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
    writeBytes(memory, offset, HostBytes.toRead(host), BLOCKING, after);
  }

  /**
   * Writes a host buffer to the start of memory without waiting.
   *
   * @param memory where to: a buffer or SVM
   * @param host where from; direct, of no arena that may be closed, and to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command; the host buffer is kept until then, even if the event is dropped
   */
  public Event writeLater(Memory memory, ByteBuffer host, Event... after) {
    return writeLater(memory, 0, host, after);
  }

  /**
   * Writes a host buffer into memory without waiting.
   *
   * @param memory where to: a buffer or SVM
   * @param offset bytes
   * @param host where from; direct, of no arena that may be closed, and to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command; the host buffer is kept until then, even if the event is dropped
   */
  public Event writeLater(Memory memory, long offset, ByteBuffer host, Event... after) {
    return writeBytes(memory, offset, HostBytes.direct(host, false), 0, after);
  }

  private Event writeBytes(Memory memory, long offset, HostBytes host, int blocking, Event[] after) {
    try (Uses uses = new Uses()) {
      long queue = uses.of("queue", this);
      long to = uses.of("memory", memory);
      Sizes.check("offset", offset);
      long from = uses.of("host", host);
      long size = host.size();
      long[] waits = uses.of(after);
      return host.run(uses, blocking, event -> Native.clpool_mem_write(queue, to, offset, size, from, size, blocking, waits, event));
    }
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
    try (clpool_box c = Errors.required("box", box).toC()) {
      return new Event(
          (uses, event) ->
              Native.clpool_mem_copy_box(
                  uses.of("queue", this), uses.of("target", target), uses.of("source", source), c,
                  uses.of(after), event));
    }
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
    readBox(memory, box, HostBytes.toUpdate(host), BLOCKING, after);
  }

  /**
   * Reads a box of a buffer, the source, into a host buffer, the target, without waiting.
   *
   * @param memory where from
   * @param box the box
   * @param host where to; bytes outside the box keep their values; direct, of no arena that may be closed, and
   *     to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command; the host buffer is kept until then, even if the event is dropped
   */
  public Event readBoxLater(Memory memory, Box box, ByteBuffer host, Event... after) {
    return readBox(memory, box, HostBytes.direct(host, true), 0, after);
  }

  private Event readBox(Memory memory, Box box, HostBytes host, int blocking, Event[] after) {
    try (clpool_box c = Errors.required("box", box).toC();
        Uses uses = new Uses()) {
      long queue = uses.of("queue", this);
      long from = uses.of("memory", memory);
      long to = uses.of("host", host);
      long[] waits = uses.of(after);
      return host.run(
          uses, blocking, event -> Native.clpool_mem_read_box(queue, from, c, to, host.size(), blocking, waits, event));
    }
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
    writeBox(memory, box, HostBytes.toRead(host), BLOCKING, after);
  }

  /**
   * Writes a box of a host buffer, the source, into a buffer, the target, without waiting.
   *
   * @param memory where to
   * @param box the box
   * @param host where from; direct, of no arena that may be closed, and to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command; the host buffer is kept until then, even if the event is dropped
   */
  public Event writeBoxLater(Memory memory, Box box, ByteBuffer host, Event... after) {
    return writeBox(memory, box, HostBytes.direct(host, false), 0, after);
  }

  private Event writeBox(Memory memory, Box box, HostBytes host, int blocking, Event[] after) {
    try (clpool_box c = Errors.required("box", box).toC();
        Uses uses = new Uses()) {
      long queue = uses.of("queue", this);
      long to = uses.of("memory", memory);
      long from = uses.of("host", host);
      long[] waits = uses.of(after);
      return host.run(
          uses, blocking, event -> Native.clpool_mem_write_box(queue, to, c, from, host.size(), blocking, waits, event));
    }
  }

  /**
   * Moves memory to the queue's device.
   *
   * @param memory buffers, images and SVM, also mixed
   * @param after events to wait for
   * @return the end of the command
   */
  public Event migrate(Memory[] memory, Event... after) {
    return migrate(memory, 0, after);
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
    return new Event(
        (uses, event) ->
            Native.clpool_mem_migrate(
                uses.of("queue", this), uses.all("memory", memory), flags, uses.of(after), event));
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
    return mapBytes(memory, flags, offset, size, BLOCKING, after);
  }

  /**
   * Maps all of a buffer or of SVM for reading and writing, and waits until the host may use it.
   *
   * @param memory a buffer, SVM, or a part of one
   * @param after events to wait for
   * @return the map
   */
  public MappedMemory map(Memory memory, Event... after) {
    return map(memory, Cl.MAP_READ | Cl.MAP_WRITE, after);
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
    return map(memory, flags, 0, Errors.required("memory", memory).size(), after);
  }

  /**
   * Maps all of a buffer or of SVM for reading and writing, without waiting.
   *
   * @param memory a buffer, SVM, or a part of one
   * @param after events to wait for
   * @return the map, to be used when its {@link MappedMemory#mapped()} is complete
   */
  public MappedMemory mapLater(Memory memory, Event... after) {
    return mapLater(memory, Cl.MAP_READ | Cl.MAP_WRITE, after);
  }

  /**
   * Maps all of a buffer or of SVM without waiting.
   *
   * @param memory a buffer, SVM, or a part of one
   * @param flags as for {@link #map(Memory, long, Event...)}
   * @param after events to wait for
   * @return the map, to be used when its {@link MappedMemory#mapped()} is complete
   */
  public MappedMemory mapLater(Memory memory, long flags, Event... after) {
    return mapLater(memory, flags, 0, Errors.required("memory", memory).size(), after);
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
    return mapBytes(memory, flags, offset, size, 0, after);
  }

  private MappedMemory mapBytes(Memory memory, long flags, long offset, long size, int blocking, Event[] after) {
    try (Uses uses = new Uses()) {
      long queue = uses.of("queue", this);
      long from = uses.of("memory", memory);
      Sizes.check("offset", offset);
      Sizes.check("size", size);
      long[] waits = uses.of(after);
      return MappedMemory.of(
          this, queue, memory, flags, blocking,
          event -> Native.clpool_mem_map(queue, from, flags, offset, size, blocking, waits, event));
    }
  }
}
