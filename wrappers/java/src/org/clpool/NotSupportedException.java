// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** The device, platform or OpenCL version lacks the feature; the message names what is needed. */
public class NotSupportedException extends ClpoolException {
  private static final long serialVersionUID = 1L;

  NotSupportedException(String message, int clError, Throwable cause) {
    super(Status.NOT_SUPPORTED, message, clError, cause);
  }
}
