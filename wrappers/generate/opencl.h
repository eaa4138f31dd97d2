/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Numbers of OpenCL that the wrappers give names to, in the form of the public headers: CL/cl.h, which a test compares them with,
 * has no comments. Nothing includes this file; the generator reads it.
 */
#ifndef CLPOOL_WRAPPERS_OPENCL_H
#define CLPOOL_WRAPPERS_OPENCL_H

/** How memory is used by kernels and the host; 0 means that kernels read and write. */
enum {
  /** Kernels read and write. */
  CL_MEM_READ_WRITE = 0x1,
  /** Kernels write only. */
  CL_MEM_WRITE_ONLY = 0x2,
  /** Kernels read only. */
  CL_MEM_READ_ONLY = 0x4,
  /** The host memory given is used in place. */
  CL_MEM_USE_HOST_PTR = 0x8,
  /** Memory that the host can reach. */
  CL_MEM_ALLOC_HOST_PTR = 0x10,
  /** The host memory given is copied. */
  CL_MEM_COPY_HOST_PTR = 0x20,
  /** The host writes only. */
  CL_MEM_HOST_WRITE_ONLY = 0x80,
  /** The host reads only. */
  CL_MEM_HOST_READ_ONLY = 0x100,
  /** The host does neither. */
  CL_MEM_HOST_NO_ACCESS = 0x200,
  /** SVM that need not be mapped. */
  CL_MEM_SVM_FINE_GRAIN_BUFFER = 0x400,
  /** SVM with atomics between host and device. */
  CL_MEM_SVM_ATOMICS = 0x800,
  /** For questions about formats: one kernel reads and writes the image. */
  CL_MEM_KERNEL_READ_AND_WRITE = 0x1000
};

/** What a map is for. */
enum {
  /** The host reads. */
  CL_MAP_READ = 0x1,
  /** The host writes. */
  CL_MAP_WRITE = 0x2,
  /** The host writes all of it; its former content is lost. */
  CL_MAP_WRITE_INVALIDATE_REGION = 0x4
};

/** Where memory goes. */
enum {
  /** To the host. */
  CL_MIGRATE_MEM_OBJECT_HOST = 0x1,
  /** Without its content. */
  CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED = 0x2
};

/** Kinds of devices. */
enum {
  /** The platform's default. */
  CL_DEVICE_TYPE_DEFAULT = 0x1,
  /** Processors. */
  CL_DEVICE_TYPE_CPU = 0x2,
  /** Graphics processors. */
  CL_DEVICE_TYPE_GPU = 0x4,
  /** Other accelerators. */
  CL_DEVICE_TYPE_ACCELERATOR = 0x8,
  /** Devices that run no kernels of their own. */
  CL_DEVICE_TYPE_CUSTOM = 0x10,
  /** All but custom devices. */
  CL_DEVICE_TYPE_ALL = 0xFFFFFFFF
};

/** Kinds of shared virtual memory that a device has. */
enum {
  /** Coarse grain. */
  CL_DEVICE_SVM_COARSE_GRAIN_BUFFER = 0x1,
  /** Fine grain. */
  CL_DEVICE_SVM_FINE_GRAIN_BUFFER = 0x2,
  /** All of the host's memory. */
  CL_DEVICE_SVM_FINE_GRAIN_SYSTEM = 0x4,
  /** Atomics between host and device. */
  CL_DEVICE_SVM_ATOMICS = 0x8
};

/** Types of memory objects. */
enum {
  /** A buffer. */
  CL_MEM_OBJECT_BUFFER = 0x10F0,
  /** A 2-D image. */
  CL_MEM_OBJECT_IMAGE2D = 0x10F1,
  /** A 3-D image. */
  CL_MEM_OBJECT_IMAGE3D = 0x10F2,
  /** An array of 2-D images. */
  CL_MEM_OBJECT_IMAGE2D_ARRAY = 0x10F3,
  /** A 1-D image. */
  CL_MEM_OBJECT_IMAGE1D = 0x10F4,
  /** An array of 1-D images. */
  CL_MEM_OBJECT_IMAGE1D_ARRAY = 0x10F5,
  /** A 1-D image in a buffer. */
  CL_MEM_OBJECT_IMAGE1D_BUFFER = 0x10F6,
  /** A pipe. */
  CL_MEM_OBJECT_PIPE = 0x10F7
};

