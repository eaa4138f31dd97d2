// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Numbers of OpenCL that calls of this package take. Any others of OpenCL work as well. */
public final class Cl {
  /** Kernels read and write. */
  public static final long MEM_READ_WRITE = 1L << 0;

  /** Kernels write only. */
  public static final long MEM_WRITE_ONLY = 1L << 1;

  /** Kernels read only. */
  public static final long MEM_READ_ONLY = 1L << 2;

  /** The host memory given is used in place. */
  public static final long MEM_USE_HOST_PTR = 1L << 3;

  /** Memory that the host can reach. */
  public static final long MEM_ALLOC_HOST_PTR = 1L << 4;

  /** The host memory given is copied. */
  public static final long MEM_COPY_HOST_PTR = 1L << 5;

  /** The host writes only. */
  public static final long MEM_HOST_WRITE_ONLY = 1L << 7;

  /** The host reads only. */
  public static final long MEM_HOST_READ_ONLY = 1L << 8;

  /** The host does neither. */
  public static final long MEM_HOST_NO_ACCESS = 1L << 9;

  /** SVM that need not be mapped. */
  public static final long MEM_SVM_FINE_GRAIN_BUFFER = 1L << 10;

  /** SVM with atomics between host and device. */
  public static final long MEM_SVM_ATOMICS = 1L << 11;

  /** The host reads. */
  public static final long MAP_READ = 1L << 0;

  /** The host writes. */
  public static final long MAP_WRITE = 1L << 1;

  /** The host writes all of it; its former content is lost. */
  public static final long MAP_WRITE_INVALIDATE_REGION = 1L << 2;

  /** Processors. */
  public static final long DEVICE_TYPE_CPU = 1L << 1;

  /** Graphics processors. */
  public static final long DEVICE_TYPE_GPU = 1L << 2;

  /** Other accelerators. */
  public static final long DEVICE_TYPE_ACCELERATOR = 1L << 3;

  /** All but custom devices. */
  public static final long DEVICE_TYPE_ALL = 0xFFFFFFFFL;

  /** Migration to the host. */
  public static final long MIGRATE_HOST = 1L << 0;

  /** Migration without content. */
  public static final long MIGRATE_CONTENT_UNDEFINED = 1L << 1;

  /** A buffer. */
  public static final int MEM_OBJECT_BUFFER = 0x10F0;

  /** A 2-D image. */
  public static final int MEM_OBJECT_IMAGE2D = 0x10F1;

  /** A 3-D image. */
  public static final int MEM_OBJECT_IMAGE3D = 0x10F2;

  /** An array of 2-D images. */
  public static final int MEM_OBJECT_IMAGE2D_ARRAY = 0x10F3;

  /** A 1-D image. */
  public static final int MEM_OBJECT_IMAGE1D = 0x10F4;

  /** An array of 1-D images. */
  public static final int MEM_OBJECT_IMAGE1D_ARRAY = 0x10F5;

  /** Property: the type of object. */
  public static final int MEM_TYPE = 0x1100;

  /** Property: the flags. */
  public static final int MEM_FLAGS = 0x1101;

  /** Property: bytes. */
  public static final int MEM_SIZE = 0x1102;

  /** Property: references. */
  public static final int MEM_REFERENCE_COUNT = 0x1105;

  /** Property: where a sub-buffer begins. */
  public static final int MEM_OFFSET = 0x1108;

  /** Property: pixels of a row. */
  public static final int IMAGE_WIDTH = 0x1114;

  /** Property: rows. */
  public static final int IMAGE_HEIGHT = 0x1115;

  /** Property: bytes of a pixel. */
  public static final int IMAGE_ELEMENT_SIZE = 0x1111;

  /** Property: bytes of a packet. */
  public static final int PIPE_PACKET_SIZE = 0x1120;

  /** Property: packets that a pipe holds. */
  public static final int PIPE_MAX_PACKETS = 0x1121;

  /** One channel. */
  public static final int R = 0x10B0;

  /** Two channels. */
  public static final int RG = 0x10B2;

  /** Four channels. */
  public static final int RGBA = 0x10B5;

  /** Four channels, blue first. */
  public static final int BGRA = 0x10B6;

  /** A depth. */
  public static final int DEPTH = 0x10BD;

  /** 8 bits for -1…1. */
  public static final int SNORM_INT8 = 0x10D0;

  /** 8 bits for 0…1. */
  public static final int UNORM_INT8 = 0x10D2;

  /** 16 bits for 0…1. */
  public static final int UNORM_INT16 = 0x10D3;

  /** 8 bits, signed. */
  public static final int SIGNED_INT8 = 0x10D7;

  /** 16 bits, signed. */
  public static final int SIGNED_INT16 = 0x10D8;

  /** 32 bits, signed. */
  public static final int SIGNED_INT32 = 0x10D9;

  /** 8 bits, unsigned. */
  public static final int UNSIGNED_INT8 = 0x10DA;

  /** 16 bits, unsigned. */
  public static final int UNSIGNED_INT16 = 0x10DB;

  /** 32 bits, unsigned. */
  public static final int UNSIGNED_INT32 = 0x10DC;

  /** Half precision. */
  public static final int HALF_FLOAT = 0x10DD;

  /** Single precision. */
  public static final int FLOAT = 0x10DE;

  /** Coordinates outside are undefined. */
  public static final int ADDRESS_NONE = 0x1130;

  /** Coordinates outside give the edge. */
  public static final int ADDRESS_CLAMP_TO_EDGE = 0x1131;

  /** Coordinates outside give the border. */
  public static final int ADDRESS_CLAMP = 0x1132;

  /** The image is repeated. */
  public static final int ADDRESS_REPEAT = 0x1133;

  /** The image is repeated in mirrors. */
  public static final int ADDRESS_MIRRORED_REPEAT = 0x1134;

  /** The nearest pixel. */
  public static final int FILTER_NEAREST = 0x1140;

  /** Between the nearest pixels. */
  public static final int FILTER_LINEAR = 0x1141;

  private Cl() {}
}
