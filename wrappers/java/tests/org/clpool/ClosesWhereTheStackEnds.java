// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A program that closes objects where the stack ends, on the fake driver, which tells at the end what was left: a close() that throws
 * an Error may be called again, and what is dropped then comes back as if it had not been closed.
 */
public final class ClosesWhereTheStackEnds {
  private static final int WARM = 500; // what Java itself makes at the first call is there
  private static final int THREADS = 60;
  private static final int COLLECTIONS = 5;
  private static final long SETTLE_MILLIS = 50;
  private static final long SMALLEST_STACK = 200_000;

  private static final int FRAMES = 90; // at least those of Support.atTheEndOfTheStack()
  private static final List<AutoCloseable> KEPT = new ArrayList<>();

  private static int errors;

  private ClosesWhereTheStackEnds() {}

  private static void close(AutoCloseable object) {
    try {
      object.close();
    } catch (Exception e) {
      throw new AssertionError(e); // none of ours has checked ones
    }
  }

  // In the stack's last frames, again and again, or once and then forgotten.
  private static void closeDeep(Supplier<AutoCloseable> made, boolean forgotten) throws InterruptedException {
    for (int i = 0; i < WARM; ++i) {
      close(made.get());
    }
    for (int i = 0; i < THREADS; ++i) {
      AutoCloseable[] object = {made.get()};
      Runnable tried =
          () -> {
            AutoCloseable once = object[0];
            object[0] = forgotten ? null : once;
            if (once != null) {
              close(once);
            }
          };
      Thread thread = new Thread(null, () -> errors += Support.atTheEndOfTheStack(tried), "deep", SMALLEST_STACK + 16 * i);
      thread.start();
      thread.join();
      if (object[0] != null) {
        close(object[0]);
      }
    }
  }

  // Another one in each of the last frames, and all of them once more afterwards. They stay reachable, so that no collection helps.
  private static void closeEachDeep(Supplier<AutoCloseable> made) throws InterruptedException {
    for (int i = 0; i < THREADS; ++i) {
      int first = KEPT.size();
      for (int j = 0; j < FRAMES; ++j) {
        KEPT.add(made.get());
      }
      int[] next = {first};
      Runnable tried = () -> close(KEPT.get(next[0]++));
      Thread thread = new Thread(null, () -> errors += Support.atTheEndOfTheStack(tried), "deep", SMALLEST_STACK + 16 * i);
      thread.start();
      thread.join();
      KEPT.subList(first, KEPT.size()).forEach(ClosesWhereTheStackEnds::close);
    }
  }

  private static Memory viewed(Pool pool) {
    Memory block = pool.allocate(64);
    block.byteBuffer();
    return block;
  }

  private static MappedMemory viewedMap(CommandQueue queue, Memory memory) {
    MappedMemory map = queue.map(memory, Cl.MAP_READ, new Event[0]);
    map.byteBuffer();
    return map;
  }

  private static void collect() throws InterruptedException {
    for (int i = 0; i < COLLECTIONS; ++i) {
      System.gc();
      Thread.sleep(SETTLE_MILLIS);
    }
  }

  public static void main(String[] arguments) throws InterruptedException {
    long active = 0;
    try (Session session = Clpool.createDefault();
        Memory memory = Memory.buffer(session.context(), 4096)) {
      CommandQueue queue = session.queue();
      for (LeakDetection detection : new LeakDetection[] {LeakDetection.OFF, LeakDetection.RECLAIM}) {
        boolean forgotten = detection == LeakDetection.RECLAIM;
        try (Pool pool = Pool.builder(Allocator.svm(session.context(), queue)).leakDetection(detection).build()) {
          closeDeep(() -> Event.user(session.context()), forgotten);
          closeDeep(() -> pool.allocate(64), forgotten);
          closeDeep(() -> viewed(pool), forgotten);
          closeDeep(() -> viewedMap(queue, memory), forgotten);
          closeEachDeep(() -> queue.map(memory, Cl.MAP_READ, new Event[0]));
          collect();
          pool.tick();
          active += pool.statistics().activeBlocks();
        }
      }
      collect();
    }
    System.out.println(errors + " errors, " + active + " blocks are out");
  }
}
