// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import org.clpool.Allocator;
import org.clpool.Cl;
import org.clpool.Clpool;
import org.clpool.MappedMemory;
import org.clpool.Memory;
import org.clpool.NotSupportedException;
import org.clpool.Pool;
import org.clpool.Session;

/** Shared virtual memory from a pool: the host writes, the device fills, the host reads, all at one address. */
public final class SharedVirtualMemory {
  private SharedVirtualMemory() {}

  public static void main(String[] arguments) {
    try (Session session = Clpool.createDefault();
        Allocator allocator = Allocator.svm(session.context(), session.queue());
        Pool pool = Pool.of(allocator);
        Memory memory = pool.allocate(1024)) {
      try (MappedMemory map = session.queue().map(memory, Cl.MAP_WRITE)) {
        map.byteBuffer().putInt(0, 42);
      }
      session.queue().fill(memory, new byte[] {7}, 512, 512);
      try (MappedMemory map = session.queue().map(memory, Cl.MAP_READ)) {
        ByteBuffer bytes = map.byteBuffer();
        System.out.printf(
            "at 0x%x: %d from the host, %d from the device%n", memory.pointer(), bytes.getInt(0), bytes.get(512));
        if (bytes.getInt(0) != 42 || bytes.get(512) != 7) {
          throw new AssertionError("the memory is not shared");
        }
      }
    } catch (NotSupportedException e) {
      System.out.println("skipped: " + e.getMessage());
    }
  }
}
