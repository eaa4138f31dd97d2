// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Where an answer comes from. */
public enum AnswerSource {
  /** There is no answer. */
  NONE,
  /** The device was asked. */
  QUERY,
  /** A kernel was built and the driver asked about it. */
  KERNEL_QUERY,
  /** What is published of such devices. */
  TABLE,
  /** Nothing is known: a cautious figure. */
  GUESS,
  /** The device has no such thing. */
  NOT_APPLICABLE;

  private static final AnswerSource[] ALL = values(); // numbered as in C

  static AnswerSource of(int number) {
    return ALL[number];
  }

  @Override
  public String toString() {
    return Native.clpool_source_name(ordinal());
  }
}
