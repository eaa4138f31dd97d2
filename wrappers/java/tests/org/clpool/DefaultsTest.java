// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What may be left out, and what it then is: the same as C#'s default arguments. */
class DefaultsTest {
  private static final int SIZE = 48;

  private final Session session = Support.session();
  private final Context context = session.context();
  private final CommandQueue queue = session.queue();

  private static byte[] bytes(ByteBuffer view) {
    byte[] copy = new byte[view.remaining()];
    view.duplicate().get(copy);
    return copy;
  }

  private void assumeSvm() {
    assumeTrue(session.device().svmCapabilities() != 0, "the device has no SVM");
  }

  @Test
  void allocators() {
    try (Allocator buffers = Allocator.deferred(context);
        Allocator pinned = Allocator.pinned(queue);
        Memory buffer = buffers.allocate(SIZE);
        Memory host = pinned.allocate(SIZE)) {
      assertEquals(Cl.MEM_READ_WRITE, buffer.infoNumber(Cl.MEM_FLAGS));
      assertEquals(MemoryKind.PINNED, host.kind());
    }
  }

  @Test
  void sharedVirtualMemory() {
    assumeSvm();
    try (Allocator atOnce = Allocator.svm(context);
        Allocator behind = Allocator.svm(context, queue);
        Memory one = atOnce.allocate(SIZE);
        Memory two = behind.allocate(SIZE);
        Memory direct = Memory.svm(context, SIZE);
        Memory wrapped = Memory.wrapSvm(context, direct.pointer(), SIZE)) {
      for (Memory memory : new Memory[] {one, two, direct, wrapped}) {
        assertEquals(MemoryKind.SVM, memory.kind());
        assertEquals(SIZE, memory.size());
      }
      one.bindQueue(queue);
      one.closeOn().await();
      assertTrue(one.isClosed());
    }
  }

  @Test
  void svmAsABuffer() {
    assumeSvm();
    try (Memory svm = Memory.svm(context, SIZE);
        Memory buffer = svm.asBuffer()) {
      assertEquals(SIZE, buffer.size());
    } catch (NotSupportedException e) {
      assumeTrue(false, e.getMessage());
    }
  }

  @Test
  void devicesAndQueues() {
    assertEquals(Device.choose(DeviceSelection.byEnvironment()), Device.choose());
    assertEquals(Device.list(DeviceSelection.byEnvironment()), Device.list());
    try (CommandQueue made = CommandQueue.create(context)) {
      assertEquals(session.device(), made.device());
      made.finish();
    }
    try (CommandQueue made = CommandQueue.createOutOfOrder(context)) {
      assertEquals(session.device(), made.device());
    } catch (ClpoolException e) {
      assertEquals(-35, e.clError()); // CL_INVALID_QUEUE_PROPERTIES
    }
    assertThrows(NullPointerException.class, () -> CommandQueue.create(null));
  }

  @Test
  void buffersAndCommands() {
    ByteBuffer data = Support.counting(SIZE);
    ByteBuffer back = Support.direct(SIZE);
    try (Memory copy = Memory.buffer(context, data);
        Memory buffer = Memory.buffer(context, SIZE);
        Memory again = Memory.wrap(buffer.handle())) {
      assertTrue(again.isSameAs(buffer));
      queue.write(buffer, data);
      queue.read(buffer, back);
      assertEquals(data, back);
      queue.fill(buffer, new byte[1]);
      queue.writeLater(buffer, data);
      back = Support.direct(SIZE);
      queue.readLater(buffer, back).await();
      assertEquals(data, back);
      try (MappedMemory map = queue.map(copy)) {
        assertEquals(data, map.byteBuffer());
        map.byteBuffer().put(0, (byte) 7);
        map.unmap().await();
      }
      try (MappedMemory map = queue.mapLater(copy)) {
        map.mapped().await();
        assertEquals(7, map.byteBuffer().get(0));
      }
      try (MappedMemory map = queue.mapLater(copy, Cl.MAP_READ)) {
        map.mapped().await();
        assertTrue(map.byteBuffer().isReadOnly());
        assertEquals(SIZE, map.size());
      }
      queue.migrate(new Memory[] {copy, buffer}).await();
    }
  }

