# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""OpenCL's numbers under the names of PyOpenCL's classes of constants, and the library's own."""
from ._number import Flags, Number
from ._numbers import CLPOOL_WHOLE_SIZE
from ._numbers import *  # noqa: F401,F403


class mem_flags(Flags):
    """How memory is used by kernels and the host."""

    READ_WRITE = 1 << 0
    WRITE_ONLY = 1 << 1
    READ_ONLY = 1 << 2
    USE_HOST_PTR = 1 << 3
    ALLOC_HOST_PTR = 1 << 4
    COPY_HOST_PTR = 1 << 5
    HOST_WRITE_ONLY = 1 << 7
    HOST_READ_ONLY = 1 << 8
    HOST_NO_ACCESS = 1 << 9
    KERNEL_READ_AND_WRITE = 1 << 12


class svm_mem_flags(Flags):
    """Kinds of shared virtual memory."""

    READ_WRITE = 1 << 0
    WRITE_ONLY = 1 << 1
    READ_ONLY = 1 << 2
    SVM_FINE_GRAIN_BUFFER = 1 << 10
    SVM_ATOMICS = 1 << 11


class map_flags(Flags):
    """What a map is for."""

    READ = 1 << 0
    WRITE = 1 << 1
    WRITE_INVALIDATE_REGION = 1 << 2


class mem_migration_flags(Flags):
    """Where memory goes."""

    HOST = 1 << 0
    CONTENT_UNDEFINED = 1 << 1


class mem_object_type(Number):
    """Types of cl_mem."""

    BUFFER = 0x10F0
    IMAGE2D = 0x10F1
    IMAGE3D = 0x10F2
    IMAGE2D_ARRAY = 0x10F3
    IMAGE1D = 0x10F4
    IMAGE1D_ARRAY = 0x10F5
    IMAGE1D_BUFFER = 0x10F6
    PIPE = 0x10F7


class mem_info(Number):
    """Properties of memory."""

    TYPE = 0x1100
    FLAGS = 0x1101
    SIZE = 0x1102
    HOST_PTR = 0x1103
    MAP_COUNT = 0x1104
    REFERENCE_COUNT = 0x1105
    CONTEXT = 0x1106
    ASSOCIATED_MEMOBJECT = 0x1107
    OFFSET = 0x1108
    USES_SVM_POINTER = 0x1109
    PROPERTIES = 0x110A


class image_info(Number):
    """Properties of images."""

    FORMAT = 0x1110
    ELEMENT_SIZE = 0x1111
    ROW_PITCH = 0x1112
    SLICE_PITCH = 0x1113
    WIDTH = 0x1114
    HEIGHT = 0x1115
    DEPTH = 0x1116
    ARRAY_SIZE = 0x1117
    BUFFER = 0x1118
    NUM_MIP_LEVELS = 0x1119
    NUM_SAMPLES = 0x111A


class pipe_info(Number):
    """Properties of pipes."""

    PACKET_SIZE = 0x1120
    MAX_PACKETS = 0x1121
    PROPERTIES = 0x1122


class channel_order(Number):
    """Channels of a pixel."""

    R = 0x10B0
    A = 0x10B1
    RG = 0x10B2
    RA = 0x10B3
    RGB = 0x10B4
    RGBA = 0x10B5
    BGRA = 0x10B6
    ARGB = 0x10B7
    INTENSITY = 0x10B8
    LUMINANCE = 0x10B9
    Rx = 0x10BA
    RGx = 0x10BB
    RGBx = 0x10BC
    DEPTH = 0x10BD
    DEPTH_STENCIL = 0x10BE
    sRGB = 0x10BF
    sRGBx = 0x10C0
    sRGBA = 0x10C1
    sBGRA = 0x10C2
    ABGR = 0x10C3


class channel_type(Number):
    """Numbers in a pixel."""

    SNORM_INT8 = 0x10D0
    SNORM_INT16 = 0x10D1
    UNORM_INT8 = 0x10D2
    UNORM_INT16 = 0x10D3
    UNORM_SHORT_565 = 0x10D4
    UNORM_SHORT_555 = 0x10D5
    UNORM_INT_101010 = 0x10D6
    SIGNED_INT8 = 0x10D7
    SIGNED_INT16 = 0x10D8
    SIGNED_INT32 = 0x10D9
    UNSIGNED_INT8 = 0x10DA
    UNSIGNED_INT16 = 0x10DB
    UNSIGNED_INT32 = 0x10DC
    HALF_FLOAT = 0x10DD
    FLOAT = 0x10DE
    UNORM_INT24 = 0x10DF
    UNORM_INT_101010_2 = 0x10E0


class addressing_mode(Number):
    """What a sampler does beyond an image's edge."""

    NONE = 0x1130
    CLAMP_TO_EDGE = 0x1131
    CLAMP = 0x1132
    REPEAT = 0x1133
    MIRRORED_REPEAT = 0x1134


class filter_mode(Number):
    """How a sampler finds a pixel."""

    NEAREST = 0x1140
    LINEAR = 0x1141


class sampler_info(Number):
    """Properties of samplers."""

    REFERENCE_COUNT = 0x1150
    CONTEXT = 0x1151
    NORMALIZED_COORDS = 0x1152
    ADDRESSING_MODE = 0x1153
    FILTER_MODE = 0x1154
    MIP_FILTER_MODE = 0x1155
    LOD_MIN = 0x1156
    LOD_MAX = 0x1157
    PROPERTIES = 0x1158


class device_svm_capabilities(Flags):
    """Kinds of shared virtual memory that a device has: svm_capabilities()."""

    COARSE_GRAIN_BUFFER = 1 << 0
    FINE_GRAIN_BUFFER = 1 << 1
    FINE_GRAIN_SYSTEM = 1 << 2
    ATOMICS = 1 << 3


class device_type(Flags):
    """Kinds of devices."""

    DEFAULT = 1 << 0
    CPU = 1 << 1
    GPU = 1 << 2
    ACCELERATOR = 1 << 3
    CUSTOM = 1 << 4
    ALL = 0xFFFFFFFF


WHOLE_SIZE = CLPOOL_WHOLE_SIZE
"""As a size: all that is left, or as much as both sides of a transfer have."""
