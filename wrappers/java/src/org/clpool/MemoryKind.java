// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** What a piece of memory is. */
public enum MemoryKind {
  /** A buffer, or a part of one that a pool handed out. */
  BUFFER,
  /** A sub-region that was asked for. */
  SUB_REGION,
  /** An image of any type. */
  IMAGE,
  /** A pipe. */
  PIPE,
  /** Shared virtual memory: has a pointer, no handle. */
  SVM,
  /** Page-locked host memory, mapped for good: has a pointer, no handle. */
  PINNED,
  /** Memory of a custom allocator: its pointer is chunk + offset. */
  CUSTOM;

  private static final MemoryKind[] ALL = values(); // numbered from 1 in C

  static MemoryKind of(int number) {
    return ALL[number - 1];
  }
}
