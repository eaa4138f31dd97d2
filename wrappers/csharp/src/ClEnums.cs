// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Bits and numbers of OpenCL itself, as far as the library takes them.
#pragma warning disable 1591 // their names are OpenCL's own
using System;

namespace ClPool
{
    /// <summary>cl_mem_flags. 0 means ReadWrite.</summary>
    [Flags]
    public enum MemFlags : long
    {
        None = 0,
        ReadWrite = 1 << 0,
        WriteOnly = 1 << 1,
        ReadOnly = 1 << 2,
        UseHostPtr = 1 << 3,
        AllocHostPtr = 1 << 4,
        CopyHostPtr = 1 << 5,
        HostWriteOnly = 1 << 7,
        HostReadOnly = 1 << 8,
        HostNoAccess = 1 << 9,
        SvmFineGrainBuffer = 1 << 10,
        SvmAtomics = 1 << 11,
        KernelReadAndWrite = 1 << 12
    }

    /// <summary>cl_map_flags.</summary>
    [Flags]
    public enum MapFlags : long
    {
        Read = 1 << 0,
        Write = 1 << 1,
        ReadWrite = Read | Write,
        WriteInvalidateRegion = 1 << 2
    }

    /// <summary>cl_mem_migration_flags.</summary>
    [Flags]
    public enum MigrationFlags : long
    {
        None = 0,
        ToHost = 1 << 0,
        ContentUndefined = 1 << 1
    }

    /// <summary>cl_device_type.</summary>
    [Flags]
    public enum DeviceTypes : long
    {
        Any = 0,
        Default = 1 << 0,
        Cpu = 1 << 1,
        Gpu = 1 << 2,
        Accelerator = 1 << 3,
        Custom = 1 << 4,
        All = 0xFFFFFFFF
    }

    /// <summary>cl_device_svm_capabilities.</summary>
    [Flags]
    public enum SvmCapabilities : long
    {
        None = 0,
        CoarseGrainBuffer = 1 << 0,
        FineGrainBuffer = 1 << 1,
        FineGrainSystem = 1 << 2,
        Atomics = 1 << 3
    }

    /// <summary>cl_mem_object_type of images.</summary>
    public enum ImageType
    {
        Image2D = 0x10F1,
        Image3D = 0x10F2,
        Image2DArray = 0x10F3,
        Image1D = 0x10F4,
        Image1DArray = 0x10F5,
        Image1DBuffer = 0x10F6
    }

    /// <summary>cl_channel_order.</summary>
    public enum ChannelOrder
    {
        R = 0x10B0, A = 0x10B1, RG = 0x10B2, RA = 0x10B3, RGB = 0x10B4, RGBA = 0x10B5, BGRA = 0x10B6, ARGB = 0x10B7,
        Intensity = 0x10B8, Luminance = 0x10B9, Rx = 0x10BA, RGx = 0x10BB, RGBx = 0x10BC, Depth = 0x10BD,
        DepthStencil = 0x10BE, SRGB = 0x10BF, SRGBx = 0x10C0, SRGBA = 0x10C1, SBGRA = 0x10C2, ABGR = 0x10C3
    }

    /// <summary>cl_channel_type.</summary>
    public enum ChannelType
    {
        SnormInt8 = 0x10D0, SnormInt16 = 0x10D1, UnormInt8 = 0x10D2, UnormInt16 = 0x10D3, UnormShort565 = 0x10D4,
        UnormShort555 = 0x10D5, UnormInt101010 = 0x10D6, SignedInt8 = 0x10D7, SignedInt16 = 0x10D8, SignedInt32 = 0x10D9,
        UnsignedInt8 = 0x10DA, UnsignedInt16 = 0x10DB, UnsignedInt32 = 0x10DC, HalfFloat = 0x10DD, Float = 0x10DE,
        UnormInt24 = 0x10DF, UnormInt101010_2 = 0x10E0
    }

    /// <summary>cl_addressing_mode.</summary>
    public enum AddressingMode
    {
        None = 0x1130, ClampToEdge = 0x1131, Clamp = 0x1132, Repeat = 0x1133, MirroredRepeat = 0x1134
    }

    /// <summary>cl_filter_mode.</summary>
    public enum FilterMode
    {
        Nearest = 0x1140, Linear = 0x1141
    }

    /// <summary>Questions for <see cref="MemoryObject.InfoNumber"/> and <see cref="MemoryObject.InfoBytes"/>.</summary>
    public enum MemInfo
    {
        Type = 0x1100, Flags = 0x1101, Size = 0x1102, HostPtr = 0x1103, MapCount = 0x1104, ReferenceCount = 0x1105,
        Context = 0x1106, AssociatedMemObject = 0x1107, Offset = 0x1108, UsesSvmPointer = 0x1109, Properties = 0x110A,
        ImageFormat = 0x1110, ImageElementSize = 0x1111, ImageRowPitch = 0x1112, ImageSlicePitch = 0x1113,
        ImageWidth = 0x1114, ImageHeight = 0x1115, ImageDepth = 0x1116, ImageArraySize = 0x1117, ImageBuffer = 0x1118,
        ImageMipLevels = 0x1119, ImageSamples = 0x111A, PipePacketSize = 0x1120, PipeMaxPackets = 0x1121
    }
}
