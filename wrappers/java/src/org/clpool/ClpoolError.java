// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/**
 * What every exception that this package throws tells. A null where an object is needed is a
 * {@link NullPointerException}, any other wrong argument an {@link IllegalArgumentException}, an object whose state does
 * not allow the call (a closed one, say) an {@link IllegalStateException}; all else is a {@link ClpoolException}.
 */
public interface ClpoolError {
  /**
   * Why the call failed.
   *
   * @return the status
   */
  Status status();

  /**
   * The OpenCL error code behind the failure.
   *
   * @return the code, such as -4; 0 if the failure did not come from an OpenCL call
   */
  int clError();
}
