// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Local memory as the model of bank conflicts sees it. Immutable: each method gives a changed copy. */
public final class BankMemory {
  private static final BankMemory DEFAULT = new BankMemory(Model.CURRENT, 0, 0, 0);

  private final Model model;
  private final int granularity;
  private final int workItems;
  private final int banks;

  private BankMemory(Model model, int granularity, int workItems, int banks) {
    this.model = model;
    this.granularity = granularity;
    this.workItems = workItems;
    this.banks = banks;
  }

  /**
   * 32 banks of 4 bytes, 32 work items at a time, by today's rules.
   *
   * @return the memory
   */
  public static BankMemory byDefault() {
    return DEFAULT;
  }

  /**
   * Whose rules count.
   *
   * @param value today's count words, PyOpenCL's work items
   * @return the changed copy
   */
  public BankMemory model(Model value) {
    return new BankMemory(value, granularity, workItems, banks);
  }

  /**
   * Bytes that one bank gives at a time.
   *
   * @param value bytes; 0: 4
   * @return the changed copy
   */
  public BankMemory granularity(int value) {
    return new BankMemory(model, (int) Sizes.check("granularity", value), workItems, banks);
  }

  /**
   * Work items that access at a time.
   *
   * @param value the number, at most 4096; 0: 32
   * @return the changed copy
   */
  public BankMemory workItems(int value) {
    return new BankMemory(model, granularity, (int) Sizes.check("workItems", value), banks);
  }

  /**
   * Banks.
   *
   * @param value the number; 0: 32
   * @return the changed copy
   */
  public BankMemory banks(int value) {
    return new BankMemory(model, granularity, workItems, (int) Sizes.check("banks", value));
  }

  clpool_bank_memory toC() {
    clpool_bank_memory c = new clpool_bank_memory();
    c.setModel(model.number());
    c.setGranularity(granularity);
    c.setWork_items(workItems);
    c.setBanks(banks);
    return c;
  }

  @Override
  public String toString() {
    return "BankMemory[" + banks + " banks, granularity " + granularity + ", " + workItems + " work-items, " + model + "]";
  }
}
