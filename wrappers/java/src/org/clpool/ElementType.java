// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Types of numbers in an array. */
public enum ElementType {
  /** Signed, 8 bits. */
  INT8,
  /** Unsigned, 8 bits. */
  UINT8,
  /** Signed, 16 bits. */
  INT16,
  /** Unsigned, 16 bits. */
  UINT16,
  /** Signed, 32 bits. */
  INT32,
  /** Unsigned, 32 bits. */
  UINT32,
  /** Half precision. */
  FLOAT16,
  /** Single precision. */
  FLOAT32;

  /** The number in C, from 1. */
  int number() {
    return ordinal() + 1;
  }
}
