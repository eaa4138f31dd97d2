// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Figures of a pool at one moment. The first four are those of PyOpenCL's pools. */
public final class PoolStatistics {
  /** How many there are. */
  static final int COUNT = 20;

  private final long heldBlocks;
  private final long activeBlocks;
  private final long managedBytes;
  private final long activeBytes;
  private final long heldBytes;
  private final long peakManagedBytes;
  private final long peakActiveBytes;
  private final long driverAllocations;
  private final long driverReleases;
  private final long largestFreeBytes;
  private final long allocations;
  private final long hits;
  private final long misses;
  private final long outOfMemoryEvents;
  private final long reservedBytes;
  private final long cachedBytes;
  private final long pendingBytes;
  private final long chunks;
  private final long fragmentationPpm;
  private final long subBuffersCreated;

  /** Of the figures of clpool_pool_stats, in its order. */
  PoolStatistics(long[] figures) {
    heldBlocks = figures[0];
    activeBlocks = figures[1];
    managedBytes = figures[2];
    activeBytes = figures[3];
    heldBytes = figures[4];
    peakManagedBytes = figures[5];
    peakActiveBytes = figures[6];
    driverAllocations = figures[7];
    driverReleases = figures[8];
    largestFreeBytes = figures[9];
    allocations = figures[10];
    hits = figures[11];
    misses = figures[12];
    outOfMemoryEvents = figures[13];
    reservedBytes = figures[14];
    cachedBytes = figures[15];
    pendingBytes = figures[16];
    chunks = figures[17];
    fragmentationPpm = figures[18];
    subBuffersCreated = figures[19];
  }

  /**
   * Blocks that were given back and are kept. Coalescing: neighbours merge into one.
   *
   * @return the figure
   */
  public long heldBlocks() {
    return heldBlocks;
  }

  /**
   * Blocks that are handed out.
   *
   * @return the figure
   */
  public long activeBlocks() {
    return activeBlocks;
  }

  /**
   * Bytes that the pool has from its allocator.
   *
   * @return the figure
   */
  public long managedBytes() {
    return managedBytes;
  }

  /**
   * Bytes that were requested for the blocks that are handed out.
   *
   * @return the figure
   */
  public long activeBytes() {
    return activeBytes;
  }

  /**
   * Bytes that the pool has and that are in no block handed out.
   *
   * @return the figure
   */
  public long heldBytes() {
    return heldBytes;
  }

  /**
   * The most that managed_bytes ever was.
   *
   * @return the figure
   */
  public long peakManagedBytes() {
    return peakManagedBytes;
  }

  /**
   * The most that active_bytes ever was.
   *
   * @return the figure
   */
  public long peakActiveBytes() {
    return peakActiveBytes;
  }

  /**
   * Successful allocations of chunks.
   *
   * @return the figure
   */
  public long driverAllocations() {
    return driverAllocations;
  }

  /**
   * Chunks given back.
   *
   * @return the figure
   */
  public long driverReleases() {
    return driverReleases;
  }

  /**
   * Bytes of the largest block that can be handed out without a new chunk.
   *
   * @return the figure
   */
  public long largestFreeBytes() {
    return largestFreeBytes;
  }

  /**
   * Requests served.
   *
   * @return the figure
   */
  public long allocations() {
    return allocations;
  }

  /**
   * Requests served from memory that the pool had.
   *
   * @return the figure
   */
  public long hits() {
    return hits;
  }

  /**
   * Requests that needed a new chunk.
   *
   * @return the figure
   */
  public long misses() {
    return misses;
  }

  /**
   * Times that the allocator or a limit said out of memory.
   *
   * @return the figure
   */
  public long outOfMemoryEvents() {
    return outOfMemoryEvents;
  }

  /**
   * Bytes reserved for the blocks that are handed out, at least active_bytes.
   *
   * @return the figure
   */
  public long reservedBytes() {
    return reservedBytes;
  }

  /**
   * Bytes in the caches of recently released blocks, part of held_bytes.
   *
   * @return the figure
   */
  public long cachedBytes() {
    return cachedBytes;
  }

  /**
   * Bytes released but still in use by queues, part of held_bytes.
   *
   * @return the figure
   */
  public long pendingBytes() {
    return pendingBytes;
  }

  /**
   * Chunks that the pool has.
   *
   * @return the figure
   */
  public long chunks() {
    return chunks;
  }

  /**
   * Free memory that is not in the largest free block, in parts per million of all free memory; 0 when none is
   * free.
   *
   * @return the figure
   */
  public long fragmentationPpm() {
    return fragmentationPpm;
  }

  /**
   * Sub-buffers made by clCreateSubBuffer.
   *
   * @return the figure
   */
  public long subBuffersCreated() {
    return subBuffersCreated;
  }

  @Override
  public String toString() {
    return activeBlocks + " active blocks of " + activeBytes + " bytes, " + managedBytes + " managed, " + heldBytes
        + " held";
  }
}
