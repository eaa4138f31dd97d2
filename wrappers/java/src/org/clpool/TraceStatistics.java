// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Figures of an allocation log. */
public final class TraceStatistics {
  /** How many there are. */
  static final int COUNT = 11;

  private final long events;
  private final long allocations;
  private final long releases;
  private final long allocateFailures;
  private final long threads;
  private final long distinctSizes;
  private final long largestBytes;
  private final long peakLiveBytes;
  private final long peakLiveBlocks;
  private final long finalLiveBytes;
  private final long finalLiveBlocks;

  /** Of the figures of clpool_trace_stats, in its order. */
  TraceStatistics(long[] figures) {
    events = figures[0];
    allocations = figures[1];
    releases = figures[2];
    allocateFailures = figures[3];
    threads = figures[4];
    distinctSizes = figures[5];
    largestBytes = figures[6];
    peakLiveBytes = figures[7];
    peakLiveBlocks = figures[8];
    finalLiveBytes = figures[9];
    finalLiveBlocks = figures[10];
  }

  /**
   * All events.
   *
   * @return the figure
   */
  public long events() {
    return events;
  }

  /**
   * Events of each action.
   *
   * @return the figure
   */
  public long allocations() {
    return allocations;
  }

  /**
   * Releases.
   *
   * @return the figure
   */
  public long releases() {
    return releases;
  }

  /**
   * Failed allocations.
   *
   * @return the figure
   */
  public long allocateFailures() {
    return allocateFailures;
  }

  /**
   * Different thread numbers.
   *
   * @return the figure
   */
  public long threads() {
    return threads;
  }

  /**
   * Different sizes of successful allocations.
   *
   * @return the figure
   */
  public long distinctSizes() {
    return distinctSizes;
  }

  /**
   * Bytes of the largest successful allocation.
   *
   * @return the figure
   */
  public long largestBytes() {
    return largestBytes;
  }

  /**
   * The most bytes that were live at a time, as requested.
   *
   * @return the figure
   */
  public long peakLiveBytes() {
    return peakLiveBytes;
  }

  /**
   * The most blocks that were live at a time.
   *
   * @return the figure
   */
  public long peakLiveBlocks() {
    return peakLiveBlocks;
  }

  /**
   * Bytes that the log never releases.
   *
   * @return the figure
   */
  public long finalLiveBytes() {
    return finalLiveBytes;
  }

  /**
   * Blocks that the log never releases.
   *
   * @return the figure
   */
  public long finalLiveBlocks() {
    return finalLiveBlocks;
  }

  @Override
  public String toString() {
    return events + " events, peak " + peakLiveBytes + " bytes";
  }
}
