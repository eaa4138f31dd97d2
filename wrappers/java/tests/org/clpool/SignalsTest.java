// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What the virtual machine makes of signals is an exception still, after drivers were loaded that take them; see DividesByZero. */
class SignalsTest {
  private static final int TIMES = 20;

  private static int divide(int by) {
    return 7 / by;
  }

  @Test
  void nullReferencesAndDivisionsOfManyThreadsAtOnceAreExceptions() throws InterruptedException {
    assertFalse(Device.list(DeviceSelection.byEnvironment()).isEmpty());
    String nothing = divide(7) == 1 ? null : "";
    assertEquals(16 * TIMES, onThreads(16, () -> nothing.length()));
    assertEquals(16 * TIMES, onThreads(16, () -> divide(0)));
  }

  /** How often {@code action} threw, in so many threads. */
  private static int onThreads(int count, Runnable action) throws InterruptedException {
    AtomicInteger thrown = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; ++i) {
      threads.add(new Thread(() -> runOften(action, thrown)));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    return thrown.get();
  }

  private static void runOften(Runnable action, AtomicInteger thrown) {
    for (int i = 0; i < TIMES; ++i) {
      try {
        action.run();
      } catch (NullPointerException | ArithmeticException e) {
        thrown.incrementAndGet();
      }
    }
  }
}
