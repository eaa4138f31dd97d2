// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.Objects;

/** Format of a pixel: the order of its channels and the type of each. */
public final class ImageFormat {
  private final int channelOrder;
  private final int channelType;

  /**
   * A format.
   *
   * @param channelOrder {@link Cl#RGBA}, …
   * @param channelType {@link Cl#UNORM_INT8}, …
   */
  public ImageFormat(int channelOrder, int channelType) {
    this.channelOrder = channelOrder;
    this.channelType = channelType;
  }

  /**
   * The order of the channels.
   *
   * @return OpenCL's number
   */
  public int channelOrder() {
    return channelOrder;
  }

  /**
   * The type of a channel.
   *
   * @return OpenCL's number
   */
  public int channelType() {
    return channelType;
  }

  /**
   * Number of channels.
   *
   * @return the number
   */
  public int channelCount() {
    long[] count = new long[1];
    Native.clpool_image_channel_count(channelOrder, count);
    return (int) count[0];
  }

  /**
   * Bytes of one channel; for packed types those of the whole pixel.
   *
   * @return bytes
   */
  public long channelSize() {
    long[] bytes = new long[1];
    Native.clpool_image_channel_size(channelType, bytes);
    return bytes[0];
  }

  /**
   * Bytes of one pixel.
   *
   * @return bytes
   */
  public long itemSize() {
    long[] bytes = new long[1];
    try (cl_image_format format = toC()) {
      Native.clpool_image_item_size(format, bytes);
    }
    return bytes[0];
  }

  cl_image_format toC() {
    cl_image_format format = new cl_image_format();
    format.setImage_channel_order(channelOrder);
    format.setImage_channel_data_type(channelType);
    return format;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ImageFormat
        && ((ImageFormat) other).channelOrder == channelOrder
        && ((ImageFormat) other).channelType == channelType;
  }

  @Override
  public int hashCode() {
    return Objects.hash(channelOrder, channelType);
  }

  @Override
  public String toString() {
    return name(Native.clpool_image_channel_order_name(channelOrder), channelOrder)
        + " of "
        + name(Native.clpool_image_channel_type_name(channelType), channelType);
  }

  private static String name(String known, int number) {
    return known == null ? "0x" + Integer.toHexString(number) : known;
  }
}
