// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** A cl_context. */
public final class Context extends NativeObject {
  /** Takes over a reference. */
  Context(LongSupplier made) {
    super("context", made, Native::java_context_release);
  }

  /**
   * For a context that another library made; it is retained.
   *
   * @param clContext its cl_context
   * @return the context
   */
  public static Context of(long clContext) {
    requireHandle("cl_context", clContext);
    return new Context(
        () -> {
          Native.java_context_retain(clContext);
          return clContext;
        });
  }

  /**
   * Makes a context for one device.
   *
   * @param device the device
   * @return the context
   */
  public static Context create(Device device) {
    return new Context(() -> Native.java_context_create(Errors.required("device", device).handle()));
  }

  static long requireHandle(String what, long value) {
    if (value == 0) {
      throw Errors.invalid("the " + what + " is 0");
    }
    return value;
  }

  /**
   * The cl_context for other libraries; the reference stays here.
   *
   * @return the handle
   */
  public long handle() {
    return with(value -> value);
  }

  /**
   * Its devices.
   *
   * @return the devices
   */
  public List<Device> devices() {
    long[] count = new long[1];
    with(context -> Native.java_context_devices(context, null, count));
    long[] values = new long[(int) count[0]];
    with(context -> Native.java_context_devices(context, values, count));
    List<Device> devices = new ArrayList<>();
    for (long value : values) {
      devices.add(Device.of(value));
    }
    return devices;
  }
}
