// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Who made the device that limits describe. */
public enum DeviceVendor {
  /** Anyone else. */
  GENERIC,
  /** NVIDIA. */
  NVIDIA,
  /** AMD. */
  AMD,
  /** Intel. */
  INTEL;

  private static final DeviceVendor[] ALL = values(); // numbered as in C

  int number() {
    return ordinal();
  }

  static DeviceVendor of(int number) {
    return ALL[number];
  }
}
