// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** What several tests need. */
final class Support {
  private static final long PATIENCE_MILLIS = 30_000;
  private static final int LAST_FRAMES = 80;

  private static Session session;

  private Support() {}

  /** One session for all tests, on the device that the environment names. */
  static synchronized Session session() {
    if (session == null) {
      session = Clpool.createDefault();
    }
    return session;
  }

  /** An allocator in Java that hands out numbers, no memory. */
  static class Dry implements CustomAllocator {
    final Map<Long, Long> chunks = new ConcurrentHashMap<>();
    final AtomicLong next = new AtomicLong(1L << 20);
    volatile long limit = Long.MAX_VALUE;
    volatile boolean destroyed;

    @Override
    public synchronized long allocate(long size, long alignment) {
      if (live() + size > limit) {
        throw new OutOfDeviceMemoryException("dry allocator: " + size + " bytes over " + live());
      }
      long chunk = (next.get() + alignment - 1) / alignment * alignment;
      next.set(chunk + size);
      chunks.put(chunk, size);
      return chunk;
    }

    @Override
    public synchronized void deallocate(long chunk, long size) {
      Long made = chunks.remove(chunk);
      if (made == null || made != size) {
        throw new IllegalStateException("chunk " + chunk + " was never made so");
      }
    }

    @Override
    public void destroy() {
      destroyed = true;
    }

    synchronized long live() {
      return chunks.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /** So many rounds of a race, or twenty times as many where CLPOOL_LONG_TESTS is set. */
  static int rounds(int few) {
    return System.getenv("CLPOOL_LONG_TESTS") == null ? few : 20 * few;
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Runs the garbage collector until something is so. */
  static boolean collectUntil(BooleanSupplier condition) throws InterruptedException {
    long end = System.currentTimeMillis() + PATIENCE_MILLIS;
    while (!condition.getAsBoolean()) {
      if (System.currentTimeMillis() > end) {
        return false;
      }
      System.gc();
      Thread.sleep(20);
    }
    return true;
  }

  /** Runs something in each of the stack's last frames, from the end on; how often there was no stack left for it. */
  static int atTheEndOfTheStack(Runnable tried) {
    int[] errors = new int[1];
    recurse(tried, errors);
    return errors[0];
  }

  private static int recurse(Runnable tried, int[] errors) {
    int above = 0;
    try {
      above = recurse(tried, errors) + 1;
    } catch (StackOverflowError end) {
      // here it begins
    }
    if (above < LAST_FRAMES) {
      try {
        tried.run();
      } catch (StackOverflowError e) {
        ++errors[0];
      }
    }
    return above;
  }

  static ByteBuffer direct(int size) {
    return ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
  }

  /** 0, 1, 2, … as bytes. */
  static ByteBuffer counting(int size) {
    ByteBuffer buffer = direct(size);
    for (int i = 0; i < size; ++i) {
      buffer.put(i, (byte) i);
    }
    return buffer;
  }
}
