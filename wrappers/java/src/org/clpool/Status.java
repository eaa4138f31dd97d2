// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** What a call of the library came to. */
public enum Status {
  /** The call did what it says. */
  SUCCESS(0),
  /** An argument is outside its range; thrown as {@link IllegalArgumentException}. */
  INVALID_VALUE(1),
  /** The object's state does not allow the call; thrown as {@link IllegalStateException}. */
  INVALID_OPERATION(2),
  /** Device memory or a limit is exhausted; thrown as {@link OutOfDeviceMemoryException}. */
  OUT_OF_MEMORY(3),
  /** Native host memory is exhausted. */
  OUT_OF_HOST_MEMORY(4),
  /** The device, platform or OpenCL version lacks the feature; thrown as {@link NotSupportedException}. */
  NOT_SUPPORTED(5),
  /** An OpenCL call failed; see {@link ClpoolException#clError()}. */
  OPENCL(6),
  /** A callback failed; what it threw is the exception's cause. */
  CALLBACK(7),
  /** A file could not be opened, read or written. */
  IO(8),
  /** Input is malformed. */
  BAD_FORMAT(9),
  /** No such device, entry or object. */
  NOT_FOUND(10),
  /** A non-blocking call would have had to block. */
  WOULD_BLOCK(11),
  /** A broken invariant of the library itself: please report it. */
  INTERNAL(12);

  private static final Status[] ALL = values();
  private final int number;

  Status(int number) {
    this.number = number;
  }

  /**
   * The number in the C API.
   *
   * @return one of CLPOOL_SUCCESS and CLPOOL_ERROR_…
   */
  public int number() {
    return number;
  }

  /** Numbers of a newer library count as internal errors. */
  static Status of(int number) {
    return number >= 0 && number < ALL.length ? ALL[number] : INTERNAL;
  }
}
