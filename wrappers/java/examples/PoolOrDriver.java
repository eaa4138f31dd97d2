// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
import org.clpool.Allocator;
import org.clpool.CommandQueue;
import org.clpool.Memory;
import org.clpool.Pool;
import org.clpool.Session;

/** Allocates buffers in a loop, each used once, from the driver and from a pool, and prints the difference. */
public final class PoolOrDriver {
  private static final int ROUNDS = 200;
  private static final long SIZE = 1 << 20;

  private PoolOrDriver() {}

  public static void main(String[] arguments) {
    try (Session session = org.clpool.Clpool.createDefault();
        Allocator driver = Allocator.immediate(session.queue());
        Pool pool = Pool.of(driver)) {
      CommandQueue queue = session.queue();
      long withoutPool = nanosOf(() -> use(queue, driver.allocate(SIZE)));
      long withPool = nanosOf(() -> use(queue, pool.allocate(SIZE)));
      System.out.println("device: " + session.device());
      System.out.printf("without a pool: %8d ns for a buffer of 1 MiB%n", withoutPool);
      System.out.printf("with a pool:    %8d ns for a buffer of 1 MiB%n", withPool);
      System.out.println(pool.statistics().driverAllocations() + " driver allocation(s) for " + ROUNDS + " rounds");
    }
  }

  // The pool may hand the block out again at once: the queue is in order.
  private static void use(CommandQueue queue, Memory memory) {
    queue.fill(memory, new byte[] {0}, 0, 16);
    memory.close();
  }

  private static long nanosOf(Runnable round) {
    round.run();
    long begin = System.nanoTime();
    for (int i = 0; i < ROUNDS; ++i) {
      round.run();
    }
    return (System.nanoTime() - begin) / ROUNDS;
  }
}
