// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class MemoryTest {
  private static final int SIZE = 4096;

  private final Session session = Support.session();
  private final Context context = session.context();
  private final CommandQueue queue = session.queue();

  private Memory buffer(int size) {
    return Memory.buffer(context, Cl.MEM_READ_WRITE, size);
  }

  private byte[] contentOf(Memory memory) {
    byte[] content = new byte[(int) memory.size()];
    queue.read(memory, 0, ByteBuffer.wrap(content));
    return content;
  }

  @Test
  void buffersTellWhatTheyAre() {
    try (Memory memory = buffer(SIZE)) {
      assertEquals(MemoryKind.BUFFER, memory.kind());
      assertEquals(SIZE, memory.size());
      assertEquals(SIZE, memory.capacity());
      assertFalse(memory.isPooled());
      assertNotEquals(0, memory.handle());
      assertEquals(0, memory.pointer());
      assertEquals(SIZE, memory.infoNumber(Cl.MEM_SIZE));
      assertEquals(Cl.MEM_OBJECT_BUFFER, memory.infoNumber(Cl.MEM_TYPE));
      byte[] size = memory.info(Cl.MEM_SIZE);
      assertEquals(SIZE, ByteBuffer.wrap(size).order(ByteOrder.nativeOrder()).getLong());
      assertEquals(context.handle(), memory.context());
      assertEquals(memory.handle(), memory.root().buffer());
      assertTrue(memory.toString().contains("4096 bytes"), memory.toString());
      assertThrows(RuntimeException.class, () -> memory.infoNumber(0x9999));
    }
  }

  @Test
  void hostDataIsCopiedOrUsedInPlace() {
    ByteBuffer host = Support.counting(256);
    try (Memory copy = Memory.buffer(context, Cl.MEM_COPY_HOST_PTR, host);
        Memory heap = Memory.buffer(context, Cl.MEM_COPY_HOST_PTR, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        Memory same = Memory.buffer(context, Cl.MEM_USE_HOST_PTR, host)) {
      assertEquals(255, contentOf(copy)[255] & 0xff);
      assertArrayEquals(new byte[] {1, 2, 3}, contentOf(heap));
      queue.fill(same, new byte[] {9}).await();
      try (MappedMemory map = queue.map(same, Cl.MAP_READ)) {
        assertEquals(9, map.byteBuffer().get(0));
      }
      queue.finish();
      assertEquals(9, same.hostMemory().get(100));
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> Memory.buffer(context, Cl.MEM_USE_HOST_PTR, ByteBuffer.allocate(8)));
  }

  @Test
  void partsOfPartsShareTheirBytes() {
    try (Memory whole = buffer(SIZE);
        Memory part = whole.subRegion(1024, 2048);
        Memory nested = part.subRegion(1024, 512)) {
      assertEquals(MemoryKind.SUB_REGION, nested.kind());
      queue.fill(nested, new byte[] {3});
      assertEquals(3, contentOf(whole)[2048]);
      assertEquals(0, part.root().buffer() - whole.handle());
      assertEquals(2048, nested.root().offset());
      assertThrows(IllegalArgumentException.class, () -> whole.subRegion(4000, 200));
    }
  }

  @Test
  void handlesOfOthersAreWrapped() {
    try (Memory memory = buffer(64)) {
      try (Memory wrapped = Memory.wrap(memory.handle(), true)) {
        assertTrue(wrapped.isSameAs(memory));
        assertEquals(64, wrapped.size());
        assertNotEquals(wrapped, memory);
      }
      try (Memory other = buffer(64)) {
        assertFalse(other.isSameAs(memory));
      }
    }
  }

  @Test
  void fillsCopiesReadsAndWritesDoWhatTheySay() {
    try (Memory source = buffer(SIZE);
        Memory target = buffer(SIZE)) {
      queue.write(source, 0, Support.counting(SIZE));
      queue.fill(target, new byte[] {1, 2}, 0, SIZE);
      try (Event copied = queue.copy(target, 100, source, 50, 200)) {
        copied.await();
      }
      byte[] content = contentOf(target);
      assertEquals(1, content[98]);
      assertEquals(2, content[99]);
      assertEquals(50, content[100]);
      assertEquals((byte) 249, content[299]);
      assertEquals(1, content[300]);
      queue.copy(target, source);
      try (Memory small = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 8)) {
        IllegalArgumentException thrown =
            assertThrows(IllegalArgumentException.class, () -> queue.copy(small, source));
        assertTrue(thrown.getMessage().contains("8"), thrown.getMessage());
      }
      assertArrayEquals(contentOf(source), contentOf(target));
      queue.migrate(new Memory[] {source, target}, 0).await();

      ByteBuffer window = ByteBuffer.allocate(20);
      window.position(5).limit(15);
      queue.read(source, 10, window);
      assertEquals(5, window.position());
      assertEquals(10, window.get(5));
      assertEquals(19, window.get(14));
    }
  }

  @Test
  void commandsWaitForEventsAndGiveThem() {
    ByteBuffer in = Support.counting(256);
    ByteBuffer out = Support.direct(256);
    try (Memory memory = buffer(256);
        Event gate = Event.user(context);
        Event written = queue.writeLater(memory, 0, in, gate);
        Event read = queue.readLater(memory, 0, out, written)) {
      queue.flush();
      assertFalse(read.isDone());
      gate.complete();
      read.await();
      assertTrue(read.isDone());
      assertEquals(77, out.get(77));
      try (Event again = Event.of(read.handle())) {
        assertTrue(again.isDone());
      }
    }
  }

  @Test
  void boxesAreCopiedReadAndWritten() {
    try (Memory memory = buffer(64);
        Memory copy = buffer(64)) {
      queue.fill(memory, new byte[] {0});
      queue.fill(copy, new byte[] {0});
      ByteBuffer host = ByteBuffer.wrap(new byte[] {1, 2, 3, 4});
      queue.writeBox(memory, Box.of(2, 2).to(1, 1).targetPitches(8, 0), host);
      byte[] content = contentOf(memory);
      assertEquals(1, content[9]);
      assertEquals(2, content[10]);
      assertEquals(3, content[17]);
      assertEquals(4, content[18]);
      queue.copyBox(copy, memory, Box.of(2, 2).from(1, 1).sourcePitches(8, 0).targetPitches(4, 0));
      assertEquals(3, contentOf(copy)[4]);
      byte[] back = {9, 9, 9, 9, 9, 9};
      queue.readBox(
          memory, Box.of(2, 2).from(1, 1).sourcePitches(8, 0).targetPitches(3, 0), ByteBuffer.wrap(back));
      assertArrayEquals(new byte[] {1, 2, 9, 3, 4, 9}, back);
      assertThrows(
          IllegalArgumentException.class,
          () -> queue.readBox(memory, Box.of(60, 60), ByteBuffer.allocate(3600)));
    }
  }

  @Test
  void mapsAreWindowsInNativeOrder() {
    try (Memory memory = buffer(SIZE)) {
      try (MappedMemory map = queue.map(memory, Cl.MAP_WRITE_INVALIDATE_REGION, 1024, 1024)) {
        ByteBuffer bytes = map.byteBuffer();
        assertSame(ByteOrder.nativeOrder(), bytes.order());
        assertEquals(1024, bytes.capacity());
        assertEquals(1024, map.size());
        assertEquals(0, map.rowPitch());
        assertEquals(0, map.slicePitch());
        assertNotEquals(0, map.pointer());
        bytes.putInt(0, 0x01020304);
        assertEquals(0x01020304, map.byteBuffer(0, 4).getInt(0));
        assertThrows(IllegalArgumentException.class, () -> map.byteBuffer(1000, 100));
        map.unmap(null).await();
        assertThrows(IllegalStateException.class, map::byteBuffer);
        map.unmap(queue).await();
        assertTrue(map.toString().contains("MappedMemory"));
      }
      ByteBuffer number = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder());
      queue.read(memory, 1024, number);
      assertEquals(0x01020304, number.getInt(0));
      try (MappedMemory later = queue.mapLater(memory, Cl.MAP_READ, 0, SIZE)) {
        later.mapped().await();
        assertEquals(0x01020304, later.byteBuffer().getInt(1024));
      }
    }
  }

  @Test
  void sharedVirtualMemoryHasAPointer() {
    assumeTrue(session.device().svmCapabilities() != 0, "the device has no SVM");
    try (Memory svm = Memory.svm(context, 0, SIZE, Memory.svmAlignmentFor(12), queue);
        Memory target = buffer(SIZE)) {
      assertEquals(MemoryKind.SVM, svm.kind());
      assertNotEquals(0, svm.pointer());
      assertEquals(0, svm.handle());
      try (MappedMemory map = queue.map(svm, Cl.MAP_WRITE)) {
        map.byteBuffer().put(4095, (byte) 17);
        assertEquals(17, svm.byteBuffer().get(4095));
      }
      queue.copy(target, svm);
      assertEquals(17, contentOf(target)[4095]);
      try (Memory wrapped = Memory.wrapSvm(context, svm.pointer(), 128, false);
          Memory part = svm.subRegion(64, 64)) {
        assertEquals(svm.pointer() + 64, part.pointer());
        assertTrue(wrapped.isSameAs(svm));
      }
      try (Memory buffer = svm.asBuffer(0)) {
        assertEquals(SIZE, buffer.size());
      }
    }
    try (Allocator allocator = Allocator.svm(context, 0, 0, queue);
        Pool pool = Pool.of(allocator);
        Memory block = pool.allocate(100)) {
      queue.fill(block, new byte[] {6}).await();
      byte[] content = new byte[100];
      queue.read(block, 0, ByteBuffer.wrap(content));
      assertEquals(6, content[99]);
    }
    assertThrows(IllegalArgumentException.class, () -> Memory.svm(context, 0, 0, 0, null));
  }

  @Test
  void pinnedMemoryIsHostMemory() {
    try (Allocator pinned = Allocator.pinned(queue, 0);
        Pool pool = Pool.of(pinned);
        Memory staging = pool.allocate(SIZE);
        Memory target = buffer(SIZE)) {
      assertEquals(MemoryKind.PINNED, staging.kind());
      ByteBuffer bytes = staging.byteBuffer();
      assertTrue(bytes.isDirect());
      assertEquals(SIZE, bytes.capacity());
      for (int i = 0; i < SIZE; ++i) {
        bytes.put(i, (byte) (i * 7));
      }
      queue.write(target, 0, bytes);
      assertEquals((byte) (4095 * 7), contentOf(target)[4095]);
      assertEquals((byte) 70, staging.byteBuffer(10, 5).get(0));
    }
  }

  @Test
  void pipesAreMadeWhereThereAreSome() {
    try (Memory pipe = Memory.pipe(context, 0, 16, 8)) {
      assertEquals(MemoryKind.PIPE, pipe.kind());
      assertEquals(16, pipe.infoNumber(Cl.PIPE_PACKET_SIZE));
      assertEquals(4, pipe.info(Cl.PIPE_MAX_PACKETS).length);
    } catch (NotSupportedException e) {
      assertTrue(e.getMessage().contains("pipe"), e.getMessage());
    }
  }

  @Test
  void peerToPeerCopiesNeedTheirExtension() {
    try (Memory a = buffer(64);
        Memory b = buffer(64)) {
      queue.copyPeerToPeer(a, b, 64).await();
    } catch (NotSupportedException e) {
      assertEquals(Status.NOT_SUPPORTED, e.status());
    }
  }

  @Test
  void contextsAndQueuesComeFromHandles() {
    try (Context same = Context.of(context.handle());
        Context own = Context.create(session.device());
        CommandQueue ownQueue = CommandQueue.create(own, session.device());
        CommandQueue sameQueue = CommandQueue.of(queue.handle());
        Context ofQueue = sameQueue.context()) {
      assertEquals(context.handle(), ofQueue.handle());
      assertEquals(session.device(), sameQueue.device());
      assertEquals(java.util.List.of(session.device()), same.devices());
      assertEquals(session.device().hashCode(), same.devices().get(0).hashCode());
      assertTrue(same.toString().startsWith("Context[0x"));
      assertTrue(ownQueue.toString().startsWith("CommandQueue[0x"));
      ownQueue.finish();
    }
  }

  /** Whether an allocation ends while commands that were enqueued before it are held up. */
  private boolean endsBeforeTheQueue(Touch touch, boolean wait) throws InterruptedException {
    AtomicBoolean opened = new AtomicBoolean();
    try (CommandQueue own = CommandQueue.create(context, session.device());
        Allocator allocator = Allocator.immediate(own, 0, touch, wait);
        Memory held = buffer(SIZE);
        Event gate = Event.user(context);
        Event fill = own.fill(held, new byte[1], gate)) {
      Thread opener =
          new Thread(
              () -> {
                LockSupport.parkNanos(50_000_000);
                opened.set(true);
                gate.complete();
              });
      if (wait || touch == Touch.WRITE) {
        opener.start(); // else behind the allocation, however long that takes
      }
      try (Memory memory = allocator.allocate(SIZE)) {
        assertEquals(SIZE, memory.size());
        boolean early = !opened.get();
        if (opener.getState() == Thread.State.NEW) {
          opener.start();
        }
        opener.join();
        fill.await();
        return early;
      }
    }
  }

  @Test
  void anAllocationWaitsForTheCommandThatMakesItsMemoryIfThatIsWanted() throws InterruptedException {
    assertTrue(endsBeforeTheQueue(Touch.BYTE, false));
    assertFalse(endsBeforeTheQueue(Touch.BYTE, true));
    assertFalse(endsBeforeTheQueue(Touch.WHOLE, true));
    assertFalse(endsBeforeTheQueue(Touch.WRITE, false));
    assertThrows(NullPointerException.class, () -> Allocator.immediate(queue, 0, null, false));
  }

  @Test
  void allocatorsGiveMemoryWithoutAPool() {
    try (Allocator deferred = Allocator.deferred(context, Cl.MEM_READ_ONLY);
        Memory memory = deferred.allocate(100)) {
      assertEquals(100, memory.size());
      assertFalse(memory.isPooled());
      assertThrows(IllegalArgumentException.class, () -> deferred.allocate(0));
      assertTrue(deferred.toString().startsWith("Allocator[0x"));
    }
  }

  @Test
  void boxesAreReadAndWrittenWithoutWaiting() {
    try (Memory memory = buffer(64);
        Event gate = Event.user(context)) {
      Event zeroed = queue.fill(memory, new byte[] {0}, gate);
      Event written =
          queue.writeBoxLater(memory, Box.of(2, 2).to(1, 1).targetPitches(8, 0), Support.counting(4), zeroed);
      ByteBuffer back = Support.direct(6);
      back.put(2, (byte) 9);
      Event read = queue.readBoxLater(memory, Box.of(2, 2).from(1, 1).sourcePitches(8, 0).targetPitches(3, 0), back, written);
      assertFalse(read.isDone());
      gate.complete();
      read.await();
      byte[] bytes = new byte[6];
      back.get(bytes);
      assertArrayEquals(new byte[] {0, 1, 9, 2, 3, 0}, bytes);
      assertThrows(
          IllegalArgumentException.class, () -> queue.readBoxLater(memory, Box.of(2), ByteBuffer.wrap(bytes)));
      assertThrows(
          IllegalArgumentException.class, () -> queue.writeBoxLater(memory, Box.of(60, 60), Support.direct(3600)));
    }
  }

  @Test
  void buffersOfThePackageAreInNativeOrder() {
    ByteBuffer host = Support.direct(64);
    try (Memory inHost = Memory.buffer(context, Cl.MEM_USE_HOST_PTR, host);
        Allocator allocator = Allocator.pinned(queue);
        Memory pinned = allocator.allocate(64);
        MappedMemory map = queue.map(inHost, Cl.MAP_READ)) {
      for (ByteBuffer each : List.of(inHost.hostMemory(), pinned.byteBuffer(), pinned.byteBuffer(4, 8), map.byteBuffer())) {
        assertEquals(ByteOrder.nativeOrder(), each.order());
      }
    }
    try (Memory memory = buffer(64)) {
      ByteBuffer numbers = ByteBuffer.allocate(64).order(ByteOrder.nativeOrder());
      numbers.asIntBuffer().put(0, 7).put(15, 8);
      queue.write(memory, numbers);
      queue.copy(memory, 0, memory, 60, 4).await();
      try (MappedMemory map = queue.map(memory, Cl.MAP_READ)) {
        assertEquals(8, map.byteBuffer().getInt(0));
      }
    }
  }
}
