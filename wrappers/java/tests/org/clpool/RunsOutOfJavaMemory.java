// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A program whose Java heap is full while it takes blocks and closes them, and while commands end that futures wait for: none of them
 * is lost, whatever failed. With an argument buffers in host memory are closed then, and commands enqueued that use some.
 */
public final class RunsOutOfJavaMemory {
  private static final int BLOCKS = 300;
  private static final int LARGEST = 1 << 20;
  private static final int LEAST = 16;
  private static final long PATIENCE_MILLIS = 10_000;
  private static final int FUTURES = 50;
  private static final int ROUNDS_OF_FUTURES = 3;
  private static final int ROUNDS_OF_COMMANDS = 6;
  private static final int STEPS = 9;
  private static final int FAILED = -5;
  private static final long FUTURES_PATIENCE_MILLIS = 5_000;
  private static final long SPIN_NANOS = 100_000_000;

  private static final Memory[] TAKEN = new Memory[BLOCKS];
  private static int errors;

  private RunsOutOfJavaMemory() {}

  private static List<Object> fillHeap() {
    List<Object> all = new ArrayList<>(10 * BLOCKS);
    for (int size = LARGEST; size >= LEAST; size /= 2) {
      try {
        while (true) {
          all.add(new byte[size]);
        }
      } catch (OutOfMemoryError full) {
        // with smaller ones
      }
    }
    return all;
  }

  private static void take(Supplier<Memory> from) {
    List<Object> full = fillHeap();
    for (int i = 0; i < BLOCKS; ++i) {
      try {
        TAKEN[i] = from.get();
      } catch (OutOfMemoryError e) {
        ++errors;
      }
    }
    full.clear();
    closeAll();
  }

  private static void closeAll() {
    for (int i = 0; i < BLOCKS; ++i) {
      try {
        if (TAKEN[i] != null) {
          TAKEN[i].close();
          TAKEN[i] = null;
        }
      } catch (OutOfMemoryError e) {
        ++errors;
      }
    }
  }

  // On a thread that has closed nothing before: what it keeps for that has to be made.
  private static void closeOnAThreadOfItsOwn(Pool pool) throws InterruptedException {
    for (int i = 0; i < BLOCKS; ++i) {
      TAKEN[i] = pool.allocate(64);
    }
    Thread thread =
        new Thread(
            () -> {
              List<Object> full = fillHeap();
              closeAll();
              full.clear();
            });
    thread.start();
    thread.join();
    closeAll();
  }

  private static long lost(Pool pool) throws InterruptedException {
    long end = System.currentTimeMillis() + PATIENCE_MILLIS;
    do {
      System.gc();
      Thread.sleep(10);
      pool.tick();
    } while (pool.statistics().activeBlocks() > 0 && System.currentTimeMillis() < end);
    return pool.statistics().activeBlocks();
  }

  // Their events end when there is no memory, with success or with an error.
  private static long lostFutures(Context context) throws InterruptedException {
    Event[] events = new Event[FUTURES];
    List<CompletableFuture<Void>> futures = new ArrayList<>();
    for (int i = 0; i < FUTURES; ++i) {
      events[i] = Event.user(context);
      futures.add(events[i].toFuture());
    }
    List<Object> full = fillHeap();
    endAll(events);
    spin();
    full.clear();
    endAll(events); // those that it failed for
    long end = System.currentTimeMillis() + FUTURES_PATIENCE_MILLIS;
    while (!futures.stream().allMatch(CompletableFuture::isDone) && System.currentTimeMillis() < end) {
      Thread.sleep(10);
    }
    for (Event event : events) {
      event.close();
    }
    return futures.stream().filter(future -> !future.isDone()).count();
  }

  private static void endAll(Event[] events) {
    for (int i = 0; i < FUTURES; ++i) {
      try {
        Native.java_event_end(events[i].value(), i % 2 == 0 ? 0 : FAILED);
      } catch (OutOfMemoryError | ClpoolException e) {
        ++errors; // it was ended before
      }
    }
  }

  // Which buffers lie in that are closed when there is no memory: the driver tells then that it uses it no more.
  private static long keptHostMemory(Session session) throws InterruptedException {
    Memory[] buffers = new Memory[FUTURES];
    for (int i = 0; i < FUTURES; ++i) {
      buffers[i] = inHostMemory(session.context());
    }
    List<Object> full = fillHeap();
    closeInFullHeap(buffers);
    spin();
    full.clear();
    closeInFullHeap(buffers);
    long end = System.currentTimeMillis() + FUTURES_PATIENCE_MILLIS;
    while (Completions.waiting() > 0 && System.currentTimeMillis() < end) {
      Thread.sleep(10);
    }
    return Completions.waiting();
  }

