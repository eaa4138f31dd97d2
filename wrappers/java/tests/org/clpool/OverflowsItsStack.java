// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.nio.ByteBuffer;

/**
 * A program whose threads have no stack left where they enqueue commands: those of its other threads end all the same, and none
 * keeps host memory for ever.
 */
public final class OverflowsItsStack {
  private static final int WARM = 500; // what Java itself makes at the first call is there
  private static final int THREADS = 60;
  private static final long SMALLEST_STACK = 200_000;
  private static final long IDLE_MILLIS = 70; // then nothing is looked at any more, and the next command has that to begin again
  private static final long PATIENCE_MILLIS = 10_000;

  private static int errors;

  private OverflowsItsStack() {}

  private static boolean ends(Thread thread) throws InterruptedException {
    thread.setDaemon(true);
    thread.start();
    thread.join(PATIENCE_MILLIS);
    return !thread.isAlive();
  }

  private static boolean othersGoOn(Runnable tried, Runnable command) throws InterruptedException {
    for (int i = 0; i < WARM; ++i) {
      tried.run();
    }
    for (int i = 0; i < THREADS; ++i) {
      Thread.sleep(IDLE_MILLIS);
      if (!ends(new Thread(null, () -> errors += Support.atTheEndOfTheStack(tried), "deep", SMALLEST_STACK + 500 * i)) || !ends(new Thread(command))) {
        return false;
      }
    }
    return true;
  }

  public static void main(String[] arguments) throws InterruptedException {
    Session session = Clpool.createDefault();
    CommandQueue queue = session.queue();
    Memory memory = Memory.buffer(session.context(), 4096);
    ByteBuffer host = Support.direct(64);
    Runnable command =
        () -> {
          queue.readLater(memory, 0, host.duplicate()).await();
          queue.fill(memory, new byte[1]).toFuture().join();
        };
    boolean goOn =
        othersGoOn(() -> queue.readLater(memory, 0, host.duplicate()).close(), command)
            && othersGoOn(() -> queue.fill(memory, new byte[1]).toFuture(), command);
    queue.finish();
    long end = System.currentTimeMillis() + PATIENCE_MILLIS;
    while (Completions.waiting() > 0 && System.currentTimeMillis() < end) {
      Thread.sleep(10);
    }
    System.out.println(errors + " errors, " + Completions.waiting() + " commands are waited for, " + (goOn ? "all commands ended" : "a command never ended"));
    System.exit(0);
  }
}
