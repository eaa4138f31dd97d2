// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.nio.ByteBuffer;

/**
 * Commands on images, carried out on a queue. Origins and regions are pixels, x first, 1 to 3 entries: missing ones are
 * 0 and 1. What {@link Queue} says about events, checks and host buffers holds here too.
 */
public final class ImageCommands {
  private final Queue queue;

  ImageCommands(Queue queue) {
    this.queue = queue;
  }

  private static long[] origin(long[] values) {
    return Sizes.three("origin", values, 0);
  }

  private static long[] region(long[] values) {
    return Sizes.three("region", values, 1);
  }

  /**
   * Fills a region with one color.
   *
   * @param image the image
   * @param color four floats, integers or unsigned integers of 4 bytes as the format wants, in native byte order; one
   *     float for depth images
   * @param origin first pixel
   * @param region pixels
   * @param after events to wait for
   * @return the end of the command
   */
  public Event fill(Image image, byte[] color, long[] origin, long[] region, Event... after) {
    if (color == null) {
      throw new IllegalArgumentException("color is null");
    }
    long[] event = new long[1];
    Native.clpool_image_fill(
        queue.handle(), image.live(), color, origin(origin), region(region), Event.handles(after), event);
    return queue.done(event, null, image, null, after);
  }

  /**
   * Reads a region into a host buffer, without gaps, and waits.
   *
   * @param image where from
   * @param origin first pixel
   * @param region pixels
   * @param host where to
   * @param after events to wait for
   */
  public void read(Image image, long[] origin, long[] region, ByteBuffer host, Event... after) {
    read(image, origin, region, 0, 0, host, after);
  }

  /**
   * Reads a region into a host buffer, and waits.
   *
   * @param image where from
   * @param origin first pixel
   * @param region pixels
   * @param rowPitch bytes from row to row in the host buffer; 0: tight
   * @param slicePitch bytes from slice to slice; 0: tight
   * @param host where to; bytes in gaps keep their values
   * @param after events to wait for
   */
  public void read(
      Image image, long[] origin, long[] region, long rowPitch, long slicePitch, ByteBuffer host, Event... after) {
    HostBytes bytes = HostBytes.toUpdate(host);
    Native.clpool_image_read(
        queue.handle(), image.live(), origin(origin), region(region), Sizes.check("rowPitch", rowPitch),
        Sizes.check("slicePitch", slicePitch), bytes.address(), bytes.size(), 1, Event.handles(after), null);
    bytes.finish();
    queue.done(null, bytes, image, null, after);
  }

  /**
   * Writes a host buffer without gaps into a region, and waits until the host buffer may be changed.
   *
   * @param image where to
   * @param origin first pixel
   * @param region pixels
   * @param host where from
   * @param after events to wait for
   */
  public void write(Image image, long[] origin, long[] region, ByteBuffer host, Event... after) {
    write(image, origin, region, 0, 0, host, after);
  }

  /**
   * Writes a host buffer into a region, and waits until the host buffer may be changed.
   *
   * @param image where to
   * @param origin first pixel
   * @param region pixels
   * @param rowPitch bytes from row to row in the host buffer; 0: tight
   * @param slicePitch bytes from slice to slice; 0: tight
   * @param host where from
   * @param after events to wait for
   */
  public void write(
      Image image, long[] origin, long[] region, long rowPitch, long slicePitch, ByteBuffer host, Event... after) {
    HostBytes bytes = HostBytes.toRead(host);
    Native.clpool_image_write(
        queue.handle(), image.live(), origin(origin), region(region), Sizes.check("rowPitch", rowPitch),
        Sizes.check("slicePitch", slicePitch), bytes.address(), bytes.size(), 1, Event.handles(after), null);
    queue.done(null, bytes, image, null, after);
  }

  /**
   * Copies a region from image to image.
   *
   * @param target where to
   * @param targetOrigin first pixel there
   * @param source where from, of the same format
   * @param sourceOrigin first pixel there
   * @param region pixels
   * @param after events to wait for
   * @return the end of the command
   */
  public Event copy(
      Image target, long[] targetOrigin, Image source, long[] sourceOrigin, long[] region, Event... after) {
    long[] event = new long[1];
    Native.clpool_image_copy(
        queue.handle(), target.live(), origin(targetOrigin), source.live(), origin(sourceOrigin), region(region),
        Event.handles(after), event);
    return queue.done(event, null, target, source, after);
  }

  /**
   * Copies a region of an image into a buffer, without gaps.
   *
   * @param buffer where to
   * @param offset bytes in the buffer
   * @param image where from
   * @param origin first pixel
   * @param region pixels
   * @param after events to wait for
   * @return the end of the command
   */
  public Event copyToBuffer(Memory buffer, long offset, Image image, long[] origin, long[] region, Event... after) {
    long[] event = new long[1];
    Native.clpool_image_copy_to_buffer(
        queue.handle(), buffer.live(), Sizes.check("offset", offset), image.live(), origin(origin), region(region),
        Event.handles(after), event);
    return queue.done(event, null, buffer, image, after);
  }

  /**
   * Copies a buffer that holds a region without gaps into an image.
   *
   * @param image where to
   * @param origin first pixel
   * @param region pixels
   * @param buffer where from
   * @param offset bytes in the buffer
   * @param after events to wait for
   * @return the end of the command
   */
  public Event copyFromBuffer(Image image, long[] origin, long[] region, Memory buffer, long offset, Event... after) {
    long[] event = new long[1];
    Native.clpool_image_copy_from_buffer(
        queue.handle(), image.live(), origin(origin), region(region), buffer.live(), Sizes.check("offset", offset),
        Event.handles(after), event);
    return queue.done(event, null, image, buffer, after);
  }

  /**
   * Maps a region of an image, and waits until the host may use it.
   *
   * @param image the image
   * @param flags {@link Cl#MAP_READ}, {@link Cl#MAP_WRITE}, {@link Cl#MAP_WRITE_INVALIDATE_REGION}
   * @param origin first pixel
   * @param region pixels, none 0
   * @param after events to wait for
   * @return the map, which tells the pitches
   */
  public MappedMemory map(Image image, long flags, long[] origin, long[] region, Event... after) {
    long map =
        Native.clpool_image_map(
            queue.handle(), image.live(), flags, origin(origin), region(region), 1, Event.handles(after), null);
    queue.done(null, null, image, null, after);
    return new MappedMemory(map, image, null);
  }
}
