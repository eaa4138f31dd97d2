// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** An argument is outside its range; the message names the value and the limit. */
public final class InvalidValueException extends IllegalArgumentException implements ClpoolError {
  private static final long serialVersionUID = 1L;

  /** OpenCL's code. */
  private final int clError;

  InvalidValueException(String message, int clError, Throwable cause) {
    super(message, cause);
    this.clError = clError;
  }

  @Override
  public Status status() {
    return Status.INVALID_VALUE;
  }

  @Override
  public int clError() {
    return clError;
  }
}
