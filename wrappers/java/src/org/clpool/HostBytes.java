// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.Consumer;

/**
 * The bytes of a ByteBuffer between position and limit, as C sees them: in place for direct buffers, else, and for those of arenas that
 * another thread may close, through a copy in native memory, which is there during the use and not of what Java counts and collects
 * as direct. Holds the buffer, and
 * its use is one of the memory that the buffer is a view of: see {@link Views}. Used once.
 */
final class HostBytes extends Usable {
  private final ByteBuffer buffer;
  private final int size;
  private final boolean beyond; // it may go on after the call
  private final boolean filled; // with the buffer's bytes at the begin
  private final boolean written; // back to the buffer when the call has succeeded
  private ByteBuffer staging;
  private boolean staged; // there is a copy
  private long address; // 0: none
  private List<Views> used = List.of();
  private boolean goesOn; // after the call
  private volatile Event command; // that it goes on with

  private HostBytes(ByteBuffer buffer, boolean filled, boolean written, boolean beyond) {
    this.buffer = buffer;
    this.size = buffer.remaining();
    this.filled = filled;
    this.written = written;
    this.beyond = beyond;
  }

  /** Bytes that C uses beyond the call. */
  static HostBytes direct(ByteBuffer buffer, boolean written) {
    Errors.required("host", buffer);
    if (!buffer.isDirect()) {
      throw Errors.invalid(
          "a direct buffer is needed for what goes on after the call: this one is on Java's heap");
    }
    return written ? toWrite(buffer, true, true) : new HostBytes(buffer, true, false, true);
  }

  /** Bytes for memory that is made with flags: those that it is to lie in, or to copy. */
  static HostBytes forFlags(long flags, ByteBuffer buffer) {
    return (flags & Cl.MEM_USE_HOST_PTR) != 0 ? direct(buffer, true) : toRead(buffer);
  }

  /** Bytes that C reads during the call. */
  static HostBytes toRead(ByteBuffer buffer) {
    return new HostBytes(Errors.required("host", buffer), true, false, false);
  }

  /** Bytes that C writes during the call. */
  static HostBytes toWrite(ByteBuffer buffer) {
    return toWrite(buffer, false, false);
  }

  /** Bytes of which C writes some. */
  static HostBytes toUpdate(ByteBuffer buffer) {
    return toWrite(buffer, true, false);
  }

  private static HostBytes toWrite(ByteBuffer buffer, boolean filled, boolean beyond) {
    if (Errors.required("host", buffer).isReadOnly()) {
      throw Errors.invalid("the host buffer is read-only");
    }
    return new HostBytes(buffer, filled, true, beyond);
  }

  @Override
  boolean tryBegin() {
    boolean begun = false;
    try {
      if (buffer.isDirect()) {
        address = Native.java_address(buffer) + buffer.position();
        used = Views.begin(address, this);
        requireAlive();
      }
      if (!buffer.isDirect() || used.isEmpty() && Views.mayBeClosed(buffer, beyond)) {
        stage();
      }
      begun = true;
    } finally {
      if (!begun) {
        endAll();
      }
    }
    return true;
  }

  private void stage() {
    if (beyond) {
      throw Errors.invalid(
          "the host buffer is of an arena that may be closed while the driver uses it after the call: a buffer of"
              + " Arena.ofAuto(), Arena.global() or ByteBuffer.allocateDirect() is needed, or a command that waits");
    }
    staged = true;
    address = Native.java_host_allocate(size);
    if (address == 0) {
      throw Status.OUT_OF_HOST_MEMORY.exception("there is no host memory for a copy of " + size + " bytes", 0, null);
    }
    staging = ((ByteBuffer) Native.java_view(address, size)).order(ByteOrder.nativeOrder());
    if (filled) {
      staging.duplicate().put(buffer.duplicate());
    }
  }

  private void requireAlive() {
    if (!Views.isAlive(buffer)) {
      throw Errors.state("the memory that the host buffer is a view of was closed or unmapped");
    }
    if (!Views.isAccessible(buffer)) {
      throw Errors.state("the host buffer is of an arena that only another thread may use");
    }
  }

  /** A view of a part of direct bytes, which is refused when they are. */
  ByteBuffer part(long start, long size) {
    requireAlive();
    int first = (int) (start - Native.java_address(buffer));
    return buffer.duplicate().clear().position(first).limit(first + (int) size).slice();
  }

