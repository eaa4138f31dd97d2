// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ImageTest {
  private static final ImageFormat RGBA8 = new ImageFormat(Cl.RGBA, Cl.UNSIGNED_INT8);
  private static final long[] ORIGIN = {0, 0};
  private static final long[] ALL = {4, 3};

  private final Session session = Support.session();
  private final Context context = session.context();
  private final ImageCommands images = session.queue().images();

  @BeforeEach
  void imagesAreNeeded() {
    List<ImageFormat> formats = Image.formats(context, Cl.MEM_READ_WRITE, Cl.MEM_OBJECT_IMAGE2D);
    assumeTrue(formats.contains(RGBA8), "the device has no images of RGBA, 8 bits");
  }

  private Image image() {
    return Image.create(context, new ImageDescription(RGBA8, 4, 3).flags(Cl.MEM_READ_WRITE));
  }

  @Test
  void formatsKnowTheirSizes() {
    assertEquals(4, RGBA8.channelCount());
    assertEquals(1, RGBA8.channelSize());
    assertEquals(4, RGBA8.itemSize());
    assertEquals("CL_RGBA of CL_UNSIGNED_INT8", RGBA8.toString());
    assertEquals(RGBA8, new ImageFormat(Cl.RGBA, Cl.UNSIGNED_INT8));
    assertEquals(RGBA8.hashCode(), new ImageFormat(Cl.RGBA, Cl.UNSIGNED_INT8).hashCode());
    assertNotEquals(RGBA8, new ImageFormat(Cl.RGBA, Cl.FLOAT));
    assertEquals(Cl.RGBA, RGBA8.channelOrder());
    assertEquals(Cl.UNSIGNED_INT8, RGBA8.channelType());
    assertEquals("0x1 of 0x2", new ImageFormat(1, 2).toString());
    assertThrows(ClpoolException.class, () -> new ImageFormat(1, 2).itemSize());
  }

  @Test
  void imagesTellWhatTheyAre() {
    try (Image image = image()) {
      assertArrayEquals(ALL, image.shape());
      assertEquals(RGBA8, image.format());
      assertEquals(MemoryKind.IMAGE, image.kind());
      assertEquals(4, image.infoNumber(Cl.IMAGE_WIDTH));
      assertEquals(8, image.info(Cl.IMAGE_HEIGHT).length);
      try (Memory wrapped = Memory.wrap(image.handle(), true)) {
        assertTrue(wrapped instanceof Image);
      }
    }
  }

  @Test
  void regionsAreWrittenReadCopiedAndFilled() {
    ByteBuffer pixels = Support.counting(48);
    byte[] read = new byte[48];
    try (Image image = image();
        Image other = image();
        Memory buffer = Memory.buffer(context, Cl.MEM_READ_WRITE, 48)) {
      images.write(image, ORIGIN, ALL, pixels);
      images.copy(other, ORIGIN, image, ORIGIN, ALL);
      images.read(other, ORIGIN, ALL, ByteBuffer.wrap(read));
      assertEquals(47, read[47]);
      images.copyToBuffer(buffer, 0, image, new long[] {1, 1}, new long[] {2, 1}).await();
      byte[] two = new byte[8];
      session.queue().read(buffer, 0, ByteBuffer.wrap(two));
      assertArrayEquals(new byte[] {20, 21, 22, 23, 24, 25, 26, 27}, two);
      images.copyFromBuffer(other, ORIGIN, new long[] {2, 1}, buffer, 0).await();
      images.read(other, ORIGIN, ALL, 32, 0, ByteBuffer.wrap(new byte[96]));
      images.read(other, ORIGIN, ALL, ByteBuffer.wrap(read));
      assertEquals(20, read[0]);
      ByteBuffer color = Support.direct(16);
      color.putInt(1).putInt(2).putInt(3).putInt(4).flip();
      byte[] bytes = new byte[16];
      color.get(bytes);
      images.fill(image, bytes, ORIGIN, ALL).await();
      images.read(image, ORIGIN, ALL, ByteBuffer.wrap(read));
      assertEquals(4, read[47]);
      assertThrows(
          IllegalArgumentException.class,
          () -> images.read(image, ORIGIN, new long[] {5, 3}, ByteBuffer.allocate(60)));
      assertThrows(
          IllegalArgumentException.class, () -> images.read(image, ORIGIN, ALL, ByteBuffer.allocate(47)));
    }
  }

  @Test
  void imagesAreMapped() {
    try (Image image = image()) {
      try (MappedMemory map = images.map(image, Cl.MAP_WRITE, ORIGIN, ALL)) {
        assertTrue(map.rowPitch() >= 16);
        map.byteBuffer().put((int) map.rowPitch() * 2 + 15, (byte) 99);
      }
      byte[] read = new byte[48];
      images.read(image, ORIGIN, ALL, ByteBuffer.wrap(read));
      assertEquals(99, read[47]);
    }
  }

  @Test
  void imagesAreMadeOfHostDataAndArrays() {
    ByteBuffer pixels = Support.counting(48);
    byte[] read = new byte[48];
    ImageDescription description =
        new ImageDescription(RGBA8, 4, 3).flags(Cl.MEM_READ_ONLY | Cl.MEM_COPY_HOST_PTR).host(pixels);
    try (Image copied = Image.create(context, description.pitches(16, 0).array(false))) {
      images.read(copied, ORIGIN, ALL, ByteBuffer.wrap(read));
      assertEquals(30, read[30]);
    }
    ImageArray array =
        new ImageArray(ElementType.UINT8, pixels, 3, 4)
            .channels(4)
            .normalized(true)
            .access(Cl.MEM_READ_ONLY);
    try (Image of = Image.of(context, array)) {
      assertArrayEquals(ALL, of.shape());
      assertEquals(new ImageFormat(Cl.RGBA, Cl.UNORM_INT8), of.format());
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> Image.of(context, new ImageArray(ElementType.UINT8, pixels, 100, 100)));
  }

  @Test
  void samplersAreHandles() {
    try (Sampler sampler = Sampler.create(context, false, Cl.ADDRESS_CLAMP, Cl.FILTER_NEAREST);
        Sampler byDefault = Sampler.withProperties(context)) {
      assertNotEquals(0, sampler.handle());
      assertNotEquals(sampler.handle(), byDefault.handle());
      assertFalse(sampler.toString().isEmpty());
    }
  }

  @Test
  void commandsThatDoNotWaitGiveEvents() {
    ByteBuffer pixels = Support.counting(48);
    ByteBuffer back = Support.direct(48);
    ByteBuffer gaps = Support.direct(96);
    try (Image image = image();
        Event gate = Event.user(context)) {
      Event written = images.writeLater(image, pixels, gate);
      Event read = images.readLater(image, back, written);
      Event apart = images.readLater(image, ORIGIN, ALL, 32, 0, gaps, written);
      MappedMemory map = images.mapLater(image, Cl.MAP_READ, read, apart);
      assertFalse(read.isDone());
      assertFalse(map.mapped().isDone());
      gate.complete();
      map.mapped().await();
      assertEquals(pixels, back);
      assertEquals(47, gaps.get(79));
      assertEquals(15, map.byteBuffer().get(15));
      map.close();
      images.writeLater(image, new long[] {1, 0}, new long[] {1, 1}, Support.direct(4)).await();
      images.readLater(image, new long[] {1, 0}, new long[] {2, 1}, back).await();
      assertEquals(0, back.get(3));
      assertEquals(8, back.get(4));
      try (MappedMemory part = images.mapLater(image, Cl.MAP_READ, new long[] {2, 1}, new long[] {1, 1})) {
        part.mapped().await();
        assertEquals(24, part.byteBuffer().get(0));
      }
      assertThrows(IllegalArgumentException.class, () -> images.readLater(image, ByteBuffer.allocate(48)));
      assertThrows(IllegalArgumentException.class, () -> images.writeLater(image, Support.direct(47)));
    }
  }
}
