// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Which accesses to local memory fall on the same bank. */
public final class BankConflicts {
  private final long multiplicity;
  private final String reason;

  BankConflicts(long multiplicity, String reason) {
    this.multiplicity = multiplicity;
    this.reason = reason;
  }

  /**
   * The same in 32 banks of 4 bytes with 32 work items at a time, for an array that is laid out as it is accessed.
   *
   * @param itemSize bytes of an item
   * @param shape extents, fastest axis last
   * @return the multiplicity and why
   */
  public static BankConflicts of(long itemSize, long[] shape) {
    return of(itemSize, shape, null);
  }

  /**
   * The same in 32 banks of 4 bytes with 32 work items at a time.
   *
   * @param itemSize bytes of an item
   * @param shape extents that are accessed, fastest axis last
   * @param storedShapeOrNull extents that are laid out; null: as shape
   * @return the multiplicity and why
   */
  public static BankConflicts of(long itemSize, long[] shape, long[] storedShapeOrNull) {
    return of(BankMemory.byDefault(), itemSize, shape, storedShapeOrNull);
  }

  /**
   * Finds the worst bank conflict of work items that run along the axes of an array in local memory. No device is
   * needed.
   *
   * @param memory the banks
   * @param itemSize bytes of an item
   * @param shape extents that are accessed, fastest axis last
   * @param storedShapeOrNull extents that are laid out, such as (32, 33) for (32, 32); null: as shape
   * @return the multiplicity and why
   */
  public static BankConflicts of(BankMemory memory, long itemSize, long[] shape, long[] storedShapeOrNull) {
    Sizes.check("itemSize", itemSize);
    Sizes.check("shape", shape);
    long[] multiplicity = new long[1];
    try (clpool_bank_memory c = Errors.required("memory", memory).toC()) {
      String reason =
          Text.from(
              (bytes, needed) ->
                  Native.clpool_bank_conflicts(
                      c, itemSize, shape, storedShapeOrNull, multiplicity, bytes, needed));
      return new BankConflicts(multiplicity[0], reason);
    }
  }

  /**
   * Accesses that one bank serves one after the other.
   *
   * @return the number; 1: free of conflicts
   */
  public long multiplicity() {
    return multiplicity;
  }

  /**
   * Why.
   *
   * @return text; "" for no conflict
   */
  public String reason() {
    return reason;
  }

  @Override
  public String toString() {
    return multiplicity + (reason.isEmpty() ? "" : " (" + reason + ")");
  }
}
