// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * A mapping: memory of a device in the host's address space. It keeps its memory and its queue alive, is unmapped once,
 * and at the latest when it is closed.
 */
public final class MappedMemory extends NativeObject {
  private final boolean writable;
  private final Memory memory; // what it belongs to stays reachable
  private final Event mapped;

  MappedMemory(long value, long flags, Memory memory, Event mapped) {
    super("map", value, Native::clpool_map_release);
    this.writable = (flags & ~Cl.MAP_READ) != 0;
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
   * {@link #unmap} or {@link #close()}. It is read-only if the memory was mapped for reading alone.
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
      throw Errors.state("this map was unmapped");
    }
    ByteBuffer view = HostBytes.view(this, address, size(), offset, size);
    return writable ? view : view.asReadOnlyBuffer().order(view.order());
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
  public Event unmap(CommandQueue queueOrNull, Event... after) {
    long[] event = new long[1];
    try (Uses uses = new Uses()) {
      Native.clpool_map_unmap(uses.of("map", this), uses.ofOptional(queueOrNull), uses.of(after), event);
    }
    Reference.reachabilityFence(memory);
    return new Event(event[0]);
  }

  /** Unmaps if that was not done. */
  @Override
  public void close() {
    super.close();
  }

  @Override
  String details() {
    return Native.clpool_map_size(value()) + " bytes";
  }
}