/** Properties of memory. */
enum {
  /** The type of object. */
  CL_MEM_TYPE = 0x1100,
  /** The flags. */
  CL_MEM_FLAGS = 0x1101,
  /** Bytes. */
  CL_MEM_SIZE = 0x1102,
  /** The host memory given, or that of the whole buffer. */
  CL_MEM_HOST_PTR = 0x1103,
  /** Maps that there are just now. */
  CL_MEM_MAP_COUNT = 0x1104,
  /** References. */
  CL_MEM_REFERENCE_COUNT = 0x1105,
  /** The context. */
  CL_MEM_CONTEXT = 0x1106,
  /** The buffer that it is a part of or lies in. */
  CL_MEM_ASSOCIATED_MEMOBJECT = 0x1107,
  /** Where a sub-buffer begins, in bytes. */
  CL_MEM_OFFSET = 0x1108,
  /** Whether it lies in shared virtual memory. */
  CL_MEM_USES_SVM_POINTER = 0x1109,
  /** What it was made with. */
  CL_MEM_PROPERTIES = 0x110A
};

/** Properties of images. */
enum {
  /** The format of a pixel. */
  CL_IMAGE_FORMAT = 0x1110,
  /** Bytes of a pixel. */
  CL_IMAGE_ELEMENT_SIZE = 0x1111,
  /** Bytes from row to row. */
  CL_IMAGE_ROW_PITCH = 0x1112,
  /** Bytes from slice to slice. */
  CL_IMAGE_SLICE_PITCH = 0x1113,
  /** Pixels of a row. */
  CL_IMAGE_WIDTH = 0x1114,
  /** Rows. */
  CL_IMAGE_HEIGHT = 0x1115,
  /** Slices. */
  CL_IMAGE_DEPTH = 0x1116,
  /** Layers of an array. */
  CL_IMAGE_ARRAY_SIZE = 0x1117,
  /** The buffer that it lies in. */
  CL_IMAGE_BUFFER = 0x1118,
  /** Levels of detail. */
  CL_IMAGE_NUM_MIP_LEVELS = 0x1119,
  /** Samples of a pixel. */
  CL_IMAGE_NUM_SAMPLES = 0x111A
};

/** Properties of pipes. */
enum {
  /** Bytes of a packet. */
  CL_PIPE_PACKET_SIZE = 0x1120,
  /** Packets that a pipe holds. */
  CL_PIPE_MAX_PACKETS = 0x1121,
  /** What it was made with. */
  CL_PIPE_PROPERTIES = 0x1122
};

/** Channels of a pixel. */
enum {
  /** Red. */
  CL_R = 0x10B0,
  /** Alpha. */
  CL_A = 0x10B1,
  /** Red, green. */
  CL_RG = 0x10B2,
  /** Red, alpha. */
  CL_RA = 0x10B3,
  /** Red, green, blue, packed. */
  CL_RGB = 0x10B4,
  /** Red, green, blue, alpha. */
  CL_RGBA = 0x10B5,
  /** Blue, green, red, alpha. */
  CL_BGRA = 0x10B6,
  /** Alpha, red, green, blue. */
  CL_ARGB = 0x10B7,
  /** One for all four. */
  CL_INTENSITY = 0x10B8,
  /** One for the three colours. */
  CL_LUMINANCE = 0x10B9,
  /** Red, padded. */
  CL_Rx = 0x10BA,
  /** Red, green, padded. */
  CL_RGx = 0x10BB,
  /** Red, green, blue, padded. */
  CL_RGBx = 0x10BC,
  /** A depth. */
  CL_DEPTH = 0x10BD,
  /** A depth and a stencil. */
  CL_DEPTH_STENCIL = 0x10BE,
  /** Red, green, blue, in sRGB. */
  CL_sRGB = 0x10BF,
  /** Red, green, blue, padded, in sRGB. */
  CL_sRGBx = 0x10C0,
  /** Red, green, blue, alpha, in sRGB. */
  CL_sRGBA = 0x10C1,
  /** Blue, green, red, alpha, in sRGB. */
  CL_sBGRA = 0x10C2,
  /** Alpha, blue, green, red. */
  CL_ABGR = 0x10C3
};

