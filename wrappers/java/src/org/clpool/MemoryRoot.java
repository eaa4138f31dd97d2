// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Where memory lies: a buffer object and an offset in it. */
public final class MemoryRoot {
  private final long buffer;
  private final long offset;

  MemoryRoot(long buffer, long offset) {
    this.buffer = buffer;
    this.offset = offset;
  }

  /**
   * The buffer object.
   *
   * @return a cl_mem, which is no sub-buffer; the reference stays with the memory
   */
  public long buffer() {
    return buffer;
  }

  /**
   * Where the memory begins in it.
   *
   * @return bytes
   */
  public long offset() {
    return offset;
  }

  @Override
  public String toString() {
    return "MemoryRoot[0x" + Long.toHexString(buffer) + " + " + offset + "]";
  }
}
