// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;

/** A range that a heap handed out; closing it takes it back. Forgotten ranges come back with their heap only. */
public final class HeapRange implements AutoCloseable {
  private final Heap heap;
  private long handle;

  HeapRange(Heap heap, long handle) {
    this.heap = heap;
    this.handle = handle;
  }

  private long live() {
    heap.requireOpen();
    if (handle == 0) {
      throw Errors.closed("range");
    }
    return handle;
  }

  /**
   * Number of the space in which it lies.
   *
   * @return the number
   */
  public long space() {
    long value = Native.clpool_heap_range_space(live());
    Reference.reachabilityFence(heap);
    return value;
  }

  /**
   * Units from the start of its space at which it begins.
   *
   * @return units
   */
  public long offset() {
    long value = Native.clpool_heap_range_offset(live());
    Reference.reachabilityFence(heap);
    return value;
  }

  /**
   * Units that it has, at least what was asked for.
   *
   * @return units
   */
  public long size() {
    long value = Native.clpool_heap_range_size(live());
    Reference.reachabilityFence(heap);
    return value;
  }

  @Override
  public void close() {
    long last = handle;
    handle = 0;
    if (last != 0) {
      heap.free(last);
    }
  }

  @Override
  public String toString() {
    return handle == 0 ? "HeapRange[closed]" : "HeapRange[" + space() + ": " + offset() + ", +" + size() + ")";
  }
}
