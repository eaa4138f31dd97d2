// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** How a pool finds memory. */
public enum Strategy {
  /** Blocks are split from large chunks and merged again; wastes least, and fastest. */
  COALESCING(1),
  /** Whole chunks in bins by their leading bits: exactly what PyOpenCL's and PyCUDA's pools do. */
  BINNED(2);

  private final int number;

  Strategy(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }
}
