// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Numbers on their way to C, where they are unsigned. */
final class Sizes {
  private static final long MOST_32 = 0xFFFFFFFFL; // of an unsigned number of 32 bits
  static final long WHOLE = Constants.CLPOOL_WHOLE_SIZE;

  private Sizes() {}

  static long check(String name, long value) {
    if (value < 0) {
      throw Errors.invalid(name + " is " + value + ", but must not be negative");
    }
    return value;
  }

  static long check32(String name, long value) {
    if (check(name, value) > MOST_32) {
      throw Errors.invalid(name + " is " + value + ", but must be at most " + MOST_32);
    }
    return value;
  }

  static long positive(String name, long value) {
    if (value <= 0) {
      throw Errors.invalid(name + " is " + value + ", but must be more than 0");
    }
    return value;
  }

  static long[] check(String name, long[] values) {
    if (values == null) {
      throw Errors.missing(name);
    }
    for (int i = 0; i < values.length; ++i) {
      check(name + "[" + i + "]", values[i]);
    }
    return values;
  }

  /** Three numbers of one to three, filled up. */
  static long[] three(String name, long[] values, long filler) {
    check(name, values);
    if (values.length < 1 || values.length > 3) {
      throw Errors.invalid(name + " has " + values.length + " entries, but must have 1 to 3");
    }
    long[] filled = {filler, filler, filler};
    System.arraycopy(values, 0, filled, 0, values.length);
    return filled;
  }
}
