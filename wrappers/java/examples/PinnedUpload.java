// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.clpool.Allocator;
import org.clpool.Clpool;
import org.clpool.Event;
import org.clpool.Memory;
import org.clpool.Pool;
import org.clpool.Session;

/** Uploads data in pieces through page-locked memory, two pieces in flight, and checks that it arrived. */
public final class PinnedUpload {
  private static final int PIECE = 1 << 16;
  private static final int PIECES = 8;

  private PinnedUpload() {}

  public static void main(String[] arguments) {
    try (Session session = Clpool.createDefault();
        Allocator pinned = Allocator.pinned(session.queue());
        Pool staging = Pool.of(pinned);
        Allocator immediate = Allocator.immediate(session.queue());
        Pool pool = Pool.of(immediate);
        Memory target = pool.allocate((long) PIECE * PIECES)) {
      for (int piece = 0; piece < PIECES; ++piece) {
        // The block goes back to the pool when its copy is complete, however early it is closed.
        try (Memory block = staging.allocate(PIECE)) {
          fill(block.byteBuffer(), piece);
          try (Event copied =
              session.queue().writeLater(target, (long) piece * PIECE, block.byteBuffer())) {
            block.releaseAfter(copied);
          }
        }
      }
      ByteBuffer back = ByteBuffer.allocate(PIECE * PIECES).order(ByteOrder.nativeOrder());
      session.queue().read(target, 0, back);
      for (int piece = 0; piece < PIECES; ++piece) {
        if (back.getInt(piece * PIECE) != piece || back.getInt((piece + 1) * PIECE - 4) != piece) {
          throw new AssertionError("piece " + piece + " did not arrive");
        }
      }
      System.out.println(PIECES + " pieces of " + PIECE + " bytes arrived; staging: " + staging.statistics());
    }
  }

  private static void fill(ByteBuffer bytes, int value) {
    while (bytes.hasRemaining()) {
      bytes.putInt(value);
    }
  }
}
