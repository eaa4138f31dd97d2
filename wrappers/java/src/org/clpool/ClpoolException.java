// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** A call of the library failed. The message has the values and limits that matter. */
public class ClpoolException extends RuntimeException implements ClpoolError {
  private static final long serialVersionUID = 1L;

  /** Why. */
  private final Status status;

  /** OpenCL's code. */
  private final int clError;

  /**
   * An exception as the library throws it; allocators written in Java may throw their own.
   *
   * @param status why
   * @param message what went wrong
   * @param clError the OpenCL error code behind it, 0 for none
   * @param cause what a callback threw, or null
   */
  public ClpoolException(Status status, String message, int clError, Throwable cause) {
    super(message, cause);
    this.status = status;
    this.clError = clError;
  }

  @Override
  public Status status() {
    return status;
  }

  @Override
  public int clError() {
    return clError;
  }
}
