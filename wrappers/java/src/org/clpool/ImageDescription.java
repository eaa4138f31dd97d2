// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.Arrays;
import java.nio.ByteBuffer;

/** What a new image is to be. */
public final class ImageDescription {
  private final ImageFormat format;
  private final long[] shape;
  private long flags;
  private boolean array;
  private long rowPitch;
  private long slicePitch;
  private ByteBuffer host;
  private Memory buffer;

  /**
   * An image for reading and writing.
   *
   * @param format format of a pixel
   * @param shape pixels, x first: 1 to 3 entries; the last one of an array counts its layers
   */
  public ImageDescription(ImageFormat format, long... shape) {
    this.format = Errors.required("format", format);
    this.shape = Sizes.check("shape", shape).clone();
    Sizes.three("shape", shape, 0);
  }

  /**
   * How it is used.
   *
   * @param value cl_mem_flags; 0, the default, means {@link Cl#MEM_READ_WRITE}
   * @return this
   */
  public ImageDescription flags(long value) {
    flags = value;
    return this;
  }

  /**
   * Makes it an array of 1-D or 2-D images.
   *
   * @param value whether
   * @return this
   */
  public ImageDescription array(boolean value) {
    array = value;
    return this;
  }

  /**
   * How the host memory or buffer is laid out.
   *
   * @param row bytes from row to row; 0: tight
   * @param slice bytes from slice to slice; 0: tight
   * @return this
   */
  public ImageDescription pitches(long row, long slice) {
    rowPitch = Sizes.check("row", row);
    slicePitch = Sizes.check("slice", slice);
    return this;
  }

  /**
   * Host data, with {@link Cl#MEM_USE_HOST_PTR}, which needs a direct buffer, or {@link Cl#MEM_COPY_HOST_PTR}.
   *
   * @param value the bytes between position and limit
   * @return this
   */
  public ImageDescription host(ByteBuffer value) {
    host = value;
    return this;
  }

  /**
   * A buffer that the image lies in and keeps alive.
   *
   * @param value the buffer
   * @return this
   */
  public ImageDescription buffer(Memory value) {
    buffer = value;
    return this;
  }

  Image create(Context context) {
    HostBytes bytes = hostBytes();
    try (clpool_image_options options = new clpool_image_options();
        cl_image_format c = format.toC();
        Uses uses = new Uses()) {
      options.setDimensions(shape.length);
      options.setFlags(flags);
      options.setFormat(c);
      options.setShape(Sizes.three("shape", shape, 0));
      options.setIs_array(array ? 1 : 0);
      options.setRow_pitch(rowPitch);
      options.setSlice_pitch(slicePitch);
      if (bytes != null) {
        options.setHost(uses.of("host", bytes));
        options.setHost_size(bytes.size());
      }
      options.setBuffer(uses.ofOptional(buffer));
      Object keeper = bytes == null ? buffer : new Memory.InHostMemory(bytes, buffer);
      long within = uses.of("context", context);
      Image image = Image.watched(keeper, () -> Native.clpool_image_create(within, options));
      if (bytes != null) {
        image.keeping(flags, bytes);
      }
      return image;
    }
  }

  private HostBytes hostBytes() {
    return host == null ? null : HostBytes.forFlags(flags, host);
  }

  @Override
  public String toString() {
    return "ImageDescription[" + Arrays.toString(shape) + " of " + format + "]";
  }
}
