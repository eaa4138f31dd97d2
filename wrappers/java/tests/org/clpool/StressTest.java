// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.api.Test;

class StressTest {
  private static final int THREADS = 8;
  private static final int STEPS = Support.rounds(3000);

  private static void inThreads(Callable<Void> task) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Void>> ends = new ArrayList<>();
      for (int i = 0; i < THREADS; ++i) {
        ends.add(threads.submit(task));
      }
      for (Future<Void> end : ends) {
        end.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  @ParameterizedTest
  @EnumSource(LeakDetection.class)
  void eightThreadsUseOnePool(LeakDetection detection) throws Exception {
    Support.Dry dry = new Support.Dry();
    try (Allocator allocator = Allocator.custom(dry);
        Pool pool = Pool.builder(allocator).leakDetection(detection).build()) {
      BlockingQueue<Memory> shared = new LinkedBlockingQueue<>();
      inThreads(
          () -> {
            Random random = new Random(Thread.currentThread().getId());
            for (int i = 0; i < STEPS; ++i) {
              Memory block = pool.allocate(1 + random.nextInt(100_000));
              if (block.pointer() == 0) {
                throw new AssertionError("a block without an address");
              }
              shared.add(block); // closed by whichever thread
              if (shared.size() > THREADS) {
                Memory other = shared.poll();
                if (other != null) {
                  other.close();
                }
              }
            }
            return null;
          });
      shared.forEach(Memory::close);
      pool.check();
      assertEquals(0, pool.statistics().activeBlocks());
      assertEquals((long) THREADS * STEPS, pool.statistics().allocations());
    }
    assertEquals(0, dry.chunks.size());
  }

  @Test
  void blocksAreForgottenWhileThreadsAllocate() throws Exception {
    Support.Dry dry = new Support.Dry();
    try (Allocator allocator = Allocator.custom(dry);
        Pool pool = Pool.of(allocator)) {
      inThreads(
          () -> {
            for (int i = 0; i < STEPS; ++i) {
              Memory block = pool.allocate(100 + i);
              if (i % 3 != 0) {
                block.close();
              }
              if (i % 1000 == 0) {
                System.gc();
              }
            }
            return null;
          });
      Support.collectUntil(
          () -> {
            pool.tick();
            return pool.statistics().activeBlocks() == 0;
          });
      assertEquals(0, pool.statistics().activeBlocks());
      pool.check();
    }
  }

  @Test
  void poolsAreMadeAndClosedByEightThreads() throws Exception {
    inThreads(
        () -> {
          for (int i = 0; i < 100; ++i) {
            Support.Dry dry = new Support.Dry();
            Allocator allocator = Allocator.custom(dry);
            Pool pool = Pool.builder(allocator).onMessage((severity, text) -> {}).build();
            Memory block = pool.allocate(1000);
            pool.close();
            allocator.close();
            block.close();
            assertEquals(0, dry.chunks.size());
          }
          return null;
        });
  }

  @Test
  void eightThreadsUseOneDevicePool() throws Exception {
    Session session = Support.session();
    try (Allocator allocator = Allocator.immediate(session.queue());
        Pool pool = Pool.of(allocator)) {
      inThreads(
          () -> {
            for (int i = 0; i < 200; ++i) {
              try (Memory block = pool.allocate(1 + i * 64)) {
                if (block.handle() == 0) {
                  throw new AssertionError("a block without a handle");
                }
              }
            }
            return null;
          });
      assertEquals(0, pool.statistics().activeBlocks());
    }
  }
}