  @Test
  void parts() {
    try (Memory buffer = Memory.buffer(context, 3L << 12);
        Memory part = buffer.subRegion(1 << 12);
        Memory last = part.subRegion(1 << 12)) {
      assertEquals(2L << 12, part.size());
      assertEquals(1L << 12, last.size());
      assertEquals(2L << 12, last.root().offset());
      assertThrows(IllegalArgumentException.class, () -> buffer.subRegion(-1));
    }
  }

  @Test
  void wholeImages() {
    ImageFormat format = new ImageFormat(Cl.RGBA, Cl.UNSIGNED_INT8);
    assumeTrue(
        Image.formats(context, Cl.MEM_READ_WRITE, Cl.MEM_OBJECT_IMAGE2D).contains(format),
        "the device has no images of RGBA, 8 bits");
    ImageDescription description = new ImageDescription(format, 4, 3).flags(Cl.MEM_READ_WRITE);
    ImageCommands images = queue.images();
    ByteBuffer pixels = Support.counting(SIZE);
    ByteBuffer back = Support.direct(SIZE);
    try (Image image = Image.create(context, description);
        Image other = Image.create(context, description);
        Memory buffer = Memory.buffer(context, SIZE)) {
      images.write(image, pixels);
      images.copy(other, image);
      images.read(other, back);
      assertEquals(pixels, back);
      images.fill(image, new byte[16]);
      images.copyToBuffer(buffer, 0, other);
      images.copyFromBuffer(image, buffer, 0).await();
      try (MappedMemory map = images.map(image, Cl.MAP_READ)) {
        assertEquals(0, map.byteBuffer().get(0));
        assertEquals(15, map.byteBuffer().get(15));
      }
    }
  }

  @Test
  void logsAndPools(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("log.csv");
    try (TraceWriter writer = TraceWriter.create(file)) {
      writer.write(TraceAction.ALLOCATE, 1, SIZE);
      writer.write(TraceAction.RELEASE, 1, SIZE);
    }
    try (Trace trace = Trace.parse(Files.readString(file));
        Allocator allocator = Allocator.immediate(queue);
        Pool pool = Pool.of(allocator)) {
      assertEquals(2, trace.statistics().events());
      assertEquals(0, trace.replay(allocator).outOfMemory());
      pool.allocate(SIZE).close();
      assertTrue(pool.statistics().managedBytes() > 0);
      pool.trim();
      assertEquals(0, pool.statistics().managedBytes());
    }
    assertTrue(assertThrows(ClpoolException.class, () -> Trace.parse("Thread,Action\nx")).getMessage().startsWith("log"));
  }

  @Test
  void numbersAndModels() {
    assertEquals(Clpool.binNumber(1000, 4), Clpool.binNumber(1000));
    assertEquals(Clpool.binAllocationSize(99, 4), Clpool.binAllocationSize(99));
    assertEquals(DeviceData.alignBytes(4), DeviceData.alignBytes());
    assertEquals(DeviceData.align(5, 4), DeviceData.align(5));
    assertEquals(DeviceData.alignWords(4), DeviceData.alignWords());
    assertEquals(DeviceData.alignElements(5, 4), DeviceData.alignElements(5));
    try (Heap heap = Heap.create();
        DeviceData device = DeviceData.of(session.device());
        DeviceData capability = DeviceData.ofComputeCapability(9, 0);
        DeviceData architecture = DeviceData.ofArchitecture("gfx90a")) {
      heap.addSpace(3);
      try (HeapRange range = heap.allocate(3)) {
        assertEquals(3, range.size());
      }
      assertEquals(32, capability.limits().warpSize());
      assertEquals(64, architecture.limits().warpSize());
      assertTrue(device.limits().warpSize() > 0);
    }
    long[] shape = {32, 32};
    assertEquals(32, BankConflicts.of(4, shape).multiplicity());
    assertEquals(1, BankConflicts.of(4, shape, new long[] {32, 33}).multiplicity());
    Characterization device = session.device().characterize();
    assertEquals(device.usableLocalMemory(-1).value(), device.usableLocalMemory().value());
    assertEquals(device.workGroupSizeMultiple(null).value(), device.workGroupSizeMultiple().value());
    assertEquals(device.structArgumentBug(null).value(), device.structArgumentBug().value());
    assertEquals(
        device.localAccessConflicts(4, shape, null).multiplicity(), device.localAccessConflicts(4, shape).multiplicity());
  }
}
