// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Objects are closed while other threads use them: a use that comes too late is an exception, one that has begun ends in
 * order, and what is closed goes back once. How many rounds there are says {@link Support#rounds}.
 */
class CloseRaceTest {
  private static final int USERS = 3;

  /** Threads use what `object` makes until it says that it is closed; this one closes it meanwhile. */
  private static <T extends AutoCloseable> void race(int rounds, Supplier<T> object, Consumer<T> use)
      throws Exception {
    for (int round = 0; round < rounds; ++round) {
      T shared = object.get();
      CountDownLatch begun = new CountDownLatch(USERS);
      AtomicReference<Throwable> wrong = new AtomicReference<>();
      List<Thread> users = new ArrayList<>();
      for (int i = 0; i < USERS; ++i) {
        Thread user =
            new Thread(
                () -> {
                  try {
                    begun.countDown();
                    while (true) {
                      use.accept(shared);
                    }
                  } catch (IllegalStateException closed) {
                    if (!closed.getMessage().contains("closed")) {
                      wrong.set(closed);
                    }
                  } catch (Throwable e) {
                    wrong.set(e);
                  }
                });
        user.start();
        users.add(user);
      }
      begun.await();
      shared.close();
      for (Thread user : users) {
        user.join();
      }
      if (wrong.get() != null) {
        throw new AssertionError("round " + round, wrong.get());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(LeakDetection.class)
  void aPoolIsClosedWhileThreadsAllocate(LeakDetection detection) throws Exception {
    Support.Dry dry = new Support.Dry();
    try (Allocator allocator = Allocator.custom(dry)) {
      race(
          Support.rounds(100),
          () -> Pool.builder(allocator).leakDetection(detection).build(),
          pool -> pool.allocate(4096).close());
    }
    assertTrue(dry.chunks.isEmpty(), dry.chunks.size() + " chunks were not given back");
    assertTrue(dry.destroyed);
  }

  @Test
  void anAllocatorIsClosedWhileThreadsUseIt() throws Exception {
    List<Support.Dry> all = new ArrayList<>();
    race(
        Support.rounds(100),
        () -> {
          all.add(new Support.Dry());
          return Allocator.custom(all.get(all.size() - 1));
        },
        allocator -> allocator.allocate(100).close());
    for (Support.Dry dry : all) {
      assertTrue(dry.destroyed);
      assertTrue(dry.chunks.isEmpty());
    }
  }

  @Test
  void memoryIsClosedWhileThreadsLookAtIt() throws Exception {
    try (Pool pool = Pool.of(Allocator.custom(new Support.Dry()))) {
      race(
          Support.rounds(100),
          () -> pool.allocate(4096),
          block -> {
            if (block.size() != 4096 || block.capacity() < 4096 || block.pointer() == 0) {
              throw new AssertionError("another block");
            }
            block.toString();
          });
      assertEquals(0, pool.statistics().activeBlocks());
    }
  }

  @Test
  void anEventIsClosedWhileThreadsAskIt() throws Exception {
    Session session = Support.session();
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      race(
          Support.rounds(50),
          () -> session.queue().fill(buffer, new byte[] {0}),
          event -> {
            event.isDone();
            event.toString();
          });
    }
  }

  @Test
  void aCacheIsClosedWhileThreadsUseIt() throws Exception {
    race(
        Support.rounds(50),
        () -> Cache.<Integer, String>create(),
        cache -> {
          for (int key = 0; key < 10; ++key) {
            assertEquals("x", cache.computeIfAbsent(1L, key, () -> "x"));
          }
          cache.clear(1L);
        });
  }

  @Test
  void aHeapIsClosedWhileThreadsUseIt() throws Exception {
    race(
        Support.rounds(50),
        () -> {
          Heap heap = Heap.create(0);
          heap.addSpace(1 << 20);
          return heap;
        },
        heap -> {
          try (HeapRange range = heap.allocate(100)) {
            range.offset();
          }
          heap.toString();
        });
  }

  @Test
  void aQueueIsClosedWhileThreadsUseIt() throws Exception {
    Session session = Support.session();
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      race(
          Support.rounds(20),
          () -> CommandQueue.create(session.context(), session.device()),
          queue -> {
            queue.handle();
            queue.flush();
          });
    }
  }

  @Test
  void whatIsClosedInUseGoesBackWhenTheUseEnds() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Support.Dry dry =
        new Support.Dry() {
          @Override
          public long allocate(long size, long alignment) {
            inside.countDown();
            Support.await(closed);
            return super.allocate(size, alignment);
          }
        };
    Allocator allocator = Allocator.custom(dry);
    Thread user = new Thread(() -> allocator.allocate(100).close());
    user.start();
    inside.await();
    allocator.close();
    assertThrows(IllegalStateException.class, () -> allocator.allocate(1));
    assertFalse(dry.destroyed);
    closed.countDown();
    user.join();
    assertTrue(dry.destroyed);
  }

  @Test
  void aPoolMayBeClosedByItsOwnCallbacks() {
    Support.Dry dry = new Support.Dry();
    dry.limit = 1 << 20;
    Pool[] pool = new Pool[1];
    try (Allocator allocator = Allocator.custom(dry)) {
      pool[0] = Pool.builder(allocator).collect(() -> pool[0].close()).build();
      assertThrows(OutOfDeviceMemoryException.class, () -> pool[0].allocate(1 << 24));
      assertThrows(IllegalStateException.class, () -> pool[0].allocate(1));
      pool[0] =
          Pool.builder(allocator)
              .onOutOfMemory(
                  (size, attempt) -> {
                    pool[0].close();
                    return false;
                  })
              .build();
      assertThrows(OutOfDeviceMemoryException.class, () -> pool[0].allocate(1 << 24));
    }
    assertTrue(dry.destroyed);
  }

  @Test
  void memoryThatAnotherThreadUsesIsNotClosedOnAQueue() throws Exception {
    Session session = Support.session();
    try (Allocator allocator = Allocator.immediate(session.queue());
        Pool pool = Pool.of(allocator);
        Memory block = pool.allocate(64)) {
      assertTrue(block.tryBegin()); // as if a call on another thread had
      IllegalStateException thrown =
          assertThrows(IllegalStateException.class, () -> block.closeOn(session.queue()));
      assertTrue(thrown.getMessage().contains("another thread"), thrown.getMessage());
      block.end();
      block.closeOn(session.queue()).close();
      assertTrue(block.isClosed());
    }
  }

  @Test
  void memoryThatIsClosedWhileItIsNotClosedOnAQueueIsClosed() throws Exception {
    Session session = Support.session();
    try (Context other = Context.create(session.device());
        CommandQueue wrong = CommandQueue.create(other);
        Pool pool = Pool.of(Allocator.pinned(session.queue()))) {
      Memory block = pool.allocate(64);
      block.byteBuffer();
      AtomicReference<Throwable> refused = new AtomicReference<>();
      Thread closer =
          new Thread(
              () -> {
                try {
                  block.closeOn(wrong);
                } catch (Throwable e) {
                  refused.set(e);
                }
              });
      synchronized (block.ownViews()) { // where it waits, after it has begun
        closer.start();
        while (closer.getState() != Thread.State.BLOCKED) {
          Thread.sleep(1);
        }
        assertThrows(IllegalStateException.class, () -> block.closeOn(session.queue()));
        block.close();
      }
      closer.join();
      assertTrue(refused.get() instanceof IllegalArgumentException, String.valueOf(refused.get()));
      assertTrue(block.isClosed());
      assertEquals(0, pool.statistics().activeBlocks());
    }
  }
}
