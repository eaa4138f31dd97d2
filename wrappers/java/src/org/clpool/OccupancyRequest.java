// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** A kernel, as the occupancy model sees it. Immutable: each method gives a changed copy. */
public final class OccupancyRequest {
  private static final int NO_OPT_IN = 1;
  private static final int PARTITIONED_CACHE = 2;

  private final int flags;
  private final long threads;
  private final long registersPerThread;
  private final long localBytes;
  private final long carveOutBytes;
  private final long barriers;

  private OccupancyRequest(
      int flags, long threads, long registersPerThread, long localBytes, long carveOutBytes, long barriers) {
    this.flags = flags;
    this.threads = threads;
    this.registersPerThread = registersPerThread;
    this.localBytes = localBytes;
    this.carveOutBytes = carveOutBytes;
    this.barriers = barriers;
  }

  /**
   * A kernel that uses nothing else.
   *
   * @param threads threads (work items) per group, 1 to the device's limit
   * @return the request
   */
  public static OccupancyRequest ofThreads(long threads) {
    return new OccupancyRequest(0, threads, 0, 0, 0, 0);
  }

  /**
   * Registers of a thread.
   *
   * @param value the number; 0: not counted
   * @return the changed copy
   */
  public OccupancyRequest registersPerThread(long value) {
    return new OccupancyRequest(flags, threads, value, localBytes, carveOutBytes, barriers);
  }

  /**
   * Local memory of a group, static and dynamic together.
   *
   * @param value bytes
   * @return the changed copy
   */
  public OccupancyRequest localBytes(long value) {
    return new OccupancyRequest(flags, threads, registersPerThread, value, carveOutBytes, barriers);
  }

  /**
   * Local memory that the multiprocessor is to be set to.
   *
   * @param value bytes; 0: the most
   * @return the changed copy
   */
  public OccupancyRequest carveOutBytes(long value) {
    return new OccupancyRequest(flags, threads, registersPerThread, localBytes, value, barriers);
  }

  /**
   * Named barriers of a group.
   *
   * @param value the number; 0: not counted
   * @return the changed copy
   */
  public OccupancyRequest barriers(long value) {
    return new OccupancyRequest(flags, threads, registersPerThread, localBytes, carveOutBytes, value);
  }

  /**
   * A group gets no more than the default local memory, as without CUDA's opt-in.
   *
   * @return the changed copy
   */
  public OccupancyRequest withoutOptIn() {
    return new OccupancyRequest(
        flags | NO_OPT_IN, threads, registersPerThread, localBytes, carveOutBytes, barriers);
  }

  /**
   * Global loads are cached by halves of the multiprocessor, where it can.
   *
   * @return the changed copy
   */
  public OccupancyRequest withPartitionedCache() {
    return new OccupancyRequest(
        flags | PARTITIONED_CACHE, threads, registersPerThread, localBytes, carveOutBytes, barriers);
  }

  clpool_occupancy_request toC() {
    clpool_occupancy_request c = new clpool_occupancy_request();
    c.setFlags(flags);
    c.setThreads(threads);
    c.setRegisters_per_thread(registersPerThread);
    c.setLocal_bytes(localBytes);
    c.setCarve_out_bytes(carveOutBytes);
    c.setBarriers(barriers);
    return c;
  }

  @Override
  public String toString() {
    return "OccupancyRequest[" + threads + " threads, " + registersPerThread + " registers per thread, " + localBytes
        + " bytes local, " + carveOutBytes + " bytes carve-out, " + barriers + " barriers]";
  }
}
