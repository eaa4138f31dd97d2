// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;

/** A cl_event: the end of a command. Forgotten events are released when the garbage collector finds them. */
public final class Event implements AutoCloseable {
  private static final long COMPLETE = 0;

  private final Handle handle;
  private final Object held; // host memory that the command uses

  /** Takes over a reference. */
  Event(long value, Object held) {
    handle = Handle.own(this, "event", value, Native::java_event_release);
    this.held = held;
  }

  /**
   * For an event that another library made; it is retained.
   *
   * @param clEvent its cl_event
   * @return the event
   */
  public static Event of(long clEvent) {
    Native.java_event_retain(Context.requireHandle("cl_event", clEvent));
    return new Event(clEvent, null);
  }

  /**
   * An event that the program itself completes, by {@link #complete()}.
   *
   * @param context the context
   * @return the event
   */
  public static Event user(Context context) {
    return new Event(context.with(Native::java_event_create_user), null);
  }

  static long[] handles(Event[] events) {
    if (events == null || events.length == 0) {
      return null;
    }
    long[] values = new long[events.length];
    for (int i = 0; i < events.length; ++i) {
      values[i] = events[i].handle();
    }
    return values;
  }

  /**
   * The cl_event for other libraries; the reference stays here.
   *
   * @return the handle
   */
  public long handle() {
    return handle.get();
  }

  /** Waits until the command has ended. */
  public void await() {
    Handle.with(this, handle, Native::java_event_wait);
    Reference.reachabilityFence(held);
  }

  /**
   * Whether the command has ended, be it with an error.
   *
   * @return true if so
   */
  public boolean isDone() {
    long[] status = new long[1];
    Handle.with(this, handle, event -> Native.java_event_status(event, status));
    return status[0] <= COMPLETE;
  }

  /** Completes an event made by {@link #user}. */
  public void complete() {
    Handle.with(this, handle, Native::java_event_complete);
  }

  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return handle.isClosed() ? "Event[closed]" : "Event[0x" + Long.toHexString(handle.get()) + "]";
  }
}
