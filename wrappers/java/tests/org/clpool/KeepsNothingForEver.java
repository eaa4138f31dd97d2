// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** A program on a driver that refuses to retain events: blocks whose views commands use come back all the same. */
public final class KeepsNothingForEver {
  private static final int ROUNDS = 20;
  private static final int PATIENCE = 1000;

  private KeepsNothingForEver() {}

  private static void useView(Pool pool, Memory target, CommandQueue queue) {
    try (Memory block = pool.allocate(4096)) {
      queue.writeLater(target, block.byteBuffer());
    } catch (ClpoolException refused) {
      System.out.println(refused.getMessage());
    }
  }

  public static void main(String[] arguments) throws InterruptedException {
    try (Session session = Clpool.createDefault();
        Memory target = Memory.buffer(session.context(), 4096);
        Pool pool = Pool.of(Allocator.pinned(session.queue()))) {
      for (int i = 0; i < ROUNDS; ++i) {
        useView(pool, target, session.queue());
      }
      session.queue().finish();
      for (int i = 0; i < PATIENCE && pool.statistics().activeBlocks() > 0; ++i) {
        Thread.sleep(10);
      }
      System.out.println(pool.statistics().activeBlocks() + " blocks are out");
    }
  }
}
