// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Figures of a heap at one moment. */
public final class HeapStatistics {
  private final long managed;
  private final long free;
  private final long largestFree;
  private final long activeRanges;
  private final long spaces;

  HeapStatistics(clpool_heap_stats c) {
    managed = c.getManaged();
    free = c.getFree();
    largestFree = c.getLargest_free();
    activeRanges = c.getActive_ranges();
    spaces = c.getSpaces();
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
