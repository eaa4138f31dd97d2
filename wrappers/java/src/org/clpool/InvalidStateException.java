// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** The object is closed, or in a state that does not allow the call. */
public final class InvalidStateException extends IllegalStateException implements ClpoolError {
  private static final long serialVersionUID = 1L;

  /** OpenCL's code. */
  private final int clError;

  InvalidStateException(String message, int clError, Throwable cause) {
    super(message, cause);
    this.clError = clError;
  }

  @Override
  public Status status() {
    return Status.INVALID_OPERATION;
  }

  @Override
  public int clError() {
    return clError;
  }
}
