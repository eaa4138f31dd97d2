// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** An answer about a device: a value, where it comes from, and what to beware of. */
public final class Answer extends AnswerFields {
  Answer(clpool_answer c) {
    super(c);
  }

  /**
   * Whether the answer is yes.
   *
   * @return true if the value is 1
   */
  public boolean isYes() {
    return value() == 1;
  }

  @Override
  public String toString() {
    return value() + " (" + source() + (basis().isEmpty() ? "" : ": " + basis()) + ")";
  }
}