/** Numbers in a channel. */
enum {
  /** 8 bits for -1…1. */
  CL_SNORM_INT8 = 0x10D0,
  /** 16 bits for -1…1. */
  CL_SNORM_INT16 = 0x10D1,
  /** 8 bits for 0…1. */
  CL_UNORM_INT8 = 0x10D2,
  /** 16 bits for 0…1. */
  CL_UNORM_INT16 = 0x10D3,
  /** 5, 6 and 5 bits for 0…1, packed. */
  CL_UNORM_SHORT_565 = 0x10D4,
  /** 5, 5 and 5 bits for 0…1, packed. */
  CL_UNORM_SHORT_555 = 0x10D5,
  /** 10, 10 and 10 bits for 0…1, packed. */
  CL_UNORM_INT_101010 = 0x10D6,
  /** 8 bits, signed. */
  CL_SIGNED_INT8 = 0x10D7,
  /** 16 bits, signed. */
  CL_SIGNED_INT16 = 0x10D8,
  /** 32 bits, signed. */
  CL_SIGNED_INT32 = 0x10D9,
  /** 8 bits, unsigned. */
  CL_UNSIGNED_INT8 = 0x10DA,
  /** 16 bits, unsigned. */
  CL_UNSIGNED_INT16 = 0x10DB,
  /** 32 bits, unsigned. */
  CL_UNSIGNED_INT32 = 0x10DC,
  /** Half precision. */
  CL_HALF_FLOAT = 0x10DD,
  /** Single precision. */
  CL_FLOAT = 0x10DE,
  /** 24 bits for 0…1. */
  CL_UNORM_INT24 = 0x10DF,
  /** 10, 10, 10 and 2 bits for 0…1, packed. */
  CL_UNORM_INT_101010_2 = 0x10E0
};

/** What a sampler does beyond an image's edge. */
enum {
  /** Coordinates outside are undefined. */
  CL_ADDRESS_NONE = 0x1130,
  /** Coordinates outside give the edge. */
  CL_ADDRESS_CLAMP_TO_EDGE = 0x1131,
  /** Coordinates outside give the border. */
  CL_ADDRESS_CLAMP = 0x1132,
  /** The image is repeated. */
  CL_ADDRESS_REPEAT = 0x1133,
  /** The image is repeated in mirrors. */
  CL_ADDRESS_MIRRORED_REPEAT = 0x1134
};

/** How a sampler finds a pixel. */
enum {
  /** The nearest pixel. */
  CL_FILTER_NEAREST = 0x1140,
  /** Between the nearest pixels. */
  CL_FILTER_LINEAR = 0x1141
};

/** Properties of samplers. */
enum {
  /** References. */
  CL_SAMPLER_REFERENCE_COUNT = 0x1150,
  /** The context. */
  CL_SAMPLER_CONTEXT = 0x1151,
  /** Whether coordinates go from 0 to 1. */
  CL_SAMPLER_NORMALIZED_COORDS = 0x1152,
  /** What it does beyond the edge. */
  CL_SAMPLER_ADDRESSING_MODE = 0x1153,
  /** How it finds a pixel. */
  CL_SAMPLER_FILTER_MODE = 0x1154,
  /** How it chooses between levels of detail. */
  CL_SAMPLER_MIP_FILTER_MODE = 0x1155,
  /** The least level of detail. */
  CL_SAMPLER_LOD_MIN = 0x1156,
  /** The greatest level of detail. */
  CL_SAMPLER_LOD_MAX = 0x1157,
  /** What it was made with. */
  CL_SAMPLER_PROPERTIES = 0x1158
};

#endif
