// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class PoolTest {
  private final Support.Dry dry = new Support.Dry();
  private final Allocator allocator = Allocator.custom(dry);

  @Test
  void releasedBlocksAreHandedOutAgain() {
    try (Pool pool = Pool.of(allocator)) {
      long first;
      try (Memory block = pool.allocate(1000)) {
        first = block.pointer();
        assertEquals(1000, block.size());
        assertTrue(block.capacity() >= 1000);
        assertTrue(block.isPooled());
        assertEquals(MemoryKind.CUSTOM, block.kind());
        assertEquals(0, block.handle());
      }
      try (Memory block = pool.allocate(1000)) {
        assertEquals(first, block.pointer());
      }
      PoolStatistics statistics = pool.statistics();
      assertEquals(2, statistics.allocations());
      assertEquals(1, statistics.hits());
      assertEquals(1, statistics.driverAllocations());
      assertEquals(0, statistics.activeBlocks());
    }
    assertTrue(dry.chunks.isEmpty());
  }

  @Test
  void binnedPoolsCountAsPyOpenCLs() {
    try (Pool pool =
        Pool.builder(allocator).strategy(Strategy.BINNED).leadingBitsInBinId(4).name("bins").build()) {
      assertEquals("bins", pool.name());
      Memory block = pool.allocate(1001);
      assertEquals(Clpool.binAllocationSize(Clpool.binNumber(1001, 4), 4), block.capacity());
      assertEquals(1, pool.statistics().activeBlocks());
      block.close();
      assertEquals(1, pool.statistics().heldBlocks());
      assertTrue(pool.statistics().managedBytes() >= 1001);
      pool.freeHeld();
      assertEquals(0, pool.statistics().heldBlocks());
      assertEquals(0, pool.statistics().managedBytes());
    }
  }

  @Test
  void binsByTheHighestBitAloneCanBeAskedFor() {
    try (Pool pool = Pool.builder(allocator).strategy(Strategy.BINNED).leadingBitsInBinId(0).build();
        Memory block = pool.allocate(1025)) {
      assertEquals(Clpool.binAllocationSize(Clpool.binNumber(1025, 0), 0), block.capacity());
    }
    try (Pool pool = Pool.builder(allocator).strategy(Strategy.BINNED).build();
        Memory block = pool.allocate(1025)) {
      assertEquals(Clpool.binAllocationSize(Clpool.binNumber(1025, 4), 4), block.capacity());
    }
  }

  @Test
  void aTryAllocatesOnlyFromWhatThePoolHas() {
    try (Pool pool = Pool.of(allocator)) {
      assertEquals(Optional.empty(), pool.tryAllocate(4096));
      pool.allocate(4096).close();
      Optional<Memory> hit = pool.tryAllocate(4096);
      assertTrue(hit.isPresent());
      hit.get().close();
    }
  }

  @Test
  void heldMemoryGoesBackWhenAskedTo() {
    try (Pool pool = Pool.of(allocator)) {
      pool.allocate(1 << 20).close();
      assertTrue(pool.statistics().heldBytes() > 0);
      pool.trim(0);
      assertEquals(0, pool.statistics().heldBytes());
      pool.allocate(1 << 20).close();
      pool.stopHolding();
      pool.allocate(1 << 20).close();
      assertEquals(0, pool.statistics().managedBytes());
      pool.resumeHolding();
      pool.allocate(1 << 20).close();
      assertEquals(1, pool.statistics().heldBlocks());
      pool.tick();
      pool.check();
    }
  }

  @Test
  void picturesShowBlocksWithTheirTags() {
    try (Pool pool = Pool.builder(allocator).name("pictured").build();
        Memory block = pool.allocate(5000)) {
      block.setTag(42);
      List<PoolStretch> stretches = pool.stretches();
      PoolStretch active =
          stretches.stream().filter(s -> s.state() == PoolStretch.State.ACTIVE).findFirst().orElseThrow();
      assertEquals(42, active.tag());
      assertEquals(5000, active.requested());
      assertEquals(block.capacity(), active.size());
      assertEquals(0, active.chunk());
      assertTrue(active.offset() >= 0);
      assertTrue(active.toString().contains("ACTIVE"));
      String json = pool.dumpJson();
      assertTrue(json.contains("\"name\": \"pictured\""), json);
      assertTrue(json.contains("\"tag\": 42"), json);
      assertTrue(pool.toString().contains("pictured"));
    }
  }

  @Test
  void sizesBeyondFourGigabytesAreNotCut() {
    long size = 5L * 1024 * 1024 * 1024 + 12345;
    try (Pool pool = Pool.of(allocator);
        Memory block = pool.allocate(size);
        Memory other = pool.allocate(1L << 40)) {
      assertEquals(size, block.size());
      assertTrue(block.capacity() >= size);
      assertEquals(1L << 40, other.size());
      assertEquals(size + (1L << 40), pool.statistics().activeBytes());
      try (Memory part = other.subRegion(1L << 33, 1L << 34)) {
        assertEquals(other.pointer() + (1L << 33), part.pointer());
        assertEquals(1L << 34, part.size());
      }
    }
  }

  @Test
  void aBlockOfNoBytesIsABlock() {
    try (Pool pool = Pool.of(allocator);
        Memory block = pool.allocate(0)) {
      assertEquals(0, block.size());
      assertTrue(block.capacity() >= 1);
      assertNotEquals(0, block.pointer());
    }
  }

  @Test
  void optionsAreCheckedAndObeyed() {
    assertThrows(NullPointerException.class, () -> Pool.builder(null));
    assertThrows(IllegalArgumentException.class, () -> Pool.builder(allocator).maxBytes(-1));
    assertThrows(IllegalArgumentException.class, () -> Pool.builder(allocator).waitNanos(-1));
    assertThrows(NullPointerException.class, () -> Pool.builder(allocator).strategy(null));
    assertThrows(IllegalArgumentException.class, () -> Pool.builder(allocator).leadingBitsInBinId(27).build());
    assertThrows(IllegalArgumentException.class, () -> Pool.builder(allocator).alignment(3).build());
    try (Pool pool =
        Pool.builder(allocator)
            .maxBytes(1 << 20)
            .maxHeldBytes(1 << 19)
            .minChunkBytes(1 << 16)
            .alignment(256)
            .releaseThreshold(1)
            .decayNanos(1)
            .waitNanos(1)
            .traceMessages(true)
            .build()) {
      assertThrows(OutOfDeviceMemoryException.class, () -> pool.allocate(1 << 21));
      try (Memory block = pool.allocate(100)) {
        assertEquals(0, block.pointer() % 256);
      }
    }
  }

  @Test
  void buffersOfADeviceCanBePooled() {
    Session session = Support.session();
    try (Allocator immediate = Allocator.immediate(session.queue());
        Pool pool = Pool.builder(immediate).queues(session.queue()).build()) {
      List<Memory> blocks = new ArrayList<>();
      for (int i = 1; i <= 20; ++i) {
        blocks.add(pool.allocate(i * 100));
      }
      for (Memory block : blocks) {
        assertEquals(MemoryKind.BUFFER, block.kind());
        assertNotEquals(0, block.handle());
        assertEquals(session.context().handle(), block.context());
        assertNotEquals(0, block.root().buffer());
        assertTrue(block.root().offset() >= 0);
        session.queue().fill(block, new byte[] {1});
      }
      session.queue().finish();
      blocks.forEach(Memory::close);
      pool.check();
    }
  }

  @Test
  void blocksCanSayWhoUsesThem() {
    Session session = Support.session();
    try (CommandQueue other = CommandQueue.create(session.context(), session.device());
        Allocator immediate = Allocator.immediate(session.queue());
        Pool pool = Pool.of(immediate)) {
      Event end = Event.user(session.context());
      Memory block = pool.allocate(4096);
      block.releaseAfter(end);
      block.close();
      assertTrue(pool.statistics().pendingBytes() > 0);
      end.complete();
      pool.tick();
      assertEquals(0, pool.statistics().pendingBytes());
      end.close();
      try (Memory used = pool.allocate(4096)) {
        used.usedOn(other);
        used.bindQueue(session.queue());
        used.unbindQueue();
      }
      Memory last = pool.allocate(4096);
      try (Event released = last.closeOn(session.queue())) {
        released.await();
        assertTrue(released.isDone());
      }
      assertTrue(last.isClosed());
    }
  }

  @Test
  void aBlockForOneQueueIsReusedAtOnceThereAndNowhereElse() {
    Session session = Support.session();
    try (CommandQueue other = CommandQueue.create(session.context(), session.device());
        Memory busy = Memory.buffer(session.context(), 1, 4096);
        Pool pool = Pool.builder(allocator).queues(session.queue(), other).build()) {
      Event gate = Event.user(session.context());
      Memory block = pool.allocateOn(session.queue(), 4096);
      long place = block.pointer();
      session.queue().fill(busy, new byte[] {1}, gate);
      block.close();
      try (Memory elsewhere = pool.allocateOn(other, 4096);
          Memory anywhere = pool.allocate(4096);
          Memory here = pool.allocateOn(session.queue(), 4096)) {
        assertNotEquals(place, elsewhere.pointer());
        assertNotEquals(place, anywhere.pointer());
        assertEquals(place, here.pointer());
        gate.complete();
        session.queue().finish();
      }
      gate.close();
      assertThrows(IllegalArgumentException.class, () -> pool.allocateOn(other, -1));
    }
  }

  @Test
  void aBlockThatIsKnownToBeIdleIsReusedAtOnce() {
    Session session = Support.session();
    try (CommandQueue other = CommandQueue.create(session.context(), session.device());
        Memory busy = Memory.buffer(session.context(), 1, 4096);
        Pool pool = Pool.builder(allocator).queues(session.queue(), other).build()) {
      Event gate = Event.user(session.context());
      Memory waits = pool.allocate(4096);
      Memory idle = pool.allocate(4096);
      long place = idle.pointer();
      session.queue().fill(busy, new byte[] {1}, gate);
      waits.close();
      idle.closeIdle();
      idle.closeIdle();
      assertTrue(idle.isClosed());
      assertTrue(pool.statistics().pendingBytes() > 0, "the other waits for the queue");
      try (Memory again = pool.allocate(4096)) {
        assertEquals(place, again.pointer());
      }
      gate.complete();
      session.queue().finish();
      gate.close();
    }
  }

  @Test
  void aGuardedPoolFindsAWriteBeyondTheEnd() {
    List<String> findings = findingsOfAWriteBeyondTheEnd(true, Pool::freeHeld);
    assertEquals(1, findings.size(), findings.toString());
    assertTrue(findings.get(0).contains("1000 bytes with tag 77"), findings.get(0));
    assertEquals(List.of(), findingsOfAWriteBeyondTheEnd(false, Pool::freeHeld));
  }

  @Test
  void aGuardedPoolFindsAWriteBeyondTheEndWhileRequestsAreServedAtOnce() {
    List<String> findings =
        findingsOfAWriteBeyondTheEnd(
            true,
            pool -> {
              for (int i = 0; i < 10; ++i) {
                pool.allocate(1000).close();
                Support.session().queue().finish();
              }
            });
    assertEquals(1, findings.size(), findings.toString());
  }

  private static List<String> findingsOfAWriteBeyondTheEnd(boolean guard, Consumer<Pool> then) {
    CommandQueue queue = Support.session().queue();
    List<String> findings = new ArrayList<>();
    MessageListener listener =
        (severity, text) -> {
          if (text.startsWith("guard: ")) {
            findings.add(text);
          }
        };
    try (Allocator immediate = Allocator.immediate(queue);
        Pool pool = Pool.builder(immediate).guard(guard).onMessage(listener).build()) {
      Memory block = pool.allocate(1000);
      block.setTag(77);
      try (Memory behind = Memory.wrap(block.handle(), true)) {
        if (behind.size() > 1000) {
          queue.fill(behind, new byte[] {1}, 1000, 1);
        }
        queue.finish();
      }
      block.close();
      then.accept(pool);
      return List.copyOf(findings);
    }
  }

  @Test
  void requestsPassTheGateUnlessTheyAreTraced() {
    try (Pool usual = Pool.of(allocator);
        Pool guarded = Pool.builder(allocator).guard(true).build();
        Pool traced = Pool.builder(allocator).traceMessages(true).build()) {
      assertTrue(usual.open, "whatever CLPOOL_GUARD says");
      assertTrue(guarded.open, "findings are told by what comes by after a release, not by a request that is served at once");
      assertFalse(traced.open);
    }
  }

  private static CommandQueue outOfOrderQueue(Session session) {
    try {
      return CommandQueue.createOutOfOrder(session.context(), session.device());
    } catch (ClpoolException refused) {
      assumeTrue(refused.clError() != -35, "the device has no out-of-order queues (CL_INVALID_QUEUE_PROPERTIES)");
      throw refused;
    }
  }

  @Test
  void poolsOverOutOfOrderQueuesWork() {
    Session session = Support.session();
    try (CommandQueue queue = outOfOrderQueue(session);
        Allocator immediate = Allocator.immediate(queue);
        Pool pool = Pool.builder(immediate).queues(queue).build()) {
      for (int i = 0; i < 10; ++i) {
        try (Memory block = pool.allocate(1 << 16)) {
          queue.fill(block, new byte[] {(byte) i});
        }
      }
      queue.finish();
    }
  }

  @Test
  void lateReleasesComeBackAtTheNextCall() {
    try (Pool pool = Pool.of(allocator)) {
      Memory block = pool.allocate(4096);
      block.closeLater();
      assertTrue(block.isClosed());
      pool.allocate(1).close();
      assertEquals(0, pool.statistics().activeBlocks());
      assertFalse(pool.toString().isEmpty());
    }
  }
}
