// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.ArrayList;
import java.util.List;

/** A cl_device_id. Devices are never released; two objects for one device are equal. */
public final class Device {
  private interface Lister {
    void list(long[] devices, long[] count);
  }

  private final long handle;

  private Device(long handle) {
    this.handle = handle;
  }

  /**
   * For a device of another library.
   *
   * @param clDeviceId its cl_device_id
   * @return the device
   */
  public static Device of(long clDeviceId) {
    return new Device(Context.requireHandle("cl_device_id", clDeviceId));
  }

  /**
   * Chooses a device as the environment says, else the best one there is.
   *
   * @return the device
   */
  public static Device choose() {
    return choose(DeviceSelection.byEnvironment());
  }

  /**
   * Chooses a device.
   *
   * @param selection what is wanted
   * @return the device
   */
  public static Device choose(DeviceSelection selection) {
    Errors.required("selection", selection);
    return of(Native.java_device_choose(selection.selector(), selection.types(), selection.flags()));
  }

  /**
   * Lists all devices that {@link #choose()} would consider, the chosen one first.
   *
   * @return the devices
   */
  public static List<Device> list() {
    return list(DeviceSelection.byEnvironment());
  }

  /**
   * Lists all devices that {@link #choose} would consider, the chosen one first.
   *
   * @param selection what is wanted
   * @return the devices
   */
  public static List<Device> list(DeviceSelection selection) {
    Errors.required("selection", selection);
    return list(
        (devices, count) ->
            Native.java_device_list(selection.selector(), selection.types(), selection.flags(), devices, count));
  }

  /**
   * Lists the devices that tests are to run on: all that CLPOOL_TEST or else PYOPENCL_TEST names, or every device.
   *
   * @return the devices; there may be none
   */
  public static List<Device> listForTests() {
    return list(Native::java_device_list_for_tests);
  }

  private static List<Device> list(Lister lister) {
    long[] count = new long[1];
    lister.list(null, count);
    long[] handles = new long[(int) count[0]];
    lister.list(handles, count);
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < Math.min(count[0], handles.length); ++i) {
      devices.add(of(handles[i]));
    }
    return devices;
  }

  /**
   * The cl_device_id for other libraries.
   *
   * @return the handle
   */
  public long handle() {
    return handle;
  }

  /**
   * Its cl_platform_id.
   *
   * @return the handle
   */
  public long platform() {
    return Native.java_device_platform(handle);
  }

  /**
   * Name and platform, without addresses, so that it is the same in every process.
   *
   * @return "name [platform]"
   */
  public String describe() {
    return Text.from((bytes, needed) -> Native.clpool_device_describe(handle, bytes, needed));
  }

  /**
   * What it is called and has, as its driver tells at this moment; what the driver does not answer is 0 or "".
   *
   * @return the facts
   */
  public DeviceFacts facts() {
    try (clpool_device_facts facts = new clpool_device_facts()) {
      Native.clpool_device_read_facts(handle, facts);
      return new DeviceFacts(facts);
    }
  }

  /**
   * Which kinds of SVM it has.
   *
   * @return bits of CL_DEVICE_SVM_…; 0 before OpenCL 2.0
   */
  public long svmCapabilities() {
    long[] bits = new long[1];
    Native.clpool_svm_capabilities(handle, bits);
    return bits[0];
  }

  /**
   * What one must know of it to use its memory well, by today's rules.
   *
   * @return the questions
   */
  public Characterization characterize() {
    return characterize(Model.CURRENT);
  }

  /**
   * What one must know of it to use its memory well.
   *
   * @param model whose rules answer
   * @return the questions
   */
  public Characterization characterize(Model model) {
    return new Characterization(this, model);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Device && ((Device) other).handle == handle;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(handle);
  }

  @Override
  public String toString() {
    return describe();
  }
}
