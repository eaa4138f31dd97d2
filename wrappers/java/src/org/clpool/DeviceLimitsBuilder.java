// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Limits of a multiprocessor given as numbers. Units begin as 1, all else as 0. */
public final class DeviceLimitsBuilder extends DeviceLimitsBuilderFields<DeviceLimitsBuilder> {
  /** All defaults. */
  public DeviceLimitsBuilder() {}

  @Override
  DeviceLimitsBuilder target() {
    return this;
  }

  /**
   * Device data with these limits.
   *
   * @return the device data
   * @throws IllegalArgumentException naming the figure that cannot be
   */
  public DeviceData build() {
    try (clpool_device_limits c = new clpool_device_limits()) {
      fill(c);
      return new DeviceData(() -> Native.clpool_device_data_create_from_limits(c));
    }
  }

  @Override
  public String toString() {
    return "DeviceLimitsBuilder[" + fields() + "]";
  }
}
