// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.clpool.Allocator;
import org.clpool.Clpool;
import org.clpool.Memory;
import org.clpool.Pool;
import org.clpool.Session;

/** The shortest useful program in Java: try gives everything back, failures are exceptions. */
public final class FirstPool {
  private FirstPool() {}

  public static void main(String[] arguments) {
    try (Session session = Clpool.createDefault();
        Allocator allocator = Allocator.immediate(session.queue());
        Pool pool = Pool.of(allocator)) {
      ByteBuffer after = ByteBuffer.allocateDirect(4).order(ByteOrder.nativeOrder());
      for (int step = 0; step < 1000; ++step) { // only the first step asks the driver for memory
        try (Memory block = pool.allocate(1 << 20)) {
          session.queue().fill(block, new byte[] {42, 0, 0, 0});
          session.queue().read(block, 0, after);
        }
      }
      System.out.printf(
          "read %d; %d blocks from %d allocations of the driver%n",
          after.getInt(0), pool.statistics().allocations(), pool.statistics().driverAllocations());
    }
  }
}
