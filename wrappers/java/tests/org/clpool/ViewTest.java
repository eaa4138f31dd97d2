// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Views of memory whose owner is closed: an exception where Java can do that. */
class ViewTest {
  private final Session session = Support.session();

  private static void assertRefused(ByteBuffer view) {
    assertThrows(IllegalStateException.class, () -> view.get(0));
    assertThrows(IllegalStateException.class, () -> view.duplicate().get(0));
    assertThrows(IllegalStateException.class, () -> view.slice().get(0));
    assertThrows(IllegalStateException.class, () -> view.asReadOnlyBuffer().get(0));
  }

  private static void needsArenas() {
    assumeTrue(Views.canClose(), "Java " + Runtime.version() + " ends no use of memory");
  }

  @Test
  void thisJavaEndsTheUseOfMemoryFrom22On() {
    assertEquals(Runtime.version().feature() >= 22, Views.canClose());
  }

  @Test
  void viewsOfMapsEndWithThem() {
    needsArenas();
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      for (long flags : new long[] {Cl.MAP_READ, Cl.MAP_READ | Cl.MAP_WRITE}) {
        MappedMemory map = session.queue().map(buffer, flags);
        ByteBuffer all = map.byteBuffer();
        ByteBuffer part = map.byteBuffer(32, 16);
        assertEquals(ByteOrder.nativeOrder(), part.order());
        assertEquals(16, part.remaining());
        assertEquals(all.get(40), part.get(8));
        map.close();
        assertRefused(all);
        assertRefused(part);
        MappedMemory unmapped = session.queue().map(buffer, flags);
        ByteBuffer view = unmapped.byteBuffer();
        unmapped.unmap(null).await();
        assertRefused(view);
        assertThrows(IllegalStateException.class, unmapped::byteBuffer);
        unmapped.close();
      }
    }
  }

  @Test
  void viewsOfMemoryOfNoPoolEndWithIt() {
    needsArenas();
    try (Allocator pinned = Allocator.pinned(session.queue(), 0)) {
      Memory memory = pinned.allocate(64);
      ByteBuffer view = memory.byteBuffer();
      view.put(63, (byte) 5);
      try (Memory part = memory.subRegion(32, 32);
          Memory second = memory.retain()) {
        ByteBuffer partsView = part.byteBuffer();
        ByteBuffer secondsView = second.byteBuffer();
        memory.close();
        assertRefused(view);
        assertEquals(5, partsView.get(31)); // each keeps the memory, and has views of its own
        assertEquals(5, secondsView.get(63));
      }
      assertThrows(IllegalStateException.class, memory::byteBuffer);
    }
  }

  @Test
  void aViewThatIsMadeDuringACloseIsNotLeftBehind() throws Exception {
    needsArenas();
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      for (int round = 0; round < Support.rounds(50); ++round) {
        MappedMemory map = session.queue().map(buffer, Cl.MAP_READ);
        AtomicReference<ByteBuffer> last = new AtomicReference<>(map.byteBuffer());
        Thread user =
            new Thread(
                () -> {
                  try {
                    while (true) {
                      last.set(map.byteBuffer());
                    }
                  } catch (IllegalStateException closed) {
                    // as it must end
                  }
                });
        user.start();
        map.close();
        user.join();
        assertRefused(last.get());
      }
    }
  }

  @Test
  void whatAViewIsUsedForEndsInOrder() throws Exception {
    needsArenas();
    ByteBuffer memory = Support.direct(16);
    Views views = new Views(memory, 0);
    long address = Native.java_address(memory);
    Pipe pipe = Pipe.open();
    AtomicReference<Throwable> wrong = new AtomicReference<>();
    Thread reader =
        new Thread(
            () -> {
              while (true) {
                try {
                  pipe.source().read(views.of(address, 16, 0, 16));
                  return;
                } catch (IllegalStateException closed) {
                  // before it began
                } catch (Throwable e) {
                  wrong.set(e);
                  return;
                }
              }
            });
    reader.start();
    IllegalStateException inUse = null;
    while (inUse == null) {
      try {
        views.close();
        Thread.yield();
      } catch (IllegalStateException e) {
        inUse = e;
      }
    }
    assertTrue(inUse.getMessage().contains("in use by another thread"), inUse.getMessage());
    AtomicBoolean given = new AtomicBoolean();
    views.closed(() -> given.set(true)).run();
    System.gc();
    assertFalse(given.get());
    pipe.sink().write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    reader.join();
    assertNull(wrong.get());
    assertEquals(3, memory.get(2));
    assertTrue(Support.collectUntil(given::get));
    pipe.sink().close();
    pipe.source().close();
  }

  private static void assertRefusedAsHostMemory(Executable use) {
    IllegalStateException thrown = assertThrows(IllegalStateException.class, use);
    assertTrue(thrown.getMessage().contains("closed or unmapped"), thrown.getMessage());
  }

  private void assertRefusedByCommands(ByteBuffer view, Memory buffer) {
    CommandQueue queue = session.queue();
    assertRefusedAsHostMemory(() -> queue.read(buffer, 0, view));
    assertRefusedAsHostMemory(() -> queue.write(buffer, 0, view));
    assertRefusedAsHostMemory(() -> queue.write(buffer, 0, view.duplicate().position(8).slice().asReadOnlyBuffer()));
    assertRefusedAsHostMemory(() -> queue.readLater(buffer, 0, view));
    assertRefusedAsHostMemory(() -> queue.writeLater(buffer, 0, view));
    assertRefusedAsHostMemory(() -> queue.readBox(buffer, Box.of(4), view));
    assertRefusedAsHostMemory(() -> queue.writeBox(buffer, Box.of(4), view));
    assertRefusedAsHostMemory(() -> Memory.buffer(session.context(), Cl.MEM_USE_HOST_PTR, view));
    assertRefusedAsHostMemory(() -> Memory.buffer(session.context(), Cl.MEM_COPY_HOST_PTR, view));
    ImageFormat format = new ImageFormat(Cl.RGBA, Cl.UNORM_INT8);
    ImageDescription description = new ImageDescription(format, 4, 4);
    assertRefusedAsHostMemory(
        () -> Image.create(session.context(), description.flags(Cl.MEM_COPY_HOST_PTR).host(view)));
    ImageArray array = new ImageArray(ElementType.INT8, view, 4, 4);
    assertRefusedAsHostMemory(() -> Image.of(session.context(), array));
    try (Image image = Image.create(session.context(), new ImageDescription(format, 4, 4))) {
      long[] first = {0, 0};
      long[] all = {4, 4};
      assertRefusedAsHostMemory(() -> queue.images().read(image, first, all, view));
      assertRefusedAsHostMemory(() -> queue.images().write(image, first, all, view));
    }
  }

  @Test
  void viewsOfWhatIsClosedAreRefusedAsHostMemory() {
    needsArenas();
    try (Allocator pinned = Allocator.pinned(session.queue(), 0);
        Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      Memory memory = pinned.allocate(64);
      ByteBuffer view = memory.byteBuffer();
      session.queue().write(buffer, 0, view);
      memory.close();
      assertRefusedByCommands(view, buffer);
      MappedMemory map = session.queue().map(buffer, Cl.MAP_READ | Cl.MAP_WRITE);
      ByteBuffer mapped = map.byteBuffer();
      map.unmap(null);
      assertRefusedByCommands(mapped, buffer);
      map.close();
      assertRefusedByCommands(mapped, buffer);
    }
  }

  /** Page-locked memory of no pool, of which there is no more as long as it has not gone back; on an idle queue of its own. */
  private Allocator onlyOne() {
    return Allocator.pinned(CommandQueue.create(session.context(), session.device()), 0).withLimit(64);
  }

  private static boolean isBack(Allocator one) {
    try {
      one.allocate(64).close();
      return true;
    } catch (OutOfDeviceMemoryException e) {
      return false;
    }
  }

  /** Waits for the call of a thread to be in native code. */
  private static void awaitNative(Thread thread, String method) {
    boolean inside = false;
    while (!inside) {
      assertTrue(thread.isAlive());
      StackTraceElement[] stack = thread.getStackTrace();
      inside = stack.length > 0 && stack[0].isNativeMethod() && stack[0].getMethodName().equals(method);
    }
  }

  @Test
  void memoryThatACallOfAnotherThreadUsesByAViewGoesBackWhenThatEnds() throws Exception {
    try (Allocator one = onlyOne();
        Event gate = Event.user(session.context());
        Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      Memory memory = one.allocate(64);
      ByteBuffer view = memory.byteBuffer(16, 48);
      AtomicReference<Throwable> wrong = new AtomicReference<>();
      Thread reader = new Thread(() -> session.queue().read(buffer, 0, view, gate));
      reader.setUncaughtExceptionHandler((thread, thrown) -> wrong.set(thrown));
      reader.start();
      awaitNative(reader, "clpool_mem_read");
      memory.close();
      assertTrue(memory.isClosed());
      boolean early = isBack(one);
      gate.complete();
      reader.join();
      assertFalse(early);
      assertNull(wrong.get());
      assertTrue(isBack(one));
    }
  }

  @Test
  void memoryThatACommandUsesByAViewGoesBackWhenThatEnds() throws Exception {
    try (Allocator one = onlyOne();
        Event gate = Event.user(session.context());
        Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      boolean early = false;
      for (boolean failing : new boolean[] {true, false}) {
        Memory memory = one.allocate(64);
        ByteBuffer view = memory.byteBuffer();
        if (failing) {
          assertThrows(IllegalArgumentException.class, () -> session.queue().writeLater(buffer, 1, view, gate));
        } else {
          view.put(63, (byte) 9);
          session.queue().writeLater(buffer, 0, view, gate).close();
        }
        memory.close();
        early = isBack(one);
        assertTrue(early || !failing);
      }
      gate.complete();
      session.queue().finish();
      assertFalse(early);
      assertTrue(Support.collectUntil(() -> isBack(one)));
      ByteBuffer read = Support.direct(64);
      session.queue().read(buffer, 0, read);
      assertEquals(9, read.get(63));
    }
  }

  /** Leaves Java's common pool no thread. */
  private static CountDownLatch fillCommonPool() {
    CountDownLatch free = new CountDownLatch(1);
    int threads = ForkJoinPool.getCommonPoolParallelism();
    CountDownLatch full = new CountDownLatch(threads);
    for (int i = 0; i < threads; ++i) {
      ForkJoinPool.commonPool()
          .execute(
              () -> {
                full.countDown();
                Support.await(free);
              });
    }
    Support.await(full);
    return free;
  }

  @Test
  void memoryThatACommandUsedGoesBackWithoutTheCommonPool() throws Exception {
    CountDownLatch free = fillCommonPool();
    try (Allocator one = onlyOne();
        Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      for (boolean awaited : new boolean[] {true, false}) {
        Memory memory = one.allocate(64);
        try (Event written = session.queue().writeLater(buffer, 0, memory.byteBuffer())) {
          memory.close();
          if (awaited) {
            written.await();
            assertTrue(isBack(one)); // at once
          }
        }
        session.queue().finish();
        assertTrue(Support.collectUntil(() -> isBack(one)));
      }
    } finally {
      free.countDown();
    }
  }

  @Test
  void memoryThatABufferLiesInGoesBackWhenThatIsGone() throws Exception {
    try (Allocator one = onlyOne()) {
      Memory memory = one.allocate(64);
      Memory buffer = Memory.buffer(session.context(), Cl.MEM_USE_HOST_PTR, memory.byteBuffer());
      memory.close();
      assertFalse(isBack(one));
      session.queue().fill(buffer, new byte[] {1});
      buffer.close();
      session.queue().finish();
      assertTrue(Support.collectUntil(() -> isBack(one)));
    }
  }

  @Test
  void hostMemoryThatIsAViewEndsWithThat() throws Exception {
    needsArenas();
    try (Memory mapped = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 4096)) {
      MappedMemory map = session.queue().map(mapped, Cl.MAP_READ | Cl.MAP_WRITE);
      ByteBuffer host = map.byteBuffer().position(1024);
      Memory buffer = Memory.buffer(session.context(), Cl.MEM_USE_HOST_PTR, host);
      Memory part = buffer.subRegion(2048, 64);
      host.clear();
      ByteBuffer all = buffer.hostMemory();
      ByteBuffer ofPart = part.hostMemory();
      assertEquals(3072, all.remaining());
      assertEquals(64, ofPart.remaining());
      assertEquals(ByteOrder.nativeOrder(), all.order());
      host.put(3072, (byte) 9).put(4095, (byte) 8);
      assertEquals(9, ofPart.get(0));
      assertEquals(8, all.get(3071));
      map.close();
      assertRefused(all);
      assertRefused(ofPart);
      assertRefusedByCommands(all, mapped);
      assertRefusedAsHostMemory(buffer::hostMemory);
      assertRefusedAsHostMemory(part::hostMemory);
      part.close();
      buffer.close();
      session.queue().finish();
    }
  }

  @Test
  void aMapIsUnmappedBehindCommandsThatUseItsViews() {
    try (Memory mapped = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        CommandQueue other = CommandQueue.create(session.context(), session.device());
        CommandQueue third = CommandQueue.create(session.context(), session.device())) {
      for (boolean closing : new boolean[] {true, false}) {
        try (Event gate = Event.user(session.context())) {
          session.queue().fill(mapped, new byte[] {3});
          MappedMemory map = session.queue().map(mapped, Cl.MAP_READ);
          other.writeLater(buffer, 0, map.byteBuffer(), gate);
          if (closing) {
            map.close();
          } else {
            map.unmap(null);
          }
          Event filled = session.queue().fill(mapped, new byte[] {4}); // behind the end of the map
          session.queue().flush();
          try (Memory idle = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
            third.fill(idle, new byte[] {5}).await();
          }
          boolean early = filled.isDone();
          gate.complete();
          other.finish();
          filled.await();
          assertFalse(early);
          ByteBuffer read = Support.direct(64);
          session.queue().read(buffer, 0, read);
          assertEquals(3, read.get(0));
          map.close();
        }
      }
    }
  }

  @Test
  void allThatIsToBeDoneWhenAViewIsUsedNoMoreIsDone() { // of two threads that close one map at once, both wait for that
    ByteBuffer memory = Support.direct(16);
    Views views = new Views(memory, 0);
    HostBytes bytes = HostBytes.toRead(views.of(Native.java_address(memory), 16, 0, 16));
    bytes.begin();
    AtomicInteger done = new AtomicInteger();
    assertNull(views.closed(done::incrementAndGet));
    assertNull(views.closed(done::incrementAndGet));
    assertEquals(0, done.get());
    bytes.end();
    assertEquals(2, done.get());
  }

  @Test
  void whatACallUsesByAViewIsNeitherUnmappedNorClosedOnAQueue() {
    try (Allocator one = onlyOne();
        Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Pool pool = Pool.of(Allocator.pinned(session.queue(), 0))) {
      MappedMemory map = session.queue().map(buffer, Cl.MAP_READ);
      HostBytes bytes = HostBytes.toRead(map.byteBuffer());
      bytes.begin(); // as if a call on another thread had
      IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> map.unmap(null));
      assertTrue(thrown.getMessage().contains("another thread"), thrown.getMessage());
      assertNotEquals(0, map.pointer());
      bytes.end();
      map.unmap(null).close();
      Memory block = pool.allocate(64);
      HostBytes ofBlock = HostBytes.toRead(block.byteBuffer());
      ofBlock.begin();
      assertThrows(IllegalStateException.class, () -> block.closeOn(session.queue()));
      block.close();
      assertEquals(1, pool.statistics().activeBlocks());
      ofBlock.end();
      assertEquals(0, pool.statistics().activeBlocks());
    }
  }

  @Test
  void viewsOfWhatIsNeitherUnmappedNorClosedOnAQueueWorkAsBefore() {
    try (Context context = Context.create(session.device());
        CommandQueue other = CommandQueue.create(context, session.device());
        Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Pool pool = Pool.of(Allocator.pinned(session.queue(), 0))) {
      MappedMemory map = session.queue().map(buffer, Cl.MAP_READ | Cl.MAP_WRITE);
      ByteBuffer view = map.byteBuffer();
      assertThrows(IllegalArgumentException.class, () -> map.unmap(other));
      assertEquals(9, view.put(0, (byte) 9).get(0));
      map.unmap(null).await();
      Memory block = pool.allocate(64);
      HostBytes ofBlock = HostBytes.toRead(block.byteBuffer());
      assertThrows(IllegalArgumentException.class, () -> block.closeOn(other));
      ofBlock.begin(); // is still known as a use of the block
      block.close();
      assertEquals(1, pool.statistics().activeBlocks());
      ofBlock.end();
      assertEquals(0, pool.statistics().activeBlocks());
      map.close();
    }
  }

  @Test
  void aPoolKnowsOfCommandsThatUseViewsOfItsBlocks() {
    try (Allocator pinned = Allocator.pinned(session.queue(), 0);
        Pool pool = Pool.of(pinned);
        CommandQueue other = CommandQueue.create(session.context(), session.device());
        Event gate = Event.user(session.context());
        Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      Memory block = pool.allocate(1 << 20);
      long pointer = block.pointer();
      other.writeLater(buffer, 0, block.byteBuffer(0, 64), gate);
      block.close();
      assertEquals(0, pool.statistics().activeBlocks());
      session.queue().finish();
      pool.tick();
      Memory next = pool.tryAllocate(1 << 20).orElse(null);
      boolean same = next != null && next.pointer() == pointer;
      gate.complete();
      other.finish();
      assertFalse(same);
    }
  }

  @Test
  void viewsThatOverlapAreFoundByTheirAddresses() {
    long address = 1L << 40; // where nothing is
    Object owner = new Object();
    List<Views> all = new ArrayList<>();
    long[][] stretches = {{0, 4096}, {1024, 64}, {1024, 64}, {1000, 30}, {1087, 1}, {1088, 1}, {0, 0}};
    List<ViewIndex.Entry> entries = new ArrayList<>();
    for (long[] stretch : stretches) {
      all.add(new Views(owner, 0));
      entries.add(ViewIndex.add(all.get(all.size() - 1), address + stretch[0], stretch[1]));
    }
    for (long at : new long[] {-1, 0, 999, 1000, 1023, 1024, 1029, 1030, 1087, 1088, 1089, 4095, 4096}) {
      List<Views> expected = new ArrayList<>();
      for (int i = 0; i < all.size(); ++i) {
        if (at >= stretches[i][0] && at < stretches[i][0] + stretches[i][1]) {
          expected.add(all.get(i));
        }
      }
      List<Views> found = ViewIndex.at(address + at);
      assertEquals(expected.size(), found.size(), "at " + at);
      assertTrue(found.containsAll(expected), "at " + at);
    }
    entries.forEach(ViewIndex::remove);
    assertTrue(ViewIndex.at(address + 1024).isEmpty());
  }

  @Test
  void whatIsForgottenWithItsViewsIsNotKept() throws Exception {
    int before = ViewIndex.size();
    try (Allocator pinned = Allocator.pinned(session.queue(), 0)) {
      for (int i = 0; i < 100; ++i) {
        pinned.allocate(64).byteBuffer(); // and drops it
      }
      assertTrue(
          Support.collectUntil(
              () -> {
                try (Memory memory = pinned.allocate(64)) {
                  memory.byteBuffer(); // tidies up
                }
                return ViewIndex.size() <= before;
              }));
    }
  }

  private static ByteBuffer ofArena(Object arena, long size) throws Exception {
    Class<?> type = Class.forName("java.lang.foreign.Arena");
    Object segment = type.getMethod("allocate", long.class).invoke(arena, size);
    return (ByteBuffer) Class.forName("java.lang.foreign.MemorySegment").getMethod("asByteBuffer").invoke(segment);
  }

  private static Object arena(String kind) throws Exception {
    return Class.forName("java.lang.foreign.Arena").getMethod(kind).invoke(null);
  }

  private static void close(Object arena) throws Exception {
    Class.forName("java.lang.foreign.Arena").getMethod("close").invoke(arena);
  }

  @Test
  void hostMemoryThatMayBeClosedUnderACommandIsRefused() throws Exception {
    needsArenas();
    CommandQueue queue = session.queue();
    try (Memory buffer = Memory.buffer(session.context(), 64)) {
      for (String kind : new String[] {"ofShared", "ofConfined"}) {
        Object arena = arena(kind);
        ByteBuffer host = ofArena(arena, 64);
        host.put(63, (byte) 7);
        IllegalArgumentException refused =
            assertThrows(IllegalArgumentException.class, () -> queue.writeLater(buffer, host));
        assertTrue(refused.getMessage().contains("Arena.ofAuto()"), refused.getMessage());
        assertThrows(IllegalArgumentException.class, () -> queue.readLater(buffer, host));
        assertThrows(
            IllegalArgumentException.class,
            () -> Memory.buffer(session.context(), Cl.MEM_READ_WRITE | Cl.MEM_USE_HOST_PTR, host));
        queue.write(buffer, host);
        host.put(63, (byte) 0);
        queue.read(buffer, host);
        assertEquals(7, host.get(63));
        Memory.buffer(session.context(), host).close();
        close(arena);
        assertThrows(IllegalStateException.class, () -> queue.read(buffer, host));
        assertThrows(IllegalStateException.class, () -> queue.readLater(buffer, host));
      }
      for (String kind : new String[] {"ofAuto", "global"}) {
        queue.readLater(buffer, ofArena(arena(kind), 64)).await();
      }
    }
  }

  @Test
  void hostMemoryThatIsClosedUnderACommandThatWaitsIsNotTouched() throws Exception {
    needsArenas();
    Object arena = arena("ofShared");
    ByteBuffer host = ofArena(arena, 64);
    try (Memory buffer = Memory.buffer(session.context(), 64);
        Event gate = Event.user(session.context())) {
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      Thread reader =
          new Thread(
              () -> {
                try {
                  session.queue().read(buffer, host, gate);
                } catch (Throwable e) {
                  thrown.set(e);
                }
              });
      reader.start();
      Thread.sleep(50); // closed during the command or, on a busy machine, before it
      close(arena);
      gate.complete();
      reader.join();
      assertTrue(thrown.get() instanceof IllegalStateException, String.valueOf(thrown.get()));
    }
  }

  @Test
  void hostMemoryOfAnotherThreadsArenaIsRefused() throws Exception {
    needsArenas();
    ByteBuffer host = ofArena(arena("ofConfined"), 64);
    try (Memory buffer = Memory.buffer(session.context(), 64)) {
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      Thread other =
          new Thread(
              () -> {
                try {
                  session.queue().read(buffer, host);
                } catch (Throwable e) {
                  thrown.set(e);
                }
              });
      other.start();
      other.join();
      assertTrue(thrown.get() instanceof ClpoolError, String.valueOf(thrown.get()));
      assertTrue(thrown.get() instanceof IllegalStateException, String.valueOf(thrown.get()));
    }
  }
}
