// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Local memory as the model of bank conflicts sees it. Immutable: each method gives a changed copy. */
public final class BankMemory extends BankMemoryFields<BankMemory> {
  private static final BankMemory DEFAULT = new BankMemory();

  private BankMemory() {}

  /**
   * 32 banks of 4 bytes, 32 work items at a time, by today's rules.
   *
   * @return the memory
   */
  public static BankMemory byDefault() {
    return DEFAULT;
  }

  @Override
  BankMemory target() {
    BankMemory copy = new BankMemory();
    copy.assign(this);
    return copy;
  }

  clpool_bank_memory toC() {
    clpool_bank_memory c = new clpool_bank_memory();
    fill(c);
    return c;
  }

  @Override
  public String toString() {
    return "BankMemory[" + fields() + "]";
  }
}
