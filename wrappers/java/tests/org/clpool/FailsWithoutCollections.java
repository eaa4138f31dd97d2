// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** A program on a Java whose System.gc() does nothing, that lives at its limit: its requests wait for no collection. */
public final class FailsWithoutCollections {
  private static final int REQUESTS = 1000;

  private FailsWithoutCollections() {}

  public static void main(String[] arguments) {
    int failed = 0;
    try (Pool pool = Pool.builder(Allocator.custom(new Support.Dry())).maxBytes(1 << 20).build();
        Memory all = pool.allocate(1 << 20)) {
      for (int i = 0; i < REQUESTS; ++i) {
        try {
          pool.allocate(1).close();
        } catch (OutOfDeviceMemoryException e) {
          ++failed;
        }
      }
    }
    System.out.println(failed + " requests failed");
  }
}
