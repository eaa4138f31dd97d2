// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The bytes of a ByteBuffer between position and limit, as C sees them: in place for direct buffers, else through a
 * direct copy. Holds the buffer, and its use is one of the memory that the buffer is a view of: see {@link Views}. Used
 * once.
 */
final class HostBytes extends Usable {
  private final ByteBuffer buffer;
  private final ByteBuffer staging; // the buffer itself if it is direct
  private final long address;
  private List<Views> used = List.of();
  private boolean goesOn; // after the call
  private volatile Event command; // that it goes on with

  private HostBytes(ByteBuffer buffer, ByteBuffer staging) {
    this.buffer = buffer;
    this.staging = staging;
    this.address = Native.java_address(staging) + staging.position();
  }

  /** Bytes that C uses beyond the call. */
  static HostBytes direct(ByteBuffer buffer, boolean written) {
    Errors.required("host", buffer);
    if (!buffer.isDirect()) {
      throw Errors.invalid(
          "a direct buffer is needed for what goes on after the call: this one is on Java's heap");
    }
    return written ? toWrite(buffer) : new HostBytes(buffer, buffer);
  }

  /** Bytes for memory that is made with flags: those that it is to lie in, or to copy. */
  static HostBytes forFlags(long flags, ByteBuffer buffer) {
    return (flags & Cl.MEM_USE_HOST_PTR) != 0 ? direct(buffer, true) : toRead(buffer);
  }

  /** Bytes that C reads during the call. */
  static HostBytes toRead(ByteBuffer buffer) {
    Errors.required("host", buffer);
    if (buffer.isDirect()) {
      return new HostBytes(buffer, buffer);
    }
    ByteBuffer copy = ByteBuffer.allocateDirect(buffer.remaining());
    copy.put(buffer.duplicate()).flip();
    return new HostBytes(buffer, copy);
  }

  /** Bytes that C writes during the call, to be followed by {@link #finish}. */
  static HostBytes toWrite(ByteBuffer buffer) {
    Errors.required("host", buffer);
    if (buffer.isReadOnly()) {
      throw Errors.invalid("the host buffer is read-only");
    }
    return new HostBytes(buffer, buffer.isDirect() ? buffer : ByteBuffer.allocateDirect(buffer.remaining()));
  }

  /** Bytes of which C writes some, to be followed by {@link #finish}. */
  static HostBytes toUpdate(ByteBuffer buffer) {
    HostBytes bytes = toWrite(buffer);
    if (bytes.staging != buffer) {
      bytes.staging.duplicate().put(buffer.duplicate());
    }
    return bytes;
  }

  @Override
  boolean tryBegin() {
    if (staging == buffer) {
      used = Views.begin(address, this);
      try {
        requireAlive();
      } catch (RuntimeException refused) {
        endAll();
        throw refused;
      }
    }
    return true;
  }

  private void requireAlive() {
    if (!Views.isAlive(buffer)) {
      throw Errors.state("the memory that the host buffer is a view of was closed or unmapped");
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
    for (Views views : used) {
      views.end(this);
    }
  }

  /** During the use: it goes on until the command has ended, whatever becomes of its event, which is given back as Java's. */
  Event goOnUntilComplete(long event) {
    goesOn = true;
    if (!used.isEmpty()) {
      command = Event.of(event);
      for (Views views : used) {
        views.usedBy(this, command);
      }
    }
    return new Event(event, Completions.keepUntilComplete(event, this));
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
    return staging.remaining();
  }

  /** Brings what C wrote into the buffer. */
  void finish() {
    if (staging != buffer) {
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