  @Override
  void end() {
    if (!goesOn) {
      endAll();
    }
    Reference.reachabilityFence(this);
  }

  private void endAll() {
    for (int i = 0; i < used.size(); ++i) { // without an object: there may be no memory
      used.get(i).end(this);
    }
    if (staged && address != 0) {
      staging = null;
      Native.java_host_free(address);
      address = 0;
    }
  }

  /**
   * During the use: carries a command out.
   *
   * @param uses the call's, the queue's among them
   * @param blocking not 0: it waits
   * @param command enqueues it, and puts its event into the array, which is null where it waits
   * @return the end of the command; null where it waited
   */
  Event run(Uses uses, int blocking, Consumer<long[]> command) {
    if (blocking == 0) {
      return goOnUntilComplete(uses, command);
    }
    command.accept(null);
    finish();
    return null;
  }

  /**
   * During the use: it goes on until a command has ended, whatever becomes of its event. All that may fail comes before the command,
   * which cannot be taken back.
   *
   * @param uses the call's, the queue's among them
   * @param enqueues enqueues it, and puts its event into the array
   * @return the end of the command
   */
  private Event goOnUntilComplete(Uses uses, Consumer<long[]> enqueues) {
    long[] event = new long[1];
    Event enqueued = new Event((CommandQueue) null); // kept until the end, for which a forgotten queue may have to go
    Event shared = used.isEmpty() ? null : new Event(enqueued, null, null);
    Event given = null;
    Completions.End end = Completions.keepUntilComplete(this); // from here on whatever fails must refuse it
    try {
      given = new Event(enqueued, end, null);
      enqueued.begin(); // a use for each of the others
      if (shared != null) {
        enqueued.begin();
      }
      enqueues.accept(event);
      enqueued.own(event[0]);
      given.own(event[0]);
      given.isOf(uses, event[0]);
      if (shared != null) {
        shared.own(event[0]);
        shared.isAs(given);
        command = shared;
        for (Views views : used) {
          views.usedBy(this, shared);
        }
      }
      return given;
    } finally {
      goesOn = event[0] != 0; // whatever failed behind the command
      end.refused = !goesOn;
      if (goesOn) {
        enqueued.handle.value = event[0];
        end.enqueued = enqueued; // another thread may find it ended from now on
        end.notifyEnqueued();
        if (shared != null) { // commands of other queues may wait for it, without the program's naming it
          (given.queue() != null ? given.queue() : uses.queue()).tryToFlush();
        }
      }
    }
  }

  /** During the use: it goes on until a memory object that lies in these bytes is gone. */
  void goOnUntilGone(long clMem) {
    Completions.keepUntilGone(clMem, this);
    goesOn = true;
  }

  /** Ends a use that went on. */
  void ended() {
    endAll();
    if (command != null) {
      command.close();
    }
  }

  /** Whether views are used; if not, there is nothing to do at the end but to forget. */
  boolean usesViews() {
    return !used.isEmpty();
  }

  /** The command that uses the bytes after the call; null if it is none. */
  Event command() {
    return command;
  }

  /** The address of the first byte. */
  @Override
  long value() {
    return address;
  }

  @Override
  String what() {
    return "host buffer";
  }

  long size() {
    return size;
  }

  // Brings what C wrote into the buffer.
  private void finish() {
    if (staged && written) {
      if (buffer.isDirect()) {
        requireAlive();
      }
      buffer.duplicate().put(staging.duplicate());
    }
  }

  /** A view of an object's memory, which it keeps reachable. */
  static ByteBuffer view(Object owner, long address, long size) {
    ByteBuffer view = (ByteBuffer) Native.java_view(address, size);
    Handle.keep(view, owner);
    return view;
  }

  static void checkView(long available, long offset, long size) {
    Sizes.check("offset", offset);
    Sizes.check("size", size);
    if (offset > available || size > available - offset) {
      throw Errors.invalid(
          "a view of " + size + " bytes at " + offset + " ends beyond the " + available + " bytes that there are");
    }
    if (size > Integer.MAX_VALUE) {
      throw Errors.invalid(
          "a view has " + size + " bytes, but a ByteBuffer at most " + Integer.MAX_VALUE + ": take it in parts");
    }
  }
}
