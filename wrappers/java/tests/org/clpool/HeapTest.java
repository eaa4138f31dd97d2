// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HeapTest {
  @Test
  void rangesOfANumberSpaceAreHandedOut() {
    try (Heap heap = Heap.create(16)) {
      assertEquals(0, heap.addSpace(1L << 40));
      try (HeapRange first = heap.allocate(100);
          HeapRange second = heap.allocate(1L << 33)) {
        assertEquals(112, first.size());
        assertEquals(0, first.space());
        assertTrue(second.offset() % 16 == 0);
        assertEquals(1L << 33, second.size());
        assertEquals(2, heap.statistics().activeRanges());
        assertThrows(OutOfDeviceMemoryException.class, () -> heap.allocate(1L << 40));
        assertThrows(IllegalStateException.class, () -> heap.removeSpace(0));
        heap.check();
        first.close();
        first.close();
        assertThrows(IllegalStateException.class, first::size);
        assertEquals("HeapRange[closed]", first.toString());
        assertTrue(second.toString().contains("+8589934592"));
      }
      assertEquals(1L << 40, heap.statistics().largestFree());
      heap.removeSpace(0);
      assertEquals(0, heap.statistics().spaces());
      assertTrue(heap.toString().contains("0 of 0"));
    }
    assertThrows(IllegalArgumentException.class, () -> Heap.create(3));
    assertThrows(IllegalArgumentException.class, () -> Heap.create(-1));
  }
}
