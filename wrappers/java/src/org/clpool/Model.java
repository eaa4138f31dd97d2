// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Whose rules answer. */
public enum Model {
  /** Today's. */
  CURRENT,
  /** PyOpenCL's, and PyCUDA's where PyOpenCL has no such question (occupancy, device data); for comparison. */
  PYOPENCL,
  /** PyCUDA 2014.1's, which differs in the warps of compute capabilities 3.0 and later. */
  PYCUDA_2014;

  private static final Model[] ALL = values(); // numbered as in C

  int number() {
    return ordinal();
  }

  static Model of(int number) {
    return ALL[number];
  }
}