  // Which commands use that fail in between when there is hardly any memory. It grows a little with each that fails.
  private static long keptByCommands(Session session) throws InterruptedException {
    Event[] events = new Event[FUTURES];
    ByteBuffer host = ByteBuffer.allocateDirect(64);
    try (Memory buffer = Memory.buffer(session.context(), 64)) {
      for (int i = 0; i < BLOCKS; ++i) {
        session.queue().readLater(buffer, 0, host.slice()).await(); // what a first call loads
      }
      for (int round = 0; round < ROUNDS_OF_COMMANDS; ++round) {
        Object[] full = fillWithLinks();
        for (int i = 0; i < FUTURES; ++i) {
          try {
            events[i] = session.queue().readLater(buffer, 0, host.slice());
          } catch (OutOfMemoryError e) {
            ++errors;
            for (int left = 1 + (i + round) % STEPS; left > 0 && full != null; --left) {
              full = (Object[]) full[0];
            }
          }
        }
        full = null;
        for (int i = 0; i < FUTURES; ++i) {
          if (events[i] != null) {
            events[i].close();
            events[i] = null;
          }
        }
        session.queue().finish();
      }
    }
    long end = System.currentTimeMillis() + FUTURES_PATIENCE_MILLIS;
    while (Completions.waiting() > 0 && System.currentTimeMillis() < end) {
      Thread.sleep(10);
    }
    return Completions.waiting();
  }

  // Each array holds the one before, so that they can be given up one by one, the smallest first.
  private static Object[] fillWithLinks() {
    Object[] last = null;
    for (int size = LARGEST / LEAST; size >= 1; size /= 2) {
      try {
        while (true) {
          Object[] next = new Object[size];
          next[0] = last;
          last = next;
        }
      } catch (OutOfMemoryError full) {
        // with smaller ones
      }
    }
    return last;
  }

  private static Memory inHostMemory(Context context) {
    return Memory.buffer(context, Cl.MEM_READ_WRITE | Cl.MEM_USE_HOST_PTR, ByteBuffer.allocateDirect(64));
  }

  private static void closeInFullHeap(Memory[] buffers) {
    for (Memory buffer : buffers) {
      try {
        buffer.close();
      } catch (OutOfMemoryError e) {
        ++errors;
      }
    }
  }

  // An allocator of the program's own, whose pools end when there is no memory: what it gave is offered back all the same.
  private static long lostChunks() {
    int[] chunks = new int[1];
    Allocator counting =
        Allocator.custom(
            new CustomAllocator() {
              @Override
              public long allocate(long size, long alignment) {
                return (long) ++chunks[0] << Integer.SIZE;
              }

              @Override
              public void deallocate(long chunk, long size) {
                --chunks[0];
              }
            });
    Pool[] pools = new Pool[FUTURES];
    for (int i = 0; i < FUTURES; ++i) {
      pools[i] = Pool.of(counting);
      pools[i].allocate(64).close();
    }
    pools[0].close(); // what a first call loads
    List<Object> full = fillHeap();
    endPools(pools);
    full.clear();
    endPools(pools);
    return chunks[0];
  }

  private static void endPools(Pool[] pools) {
    for (Pool pool : pools) {
      try {
        pool.close();
      } catch (OutOfMemoryError e) {
        ++errors;
      }
    }
  }

  // What looks at the events runs meanwhile; sleeping may take memory.
  private static void spin() {
    long end = System.nanoTime() + SPIN_NANOS;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  public static void main(String[] arguments) throws InterruptedException {
    Thread.setDefaultUncaughtExceptionHandler((thread, told) -> ++errors);
    if (arguments.length > 0) {
      long kept = 0;
      try (Session session = Clpool.createDefault()) {
        for (int i = 0; i < ROUNDS_OF_FUTURES; ++i) {
          kept = keptHostMemory(session);
        }
        kept += keptByCommands(session);
      }
      System.out.println(errors + " errors, host memory of " + kept + " buffers and commands is kept");
      return;
    }
    long never = 0;
    try (Session session = Clpool.createDefault()) {
      for (int i = 0; i < ROUNDS_OF_FUTURES; ++i) {
        never += lostFutures(session.context());
      }
    }
    long lost = 0;
    for (LeakDetection detection : new LeakDetection[] {LeakDetection.RECLAIM, LeakDetection.OFF}) {
      try (Pool pool = Pool.builder(Allocator.custom(new Support.Dry())).leakDetection(detection).build()) {
        for (int i = 0; i < BLOCKS; ++i) {
          TAKEN[i] = pool.allocate(64);
        }
        closeAll();
        closeOnAThreadOfItsOwn(pool);
        take(() -> pool.allocate(64));
        take(() -> pool.tryAllocate(64).orElse(null));
        try (Memory block = pool.allocate(64)) {
          take(block::retain);
          take(() -> block.subRegion(0, 1));
        }
        lost += lost(pool);
      }
    }
    long chunks = lostChunks();
    System.out.println(
        errors + " errors, " + lost + " blocks are lost, " + never + " futures never complete, " + chunks + " chunks are lost");
  }
}
