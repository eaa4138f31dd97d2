import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.clpool.Allocator;
import org.clpool.Clpool;
import org.clpool.CustomAllocator;
import org.clpool.LeakDetection;
import org.clpool.Memory;
import org.clpool.Pool;

/**
 * Cost of one allocate + close that a pool serves from what it holds, with its peers in the same run: one call into
 * native code that does nothing, and a free list in Java. Medians of passes; one process, one thread and several.
 */
public final class Hit {
  private static final int PASSES = 11;
  private static final int ROUNDS = 2_000_000;
  private static final long SIZE = 4096;

  private interface Work {
    long run(int rounds);
  }

  /** Chunks that are numbers, no memory: what is measured is never the driver. */
  private static final class Numbers implements CustomAllocator {
    private long next = 1 << 20;

    @Override
    public synchronized long allocate(long size, long alignment) {
      next = (next + alignment - 1) / alignment * alignment + size;
      return next - size;
    }

    @Override
    public void deallocate(long chunk, long size) {}
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
    print("one call into native code that does nothing", 1, Hit::calls);
    print("free lists in Java (ArrayDeque per size, synchronized)", 1, freeLists());
    for (LeakDetection detection : LeakDetection.values()) {
      try (Pool pool = pool(detection)) {
        print("pool, leak detection " + detection, 1, rounds -> hits(pool, rounds));
      }
    }
    for (int threads : new int[] {2, 4, 8}) {
      for (LeakDetection detection : new LeakDetection[] {LeakDetection.NONE, LeakDetection.ALL}) {
        try (Pool pool = pool(detection)) {
          print("pool, leak detection " + detection, threads, rounds -> hits(pool, rounds));
        }
      }
      print("free lists in Java", threads, freeLists());
    }
  }

  private static Pool pool(LeakDetection detection) {
    return Pool.builder(Allocator.custom(new Numbers())).leakDetection(detection).build();
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
    for (int pass = -2; pass < PASSES; ++pass) { // two to warm up
      long begin = System.nanoTime();
      Thread[] all = new Thread[threads];
      for (int i = 0; i < threads; ++i) {
        all[i] = new Thread(() -> sink = work.run(ROUNDS / threads));
        all[i].start();
      }
      for (Thread thread : all) {
        thread.join();
      }
      if (pass >= 0) {
        nanos[pass] = (double) (System.nanoTime() - begin) / (ROUNDS / threads * threads);
      }
    }
    Arrays.sort(nanos);
    System.out.printf("%-56s %d thread(s) %7.1f %7.1f%n", what, threads, nanos[PASSES / 2], nanos[0]);
  }
}
