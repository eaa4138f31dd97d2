// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** What device is wanted. Immutable: each method gives a changed copy. */
public final class DeviceSelection {
  private static final DeviceSelection DEFAULT = new DeviceSelection(null, 0, 0);

  private final String selector;
  private final long types;
  private final int flags;

  private DeviceSelection(String selector, long types, int flags) {
    this.selector = selector;
    this.types = types;
    this.flags = flags;
  }

  /**
   * As the environment says, else the best device there is.
   *
   * @return the selection
   */
  public static DeviceSelection byEnvironment() {
    return DEFAULT;
  }

  /**
   * By a text such as "gpu", "PoCL", "0:1" or "NVIDIA:H200", which then decides alone.
   *
   * @param selector platform, platform:device, a type, or a part of a name
   * @return the selection
   */
  public static DeviceSelection of(String selector) {
    return new DeviceSelection(Errors.required("selector", selector), 0, 0);
  }

  /**
   * Restricts the types of devices.
   *
   * @param deviceTypes {@link Cl#DEVICE_TYPE_GPU}, … or several of them
   * @return the changed copy
   */
  public DeviceSelection withTypes(long deviceTypes) {
    return new DeviceSelection(selector, deviceTypes, flags);
  }

  /**
   * Looks at neither variables nor files.
   *
   * @return the changed copy
   */
  public DeviceSelection ignoringEnvironment() {
    return new DeviceSelection(selector, types, flags | Constants.CLPOOL_DEVICE_IGNORE_ENVIRONMENT);
  }

  /**
   * Processes of one cluster node take different devices.
   *
   * @return the changed copy
   */
  public DeviceSelection byRank() {
    return new DeviceSelection(selector, types, flags | Constants.CLPOOL_DEVICE_BY_RANK);
  }

  String selector() {
    return selector;
  }

  long types() {
    return types;
  }

  int flags() {
    return flags;
  }

  @Override
  public String toString() {
    return "DeviceSelection[" + (selector == null ? "best" : selector) + ", types 0x" + Long.toHexString(types) + ", flags " + flags
        + "]";
  }
}
