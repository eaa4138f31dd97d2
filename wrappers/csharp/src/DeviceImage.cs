// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Images of every type. Transfers are in DeviceImage.Transfer.cs.
using System;
using System.Collections.Generic;
using System.Linq;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>The format of a pixel.</summary>
    public struct ImageFormat
    {
        /// <summary>A format.</summary>
        public ImageFormat(ChannelOrder order, ChannelType type) : this()
        {
            Order = order;
            Type = type;
        }

        internal ImageFormat(cl_image_format native)
            : this((ChannelOrder)native.image_channel_order, (ChannelType)native.image_channel_data_type)
        {
        }

        /// <summary>Which channels.</summary>
        public ChannelOrder Order { get; private set; }
        /// <summary>What a channel is.</summary>
        public ChannelType Type { get; private set; }

        /// <summary>Number of channels.</summary>
        public unsafe int ChannelCount
        {
            get
            {
                uint count;
                Errors.Check(Native.clpool_image_channel_count((uint)Order, &count));
                return (int)count;
            }
        }

        /// <summary>Bytes of one channel; for packed types those of the whole pixel.</summary>
        public unsafe long ChannelSize
        {
            get
            {
                ulong bytes;
                Errors.Check(Native.clpool_image_channel_size((uint)Type, &bytes));
                return (long)bytes;
            }
        }

        /// <summary>Bytes of one pixel.</summary>
        public unsafe long ItemSize
        {
            get
            {
                ulong bytes;
                cl_image_format native = ToNative();
                Errors.Check(Native.clpool_image_item_size(&native, &bytes));
                return (long)bytes;
            }
        }

        /// <summary>The formats that a cl_context supports.</summary>
        public static unsafe IReadOnlyList<ImageFormat> Supported(ComputeContext context, MemFlags flags, ImageType type)
        {
            ulong count;
            using (Borrowed within = Arguments.Borrow(context, "context"))
                Errors.Check(Native.clpool_image_formats(within.Value, (ulong)flags, (uint)type, null, 0, &count));
            cl_image_format[] found = new cl_image_format[count];
            fixed (cl_image_format* room = found)
                using (Borrowed within = Arguments.Borrow(context, "context"))
                    Errors.Check(Native.clpool_image_formats(within.Value, (ulong)flags, (uint)type, room, count, &count));
            return found.Take(Arguments.Int32(count, "formats")).Select(native => new ImageFormat(native)).ToArray();
        }

        /// <summary>OpenCL's names, such as "CL_RGBA CL_UNORM_INT8".</summary>
        public override unsafe string ToString()
        {
            return (Utf8.ReadOrNull(Native.clpool_image_channel_order_name((uint)Order)) ?? Order.ToString()) + " " +
                   (Utf8.ReadOrNull(Native.clpool_image_channel_type_name((uint)Type)) ?? Type.ToString());
        }

        internal cl_image_format ToNative()
        {
            return new cl_image_format { image_channel_order = (uint)Order, image_channel_data_type = (uint)Type };
        }
    }

    /// <summary>What a new image is to be.</summary>
    public sealed class ImageOptions
    {
        /// <summary>The format of a pixel.</summary>
        public ImageFormat Format { get; set; }
        /// <summary>Pixels, x first: 1, 2 or 3 entries. The last entry of an array counts its layers.</summary>
        public long[]? Shape { get; set; }
        /// <summary>An array of 1-D (2 entries) or 2-D images (3 entries).</summary>
        public bool IsArray { get; set; }
        /// <summary>0 means ReadWrite, or those of the buffer.</summary>
        public MemFlags Flags { get; set; }
        /// <summary>Bytes from row to row in the host memory or buffer; 0: tight.</summary>
        public long RowPitch { get; set; }
        /// <summary>Bytes from slice to slice in the host memory; 0: tight.</summary>
        public long SlicePitch { get; set; }
        /// <summary>Host memory, with UseHostPtr (must outlive the image) or CopyHostPtr.</summary>
        public IntPtr Host { get; set; }
        /// <summary>Bytes of the host memory.</summary>
        public long HostSize { get; set; }
        /// <summary>A buffer that the image lies in, which it keeps alive.</summary>
        public MemoryObject? Buffer { get; set; }
    }

    /// <summary>An image. Pixels are counted x first.</summary>
    public sealed unsafe partial class DeviceImage : MemoryObject
    {
        internal DeviceImage(Slot slot) : base(slot) { }

        /// <summary>Makes an image.</summary>
        public static DeviceImage Create(ComputeContext context, ImageOptions options)
        {
            Arguments.NotNull(options, "options");
            ulong[] shape = Arguments.Three(options.Shape, 0, "Shape");
            clpool_image_options native = clpool_image_options.Initial();
            native.dimensions = Arguments.Count(options.Shape);
            native.flags = (ulong)options.Flags;
            native.format = options.Format.ToNative();
            for (int i = 0; i < 3; i++) native.shape[i] = shape[i];
            native.is_array = options.IsArray ? 1u : 0u;
            native.row_pitch = Arguments.Bytes(options.RowPitch, "RowPitch");
            native.slice_pitch = Arguments.Bytes(options.SlicePitch, "SlicePitch");
            native.host = (void*)options.Host;
            native.host_size = Arguments.Bytes(options.HostSize, "HostSize");
            MemoryObject? buffer = options.Buffer;
            IntPtr image;
            Slot slot = PerThread.Current.TakeLeash(buffer);
            DeviceImage made = new DeviceImage(slot);
            using (Borrowed within = Arguments.Borrow(context, "context"))
            using (Borrowed over = Arguments.BorrowOptional(buffer))
            {
                native.buffer = (void*)over.Value;
                Errors.Check(Native.clpool_image_create(within.Value, &native, &image));
            }
            slot.Memory = image;
            return made;
        }

        /// <summary>Makes an image of an array of numbers, [depth][height][width][channels], which is copied.</summary>
        /// <param name="context">where it is made</param>
        /// <param name="data">the numbers, contiguous</param>
        /// <param name="element">what they are</param>
        /// <param name="shape">slowest index first, without the channels</param>
        /// <param name="channels">1 to 4; three become four</param>
        /// <param name="normalized">8- and 16-bit integers stand for -1…1 or 0…1</param>
        /// <param name="access">ReadOnly (the default), WriteOnly or ReadWrite</param>
        public static DeviceImage FromArray(ComputeContext context, Array data, ElementType element, long[] shape, int channels = 1,
                                            bool normalized = false, MemFlags access = MemFlags.None)
        {
            ulong[] extents = Arguments.Three(shape, 0, "shape");
            clpool_image_array native = clpool_image_array.Initial();
            native.element = (uint)element;
            native.channels = (uint)Arguments.Bytes(channels, "channels");
            native.normalized = normalized ? 1u : 0u;
            native.access = (ulong)access;
            native.dimensions = Arguments.Count(shape);
            for (int i = 0; i < 3; i++) native.shape[i] = extents[i];
            IntPtr image;
            Slot slot = PerThread.Current.TakeLeash(null);
            DeviceImage made = new DeviceImage(slot);
            using (PinnedArray numbers = new PinnedArray(data, "data"))
            {
                native.data = numbers.Pointer;
                native.size = numbers.Bytes;
                using (Borrowed within = Arguments.Borrow(context, "context"))
                    Errors.Check(Native.clpool_image_create_from_array(within.Value, &native, &image));
            }
            slot.Memory = image;
            return made;
        }

        /// <summary>Pixels, x first; 1 to 3 entries.</summary>
        public long[] Shape
        {
            get
            {
                uint dimensions;
                ulong* extents = stackalloc ulong[3];
                using (Borrowed memory = Borrow()) Errors.Check(Native.clpool_image_shape(memory.Value, &dimensions, extents));
                long[] shape = new long[dimensions];
                for (int i = 0; i < shape.Length; i++) shape[i] = (long)extents[i];
                return shape;
            }
        }

        /// <summary>Format of a pixel.</summary>
        public ImageFormat Format
        {
            get
            {
                cl_image_format format;
                using (Borrowed memory = Borrow()) Errors.Check(Native.clpool_image_format(memory.Value, &format));
                return new ImageFormat(format);
            }
        }
    }
}
