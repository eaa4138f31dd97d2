// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** What a replay found. */
public final class ReplayResult {
  /** How many there are. */
  static final int COUNT = 9;

  private final long allocations;
  private final long releases;
  private final long outOfMemory;
  private final long elapsedNanos;
  private final long allocationPicos;
  private final long driverAllocations;
  private final long peakDriverBytes;
  private final long peakLiveBytes;
  private final long ratioPpm;

  /** Of the figures of clpool_trace_replay_result, in its order. */
  ReplayResult(long[] figures) {
    allocations = figures[0];
    releases = figures[1];
    outOfMemory = figures[2];
    elapsedNanos = figures[3];
    allocationPicos = figures[4];
    driverAllocations = figures[5];
    peakDriverBytes = figures[6];
    peakLiveBytes = figures[7];
    ratioPpm = figures[8];
  }

  /**
   * Allocations that succeeded.
   *
   * @return the figure
   */
  public long allocations() {
    return allocations;
  }

  /**
   * Releases, with those of blocks that the log leaves live.
   *
   * @return the figure
   */
  public long releases() {
    return releases;
  }

  /**
   * Allocations that were out of memory; their releases are left out.
   *
   * @return the figure
   */
  public long outOfMemory() {
    return outOfMemory;
  }

  /**
   * Nanoseconds in all allocations and releases together.
   *
   * @return the figure
   */
  public long elapsedNanos() {
    return elapsedNanos;
  }

  /**
   * {@link #elapsedNanos()} / {@link #allocations()} in picoseconds: what one allocation with its
   * release costs; 0 without allocations.
   *
   * @return the figure
   */
  public long allocationPicos() {
    return allocationPicos;
  }

  /**
   * Successful allocations from the driver (or custom allocator).
   *
   * @return the figure
   */
  public long driverAllocations() {
    return driverAllocations;
  }

  /**
   * The most bytes that were taken from the driver at a time.
   *
   * @return the figure
   */
  public long peakDriverBytes() {
    return peakDriverBytes;
  }

  /**
   * The most bytes that were live at a time, as requested, of the allocations that succeeded.
   *
   * @return the figure
   */
  public long peakLiveBytes() {
    return peakLiveBytes;
  }

  /**
   * {@link #peakDriverBytes()} / {@link #peakLiveBytes()} in parts per million; 0 if nothing was live.
   *
   * @return the figure
   */
  public long ratioPpm() {
    return ratioPpm;
  }

  @Override
  public String toString() {
    return allocations + " allocations, " + driverAllocations + " from the driver, peak " + peakDriverBytes + " bytes";
  }
}
