// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class OwnershipTest {
  private static void assertClosed(Executable use) {
    IllegalStateException thrown = assertThrows(IllegalStateException.class, use);
    assertTrue(thrown.getMessage().contains("closed"), thrown.getMessage());
  }

  @Test
  void aBlockWorksAfterEverythingBelowItIsClosed() {
    Support.Dry dry = new Support.Dry();
    Allocator allocator = Allocator.custom(dry);
    Pool pool = Pool.of(allocator);
    Memory block = pool.allocate(100);
    pool.close();
    allocator.close();
    assertEquals(100, block.size());
    assertFalse(dry.destroyed);
    block.close();
    assertTrue(dry.chunks.isEmpty());
    assertTrue(dry.destroyed);
  }

  @Test
  void deviceMemoryWorksAfterItsSessionIsClosed() {
    Session session = Clpool.createDefault();
    CommandQueue queue = CommandQueue.create(session.context(), session.device());
    Allocator allocator = Allocator.immediate(session.queue());
    Pool pool = Pool.of(allocator);
    Memory block = pool.allocate(64);
    session.close();
    session.close();
    allocator.close();
    pool.close();
    queue.fill(block, new byte[] {7});
    ByteBuffer host = Support.direct(64);
    queue.read(block, 0, host);
    assertEquals(7, host.get(63));
    block.close();
    queue.close();
  }

  @Test
  void closingTwiceIsAllowedAndReleasesOnce() {
    try (Pool pool = Pool.of(Allocator.custom(new Support.Dry()))) {
      Memory block = pool.allocate(100);
      block.close();
      Memory next = pool.allocate(100);
      block.close();
      block.closeLater();
      assertEquals(1, pool.statistics().activeBlocks());
      next.close();
      pool.close();
    }
  }

  @Test
  void usingAClosedObjectIsAnException() throws Exception {
    Session session = Support.session();
    Allocator allocator = Allocator.custom(new Support.Dry());
    Pool pool = Pool.of(allocator);
    Memory block = pool.allocate(100);
    block.close();
    assertTrue(block.isClosed());
    assertClosed(block::size);
    assertClosed(block::capacity);
    assertClosed(block::handle);
    assertClosed(block::pointer);
    assertClosed(block::kind);
    assertClosed(block::isPooled);
    assertClosed(block::root);
    assertClosed(block::context);
    assertClosed(block::byteBuffer);
    assertClosed(() -> block.subRegion(0, 1));
    assertClosed(() -> block.setTag(1));
    assertClosed(() -> block.usedOn(session.queue()));
    assertClosed(() -> block.closeOn(session.queue()));
    assertClosed(() -> session.queue().fill(block, new byte[1]));
    assertEquals("Memory[closed]", block.toString());

    pool.close();
    assertClosed(() -> pool.allocate(1));
    assertClosed(() -> pool.tryAllocate(1));
    assertClosed(pool::statistics);
    assertClosed(pool::freeHeld);
    assertClosed(pool::stretches);
    assertClosed(pool::dumpJson);
    assertEquals("Pool[closed]", pool.toString());

    allocator.close();
    assertClosed(() -> allocator.allocate(1));
    assertClosed(() -> allocator.withLimit(1));
    assertClosed(() -> Pool.of(allocator));
    assertEquals("Allocator[closed]", allocator.toString());

    Context context = Context.of(session.context().handle());
    context.close();
    assertClosed(context::handle);
    assertEquals("Context[closed]", context.toString());
    CommandQueue queue = CommandQueue.of(session.queue().handle());
    queue.close();
    assertClosed(queue::finish);
    assertEquals("CommandQueue[closed]", queue.toString());
    Event event = Event.user(session.context());
    event.complete();
    event.close();
    assertClosed(event::await);
    assertEquals("Event[closed]", event.toString());
    Heap heap = Heap.create(0);
    heap.addSpace(10);
    HeapRange range = heap.allocate(1);
    heap.close();
    assertClosed(range::offset);
    assertClosed(() -> heap.allocate(1));
    range.close();
    Cache<String, String> cache = Cache.create();
    cache.close();
    assertClosed(cache::size);
    DeviceData data = DeviceData.ofComputeCapability(9, 0, Model.CURRENT);
    data.close();
    assertClosed(data::limits);
    Trace trace = Trace.parse("Thread,Time,Action,Pointer,Size,Stream\n", "empty");
    trace.close();
    assertClosed(trace::statistics);
  }

  @Test
  void aSubRegionKeepsItsParentAlive() {
    Support.Dry dry = new Support.Dry();
    Memory part;
    try (Pool pool = Pool.of(Allocator.custom(dry));
        Memory block = pool.allocate(1000)) {
      part = block.subRegion(100, 200);
    }
    assertFalse(dry.chunks.isEmpty());
    try (Memory nested = part.subRegion(10, 20)) {
      assertEquals(part.pointer() + 10, nested.pointer());
    }
    part.close();
    assertTrue(dry.chunks.isEmpty());
  }

  @Test
  void retainedMemoryGoesBackWithItsLastObject() {
    try (Pool pool = Pool.of(Allocator.custom(new Support.Dry()))) {
      Memory block = pool.allocate(100);
      Memory second = block.retain();
      block.close();
      assertClosed(block::size);
      assertEquals(100, second.size());
      assertEquals(1, pool.statistics().activeBlocks());
      second.close();
      assertEquals(0, pool.statistics().activeBlocks());
    }
  }

  @Test
  void aMapKeepsItsMemoryAlive() {
    Session session = Support.session();
    MappedMemory map;
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 128)) {
      session.queue().fill(buffer, new byte[] {5});
      map = session.queue().map(buffer, Cl.MAP_READ);
    }
    assertEquals(5, map.byteBuffer().get(127));
    map.close();
    map.close();
    assertClosed(map::byteBuffer);
    assertEquals("MappedMemory[closed]", map.toString());
  }

  @Test
  void forgottenBlocksComeBack() throws Exception {
    Support.Dry dry = new Support.Dry();
    try (Pool pool = Pool.of(Allocator.custom(dry))) {
      assertEquals(LeakDetection.RECLAIM, pool.leakDetection());
      forget(pool, 1000);
      assertTrue(Support.collectUntil(() -> activeAfterATick(pool) == 0));
      pool.freeHeld();
      assertTrue(dry.chunks.isEmpty());
    }
  }

  @Test
  void whatWatchesBlocksIsUsedAgainAndStillFindsThem() throws Exception {
    try (Pool pool = Pool.of(Allocator.custom(new Support.Dry()))) {
      for (int round = 0; round < 3; ++round) {
        Memory[] blocks = new Memory[1000]; // more than a thread keeps guards for
        for (int i = 0; i < blocks.length; ++i) {
          blocks[i] = pool.allocate(100 + i);
        }
        Thread other = // which ends, with the guards that it was left
            new Thread(
                () -> {
                  for (int i = 0; i < blocks.length; i += 2) {
                    blocks[i].close();
                    pool.allocate(100).close();
                  }
                  pool.allocate(50);
                });
        other.start();
        other.join();
        for (int i = 1; i < 500; i += 2) {
          blocks[i].close();
        }
        assertTrue(Support.collectUntil(() -> activeAfterATick(pool) == 250)); // the other thread's is found
        for (int i = 501; i < 1000; i += 2) {
          assertEquals(100 + i, blocks[i].size()); // no other's guard gave it back
          blocks[i] = null;
        }
        assertTrue(Support.collectUntil(() -> activeAfterATick(pool) == 0));
        pool.check();
      }
    }
  }

  @Test
  void aHitMakesNothingButASmallObject() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    int rounds = 10_000;
    for (LeakDetection detection : new LeakDetection[] {LeakDetection.RECLAIM, LeakDetection.OFF}) {
      try (Pool pool = Pool.builder(Allocator.custom(new Support.Dry())).leakDetection(detection).build()) {
        pool.allocate(4096).close();
        long before = threads.getThreadAllocatedBytes(self);
        for (int i = 0; i < rounds; ++i) {
          pool.allocate(4096).close();
        }
        long bytes = threads.getThreadAllocatedBytes(self) - before;
        assertTrue(bytes <= 40L * rounds, bytes + " bytes in " + rounds + " hits");
      }
    }
  }

  @Test
  void noBlockIsLostWhereTheStackEnds() throws Exception {
    try (Pool pool = Pool.of(Allocator.custom(new Support.Dry()))) {
      Thread thread = new Thread(null, () -> overflowAgainAndAgain(pool), "recursion", 1 << 19);
      thread.start();
      thread.join();
      assertTrue(Support.collectUntil(() -> activeAfterATick(pool) == 0));
      pool.check();
    }
  }

  private static void overflowAgainAndAgain(Pool pool) {
    for (int i = 0; i < 2000; ++i) {
      pool.allocate(4096).close();
    }
    for (int i = 0; i < 20; ++i) {
      assertThrows(StackOverflowError.class, () -> haveABlockInEachFrame(pool));
    }
  }

  private static void haveABlockInEachFrame(Pool pool) {
    try (Memory block = pool.allocate(256)) {
      haveABlockInEachFrame(pool);
    }
  }

  @Test
  void nothingThatIsMadeOfABlockIsLostWhereTheStackEnds() throws Exception {
    try (Pool pool = Pool.of(Allocator.custom(new Support.Dry()))) {
      List<UnaryOperator<Memory>> ways =
          List.of(block -> block.subRegion(0, 64), Memory::retain, block -> pool.tryAllocate(256).orElse(block));
      for (UnaryOperator<Memory> way : ways) {
        for (int i = 0; i < 40; ++i) {
          Thread thread = new Thread(null, () -> closeAtTheEndOfTheStack(pool, way), "deep", 200_000 + 1000 * i);
          thread.start();
          thread.join();
        }
        assertTrue(Support.collectUntil(() -> activeAfterATick(pool) == 0));
      }
      pool.check();
    }
  }

  private static void closeAtTheEndOfTheStack(Pool pool, UnaryOperator<Memory> way) {
    for (int i = 0; i < 100; ++i) { // what Java itself makes at the first call is there
      pool.allocate(256).close();
    }
    try (Memory block = pool.allocate(4096)) {
      for (int i = 0; i < 100; ++i) {
        way.apply(block).close();
      }
    }
    try (Memory block = pool.allocate(4096)) {
      Support.atTheEndOfTheStack(() -> way.apply(block).close());
    }
  }

  @Test
  void withoutLeakDetectionForgottenBlocksStayOut() throws Exception {
    try (Pool pool =
        Pool.builder(Allocator.custom(new Support.Dry())).leakDetection(LeakDetection.OFF).build()) {
      forget(pool, 10);
      System.gc();
      Thread.sleep(50);
      assertEquals(10, activeAfterATick(pool));
    }
  }

  @Test
  void tracedLeaksTellWhereTheyCameFrom() throws Exception {
    List<String> messages = new ArrayList<>();
    try (Pool pool =
        Pool.builder(Allocator.custom(new Support.Dry()))
            .leakDetection(LeakDetection.TRACE)
            .onMessage(
                (severity, text) -> {
                  synchronized (messages) {
                    messages.add(text);
                  }
                })
            .build()) {
      forget(pool, 256);
      assertTrue(
          Support.collectUntil(
              () -> {
                synchronized (messages) {
                  return messages.stream().anyMatch(text -> text.contains("OwnershipTest.forget"));
                }
              }));
      assertTrue(Support.collectUntil(() -> activeAfterATick(pool) == 0));
    }
  }

  @Test
  void whatIsForgottenMakesRoomHoweverLongItTakesToComeBack() throws Exception {
    try (Pool pool =
        Pool.builder(Allocator.custom(new Support.Dry()))
            .maxBytes(1 << 20)
            .leakDetection(LeakDetection.TRACE)
            .onMessage((severity, text) -> sleep(100)) // longer than a collection that has nothing to wait for
            .build()) {
      for (int i = 0; i < 8; ++i) { // found before or behind whatever else is found
        forgetOne(pool, 1 << 20);
      }
    }
  }

  @Test
  void whatIsForgottenMakesRoomForAThreadThatIsInterrupted() {
    try (Pool pool =
        Pool.builder(Allocator.custom(new Support.Dry()))
            .maxBytes(1 << 20)
            .leakDetection(LeakDetection.TRACE)
            .onMessage((severity, text) -> sleep(100))
            .build()) {
      for (int i = 0; i < 4; ++i) {
        Thread.currentThread().interrupt();
        try {
          forgetOne(pool, 1 << 20);
        } finally {
          assertTrue(Thread.interrupted());
        }
      }
    }
  }

  @Test
  void blocksComeBackWhateverAListenerThrows() throws Exception {
    MessageListener wrong = (severity, text) -> { throw new IllegalStateException("mine"); };
    MessageListener worse = (severity, text) -> { throw new AssertionError("mine"); };
    for (MessageListener listener : new MessageListener[] {wrong, worse, wrong}) {
      try (Pool pool =
          Pool.builder(Allocator.custom(new Support.Dry()))
              .leakDetection(LeakDetection.TRACE)
              .onMessage(listener)
              .build()) {
        forget(pool, 3);
        assertTrue(Support.collectUntil(() -> activeAfterATick(pool) == 0));
      }
    }
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // Not where the next request is made, whose frame might still refer to it.
  private static void forgetOne(Pool pool, long size) {
    pool.allocate(size);
  }

  @Test
  void forgottenPoolsAndDirectMemoryComeBack() throws Exception {
    Support.Dry dry = new Support.Dry();
    forgetAll(dry);
    assertTrue(Support.collectUntil(() -> dry.destroyed || release() && dry.destroyed));
    assertTrue(dry.chunks.isEmpty());
  }

  // A release or allocation of direct memory carries out the late ones.
  private static boolean release() {
    Allocator.custom(new Support.Dry()).allocate(1).close();
    return true;
  }

  private static void forgetAll(Support.Dry dry) {
    Allocator allocator = Allocator.custom(dry);
    allocator.allocate(100);
    Pool pool = Pool.of(allocator);
    pool.allocate(200);
    pool.allocate(300).subRegion(0, 100);
  }

  private static void forget(Pool pool, int count) {
    for (int i = 0; i < count; ++i) {
      pool.allocate(100 + i);
    }
  }

  private static long activeAfterATick(Pool pool) {
    pool.tick();
    return pool.statistics().activeBlocks();
  }

  @Test
  void viewsOfPinnedMemoryKeepItFromBeingCollected() throws Exception {
    Session session = Support.session();
    try (Allocator pinned = Allocator.pinned(session.queue(), 0);
        Pool pool = Pool.of(pinned)) {
      ByteBuffer view = viewOfForgottenBlock(pool);
      for (int i = 0; i < 5; ++i) {
        System.gc();
        Thread.sleep(20);
      }
      assertEquals(1, activeAfterATick(pool));
      assertEquals(9, view.get(99));
      view = null;
      assertTrue(Support.collectUntil(() -> activeAfterATick(pool) == 0));
    }
  }

  private static ByteBuffer viewOfForgottenBlock(Pool pool) {
    ByteBuffer view = pool.allocate(100).byteBuffer();
    view.put(99, (byte) 9);
    return view;
  }

  @Test
  void nullPointersAreStillExceptionsAfterTheDriverIsLoaded() {
    Support.session();
    String[] texts = {"a", "bb"};
    long sum = 0;
    for (int i = 0; i < 200_000; ++i) {
      sum += length(texts[i & 1]);
    }
    assertEquals(300_000, sum);
    for (int i = 0; i < 100; ++i) {
      assertThrows(NullPointerException.class, () -> length(null));
    }
  }

  private static int length(String text) {
    return text.length();
  }
}
