// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.Arrays;
import java.nio.ByteBuffer;

/** A contiguous array in C order, [depth][height][width][channels], to be copied into an image. */
public final class ImageArray {
  private final ElementType element;
  private final ByteBuffer data;
  private final long[] shape;
  private int channels = 1;
  private boolean normalized;
  private long access;

  /**
   * An array of one channel for an image that kernels read.
   *
   * @param element type of the numbers
   * @param data the numbers, in native byte order, between position and limit
   * @param shape slowest index first, without the channels: 1 to 3 entries
   */
  public ImageArray(ElementType element, ByteBuffer data, long... shape) {
    this.element = Errors.required("element", element);
    this.data = Errors.required("data", data);
    this.shape = Errors.required("shape", shape).clone();
    Sizes.three("shape", shape, 0);
  }

  /**
   * Numbers of one pixel.
   *
   * @param value 1 to 4; three become four, the last being 1
   * @return this
   */
  public ImageArray channels(int value) {
    channels = (int) Sizes.check("channels", value);
    return this;
  }

  /**
   * 8- and 16-bit integers stand for -1…1 or 0…1.
   *
   * @param value whether
   * @return this
   */
  public ImageArray normalized(boolean value) {
    normalized = value;
    return this;
  }

  /**
   * How kernels use the image.
   *
   * @param flags {@link Cl#MEM_READ_ONLY}, which 0 means, {@link Cl#MEM_WRITE_ONLY} or {@link Cl#MEM_READ_WRITE}
   * @return this
   */
  public ImageArray access(long flags) {
    access = flags;
    return this;
  }

  Image create(Context context) {
    HostBytes bytes = HostBytes.toRead(data);
    try (clpool_image_array c = new clpool_image_array();
        Uses uses = new Uses()) {
      c.setElement(element.number());
      c.setChannels(channels);
      c.setNormalized(normalized ? 1 : 0);
      c.setAccess(access);
      c.setDimensions(shape.length);
      c.setShape(Sizes.three("shape", shape, 0));
      c.setData(uses.of("data", bytes));
      c.setSize(bytes.size());
      long within = uses.of("context", context);
      return Image.watched(null, () -> Native.clpool_image_create_from_array(within, c));
    }
  }

  @Override
  public String toString() {
    return "ImageArray[" + Arrays.toString(shape) + " of " + element + "]";
  }
}
