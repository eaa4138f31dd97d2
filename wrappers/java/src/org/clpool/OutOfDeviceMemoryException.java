// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Device memory or a limit is exhausted, and everything that could help was tried. */
public class OutOfDeviceMemoryException extends ClpoolException {
  private static final long serialVersionUID = 1L;

  /**
   * For allocators written in Java, which say by it that they are out of memory: the pool then gives memory back and
   * asks again.
   *
   * @param message what was asked for and what there is
   */
  public OutOfDeviceMemoryException(String message) {
    this(message, 0, null);
  }

  OutOfDeviceMemoryException(String message, int clError, Throwable cause) {
    super(Status.OUT_OF_MEMORY, message, clError, cause);
  }
}
