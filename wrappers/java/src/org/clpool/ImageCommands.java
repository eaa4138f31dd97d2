// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.nio.ByteBuffer;

/**
 * Commands on images, carried out on a queue. Origins and regions are pixels, x first, 1 to 3 entries: missing ones are
 * 0 and 1. What {@link CommandQueue} says about events, checks and host buffers holds here too.
 */
public final class ImageCommands {
  private static final long[] START = {0, 0, 0};

  private final CommandQueue queue;

  ImageCommands(CommandQueue queue) {
    this.queue = queue;
  }

  private static long[] origin(long[] values) {
    return Sizes.three("origin", values, 0);
  }

  private static long[] region(long[] values) {
    return Sizes.three("region", values, 1);
  }

  private static long[] all(String name, Image image) {
    return Errors.required(name, image).shape();
  }

  /**
   * Fills all of an image with one color.
   *
   * @param image the image
   * @param color as for {@link #fill(Image, byte[], long[], long[], Event...)}
   * @param after events to wait for
   * @return the end of the command
   */
  public Event fill(Image image, byte[] color, Event... after) {
    return fill(image, color, START, all("image", image), after);
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
    Errors.required("color", color);
    return new Event(
        (uses, event) ->
            Native.clpool_image_fill(
                uses.of("queue", queue), uses.of("image", image), color, origin(origin), region(region),
                uses.of(after), event));
  }

  /**
   * Reads all of an image into a host buffer, without gaps, and waits.
   *
   * @param image where from
   * @param host where to
   * @param after events to wait for
   */
  public void read(Image image, ByteBuffer host, Event... after) {
    read(image, START, all("image", image), host, after);
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
    read(image, origin, region, rowPitch, slicePitch, HostBytes.toUpdate(host), CommandQueue.BLOCKING, after);
  }

  /**
   * Reads all of an image into a host buffer, without gaps and without waiting.
   *
   * @param image where from
   * @param host where to; direct, of no arena that may be closed, and to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command; the host buffer is kept until then, even if the event is dropped
   */
  public Event readLater(Image image, ByteBuffer host, Event... after) {
    return readLater(image, START, all("image", image), host, after);
  }

  /**
   * Reads a region into a host buffer, without gaps and without waiting.
   *
   * @param image where from
   * @param origin first pixel
   * @param region pixels
   * @param host where to; direct, of no arena that may be closed, and to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command; the host buffer is kept until then, even if the event is dropped
   */
  public Event readLater(Image image, long[] origin, long[] region, ByteBuffer host, Event... after) {
    return readLater(image, origin, region, 0, 0, host, after);
  }

  /**
   * Reads a region into a host buffer without waiting.
   *
   * @param image where from
   * @param origin first pixel
   * @param region pixels
   * @param rowPitch bytes from row to row in the host buffer; 0: tight
   * @param slicePitch bytes from slice to slice; 0: tight
   * @param host where to; bytes in gaps keep their values; direct, of no arena that may be closed, and to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command; the host buffer is kept until then, even if the event is dropped
   */
  public Event readLater(
      Image image, long[] origin, long[] region, long rowPitch, long slicePitch, ByteBuffer host, Event... after) {
    return read(image, origin, region, rowPitch, slicePitch, HostBytes.direct(host, true), 0, after);
  }

  private Event read(
      Image image, long[] origin, long[] region, long rowPitch, long slicePitch, HostBytes host, int blocking, Event[] after) {
    try (Uses uses = new Uses()) {
      long clQueue = uses.of("queue", queue);
      long from = uses.of("image", image);
      long[] first = origin(origin);
      long[] pixels = region(region);
      Sizes.check("rowPitch", rowPitch);
      Sizes.check("slicePitch", slicePitch);
      long to = uses.of("host", host);
      long[] waits = uses.of(after);
      return host.run(
          uses,
          blocking,
          event ->
              Native.clpool_image_read(
                  clQueue, from, first, pixels, rowPitch, slicePitch, to, host.size(), blocking, waits, event));
    }
  }

  /**
   * Writes a host buffer without gaps into all of an image, and waits until the host buffer may be changed.
   *
   * @param image where to
   * @param host where from
   * @param after events to wait for
   */
  public void write(Image image, ByteBuffer host, Event... after) {
    write(image, START, all("image", image), host, after);
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
    write(image, origin, region, rowPitch, slicePitch, HostBytes.toRead(host), CommandQueue.BLOCKING, after);
  }

  /**
   * Writes a host buffer without gaps into all of an image, without waiting.
   *
   * @param image where to
   * @param host where from; direct, of no arena that may be closed, and to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command; the host buffer is kept until then, even if the event is dropped
   */
  public Event writeLater(Image image, ByteBuffer host, Event... after) {
    return writeLater(image, START, all("image", image), host, after);
  }

  /**
   * Writes a host buffer without gaps into a region, without waiting.
   *
   * @param image where to
   * @param origin first pixel
   * @param region pixels
   * @param host where from; direct, of no arena that may be closed, and to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command; the host buffer is kept until then, even if the event is dropped
   */
  public Event writeLater(Image image, long[] origin, long[] region, ByteBuffer host, Event... after) {
    return writeLater(image, origin, region, 0, 0, host, after);
  }

