// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.function.LongUnaryOperator;

/** A range that a heap handed out; closing it takes it back. Forgotten ranges come back with their heap only. */
public final class HeapRange implements AutoCloseable {
  private final Heap heap;
  private long handle;

  HeapRange(Heap heap, long handle) {
    this.heap = heap;
    this.handle = handle;
  }

  private long ask(LongUnaryOperator question) {
    synchronized (heap) {
      if (handle == 0) {
        throw Errors.closed("range");
      }
      return heap.with(h -> question.applyAsLong(handle));
    }
  }

  /**
   * Number of the space in which it lies.
   *
   * @return the number
   */
  public long space() {
    return ask(Native::clpool_heap_range_space);
  }

  /**
   * Units from the start of its space at which it begins.
   *
   * @return units
   */
  public long offset() {
    return ask(Native::clpool_heap_range_offset);
  }

  /**
   * Units that it has, at least what was asked for.
   *
   * @return units
   */
  public long size() {
    return ask(Native::clpool_heap_range_size);
  }

  @Override
  public void close() {
    synchronized (heap) {
      long last = handle;
      handle = 0;
      if (last != 0) {
        heap.free(last);
      }
    }
  }

  @Override
  public String toString() {
    try {
      return "HeapRange[" + space() + ": " + offset() + ", +" + size() + ")";
    } catch (InvalidStateException e) {
      return "HeapRange[closed]";
    }
  }
}
