// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that there are views of, by its addresses: tells whose a host buffer is. Stretches may overlap, as maps of
 * one buffer do. They are in order of their scale, a power of two that they are no shorter than and half of the next one,
 * and then of their start, so that what contains an address is one of few in each scale.
 */
final class ViewIndex {
  /** A stretch of memory. It keeps nothing reachable. */
  static final class Entry extends WeakReference<Views> {
    private final int scale;
    private final long start;
    private final long end;
    private final long number;

    private Entry(Views views, long start, long size) {
      super(views, FORGOTTEN);
      this.scale = Long.SIZE - 1 - Long.numberOfLeadingZeros(size | 1);
      this.start = start;
      this.end = start + size;
      this.number = LAST.incrementAndGet();
    }

    /** Where the search begins for what starts at an address or later. */
    private Entry(int scale, long start) {
      super(null);
      this.scale = scale;
      this.start = start;
      this.end = start;
      this.number = 0;
    }
  }

  private static final ReferenceQueue<Views> FORGOTTEN = new ReferenceQueue<>();
  private static final AtomicLong LAST = new AtomicLong();
  private static final AtomicLong SCALES = new AtomicLong(); // a bit for each that ever had a stretch
  private static final ConcurrentSkipListSet<Entry> ALL =
      new ConcurrentSkipListSet<>(
          Comparator.<Entry>comparingInt(e -> e.scale).thenComparingLong(e -> e.start).thenComparingLong(e -> e.number));

  private ViewIndex() {}

  /** Makes memory findable until {@link #remove}, or until it is forgotten. */
  static Entry add(Views views, long start, long size) {
    for (Reference<?> forgotten = FORGOTTEN.poll(); forgotten != null; forgotten = FORGOTTEN.poll()) {
      ALL.remove(forgotten);
    }
    Entry entry = new Entry(views, start, size);
    SCALES.accumulateAndGet(1L << entry.scale, (all, scale) -> all | scale);
    ALL.add(entry);
    return entry;
  }

  static void remove(Entry entry) {
    ALL.remove(entry);
  }

  /** The views of all memory that contains an address. */
  static List<Views> at(long address) {
    List<Views> found = new ArrayList<>();
    if (ALL.isEmpty()) {
      return found;
    }
    for (long scales = SCALES.get(); scales != 0; scales &= scales - 1) {
      int scale = Long.numberOfTrailingZeros(scales);
      Entry first = new Entry(scale, address - (2L << scale));
      for (Entry entry : ALL.subSet(first, new Entry(scale, address + 1))) {
        Views views = address < entry.end ? entry.get() : null;
        if (views != null) {
          found.add(views);
        }
      }
    }
    return found;
  }

  /** How many there are, for tests. */
  static int size() {
    return ALL.size();
  }
}
