// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** A cl_sampler. */
public final class Sampler extends NativeObject {
  private Sampler(long value) {
    super("sampler", value, Native::java_sampler_release);
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
        Errors.required("context", context)
            .with(c -> Native.clpool_sampler_create(c, normalized ? 1 : 0, addressing, filter)));
  }

  /**
   * Makes a sampler from properties.
   *
   * @param context where it is made
   * @param properties pairs of name (CL_SAMPLER_…) and value, without the 0 that ends them in C
   * @return the sampler
   */
  public static Sampler withProperties(Context context, long... properties) {
    long[] ended = java.util.Arrays.copyOf(Errors.required("properties", properties), properties.length + 1);
    return new Sampler(
        Errors.required("context", context).with(c -> Native.clpool_sampler_create_with_properties(c, ended)));
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
