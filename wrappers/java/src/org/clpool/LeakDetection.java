// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** What happens to blocks of a pool that a program forgets to close. */
public enum LeakDetection {
  /** They are lost to the pool until the process ends. Costs nothing. */
  NONE,
  /**
   * One block of 64 is watched: it comes back, and a warning message tells where it was allocated. The others are
   * lost. For finding out whether a program forgets any.
   */
  SAMPLED,
  /** All come back some time after the garbage collector found them. The default. */
  ALL
}
