// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CallbacksTest {
  private final Support.Dry dry = new Support.Dry();
  private final Allocator allocator = Allocator.custom(dry);

  @Test
  void whatCollectsMakesRoom() {
    dry.limit = 1 << 20;
    List<Memory> dropped = new ArrayList<>();
    AtomicInteger calls = new AtomicInteger();
    try (Pool pool =
        Pool.builder(allocator)
            .collect(
                () -> {
                  calls.incrementAndGet();
                  dropped.forEach(Memory::close);
                })
            .build()) {
      dropped.add(pool.allocate(900_000));
      try (Memory block = pool.allocate(900_000)) {
        assertEquals(900_000, block.size());
      }
      assertTrue(calls.get() >= 1);
    }
  }

  @Test
  void theGarbageCollectorMakesRoomUnlessItIsToldNotTo() throws Exception {
    dry.limit = 1 << 20;
    try (Pool pool = Pool.builder(allocator).onOutOfMemory((size, attempt) -> attempt < 100).build()) {
      forget(pool);
      try (Memory block = pool.allocate(900_000)) {
        assertEquals(900_000, block.size());
      }
    }
    AtomicInteger calls = new AtomicInteger();
    try (Pool pool =
        Pool.builder(allocator)
            .collect(
                () -> {
                  calls.incrementAndGet();
                  PoolBuilder.collectGarbage();
                })
            .onOutOfMemory((size, attempt) -> attempt < 100)
            .build()) {
      forget(pool);
      pool.allocate(900_000).close();
      assertTrue(calls.get() >= 1);
    }
    try (Pool pool = Pool.builder(allocator).collect(null).build();
        Memory kept = pool.allocate(900_000)) {
      assertThrows(OutOfDeviceMemoryException.class, () -> pool.allocate(900_000));
      assertEquals(900_000, kept.size());
    }
  }

  @Test
  void theDefaultCollectionComesBehindTheOutOfMemoryFunction() {
    dry.limit = 1 << 20;
    List<Integer> asked = new ArrayList<>();
    AtomicReference<Memory> kept = new AtomicReference<>();
    AtomicBoolean gives = new AtomicBoolean(true);
    OutOfMemoryHandler handler =
        (size, attempt) -> {
          asked.add(attempt);
          if (gives.get()) {
            kept.get().close();
          }
          return gives.get();
        };
    try (Pool pool = Pool.builder(allocator).onOutOfMemory(handler).build()) {
      kept.set(pool.allocate(900_000));
      long before = collections();
      for (int i = 0; i < 20; ++i) {
        kept.set(pool.allocate(900_000));
      }
      assertEquals(20, asked.size());
      assertTrue(collections() - before <= 5, "others may be among them");
      gives.set(false);
      for (int i = 0; i < 2; ++i) { // each request has its own collection
        asked.clear();
        long then = collections();
        assertThrows(OutOfDeviceMemoryException.class, () -> pool.allocate(900_000));
        assertEquals(Arrays.asList(1), asked); // it said no
        assertTrue(collections() > then);
      }
      kept.get().close();
    }
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(one -> Math.max(0, one.getCollectionCount())).sum();
  }

  private static void forget(Pool pool) {
    pool.allocate(900_000);
  }

  @Test
  void theOutOfMemoryHandlerDecides() {
    dry.limit = 1 << 20;
    List<Long> asked = new ArrayList<>();
    try (Pool pool =
        Pool.builder(allocator)
            .onOutOfMemory(
                (size, attempt) -> {
                  asked.add(size * 10 + attempt);
                  if (attempt == 2 && dry.limit > 0) {
                    dry.limit = 1 << 23;
                  }
                  return attempt < 3;
                })
            .build()) {
      try (Memory block = pool.allocate(1 << 21)) {
        assertEquals(1 << 21, block.size());
      }
      assertEquals(List.of((1L << 21) * 10 + 1, (1L << 21) * 10 + 2), asked);
      asked.clear();
      dry.limit = 0;
      pool.freeHeld();
      assertThrows(OutOfDeviceMemoryException.class, () -> pool.allocate(1 << 21));
      assertEquals(3, asked.size());
    }
  }

  @Test
  void whatAHandlerThrowsIsTheCause() {
    dry.limit = 1 << 10;
    IllegalStateException mine = new IllegalStateException("mine");
    try (Pool pool =
        Pool.builder(allocator)
            .onOutOfMemory(
                (size, attempt) -> {
                  throw mine;
                })
            .build()) {
      OutOfDeviceMemoryException thrown =
          assertThrows(OutOfDeviceMemoryException.class, () -> pool.allocate(1 << 21));
      assertSame(mine, thrown.getCause());
    }
  }

  @Test
  void whatACollectorThrowsIsTheCause() {
    ArithmeticException mine = new ArithmeticException("in collect");
    Runnable collector =
        () -> {
          throw mine;
        };
    dry.limit = 1 << 10;
    try (Allocator limited = Allocator.immediate(Support.session().queue()).withLimit(1 << 20);
        Pool ofBuffers = Pool.builder(limited).collect(collector).build();
        Pool pool = Pool.builder(allocator).collect(collector).build()) {
      assertSame(mine, assertThrows(OutOfDeviceMemoryException.class, () -> ofBuffers.allocate(2 << 20)).getCause());
      // the allocator, which is asked again after that, throws too
      assertSame(mine, assertThrows(OutOfDeviceMemoryException.class, () -> pool.allocate(1 << 21)).getCause());
    }
  }

  @Test
  void callsInACallbackHaveNoPartInTheCauseOfTheCallThatItIsIn() {
    OutOfDeviceMemoryException mine = new OutOfDeviceMemoryException("mine");
    Support.Dry broken =
        new Support.Dry() {
          @Override
          public synchronized long allocate(long size, long alignment) {
            throw mine;
          }
        };
    AtomicReference<Throwable> nested = new AtomicReference<>();
    Pool[] pool = new Pool[1];
    dry.limit = 1 << 10;
    try (Pool other = Pool.of(allocator);
        Cache<String, String> cache = Cache.create()) {
      Runnable succeeds = () -> pool[0].statistics();
      Runnable fails = () -> nested.set(assertThrows(IllegalArgumentException.class, () -> allocator.withLimit(0)));
      Runnable runsCallbacks =
          () -> {
            assertThrows(OutOfDeviceMemoryException.class, () -> other.allocate(1 << 20));
            assertThrows(
                ClpoolException.class,
                () ->
                    cache.computeIfAbsent(
                        1L,
                        "key",
                        () -> {
                          throw new ArithmeticException("theirs");
                        }));
          };
      for (Runnable calls : List.of(succeeds, fails, runsCallbacks)) {
        for (boolean collects : new boolean[] {true, false}) {
          PoolBuilder builder = Pool.builder(Allocator.custom(broken)).collect(collects ? calls : null);
          if (!collects) {
            builder.onOutOfMemory(
                (size, attempt) -> {
                  calls.run();
                  return false;
                });
          }
          try (Pool made = builder.build()) {
            pool[0] = made;
            Throwable thrown = assertThrows(OutOfDeviceMemoryException.class, () -> made.allocate(100));
            assertSame(mine, thrown.getCause());
          }
        }
      }
      assertNull(nested.get().getCause());
    }
  }

  @Test
  void whatACollectorThrowsIsToldWhereTheCallSucceedsAllTheSame() throws Exception {
    dry.limit = 1 << 20;
    AtomicReference<Throwable> seen = new AtomicReference<>();
    AtomicReference<Throwable> wrong = new AtomicReference<>();
    Thread thread =
        new Thread(
            () -> {
              try (Pool pool =
                  Pool.builder(allocator)
                      .collect(
                          () -> {
                            dry.limit = 1 << 24;
                            throw new ArithmeticException("in collect");
                          })
                      .build()) {
                pool.allocate(1 << 21).close();
              } catch (Throwable e) {
                wrong.set(e);
              }
            });
    thread.setUncaughtExceptionHandler(
        (t, e) -> {
          seen.set(e);
          throw new IllegalStateException("as handlers do");
        });
    thread.start();
    thread.join();
    assertNull(wrong.get());
    assertEquals("in collect", seen.get().getMessage());
  }

  @Test
  void whatCannotFailACallGoesToTheThreadsHandler() throws Exception {
    AtomicReference<Throwable> seen = new AtomicReference<>();
    Thread thread =
        new Thread(
            () -> {
              CustomAllocator forgetful =
                  new CustomAllocator() {
                    @Override
                    public long allocate(long size, long alignment) {
                      return 4096;
                    }

                    @Override
                    public void deallocate(long chunk, long size) {
                      throw new IllegalStateException("lost " + size);
                    }
                  };
              Allocator.custom(forgetful).allocate(100).close();
            });
    thread.setUncaughtExceptionHandler((t, e) -> seen.set(e));
    thread.start();
    thread.join();
    assertEquals("lost 100", seen.get().getMessage());
  }

  @Test
  void messagesReachThePoolsListenerElseTheLibrarys() {
    List<String> own = new ArrayList<>();
    List<String> global = new ArrayList<>();
    Session session = Support.session();
    Clpool.setMessageListener((severity, text) -> global.add(severity + " " + text));
    try (Allocator deferred = Allocator.deferred(session.context(), Cl.MEM_READ_WRITE)) {
      Pool.builder(deferred).onMessage((severity, text) -> own.add(severity + " " + text)).build().close();
      assertTrue(own.stream().anyMatch(text -> text.startsWith("WARNING ")), own.toString());
      assertTrue(global.isEmpty(), global.toString());
      Pool.of(deferred).close();
      assertTrue(global.stream().anyMatch(text -> text.startsWith("WARNING ")), global.toString());
    } finally {
      Clpool.setMessageListener(null);
    }
    int count = global.size();
    try (Allocator deferred = Allocator.deferred(session.context(), 0)) {
      Pool.of(deferred).close();
    }
    assertEquals(count, global.size());
  }

  @Test
  void callbacksMayUseThePool() {
    try (Pool pool = poolWhoseListenerAsks()) {
      pool.allocate(100).close();
      assertFalse(pool.dumpJson().isEmpty());
    }
  }

  private Pool poolWhoseListenerAsks() {
    AtomicReference<Pool> itself = new AtomicReference<>();
    Pool pool =
        Pool.builder(allocator)
            .traceMessages(true)
            .onMessage(
                (severity, text) -> {
                  Pool known = itself.get();
                  if (known != null) {
                    known.statistics();
                  }
                })
            .build();
    itself.set(pool);
    return pool;
  }

  @Test
  void poolsWithCallbacksAreCollected() throws Exception {
    forgetPoolThatKnowsItself();
    assertTrue(
        Support.collectUntil(
            () -> {
              allocator.allocate(1).close();
              return dry.chunks.isEmpty();
            }));
  }

  private void forgetPoolThatKnowsItself() {
    poolWhoseListenerAsks().allocate(100);
  }

  private static void forgetWithView(Pool pool) {
    pool.allocate(600_000).byteBuffer().put(0, (byte) 1);
  }

  private static void forgetMapped(Pool pool, CommandQueue queue) {
    MappedMemory map = queue.map(pool.allocate(600_000));
    map.byteBuffer().put(0, (byte) 1);
    map.unmap();
  }

  @Test
  void forgottenBlocksMakeRoomAlsoIfThereWasAView() {
    CommandQueue queue = Support.session().queue();
    try (Allocator pinned = Allocator.pinned(queue).withLimit(1 << 20);
        Pool pool = Pool.of(pinned)) {
      for (int i = 0; i < 8; ++i) {
        forgetWithView(pool);
      }
    }
    try (Allocator buffers = Allocator.immediate(queue).withLimit(1 << 20);
        Pool pool = Pool.of(buffers)) {
      for (int i = 0; i < 8; ++i) {
        forgetMapped(pool, queue);
      }
    }
  }

  @Test
  void theLibrarysThreadsKeepNoClassLoader() {
    forget(Pool.of(allocator));
    Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
    List<Thread> own = all.keySet().stream().filter(t -> t.getName().startsWith("clpool ")).collect(Collectors.toList());
    assertTrue(own.stream().anyMatch(thread -> thread.getName().equals("clpool leak guard")));
    own.forEach(thread -> assertNull(thread.getContextClassLoader(), thread.getName()));
  }
}
