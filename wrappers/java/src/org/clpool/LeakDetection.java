// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** What happens to blocks of a pool that a program forgets to close. */
public enum LeakDetection {
  /** They come back some time after the garbage collector found them. The default. */
  RECLAIM,
  /** As RECLAIM, and a warning message tells where each was allocated. Slow. */
  TRACE,
  /** Nothing: they are lost to the pool until the process ends. The fastest. */
  OFF
}
