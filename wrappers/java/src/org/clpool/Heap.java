// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.function.LongSupplier;

/**
 * The pools' engine without any device: hands out ranges of a number space that the program owns (a buffer, a file), by
 * best fit, with splitting and merging, in constant time. Threads that use one heap wait for each other.
 */
public final class Heap extends NativeObject {
  private Heap(LongSupplier made) {
    super("heap", made, Native::clpool_heap_destroy);
  }

  /**
   * Makes a heap in which everything has whole numbers of bytes.
   *
   * @return the heap
   */
  public static Heap create() {
    return create(1);
  }

  /**
   * Makes an empty heap.
   *
   * @param granule units, a power of two: offsets and sizes of ranges are multiples of it; 0 means 1
   * @return the heap
   */
  public static Heap create(long granule) {
    return new Heap(() -> Native.clpool_heap_create(Sizes.check("granule", granule)));
  }

  /**
   * Gives the heap a space to hand out ranges of. Ranges never cross from one space to another.
   *
   * @param size units, at least one granule
   * @return the space's number: 0, 1, 2, … in the order of the calls
   */
  public synchronized long addSpace(long size) {
    long[] space = new long[1];
    Sizes.check("size", size);
    with(heap -> Native.clpool_heap_add_space(heap, size, space));
    return space[0];
  }

  /**
   * Takes a wholly free space away again; its number is not used any more.
   *
   * @param space its number
   */
  public synchronized void removeSpace(long space) {
    Sizes.check("space", space);
    with(heap -> Native.clpool_heap_remove_space(heap, space));
  }

  /**
   * Hands out a range.
   *
   * @param size units; 0 counts as 1
   * @return the range
   * @throws OutOfDeviceMemoryException if no free range is large enough
   */
  public synchronized HeapRange allocate(long size) {
    Sizes.check("size", size);
    return new HeapRange(this, with(heap -> Native.clpool_heap_allocate(heap, size)));
  }

  synchronized void free(long range) {
    if (!tryBegin()) {
      return; // the range ended with the heap
    }
    try {
      Native.clpool_heap_free(value(), range);
    } finally {
      end();
    }
  }

  /**
   * Figures of the heap at this moment.
   *
   * @return the figures
   */
  public synchronized HeapStatistics statistics() {
    long[] figures = new long[HeapStatistics.COUNT];
    with(heap -> Native.clpool_heap_statistics(heap, figures));
    return new HeapStatistics(figures, 0);
  }

  /** Checks the heap's books against a recount; for tests. */
  public synchronized void check() {
    with(Native::clpool_heap_check);
  }

  /** Ends the heap; ranges still handed out end with it. */
  @Override
  String details() {
    HeapStatistics statistics = statistics();
    return statistics.free() + " of " + statistics.managed() + " units free";
  }
}
