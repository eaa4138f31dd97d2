// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** What limits the work-groups of a multiprocessor. */
public enum LimitingFactor {
  /** Warps, that is, threads. */
  WARPS,
  /** Registers. */
  REGISTERS,
  /** Local memory. */
  LOCAL_MEMORY,
  /** The number of groups itself. */
  GROUPS,
  /** Named barriers. */
  BARRIERS;

  // Bits in C, in this order.
  static Set<LimitingFactor> of(long bits) {
    Set<LimitingFactor> factors = EnumSet.noneOf(LimitingFactor.class);
    for (LimitingFactor factor : values()) {
      if ((bits & 1L << factor.ordinal()) != 0) {
        factors.add(factor);
      }
    }
    return Collections.unmodifiableSet(factors);
  }

  /**
   * Its name in a model's words.
   *
   * @param model whose
   * @return text such as "registers"
   */
  public String name(Model model) {
    return Native.clpool_occupancy_factor_name(1L << ordinal(), model.number());
  }
}
