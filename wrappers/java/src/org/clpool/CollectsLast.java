// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** An out-of-memory function, and a collection of garbage when that says no, once a request. */
final class CollectsLast implements OutOfMemoryHandler {
  private final OutOfMemoryHandler asked;
  private final ThreadLocal<Boolean> collected = new ThreadLocal<>();

  CollectsLast(OutOfMemoryHandler asked) {
    this.asked = asked;
  }

  @Override
  public boolean tryAgain(long size, int attempt) {
    boolean inVain = attempt > 1 && collected.get() != null;
    collected.remove();
    if (inVain) {
      return false;
    }
    if (!asked.tryAgain(size, attempt)) {
      collected.set(true);
      LeakGuard.collectGarbage();
    }
    return true;
  }
}
