// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Kinds of shared virtual memory. */
public enum SvmKind {
  /** Must be mapped while the host uses it. */
  COARSE_BUFFER,
  /** Need not be mapped. */
  FINE_BUFFER,
  /** All of the host's memory. */
  FINE_SYSTEM,
  /** Fine grain with atomics. */
  FINE_BUFFER_ATOMICS,
  /** All of the host's memory, with atomics. */
  FINE_SYSTEM_ATOMICS;

  /** The number in C, from 1. */
  int number() {
    return ordinal() + 1;
  }
}
