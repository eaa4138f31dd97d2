// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.clpool.Allocator;
import org.clpool.Clpool;
import org.clpool.LeakDetection;
import org.clpool.Memory;
import org.clpool.Pool;
import org.clpool.Session;

/**
 * Cost of one allocate + close that a pool serves from what it holds, with its peers in the same run: one call into
 * native code that does nothing, and a free list in Java. Medians of passes; one process, one thread and eight.
 */
public final class Hit {
  private static final int PASSES = 301; // short ones, which a busy machine disturbs less
  private static final int WARM_UP = 100;
  private static final int ROUNDS = 20_000; // of each thread
  private static final long SIZE = 4096;

  private interface Work {
    long run(int rounds);
  }

  /** The honest trivial baseline: a stack of free blocks for each size. */
  private static final class FreeLists {
    private static final class Block {
      private final long size;

      Block(long size) {
        this.size = size;
      }
    }

    private final Map<Long, ArrayDeque<Block>> free = new HashMap<>();

    synchronized Block allocate(long size) {
      ArrayDeque<Block> blocks = free.computeIfAbsent(size, s -> new ArrayDeque<>());
      Block block = blocks.poll();
      return block == null ? new Block(size) : block;
    }

    synchronized void release(Block block) {
      free.get(block.size).push(block);
    }
  }

  private static volatile long sink;

  private Hit() {}

  public static void main(String[] arguments) throws InterruptedException {
    System.out.println(
        "libclpool " + Clpool.version() + ", Java " + System.getProperty("java.version") + ", "
            + Runtime.getRuntime().availableProcessors() + " processors; ns per allocate + close of " + SIZE
            + " bytes, median and least of " + PASSES + " x " + ROUNDS);
    try (Session session = Clpool.createDefault();
        Allocator allocator = Allocator.immediate(session.queue())) {
      print("one call into native code that does nothing", 1, Hit::calls);
      for (int threads : new int[] {1, 8}) {
        print("free lists in Java (ArrayDeque per size, synchronized)", threads, freeLists());
        for (LeakDetection detection : LeakDetection.values()) {
          try (Pool pool = Pool.builder(allocator).leakDetection(detection).build()) {
            print("pool, leak detection " + detection, threads, rounds -> hits(pool, rounds));
          }
        }
      }
      print("immediate allocator, without a pool", 1, rounds -> direct(allocator, rounds));
    }
  }

  private static long calls(int rounds) {
    long sum = 0;
    for (int i = 0; i < rounds; ++i) {
      sum += Clpool.bitLog2(i);
    }
    return sum;
  }

  private static long hits(Pool pool, int rounds) {
    long sum = 0;
    for (int i = 0; i < rounds; ++i) {
      try (Memory block = pool.allocate(SIZE)) {
        sum += block.isClosed() ? 1 : 0;
      }
    }
    return sum;
  }

  private static long direct(Allocator allocator, int rounds) {
    for (int i = 0; i < rounds; ++i) {
      allocator.allocate(SIZE).close();
    }
    return rounds;
  }

  private static Work freeLists() {
    FreeLists lists = new FreeLists();
    return rounds -> {
      long sum = 0;
      for (int i = 0; i < rounds; ++i) {
        FreeLists.Block block = lists.allocate(SIZE);
        sum += block.size;
        lists.release(block);
      }
      return sum;
    };
  }

  private static void print(String what, int threads, Work work) throws InterruptedException {
    double[] nanos = new double[PASSES];
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      for (int pass = -WARM_UP; pass < PASSES; ++pass) {
        double taken = nanosOfPass(executor, threads, work);
        if (pass >= 0) {
          nanos[pass] = taken;
        }
      }
    } finally {
      executor.shutdown();
    }
    Arrays.sort(nanos);
    System.out.printf("%-56s %d thread(s) %7.1f %7.1f%n", what, threads, nanos[PASSES / 2], nanos[0]);
  }

  // Wall time for one allocate + close of the process.
  private static double nanosOfPass(ExecutorService executor, int threads, Work work) throws InterruptedException {
    List<Callable<Long>> tasks = Collections.nCopies(threads, () -> work.run(ROUNDS));
    long begin = System.nanoTime();
    for (Future<Long> end : executor.invokeAll(tasks)) {
      sink += end.isDone() ? 1 : 0;
    }
    return (double) (System.nanoTime() - begin) / ((long) ROUNDS * threads);
  }
}
