// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;

/**
 * The pools' engine without any device: hands out ranges of a number space that the program owns (a buffer, a file), by
 * best fit, with splitting and merging, in constant time. One heap is used by one thread at a time.
 */
public final class Heap implements AutoCloseable {
  private final Handle handle;

  private Heap(long value) {
    handle = Handle.own(this, "heap", value, Native::clpool_heap_destroy);
  }

  /**
   * Makes an empty heap.
   *
   * @param granule units, a power of two: offsets and sizes of ranges are multiples of it; 0 means 1
   * @return the heap
   */
  public static Heap create(long granule) {
    return new Heap(Native.clpool_heap_create(Sizes.check("granule", granule)));
  }

  /**
   * Gives the heap a space to hand out ranges of. Ranges never cross from one space to another.
   *
   * @param size units, at least one granule
   * @return the space's number: 0, 1, 2, … in the order of the calls
   */
  public long addSpace(long size) {
    long[] space = new long[1];
    Native.clpool_heap_add_space(handle.get(), Sizes.check("size", size), space);
    Reference.reachabilityFence(this);
    return space[0];
  }

  /**
   * Takes a wholly free space away again; its number is not used any more.
   *
   * @param space its number
   */
  public void removeSpace(long space) {
    Native.clpool_heap_remove_space(handle.get(), Sizes.check("space", space));
    Reference.reachabilityFence(this);
  }

  /**
   * Hands out a range.
   *
   * @param size units; 0 counts as 1
   * @return the range
   * @throws OutOfDeviceMemoryException if no free range is large enough
   */
  public HeapRange allocate(long size) {
    HeapRange range = new HeapRange(this, Native.clpool_heap_allocate(handle.get(), Sizes.check("size", size)));
    Reference.reachabilityFence(this);
    return range;
  }

  void free(long range) {
    if (!handle.isClosed()) { // the range ended with the heap
      Native.clpool_heap_free(handle.get(), range);
    }
    Reference.reachabilityFence(this);
  }

  /** Fails if the heap is closed, and its ranges with it. */
  void requireOpen() {
    handle.get();
  }

  /**
   * Figures of the heap at this moment.
   *
   * @return the figures
   */
  public HeapStatistics statistics() {
    try (clpool_heap_stats stats = new clpool_heap_stats()) {
      Native.clpool_heap_statistics(handle.get(), stats);
      Reference.reachabilityFence(this);
      return new HeapStatistics(stats);
    }
  }

  /** Checks the heap's books against a recount; for tests. */
  public void check() {
    Native.clpool_heap_check(handle.get());
    Reference.reachabilityFence(this);
  }

  /** Ends the heap; ranges still handed out end with it. */
  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return handle.isClosed() ? "Heap[closed]" : "Heap[" + statistics() + "]";
  }
}
