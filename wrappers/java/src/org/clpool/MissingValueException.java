// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Null was given for something that must not be missing; the message names it. */
public final class MissingValueException extends NullPointerException implements ClpoolError {
  private static final long serialVersionUID = 1L;

  MissingValueException(String message) {
    super(message);
  }

  @Override
  public Status status() {
    return Status.INVALID_VALUE;
  }

  /** Always 0: OpenCL was not asked. */
  @Override
  public int clError() {
    return 0;
  }
}
