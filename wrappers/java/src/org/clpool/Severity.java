// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** How much a message matters. */
public enum Severity {
  /** What a pool does, for those who asked. */
  TRACE(1),
  /** Works, but probably not as meant. */
  WARNING(2),
  /** Something failed where nothing could be thrown. */
  ERROR(3);

  private final int number;

  Severity(int number) {
    this.number = number;
  }

  static Severity of(int number) {
    return number == TRACE.number ? TRACE : number == WARNING.number ? WARNING : ERROR;
  }
}
