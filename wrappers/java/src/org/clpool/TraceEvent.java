// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** One event of a log. */
public final class TraceEvent {
  /** {@link #slot()} of failures, and of size 0 at the null pointer. */
  public static final long NO_SLOT = -1;

  private final TraceAction action;
  private final long thread;
  private final long timeMicros;
  private final long pointer;
  private final long size;
  private final long stream;
  private final long line;
  private final long slot;

  TraceEvent(clpool_trace_event c) {
    action = TraceAction.of((int) c.getAction());
    thread = c.getThread();
    timeMicros = c.getTime_us();
    pointer = c.getPointer();
    size = c.getSize();
    stream = c.getStream();
    line = c.getLine();
    slot = c.getSlot();
  }

  /**
   * What happened.
   *
   * @return the value
   */
  public TraceAction action() {
    return action;
  }

  /**
   * Number of the thread, as the log has it.
   *
   * @return the figure
   */
  public long thread() {
    return thread;
  }

  /**
   * Microseconds since whatever moment the log counts from; since midnight if it has times of day.
   *
   * @return the figure
   */
  public long timeMicros() {
    return timeMicros;
  }

  /**
   * Address, or another identity that is unique while the block is live.
   *
   * @return the figure
   */
  public long pointer() {
    return pointer;
  }

  /**
   * Bytes as requested.
   *
   * @return the figure
   */
  public long size() {
    return size;
  }

  /**
   * Number of the stream or queue.
   *
   * @return the figure
   */
  public long stream() {
    return stream;
  }

  /**
   * Line of the file, from 1.
   *
   * @return the figure
   */
  public long line() {
    return line;
  }

  /**
   * Small number that identifies the block while it is live; {@link #NO_SLOT} for events that concern no block.
   *
   * @return the figure
   */
  public long slot() {
    return slot;
  }

  @Override
  public String toString() {
    return action + " " + size + " bytes at 0x" + Long.toHexString(pointer);
  }
}
