// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.function.LongSupplier;

/** A cl_sampler. */
public final class Sampler extends NativeObject {
  private Sampler(LongSupplier made) {
    super("sampler", made, Native::java_sampler_release);
  }

  /**
   * Makes a sampler.
   *
   * @param context where it is made
   * @param normalized whether coordinates go from 0 to 1
   * @param addressing {@link Cl#ADDRESS_CLAMP}, …
   * @param filter {@link Cl#FILTER_NEAREST} or {@link Cl#FILTER_LINEAR}
   * @return the sampler
   */
  public static Sampler create(Context context, boolean normalized, int addressing, int filter) {
    return new Sampler(
        () -> Errors.required("context", context)
            .with(c -> Native.clpool_sampler_create(c, normalized ? 1 : 0, addressing, filter)));
  }

  /**
   * Makes a sampler from properties.
   *
   * @param context where it is made
   * @param properties pairs of name (CL_SAMPLER_…), which is not 0, and value, without the 0 that ends them in C
   * @return the sampler
   */
  public static Sampler withProperties(Context context, long... properties) {
    if (Errors.required("properties", properties).length % 2 != 0) {
      throw Errors.invalid("properties has " + properties.length + " entries, but must have pairs of name and value");
    }
    for (int i = 0; i < properties.length; i += 2) {
      if (properties[i] == 0) {
        throw Errors.invalid("properties[" + i + "] is 0, which is no name of a property");
      }
    }
    long[] ended = java.util.Arrays.copyOf(properties, properties.length + 1);
    return new Sampler(
        () -> Errors.required("context", context).with(c -> Native.clpool_sampler_create_with_properties(c, ended)));
  }

  /**
   * The cl_sampler for kernels; the reference stays here.
   *
   * @return the handle
   */
  public long handle() {
    return with(value -> value);
  }
}
