// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** One stretch of a pool's memory; those of a chunk follow each other without gaps. */
public final class PoolStretch {
  /** Whether a stretch is handed out. */
  public enum State {
    /** Handed out. */
    ACTIVE,
    /** Free. */
    FREE,
    /** Released, and kept for the next request of the same size. */
    CACHED,
    /** Released, but still in use by queues. */
    PENDING
  }

  private static final State[] STATES = State.values(); // numbered from 1 in C

  private final State state;
  private final long chunk;
  private final long offset;
  private final long size;
  private final long requested;
  private final long tag;

  PoolStretch(long[] figures, int at) {
    state = STATES[(int) figures[at] - 1];
    chunk = figures[at + 1];
    offset = figures[at + 2];
    size = figures[at + 3];
    requested = figures[at + 4];
    tag = figures[at + 5];
  }

  /**
   * Whether it is handed out.
   *
   * @return the state
   */
  public State state() {
    return state;
  }

  /**
   * Number of its chunk.
   *
   * @return from 0, in the order in which the chunks were taken
   */
  public long chunk() {
    return chunk;
  }

  /**
   * Where it begins in its chunk.
   *
   * @return bytes
   */
  public long offset() {
    return offset;
  }

  /**
   * How long it is.
   *
   * @return bytes
   */
  public long size() {
    return size;
  }

  /**
   * What was asked for.
   *
   * @return bytes; 0 unless active
   */
  public long requested() {
    return requested;
  }

  /**
   * What {@link Memory#setTag} gave the block.
   *
   * @return the tag; 0 unless active
   */
  public long tag() {
    return tag;
  }

  @Override
  public String toString() {
    return state + " chunk " + chunk + " [" + offset + ", +" + size + ")";
  }
}
