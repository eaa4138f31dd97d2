// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.function.LongUnaryOperator;

/**
 * A mapping: memory of a device in the host's address space. It keeps its memory and its queue alive, is unmapped once,
 * and at the latest when it is closed.
 */
public final class MappedMemory implements AutoCloseable {
  private final Handle handle;
  private final Memory memory;
  private final Event mapped;

  MappedMemory(long value, Memory memory, Event mapped) {
    handle = Handle.own(this, "map", value, Native::clpool_map_release);
    this.memory = memory;
    this.mapped = mapped;
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
   * The mapped bytes, in native byte order. The view keeps the map from being collected, but must not be used after
   * {@link #unmap} or {@link #close()}.
   *
   * @return the bytes, at most 2 GiB
   */
  public ByteBuffer byteBuffer() {
    return byteBuffer(0, size());
  }

  /**
   * A part of the mapped bytes.
   *
   * @param offset bytes from the map's start
   * @param size bytes, at most 2 GiB
   * @return the bytes, in native byte order
   */
  public ByteBuffer byteBuffer(long offset, long size) {
    long address = pointer();
    if (address == 0) {
      throw new IllegalStateException("this map was unmapped");
    }
    return HostBytes.view(this, address, size(), offset, size);
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
   * Unmaps. Doing it again is no command and succeeds.
   *
   * @param queueOrNull the queue; null: the one that mapped
   * @param after events to wait for
   * @return the end of the command
   */
  public Event unmap(Queue queueOrNull, Event... after) {
    long[] event = new long[1];
    Queue.with(queueOrNull, queue -> with(map -> Native.clpool_map_unmap(map, queue, Event.handles(after), event)));
    Reference.reachabilityFence(after);
    return new Event(event[0], memory);
  }

  private long with(LongUnaryOperator call) {
    return Handle.with(this, handle, call);
  }

  /** Unmaps if that was not done. */
  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return handle.isClosed() ? "MappedMemory[closed]" : "MappedMemory[" + size() + " bytes]";
  }
}
