// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** An answer about a device: a value, where it comes from, and what to beware of. */
public final class Answer {
  private final AnswerSource source;
  private final long value;
  private final String basis;
  private final String note;

  Answer(clpool_answer c) {
    source = AnswerSource.of((int) c.getSource());
    value = c.getValue();
    basis = c.getBasis();
    note = c.getNote();
  }

  /**
   * Where it comes from.
   *
   * @return the source
   */
  public AnswerSource source() {
    return source;
  }

  /**
   * The answer in the unit of the question.
   *
   * @return the value; yes is 1, no is 0, unknown -1
   */
  public long value() {
    return value;
  }

  /**
   * Whether the answer is yes.
   *
   * @return true if the value is 1
   */
  public boolean isYes() {
    return value == 1;
  }

  /**
   * The query or the table's row behind it.
   *
   * @return text such as "CL_DEVICE_WARP_SIZE_NV"; "" for none
   */
  public String basis() {
    return basis;
  }

  /**
   * What to beware of.
   *
   * @return text; "" for nothing
   */
  public String note() {
    return note;
  }

  @Override
  public String toString() {
    return value + " (" + source + (basis.isEmpty() ? "" : ": " + basis) + ")";
  }
}