  /**
   * Writes a host buffer into a region without waiting.
   *
   * @param image where to
   * @param origin first pixel
   * @param region pixels
   * @param rowPitch bytes from row to row in the host buffer; 0: tight
   * @param slicePitch bytes from slice to slice; 0: tight
   * @param host where from; direct, of no arena that may be closed, and to be left alone until the event is complete
   * @param after events to wait for
   * @return the end of the command; the host buffer is kept until then, even if the event is dropped
   */
  public Event writeLater(
      Image image, long[] origin, long[] region, long rowPitch, long slicePitch, ByteBuffer host, Event... after) {
    return write(image, origin, region, rowPitch, slicePitch, HostBytes.direct(host, false), 0, after);
  }

  private Event write(
      Image image, long[] origin, long[] region, long rowPitch, long slicePitch, HostBytes host, int blocking, Event[] after) {
    try (Uses uses = new Uses()) {
      long clQueue = uses.of("queue", queue);
      long to = uses.of("image", image);
      long[] first = origin(origin);
      long[] pixels = region(region);
      Sizes.check("rowPitch", rowPitch);
      Sizes.check("slicePitch", slicePitch);
      long from = uses.of("host", host);
      long[] waits = uses.of(after);
      return host.run(
          uses,
          blocking,
          event ->
              Native.clpool_image_write(
                  clQueue, to, first, pixels, rowPitch, slicePitch, from, host.size(), blocking, waits, event));
    }
  }

  /**
   * Copies all of an image to the start of another one.
   *
   * @param target where to; at least as large as the source
   * @param source where from, of the same format
   * @param after events to wait for
   * @return the end of the command
   */
  public Event copy(Image target, Image source, Event... after) {
    return copy(target, START, source, START, all("source", source), after);
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
    return new Event(
        (uses, event) ->
            Native.clpool_image_copy(
                uses.of("queue", queue), uses.of("target", target), origin(targetOrigin),
                uses.of("source", source), origin(sourceOrigin), region(region), uses.of(after), event));
  }

  /**
   * Copies all of an image into a buffer, without gaps.
   *
   * @param buffer where to
   * @param offset bytes in the buffer
   * @param image where from
   * @param after events to wait for
   * @return the end of the command
   */
  public Event copyToBuffer(Memory buffer, long offset, Image image, Event... after) {
    return copyToBuffer(buffer, offset, image, START, all("image", image), after);
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
    return new Event(
        (uses, event) ->
            Native.clpool_image_copy_to_buffer(
                uses.of("queue", queue), uses.of("buffer", buffer), Sizes.check("offset", offset),
                uses.of("image", image), origin(origin), region(region), uses.of(after), event));
  }

  /**
   * Copies a buffer that holds all pixels without gaps into an image.
   *
   * @param image where to
   * @param buffer where from
   * @param offset bytes in the buffer
   * @param after events to wait for
   * @return the end of the command
   */
  public Event copyFromBuffer(Image image, Memory buffer, long offset, Event... after) {
    return copyFromBuffer(image, START, all("image", image), buffer, offset, after);
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
    return new Event(
        (uses, event) ->
            Native.clpool_image_copy_from_buffer(
                uses.of("queue", queue), uses.of("image", image), origin(origin), region(region),
                uses.of("buffer", buffer), Sizes.check("offset", offset), uses.of(after), event));
  }

  /**
   * Maps all of an image, and waits until the host may use it.
   *
   * @param image the image
   * @param flags as for {@link #map(Image, long, long[], long[], Event...)}
   * @param after events to wait for
   * @return the map, which tells the pitches
   */
  public MappedMemory map(Image image, long flags, Event... after) {
    return map(image, flags, START, all("image", image), after);
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
    return map(image, flags, origin, region, CommandQueue.BLOCKING, after);
  }

  /**
   * Maps all of an image without waiting.
   *
   * @param image the image
   * @param flags as for {@link #map(Image, long, long[], long[], Event...)}
   * @param after events to wait for
   * @return the map, to be used when its {@link MappedMemory#mapped()} is complete
   */
  public MappedMemory mapLater(Image image, long flags, Event... after) {
    return mapLater(image, flags, START, all("image", image), after);
  }

  /**
   * Maps a region of an image without waiting.
   *
   * @param image the image
   * @param flags as for {@link #map(Image, long, long[], long[], Event...)}
   * @param origin first pixel
   * @param region pixels, none 0
   * @param after events to wait for
   * @return the map, to be used when its {@link MappedMemory#mapped()} is complete
   */
  public MappedMemory mapLater(Image image, long flags, long[] origin, long[] region, Event... after) {
    return map(image, flags, origin, region, 0, after);
  }

  private MappedMemory map(Image image, long flags, long[] origin, long[] region, int blocking, Event[] after) {
    try (Uses uses = new Uses()) {
      long clQueue = uses.of("queue", queue);
      long from = uses.of("image", image);
      long[] first = origin(origin);
      long[] pixels = region(region);
      long[] waits = uses.of(after);
      return MappedMemory.of(
          queue, clQueue, image, flags, blocking,
          event -> Native.clpool_image_map(clQueue, from, flags, first, pixels, blocking, waits, event));
    }
  }

  @Override
  public String toString() {
    return "ImageCommands[" + queue + "]";
  }
}
