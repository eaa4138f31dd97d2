// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class ErrorsTest {
  private final Support.Dry dry = new Support.Dry();
  private final Allocator allocator = Allocator.custom(dry);

  @Test
  void negativeNumbersAreNamed() {
    try (Pool pool = Pool.of(allocator)) {
      IllegalArgumentException thrown =
          assertThrows(IllegalArgumentException.class, () -> pool.allocate(-7));
      assertTrue(thrown.getMessage().contains("-7"), thrown.getMessage());
      assertThrows(IllegalArgumentException.class, () -> pool.tryAllocate(Long.MIN_VALUE));
      assertThrows(IllegalArgumentException.class, () -> pool.trim(-1));
      assertThrows(IllegalArgumentException.class, () -> allocator.allocate(-1));
      assertThrows(IllegalArgumentException.class, () -> allocator.withLimit(-1));
      try (Memory block = pool.allocate(100)) {
        assertThrows(IllegalArgumentException.class, () -> block.subRegion(-1, 2));
        assertThrows(IllegalArgumentException.class, () -> block.subRegion(0, -2));
        CommandQueue queue = Support.session().queue();
        assertThrows(IllegalArgumentException.class, () -> queue.fill(block, new byte[1], -1, 1));
        assertThrows(IllegalArgumentException.class, () -> queue.copy(block, -1, block, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> queue.read(block, -1, Support.direct(1)));
      }
      assertThrows(IllegalArgumentException.class, () -> Box.of(-1));
      assertThrows(IllegalArgumentException.class, () -> Box.of(1, 2, 3, 4));
    }
  }

  @Test
  void outOfMemoryHasTheFigures() {
    dry.limit = 1 << 20;
    try (Pool pool = Pool.of(allocator)) {
      OutOfDeviceMemoryException thrown =
          assertThrows(OutOfDeviceMemoryException.class, () -> pool.allocate(1L << 30));
      assertEquals(Status.OUT_OF_MEMORY, thrown.status());
      assertTrue(thrown.getMessage().contains("1073741824"), thrown.getMessage());
      assertEquals(0, pool.statistics().activeBlocks());
    }
  }

  @Test
  void limitsAreOutOfMemoryToo() {
    try (Allocator limited = allocator.withLimit(1 << 16);
        Pool pool = Pool.of(limited)) {
      assertThrows(OutOfDeviceMemoryException.class, () -> pool.allocate(1 << 17));
      pool.allocate(1 << 15).close();
    }
  }

  @Test
  void whatACallbackThrowsIsTheCause() {
    RuntimeException mine = new RuntimeException("no chunk today");
    CustomAllocator failing =
        new CustomAllocator() {
          @Override
          public long allocate(long size, long alignment) {
            throw mine;
          }

          @Override
          public void deallocate(long chunk, long size) {}
        };
    try (Allocator broken = Allocator.custom(failing);
        Pool pool = Pool.of(broken)) {
      ClpoolException thrown = assertThrows(ClpoolException.class, () -> pool.allocate(100));
      assertEquals(Status.CALLBACK, thrown.status());
      assertSame(mine, thrown.getCause());
      ClpoolException direct = assertThrows(ClpoolException.class, () -> broken.allocate(100));
      assertSame(mine, direct.getCause());
    }
    dry.limit = 1000;
    try (Pool pool = Pool.of(allocator)) {
      OutOfDeviceMemoryException thrown =
          assertThrows(OutOfDeviceMemoryException.class, () -> pool.allocate(1 << 20));
      assertTrue(thrown.getCause() instanceof OutOfDeviceMemoryException);
    }
  }

  @Test
  void aCauseDoesNotOutliveTheCallThatItBelongsTo() {
    int[] calls = {0};
    CustomAllocator once =
        new CustomAllocator() {
          @Override
          public long allocate(long size, long alignment) {
            if (++calls[0] == 1) {
              throw new OutOfDeviceMemoryException("the first time");
            }
            return 4096;
          }

          @Override
          public void deallocate(long chunk, long size) {}
        };
    try (Allocator allocatorOnce = Allocator.custom(once);
        Pool pool = Pool.builder(allocatorOnce).onOutOfMemory((size, attempt) -> true).build()) {
      pool.allocate(100).close();
      IllegalArgumentException thrown =
          assertThrows(IllegalArgumentException.class, () -> Clpool.binNumber(1, 27));
      assertNull(thrown.getCause());
    }
  }

  @Test
  void aChunkOfZeroIsTheCallbacksFault() {
    CustomAllocator zero =
        new CustomAllocator() {
          @Override
          public long allocate(long size, long alignment) {
            return 0;
          }

          @Override
          public void deallocate(long chunk, long size) {}
        };
    try (Allocator broken = Allocator.custom(zero)) {
      ClpoolException thrown = assertThrows(ClpoolException.class, () -> broken.allocate(100));
      assertEquals(Status.CALLBACK, thrown.status());
    }
    assertThrows(NullPointerException.class, () -> Allocator.custom(null));
  }

  @Test
  void openClErrorsHaveTheirCode() {
    Session session = Support.session();
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 4096)) {
      ClpoolException thrown =
          assertThrows(ClpoolException.class, () -> session.queue().copy(buffer, 16, buffer, 0, 32));
      assertEquals(Status.OPENCL, thrown.status());
      assertEquals(-8, thrown.clError());
      assertEquals("CL_MEM_COPY_OVERLAP", Clpool.clErrorName(-8));
    }
    try (Event event = Event.user(session.context())) {
      event.complete();
      InvalidStateException again = assertThrows(InvalidStateException.class, event::complete);
      assertTrue(again.clError() < 0);
      assertEquals(
          "clSetUserEventStatus failed with " + Clpool.clErrorName(again.clError()) + " (" + again.clError() + ")",
          again.getCause().getMessage());
    }
  }

  @Test
  void filesAndTextsAreChecked() {
    Path missing = Paths.get("/nonexistent/ä€𝄞/log.csv");
    ClpoolException thrown = assertThrows(ClpoolException.class, () -> Trace.open(missing));
    assertEquals(Status.IO, thrown.status());
    assertTrue(thrown.getMessage().contains("ä€𝄞"), thrown.getMessage());
    assertEquals(
        Status.BAD_FORMAT,
        assertThrows(ClpoolException.class, () -> Trace.parse("nonsense", "some name")).status());
    assertEquals(
        Status.NOT_FOUND,
        assertThrows(ClpoolException.class, () -> Device.choose(DeviceSelection.of("no such device")))
            .status());
    assertThrows(NotSupportedException.class, () -> allocator.withTrace(Paths.get("/tmp/trace.gz")));
  }

  private static void assertCut(String name, Executable use) {
    String message = assertThrows(IllegalArgumentException.class, use).getMessage();
    assertTrue(message.startsWith(name + " has the character 0 at index 1"), message);
  }

  @Test
  void textThatCWouldCutIsRefused(@TempDir Path folder) {
    assertCut("name", () -> DeviceData.ofArchitecture("a\0b", Model.CURRENT));
    assertCut("selector", () -> Device.choose(DeviceSelection.of("a\0b")));
    assertCut("selector", () -> Device.list(DeviceSelection.of("a\0b")));
    assertCut("selector", () -> Clpool.createDefault(DeviceSelection.of("a\0b")));
    assertCut("name", () -> Pool.builder(allocator).name("a\0b").build());
    assertCut("name", () -> Trace.parse("", "a\0b"));
    try (TraceWriter writer = TraceWriter.create(folder.resolve("log.csv"))) {
      assertCut("tag_or_null", () -> writer.write(TraceAction.ALLOCATE, 16, 1, 0, Status.SUCCESS, "a\0b"));
    }
  }

  @Test
  void nullHandlesAndBuffersAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> Context.of(0));
    assertThrows(IllegalArgumentException.class, () -> CommandQueue.of(0));
    assertThrows(IllegalArgumentException.class, () -> Event.of(0));
    assertThrows(IllegalArgumentException.class, () -> Device.of(0));
    assertThrows(IllegalArgumentException.class, () -> Memory.wrap(0, true));
    Session session = Support.session();
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      CommandQueue queue = session.queue();
      assertThrows(
          IllegalArgumentException.class, () -> queue.readLater(buffer, 0, ByteBuffer.allocate(8)));
      assertThrows(
          IllegalArgumentException.class,
          () -> queue.read(buffer, 0, ByteBuffer.allocate(8).asReadOnlyBuffer()));
      assertThrows(IllegalArgumentException.class, () -> queue.read(buffer, 60, Support.direct(8)));
      assertThrows(IllegalStateException.class, () -> buffer.byteBuffer());
    }
  }

  private static void assertMissing(String name, Executable use) {
    NullPointerException thrown = assertThrows(NullPointerException.class, use);
    assertEquals(name + " is null", thrown.getMessage());
    assertEquals(Status.INVALID_VALUE, ((ClpoolError) thrown).status());
  }

  @Test
  void nullIsANullPointerExceptionThatNamesWhatIsMissing() {
    Session session = Support.session();
    CommandQueue queue = session.queue();
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Cache<String, String> cache = Cache.create()) {
      assertMissing("host", () -> queue.read(buffer, 0, null));
      assertMissing("host", () -> queue.writeLater(buffer, 0, null));
      assertMissing("pattern", () -> queue.fill(buffer, null));
      assertMissing("memory", () -> queue.fill(null, new byte[1]));
      assertMissing("after[1]", () -> queue.fill(buffer, new byte[1], Event.user(session.context()), null));
      assertMissing("memory[0]", () -> queue.migrate(new Memory[1], 0));
      assertMissing("target", () -> queue.copy(null, buffer));
      assertMissing("box", () -> queue.copyBox(buffer, buffer, null));
      assertMissing("context", () -> Memory.buffer(null, 0, 4));
      assertMissing("queue", () -> buffer.usedOn(null));
      assertMissing("other", () -> buffer.isSameAs(null));
      assertMissing("allocator", () -> Pool.of(null));
      assertMissing("strategy", () -> Pool.builder(allocator).strategy(null));
      assertMissing("leakDetection", () -> Pool.builder(allocator).leakDetection(null));
      assertMissing("queues[0]", () -> Pool.builder(allocator).queues((CommandQueue) null).build());
      assertMissing("functions", () -> Allocator.custom(null));
      assertMissing("file", () -> allocator.withTrace(null));
      assertMissing("device", () -> CommandQueue.create(session.context(), null));
      assertMissing("selection", () -> Clpool.createDefault(null));
      assertMissing("selector", () -> DeviceSelection.of(null));
      assertMissing("memory", () -> BankConflicts.of(null, 4, new long[] {32, 32}, null));
      assertMissing("context", () -> Image.formats(null, 0, Cl.MEM_OBJECT_IMAGE2D));
      assertMissing("element", () -> new ImageArray(null, Support.direct(16), 4, 4));
      assertMissing("data", () -> new ImageArray(ElementType.INT8, null, 4, 4));
      assertMissing("shape", () -> new ImageArray(ElementType.INT8, Support.direct(16), (long[]) null));
      assertMissing("format", () -> new ImageDescription(null, 4, 4));
      assertMissing("text", () -> Trace.parse(null, "a"));
      assertMissing("name", () -> Trace.parse("", null));
      assertMissing("key", () -> cache.computeIfAbsent(1L, null, () -> "x"));
      assertMissing("pool", () -> cache.computeIfAbsent((Pool) null, "a", () -> "x"));
      assertMissing("model", () -> DeviceData.ofComputeCapability(9, 0, null));
      assertMissing("model", () -> LimitingFactor.values()[0].name(null));
      assertMissing("request", () -> DeviceData.ofComputeCapability(9, 0, Model.CURRENT).occupancy(null));
    }
  }

  @Test
  void everyExceptionTellsItsStatus() {
    Pool pool = Pool.of(allocator);
    RuntimeException negative = assertThrows(IllegalArgumentException.class, () -> pool.allocate(-1));
    assertEquals(Status.INVALID_VALUE, ((ClpoolError) negative).status());
    RuntimeException refused = assertThrows(IllegalArgumentException.class, () -> Clpool.binNumber(1, 27));
    assertEquals(Status.INVALID_VALUE, ((ClpoolError) refused).status());
    assertEquals(0, ((ClpoolError) refused).clError());
    pool.close();
    RuntimeException closed = assertThrows(IllegalStateException.class, () -> pool.allocate(1));
    assertEquals(Status.INVALID_OPERATION, ((ClpoolError) closed).status());
    Session session = Support.session();
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      RuntimeException unsuitable =
          assertThrows(IllegalStateException.class, () -> buffer.closeOn(session.queue()));
      assertEquals(Status.INVALID_OPERATION, ((ClpoolError) unsuitable).status());
      assertEquals(64, buffer.size());
    }
  }

  @Test
  void statusesHaveTheNumbersOfTheHeader() {
    for (Status status : Status.values()) {
      assertEquals(status.ordinal(), status.number());
      assertTrue(!Clpool.statusText(status).isEmpty());
      assertSame(status, Status.of(status.number()));
    }
    assertSame(Status.INTERNAL, Status.of(9999));
    assertTrue(Clpool.version().startsWith("1."));
    assertTrue(Clpool.versionNumber() >= 1_000_000);
    assertEquals(10, Clpool.bitLog2(2047));
  }

  private static Allocator failing(RuntimeException failure, int[] calls) {
    return Allocator.custom(
        new CustomAllocator() {
          @Override
          public long allocate(long size, long alignment) {
            ++calls[0];
            throw failure;
          }

          @Override
          public void deallocate(long chunk, long size) {}
        });
  }

  @Test
  void anAllocatorsCodesMeanWhatTheyMeanInC() {
    int[] calls = new int[1];
    for (int code : new int[] {-4, -5, -6, -30}) {
      ClpoolException failure = new ClpoolException(Status.OPENCL, "failed", code, null);
      try (Allocator allocator = failing(failure, calls);
          Pool pool = Pool.of(allocator)) {
        ClpoolException thrown = assertThrows(ClpoolException.class, () -> pool.allocate(100));
        assertEquals(code == -30 ? Status.OPENCL : Status.OUT_OF_MEMORY, thrown.status());
        assertEquals(code, thrown.clError());
        assertSame(failure, thrown.getCause());
      }
    }
    ClpoolException noCode = new ClpoolException(Status.OPENCL, "failed", 7, null);
    try (Allocator allocator = failing(noCode, calls)) {
      assertEquals(Status.CALLBACK, assertThrows(ClpoolException.class, () -> allocator.allocate(100)).status());
    }
    assertTrue(calls[0] > 5); // pools ask again where memory was out
  }

  private static void assertRefused(String message, Executable call) {
    IllegalArgumentException thrown = assertThrows(IllegalArgumentException.class, call);
    assertTrue(thrown.getMessage().contains(message), thrown.getMessage());
  }

  @Test
  void numbersThatCDoesNotHaveAreRefused() {
    long most = (1L << 32) - 1;
    assertEquals(most, new DeviceLimitsBuilder().warpSize(most).warpSize);
    assertRefused("warpSize is 4294967296", () -> new DeviceLimitsBuilder().warpSize(1L << 32));
    assertRefused("banks is 4294967328", () -> BankMemory.byDefault().banks((1L << 32) + 32));
    assertRefused("granularity", () -> BankMemory.byDefault().granularity(Long.MAX_VALUE));
    assertTrue(Clpool.binAllocationSize(1007) > 0);
    assertRefused("bin is 1023", () -> Clpool.binAllocationSize(1023));
  }

  @Test
  void propertiesOfSamplersArePairs() {
    Context context = Support.session().context();
    assertRefused("3 entries", () -> Sampler.withProperties(context, 1, 2, 3));
    assertRefused("properties[2] is 0", () -> Sampler.withProperties(context, 0x1152, 0, 0, 4));
  }

  @Test
  void aMissingEventIsCalledAsTheParameterIs() {
    try (Pool pool = Pool.of(allocator);
        Memory block = pool.allocate(100)) {
      NullPointerException thrown = assertThrows(NullPointerException.class, () -> block.releaseAfter((Event) null));
      assertEquals("events[0] is null", thrown.getMessage());
    }
  }
}
