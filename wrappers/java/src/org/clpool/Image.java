// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * An image of any type. Pixels are counted x first: width; height, or layers of a 1-D array; depth, or layers of a 2-D
 * array. Commands on it are in {@link ImageCommands}.
 */
public final class Image extends Memory {
  private Image(Object keeper, LeakGuard.Leash leash, LongSupplier made) {
    super(keeper, leash, made);
  }

  /**
   * Makes an image.
   *
   * @param context where it is made
   * @param description what it is to be
   * @return the image
   */
  public static Image create(Context context, ImageDescription description) {
    return Errors.required("description", description).create(context);
  }

  /**
   * Makes an image of an array, whose shape is the array's the other way round.
   *
   * @param context where it is made
   * @param array the array; copied
   * @return the image
   */
  public static Image of(Context context, ImageArray array) {
    return Errors.required("array", array).create(context);
  }

  /**
   * The formats that a context supports.
   *
   * @param context the context
   * @param flags how the images are used: {@link Cl#MEM_READ_ONLY}, …
   * @param type {@link Cl#MEM_OBJECT_IMAGE2D}, …
   * @return the formats
   */
  public static List<ImageFormat> formats(Context context, long flags, int type) {
    Errors.required("context", context);
    long[] count = new long[1];
    context.with(c -> Native.clpool_image_formats(c, flags, type, null, count));
    long[] pairs = new long[2 * (int) count[0]];
    context.with(c -> Native.clpool_image_formats(c, flags, type, pairs, count));
    List<ImageFormat> formats = new ArrayList<>();
    for (int i = 0; i < pairs.length; i += 2) {
      formats.add(new ImageFormat((int) pairs[i], (int) pairs[i + 1]));
    }
    return formats;
  }

  /** An image that comes back when it is forgotten. */
  static Image watched(Object keeper, LongSupplier made) {
    return new Image(keeper, LeakGuard.leash(), made);
  }

  /**
   * Its shape.
   *
   * @return pixels, x first; as many entries as the image has dimensions
   */
  public long[] shape() {
    long[] dimensions = new long[1];
    long[] shape = new long[3];
    with(image -> Native.clpool_image_shape(image, dimensions, shape));
    return java.util.Arrays.copyOf(shape, (int) dimensions[0]);
  }

  /**
   * Its format.
   *
   * @return the format of a pixel
   */
  public ImageFormat format() {
    try (cl_image_format format = new cl_image_format()) {
      with(image -> Native.clpool_image_format(image, format));
      return new ImageFormat((int) format.getImage_channel_order(), (int) format.getImage_channel_data_type());
    }
  }
}
