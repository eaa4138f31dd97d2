// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Host memory lives as long as the driver uses it, whatever the program drops or closes. */
class HostMemoryTest {
  private static final int SIZE = 1 << 20;

  private final Session session = Support.session();

  private static void collectOften() throws InterruptedException {
    for (int i = 0; i < 5; ++i) {
      System.gc();
      Thread.sleep(10);
    }
  }

  private static WeakReference<ByteBuffer> writeAndDrop(CommandQueue queue, Memory memory, Event gate) {
    ByteBuffer host = Support.direct(SIZE);
    host.put(SIZE - 1, (byte) 7);
    queue.writeLater(memory, 0, host, gate);
    return new WeakReference<>(host);
  }

  @Test
  void aCommandWhoseEventIsDroppedKeepsItsHostMemory() throws Exception {
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, SIZE);
        Event gate = Event.user(session.context())) {
      WeakReference<ByteBuffer> host = writeAndDrop(session.queue(), buffer, gate);
      collectOften();
      assertNotNull(host.get());
      gate.complete();
      session.queue().finish();
      ByteBuffer read = Support.direct(SIZE);
      session.queue().read(buffer, 0, read);
      assertEquals(7, read.get(SIZE - 1));
      assertTrue(Support.collectUntil(() -> host.get() == null));
    }
  }

  @Test
  void aCommandThatIsReadIntoMemoryKeepsIt() throws Exception {
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, SIZE);
        Event gate = Event.user(session.context())) {
      session.queue().fill(buffer, new byte[] {5});
      WeakReference<ByteBuffer> host = readAndDrop(buffer, gate);
      collectOften();
      assertNotNull(host.get());
      gate.complete();
      session.queue().finish();
      assertTrue(Support.collectUntil(() -> host.get() == null));
    }
  }

  private WeakReference<ByteBuffer> readAndDrop(Memory buffer, Event gate) {
    ByteBuffer host = Support.direct(SIZE);
    session.queue().readLater(buffer, 0, host, gate).close();
    return new WeakReference<>(host);
  }

  private WeakReference<ByteBuffer> fillAndClose(Event gate) {
    ByteBuffer host = Support.direct(SIZE);
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_USE_HOST_PTR, host)) {
      session.queue().fill(buffer, new byte[] {7}, gate);
    }
    return new WeakReference<>(host);
  }

  @Test
  void aBufferThatLiesInHostMemoryKeepsItUntilTheDriverIsThrough() throws Exception {
    try (Event gate = Event.user(session.context())) {
      WeakReference<ByteBuffer> host = fillAndClose(gate);
      collectOften();
      assertNotNull(host.get());
      gate.complete();
      session.queue().finish();
      assertTrue(Support.collectUntil(() -> host.get() == null));
    }
  }

  private ByteBuffer viewOfClosed(WeakReference<?>[] host) {
    ByteBuffer bytes = Support.direct(SIZE);
    host[0] = new WeakReference<>(bytes);
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_USE_HOST_PTR, bytes)) {
      return buffer.hostMemory();
    }
  }

  @Test
  void aViewOfTheHostMemoryKeepsItToo() throws Exception {
    WeakReference<?>[] host = new WeakReference<?>[1];
    ByteBuffer view = viewOfClosed(host);
    session.queue().finish();
    collectOften();
    assertNotNull(host[0].get());
    view.put(SIZE - 1, (byte) 1);
    view = null;
    assertTrue(Support.collectUntil(() -> host[0].get() == null));
  }

  @Test
  void aCommandThatIsRefusedKeepsNothing() {
    int before = Completions.waiting();
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 16)) {
      assertThrows(
          IllegalArgumentException.class, () -> session.queue().writeLater(buffer, 0, Support.direct(32)));
      assertEquals(before, Completions.waiting());
    }
  }

  @Test
  void aMapForReadingIsReadOnly() {
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      session.queue().fill(buffer, new byte[] {3});
      try (MappedMemory map = session.queue().map(buffer, Cl.MAP_READ)) {
        ByteBuffer view = map.byteBuffer();
        assertTrue(view.isReadOnly());
        assertEquals(java.nio.ByteOrder.nativeOrder(), view.order());
        assertEquals(3, view.get(63));
      }
      for (long flags : new long[] {Cl.MAP_WRITE, Cl.MAP_READ | Cl.MAP_WRITE, Cl.MAP_WRITE_INVALIDATE_REGION}) {
        try (MappedMemory map = session.queue().map(buffer, flags)) {
          assertFalse(map.byteBuffer().isReadOnly());
        }
      }
    }
  }

  @Test
  void anEventIsAFuture() throws Exception {
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Event gate = Event.user(session.context())) {
      CompletableFuture<Void> end;
      try (Event filled = session.queue().fill(buffer, new byte[] {1}, gate)) {
        end = filled.toFuture();
      }
      session.queue().flush();
      CompletableFuture<Integer> then =
          end.thenApply(
              nothing -> {
                ByteBuffer host = Support.direct(64);
                session.queue().read(buffer, 0, host); // user code may do anything there
                return (int) host.get(63);
              });
      assertFalse(end.isDone());
      gate.complete();
      assertEquals(1, then.get(60, TimeUnit.SECONDS));
    }
    try (Event ended = Event.user(session.context())) {
      ended.complete();
      ended.toFuture().get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aFutureHandsItsCommandToTheDevice() throws Exception { // which some drivers do not do by themselves
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Event filled = session.queue().fill(buffer, new byte[] {1})) {
      filled.toFuture().get(60, TimeUnit.SECONDS);
      assertTrue(filled.isDone());
    }
  }

  @Test
  void aFutureNeedsItsQueueNoMore() throws Exception { // neither of a command that waits nor of one that has ended
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Event gate = Event.user(session.context())) {
      Event waiting;
      Event ended;
      try (CommandQueue other = CommandQueue.create(session.context())) {
        ended = other.fill(buffer, new byte[] {1});
        other.finish();
        waiting = other.fill(buffer, new byte[] {2}, gate);
      }
      CompletableFuture<Void> end = waiting.toFuture();
      ended.toFuture().get(60, TimeUnit.SECONDS);
      assertFalse(end.isDone());
      gate.complete();
      end.get(60, TimeUnit.SECONDS);
      CompletableFuture<Void> after = waiting.toFuture(); // of a queue that is gone
      after.get(60, TimeUnit.SECONDS);
      waiting.close();
      ended.close();
    }
  }

  @Test
  void aFutureNeedsNoQueueThatNobodyNamed() throws Exception { // that of a map, which ends with it, or of memory bound to it
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Event gate = Event.user(session.context())) {
      Event unmapped;
      try (CommandQueue other = CommandQueue.create(session.context());
          MappedMemory map = other.map(buffer, Cl.MAP_READ)) {
        unmapped = map.unmap(null, gate);
      }
      Event waiting;
      try (CommandQueue other = CommandQueue.create(session.context())) {
        waiting = other.fill(buffer, new byte[] {1}, gate);
      }
      try (MappedMemory map = session.queue().map(buffer, Cl.MAP_READ)) {
        map.unmap().await();
        map.unmap(null, waiting).close(); // there is nothing to unmap: it is the event of a queue that is gone
      }
      waiting.close();
      CompletableFuture<Void> end = unmapped.toFuture();
      CompletableFuture<Void> freed = CompletableFuture.completedFuture(null);
      if (session.device().svmCapabilities() != 0) {
        Event closed;
        try (CommandQueue other = CommandQueue.create(session.context())) {
          closed = Memory.svm(session.context(), 0, 64, 0, other).closeOn(null, gate);
        }
        freed = closed.toFuture();
        closed.close();
      }
      gate.complete();
      end.get(60, TimeUnit.SECONDS);
      freed.get(60, TimeUnit.SECONDS);
      unmapped.close();
    }
  }

  @Test
  void aFutureOfAnEventThatIsAnotherOnesAsksForNoQueueThatIsClosed() throws Exception { // the fake driver ends who does
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Memory mapped = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Event gate = Event.user(session.context());
        MappedMemory unmapped = session.queue().map(mapped, Cl.MAP_WRITE);
        MappedMemory viewed = session.queue().map(mapped, Cl.MAP_WRITE)) {
      unmapped.unmap().await();
      Event waiting;
      try (CommandQueue other = CommandQueue.create(session.context())) {
        waiting = other.fill(buffer, new byte[] {1}, gate);
        other.readLater(buffer, 0, viewed.byteBuffer(), gate).close();
      }
      Event again = unmapped.unmap(null, waiting); // which is that event
      viewed.unmap().close();
      Event behind = viewed.unmap(); // which is that of the command that reads into a view
      Event of = Event.of(waiting.handle());
      List<CompletableFuture<Void>> ends = List.of(again.toFuture(), behind.toFuture(), of.toFuture());
      gate.complete();
      for (CompletableFuture<Void> end : ends) {
        end.get(60, TimeUnit.SECONDS);
      }
      again.close();
      behind.close();
      of.close();
      waiting.close();
    }
  }

  @Test
  void aFutureOfAnEventThatIsAnotherOnesHandsThatOnesCommandOn() throws Exception {
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        CommandQueue other = CommandQueue.create(session.context());
        Event filled = other.fill(buffer, new byte[] {1});
        Event nothing = session.queue().fill(buffer, new byte[] {1}, 0, 0, filled)) {
      nothing.toFuture().get(60, TimeUnit.SECONDS);
    }
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        CommandQueue other = CommandQueue.create(session.context());
        Event filled = other.fill(buffer, new byte[] {1});
        Event nothing = session.queue().readLater(buffer, 0, Support.direct(0), filled)) {
      nothing.toFuture().get(60, TimeUnit.SECONDS);
    }
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        CommandQueue other = CommandQueue.create(session.context());
        MappedMemory map = session.queue().map(buffer, Cl.MAP_READ);
        Event unmapped = map.unmap();
        Event filled = other.fill(buffer, new byte[] {1}, unmapped)) {
      other.flush();
      try (Event both = map.unmap(null, unmapped, filled)) { // a marker on the map's own queue, which nobody else flushes
        both.toFuture().get(60, TimeUnit.SECONDS);
      }
    }
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        CommandQueue other = CommandQueue.create(session.context());
        Event filled = other.fill(buffer, new byte[] {1});
        Event same = Event.of(filled.handle(), other)) {
      same.toFuture().get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aForgottenQueueCarriesOutItsCommands() throws Exception { // though they wait for nobody but it
    int before = Completions.waiting();
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      for (int i = 0; i < 10; ++i) {
        CommandQueue.create(session.context()).readLater(buffer, 0, Support.direct(64)).close();
        readIntoAMap(CommandQueue.create(session.context()), buffer);
      }
      assertTrue(Support.collectUntil(() -> Completions.waiting() <= before));
    }
  }

  private void readIntoAMap(CommandQueue queue, Memory buffer) {
    MappedMemory map = queue.mapLater(Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64), Cl.MAP_WRITE);
    map.mapped().await();
    queue.readLater(buffer, 0, map.byteBuffer()).close();
  }

  @Test
  void unmappingWaitsForNoQueueThatNobodyFlushes() throws Exception {
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Memory mapped = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        CommandQueue other = CommandQueue.create(session.context());
        MappedMemory map = session.queue().map(mapped, Cl.MAP_WRITE)) {
      other.readLater(buffer, 0, map.byteBuffer()).close();
      map.unmap().toFuture().get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aQueueThatIsClosedWhileACallUsesItHandsItsCommandsOn() throws Exception {
    CommandQueue queue = null;
    try {
      queue = CommandQueue.createOutOfOrder(session.context());
    } catch (ClpoolException e) {
      assumeTrue(false, "the device has no out-of-order queues");
    }
    CommandQueue used = queue;
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Memory other = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Event gate = Event.user(session.context())) {
      Thread reader = new Thread(() -> used.read(buffer, Support.direct(64), gate));
      reader.start();
      while (reader.getState() != Thread.State.RUNNABLE) {
        Thread.sleep(1);
      }
      Thread.sleep(100); // in the driver
      Event filled = used.fill(other, new byte[] {1});
      used.close();
      filled.toFuture().get(60, TimeUnit.SECONDS);
      assertTrue(reader.isAlive());
      gate.complete();
      reader.join();
      filled.close();
    }
  }

  @Test
  void anEventThatFailedTellsItsOwnStatus() throws Exception { // also where the driver, PoCL, tells nobody that it ended
    try (Event event = Event.user(session.context())) {
      CompletableFuture<Void> future = event.toFuture();
      event.with(e -> Native.java_event_end(e, -5));
      ExecutionException failed = assertThrows(ExecutionException.class, () -> future.get(60, TimeUnit.SECONDS));
      assertEquals(-5, ((ClpoolException) failed.getCause()).clError());
      ClpoolException waited = assertThrows(ClpoolException.class, event::await);
      assertEquals(-5, waited.clError());
      assertEquals("the command failed with CL_OUT_OF_RESOURCES (-5)", waited.getMessage());
    }
  }

  @Test
  void anEventThatHadFailedBeforeItsFutureTellsThat() { // which PoCL calls complete then
    try (Event event = Event.user(session.context())) {
      event.with(e -> Native.java_event_end(e, -5));
      CompletableFuture<Void> future = event.toFuture();
      ExecutionException failed = assertThrows(ExecutionException.class, () -> future.get(60, TimeUnit.SECONDS));
      assertEquals(-5, ((ClpoolException) failed.getCause()).clError());
    }
  }

  /** A future whose executor can make no thread. */
  private static final class WithoutThreads extends CompletableFuture<Void> {
    @Override
    public Executor defaultExecutor() {
      return task -> {
        throw new OutOfMemoryError("no thread");
      };
    }
  }

  @Test
  void futuresCompleteWhereNoThreadCanBeMadeForThem() throws Exception {
    AtomicInteger told = new AtomicInteger();
    Thread.UncaughtExceptionHandler former = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> told.incrementAndGet());
    try {
      for (int code : new int[] {0, -5, 0, -5}) { // told by the driver, and found by looking
        CompletableFuture<Void> future = new WithoutThreads();
        try (Event event = Event.user(session.context())) {
          event.with(e -> Completions.complete(event, e, future));
          event.with(e -> Native.java_event_end(e, code));
          if (code == 0) {
            future.get(60, TimeUnit.SECONDS);
          } else {
            assertThrows(ExecutionException.class, () -> future.get(60, TimeUnit.SECONDS));
          }
        }
      }
      assertTrue(Support.collectUntil(() -> told.get() >= 4));
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(former);
    }
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getTotalCapacity)
        .sum();
  }

  @Test
  void arraysOnTheHeapTakeNoneOfJavasDirectMemory() { // which only collections give back
    byte[] array = new byte[SIZE];
    Arrays.fill(array, (byte) 9);
    byte[] back = new byte[SIZE];
    long before = directBytes();
    try (Memory buffer = Memory.buffer(session.context(), ByteBuffer.wrap(array))) {
      session.queue().write(buffer, ByteBuffer.wrap(array).asReadOnlyBuffer());
      session.queue().read(buffer, 2, ByteBuffer.wrap(back, 1, SIZE - 3));
      session.queue().writeBox(buffer, Box.of(16), ByteBuffer.wrap(array));
      session.queue().readBox(buffer, Box.of(16), ByteBuffer.wrap(back));
      assertThrows(IllegalArgumentException.class, () -> session.queue().read(buffer, 1, ByteBuffer.wrap(back)));
    }
    assertTrue(directBytes() <= before, () -> directBytes() + " instead of " + before);
    assertEquals(9, back[SIZE - 3]);
    assertEquals(0, back[SIZE - 2]);
  }

  @Test
  void virtualThreadsThatWaitLeaveTheirCarriers() throws Exception {
    Method start;
    try {
      start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    } catch (NoSuchMethodException e) {
      start = null;
    }
    assumeTrue(start != null, "this Java has no virtual threads");
    int count = Runtime.getRuntime().availableProcessors() + 1;
    CountDownLatch begun = new CountDownLatch(count);
    CountDownLatch ended = new CountDownLatch(count);
    try (Event gate = Event.user(session.context());
        Event failing = Event.user(session.context());
        Event foreignGate = Event.of(gate.handle()); // of no known queue: a thread of the library's own waits for each
        Event foreignFailing = Event.of(failing.handle());
        Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Event nothing = session.queue().fill(buffer, new byte[] {1}, 0, 0, foreignGate)) {
      for (int i = 0; i < count; ++i) {
        Runnable waits =
            () -> {
              begun.countDown();
              gate.await();
              foreignGate.await();
              nothing.await();
              assertEquals(-5, assertThrows(ClpoolException.class, failing::await).clError());
              assertEquals(-5, assertThrows(ClpoolException.class, foreignFailing::await).clError());
              ended.countDown();
            };
        start.invoke(null, waits);
      }
      boolean allBegan = begun.await(60, TimeUnit.SECONDS);
      gate.complete();
      failing.with(e -> Native.java_event_end(e, -5));
      assertTrue(ended.await(60, TimeUnit.SECONDS));
      assertTrue(allBegan);
    }
  }
}
