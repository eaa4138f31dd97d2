// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Pipe;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

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
    Views views = new Views(memory);
    long address = Native.java_address(memory);
    Pipe pipe = Pipe.open();
    AtomicReference<Throwable> wrong = new AtomicReference<>();
    Thread reader =
        new Thread(
            () -> {
              while (true) {
                try {
                  pipe.source().read(views.of(address, 16));
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
    views.closeThen(() -> given.set(true));
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
}
