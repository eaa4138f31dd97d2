// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Figures of a heap at one moment. */
public final class HeapStatistics {
  /** How many there are. */
  static final int COUNT = 5;

  private final long managed;
  private final long free;
  private final long largestFree;
  private final long activeRanges;
  private final long spaces;

  /** Of the figures of clpool_heap_stats, in its order. */
  HeapStatistics(long[] figures) {
    managed = figures[0];
    free = figures[1];
    largestFree = figures[2];
    activeRanges = figures[3];
    spaces = figures[4];
  }

  /**
   * Units of all spaces.
   *
   * @return the figure
   */
  public long managed() {
    return managed;
  }

  /**
   * Units that are free.
   *
   * @return the figure
   */
  public long free() {
    return free;
  }

  /**
   * Units of the largest free range.
   *
   * @return the figure
   */
  public long largestFree() {
    return largestFree;
  }

  /**
   * Ranges handed out.
   *
   * @return the figure
   */
  public long activeRanges() {
    return activeRanges;
  }

  /**
   * Spaces.
   *
   * @return the figure
   */
  public long spaces() {
    return spaces;
  }

  @Override
  public String toString() {
    return free + " of " + managed + " units free";
  }
}
