// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How virtual threads wait for events, here on any thread: without keeping it in native code. */
class AwaitTest {
  private final Session session = Support.session();

  private static void await(Event event) {
    event.with(value -> Completions.await(event, value));
  }

  private static CompletableFuture<Void> awaitElsewhere(Event event) {
    return CompletableFuture.runAsync(() -> await(event), task -> new Thread(task).start());
  }

  private static void mustEnd(Event event) throws Exception {
    awaitElsewhere(event).get(60, TimeUnit.SECONDS);
  }

  private static long waitingThreads() {
    return Thread.getAllStackTraces().keySet().stream().filter(one -> one.getName().equals("clpool-wait")).count();
  }

  @Test
  void anEventOfNoKnownQueueHasOneThreadWhoeverAwaitsIt() throws Exception {
    List<CompletableFuture<Void>> waiting = new ArrayList<>();
    try (Event first = Event.user(session.context());
        Event second = Event.user(session.context());
        Event known = Event.user(session.context());
        Event foreign = Event.of(first.handle());
        Event other = Event.of(second.handle())) {
      for (int i = 0; i < 20; ++i) {
        waiting.add(awaitElsewhere(foreign));
        waiting.add(awaitElsewhere(other));
        waiting.add(awaitElsewhere(known));
      }
      assertTrue(Support.collectUntil(() -> Completions.waiting() >= 60 && waitingThreads() == 2));
      first.complete();
      assertTrue(Support.collectUntil(() -> waitingThreads() == 1));
      second.complete();
      known.complete();
      for (CompletableFuture<Void> one : waiting) {
        one.get(60, TimeUnit.SECONDS);
      }
      assertTrue(Support.collectUntil(() -> waitingThreads() == 0));
    }
  }

  @Test
  void whatFailedIsToldToWhoWaits() {
    try (Event event = Event.user(session.context());
        Event foreign = Event.of(event.handle())) {
      assertThrows(IllegalArgumentException.class, () -> event.fail(0));
      event.fail(-5);
      assertThrows(IllegalStateException.class, () -> event.fail(-5));
      for (Event one : new Event[] {event, foreign}) {
        ClpoolException failed = assertThrows(ClpoolException.class, () -> await(one));
        assertEquals(-5, failed.clError());
        assertTrue(Arrays.stream(failed.getStackTrace()).anyMatch(f -> f.getClassName().equals(AwaitTest.class.getName())));
      }
    }
  }

  /** With CLPOOL_TEST_FAILS=wait: of a driver that refuses to wait. */
  @Test
  void aRefusedWaitIsToldToWhoWaits() {
    assumeTrue("wait".equals(System.getenv("CLPOOL_TEST_FAILS")), "a driver that refuses is needed");
    try (Event event = Event.user(session.context());
        Event foreign = Event.of(event.handle())) {
      ClpoolException failed = assertThrows(ClpoolException.class, () -> await(foreign));
      assertEquals(-5, failed.clError());
      assertTrue(Arrays.stream(failed.getStackTrace()).anyMatch(f -> f.getClassName().equals(AwaitTest.class.getName())));
      event.complete();
    }
  }

  @Test
  void theQueueOfAnEventMayBeClosedHere() throws Exception { // but go on elsewhere
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      CommandQueue closed = CommandQueue.create(session.context());
      try (CommandQueue same = CommandQueue.of(closed.handle())) {
        closed.close();
        try (Event filled = same.fill(buffer, new byte[] {1});
            Event named = Event.of(filled.handle(), closed)) {
          mustEnd(named);
        }
      }
    }
  }

  @Test
  void eventsOfAQueueThatWasClosedSinceNeedNoThread() throws Exception { // closing it has handed their commands on
    for (boolean isKept : new boolean[] {false, true}) {
      List<Event> events = new ArrayList<>();
      List<CompletableFuture<Void>> waiting = new ArrayList<>();
      try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
          Event gate = Event.user(session.context())) {
        CommandQueue queue = CommandQueue.create(session.context());
        if (isKept) {
          assertTrue(queue.tryBegin()); // a call that goes on
        }
        for (int i = 0; i < 10; ++i) {
          events.add(queue.fill(buffer, new byte[] {1}, gate));
        }
        queue.close();
        for (Event event : events) {
          waiting.add(awaitElsewhere(event));
        }
        assertTrue(Support.collectUntil(() -> Completions.waiting() >= 10));
        assertEquals(0, waitingThreads());
        gate.complete();
        for (CompletableFuture<Void> one : waiting) {
          one.get(60, TimeUnit.SECONDS);
        }
        if (isKept) {
          queue.end();
        }
      }
      events.forEach(Event::close);
    }
  }

  @Test
  void whatAClosedQueueThatIsKeptWasGivenEnds() throws Exception { // also where the driver refuses to flush
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      CommandQueue queue = CommandQueue.create(session.context());
      assertTrue(queue.tryBegin()); // a call that goes on
      try (Event filled = queue.fill(buffer, new byte[] {1})) {
        queue.close();
        mustEnd(filled);
      }
      queue.end();
    }
  }

  @Test
  void whatACallEnqueuesWhileItsQueueIsClosedIsHandedOn() throws Exception { // though another call keeps the queue
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      for (boolean closedBefore : new boolean[] {true, false}) {
        CommandQueue queue = CommandQueue.create(session.context());
        assertTrue(queue.tryBegin()); // the other call
        try (Event filled =
            new Event(
                (uses, event) -> {
                  long used = uses.of("queue", queue);
                  if (closedBefore) {
                    queue.close();
                  }
                  Native.clpool_mem_fill(used, uses.of("memory", buffer), new byte[] {1}, 0, 64, null, event);
                })) {
          queue.close();
          filled.toFuture().get(60, TimeUnit.SECONDS);
          mustEnd(filled);
        } finally {
          queue.end();
        }
      }
    }
  }

  @Test
  void whatEndedJustBeforeItsQueueWasClosedIsHandedOn() throws Exception { // after the flush of who closes it
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64)) {
      CommandQueue queue = CommandQueue.create(session.context());
      assertTrue(queue.tryBegin()); // another call, which keeps it
      try (Event filled = queue.fill(buffer, new byte[] {1})) {
        queue.handle.close(); // which flushes nothing
        queue.close();
        filled.toFuture().get(60, TimeUnit.SECONDS);
      } finally {
        queue.end();
      }
    }
  }

  @Test
  void commandsOfNothingEndWithWhatTheyWaitFor() throws Exception { // be it another library's, behind a view
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        Memory mapped = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        CommandQueue other = CommandQueue.create(session.context());
        Event filled = other.fill(buffer, new byte[] {1});
        Event foreign = Event.of(filled.handle());
        MappedMemory map = session.queue().map(mapped, Cl.MAP_WRITE)) {
      ByteBuffer nothing = map.byteBuffer(0, 0);
      try (Event read = session.queue().readLater(buffer, 0, nothing, foreign);
          Event unmapped = map.unmap();
          Event again = map.unmap()) {
        mustEnd(again);
        mustEnd(unmapped);
        mustEnd(read);
      }
    }
  }

  @Test
  void unmappingEnds() throws Exception {
    try (Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 64);
        MappedMemory map = session.queue().map(buffer, Cl.MAP_READ)) {
      map.unmap().toFuture().get(60, TimeUnit.SECONDS);
    }
  }
}
