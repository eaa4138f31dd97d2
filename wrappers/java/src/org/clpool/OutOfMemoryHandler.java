// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Asked last when a pool is out of memory. It may release, trim and allocate. */
@FunctionalInterface
public interface OutOfMemoryHandler {
  /**
   * Nothing has helped: may the pool try once more?
   *
   * @param size the bytes that were asked for
   * @param attempt 1 for the first call for a request, then 2, 3, …
   * @return true to try once more, false to let the request fail
   */
  boolean tryAgain(long size, int attempt);
}
