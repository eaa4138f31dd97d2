// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** A program of its own, as the first fault that a driver's handlers see may make them go: a division by zero is an exception. */
final class DividesByZero {
  private DividesByZero() {}

  private static int divide(int by) {
    return 7 / by;
  }

  public static void main(String[] arguments) {
    if (Device.list(DeviceSelection.byEnvironment()).isEmpty()) {
      throw new IllegalStateException("there is no device");
    }
    try {
      System.out.println("7 / 0 is " + divide(arguments.length));
    } catch (ArithmeticException e) {
      System.out.println("7 / 0 is no number");
    }
  }
}
