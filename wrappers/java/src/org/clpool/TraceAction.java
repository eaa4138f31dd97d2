// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** What an event of an allocation log is. */
public enum TraceAction {
  /** A block was allocated. */
  ALLOCATE,
  /** A block was released. */
  RELEASE,
  /** An allocation failed. */
  ALLOCATE_FAILURE;

  private static final TraceAction[] ALL = values(); // numbered from 1 in C

  int number() {
    return ordinal() + 1;
  }

  static TraceAction of(int number) {
    return ALL[number - 1];
  }
}
