// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a multiprocessor (compute unit, sub-slice) can hold: the input of the occupancy model.
using System;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>Limits of a multiprocessor, checked. They never change.</summary>
    public sealed unsafe class DeviceData : IDisposable
    {
        private readonly OwnedHandle handle;

        private DeviceData() { handle = new OwnedHandle(Native.clpool_device_data_release, Native.clpool_device_data_release_later, "DeviceData"); }

        /// <summary>Limits of an OpenCL device: its own answers, completed from the table of its architecture.</summary>
        public static DeviceData FromDevice(IntPtr device, Model model = Model.Current)
        {
            IntPtr data;
            DeviceData made = new DeviceData();
            Errors.Check(Native.clpool_device_data_create_from_device(device, (uint)model, &data));
            made.handle.Own(data);
            return made;
        }

        /// <summary>Limits of an NVIDIA compute capability, 1.0 to 12.1.</summary>
        public static DeviceData FromComputeCapability(int major, int minor, Model model = Model.Current)
        {
            IntPtr data;
            DeviceData made = new DeviceData();
            Errors.Check(Native.clpool_device_data_create_from_compute_capability(major, minor, (uint)model, &data));
            made.handle.Own(data);
            return made;
        }

        /// <summary>Limits of an architecture by its compiler's name: "sm_90", "gfx90a", "xe-hpc", …</summary>
        public static DeviceData FromArchitecture(string name, Model model = Model.Current)
        {
            IntPtr data;
            DeviceData made = new DeviceData();
            fixed (byte* text = Utf8.Bytes(Arguments.NotNull(name, "name"), "name"))
                Errors.Check(Native.clpool_device_data_create_from_architecture(text, (uint)model, &data));
            made.handle.Own(data);
            return made;
        }

        /// <summary>Limits given as numbers.</summary>
        public static DeviceData FromLimits(DeviceLimits limits)
        {
            IntPtr data;
            DeviceData made = new DeviceData();
            clpool_device_limits native = Arguments.NotNull(limits, "limits").ToNative();
            Errors.Check(Native.clpool_device_data_create_from_limits(&native, &data));
            made.handle.Own(data);
            return made;
        }

        /// <summary>The numbers, as a copy.</summary>
        public DeviceLimits Limits
        {
            get
            {
                clpool_device_limits limits = clpool_device_limits.Initial();
                using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_device_data_limits(used.Value, &limits));
                return new DeviceLimits(limits);
            }
        }

        /// <summary>Bytes that accesses of a word size (4, 8, 16) are best aligned to.</summary>
        public static long AlignBytes(int wordSize = 4)
        {
            ulong bytes;
            Errors.Check(Native.clpool_align_bytes(wordSize, &bytes));
            return (long)bytes;
        }

        /// <summary>Rounds bytes up to a multiple of <see cref="AlignBytes"/>.</summary>
        public static long Align(long bytes, int wordSize = 4)
        {
            ulong aligned;
            Errors.Check(Native.clpool_align(Arguments.Bytes(bytes, "bytes"), wordSize, &aligned));
            return Arguments.Rounded(aligned, bytes, "bytes");
        }

        /// <summary>Words in <see cref="AlignBytes"/>.</summary>
        public static long AlignWords(int wordSize = 4)
        {
            ulong words;
            Errors.Check(Native.clpool_align_words(wordSize, &words));
            return (long)words;
        }

        /// <summary>Rounds a number of elements up to a multiple of <see cref="AlignWords"/>.</summary>
        public static long AlignElements(long elements, int wordSize = 4)
        {
            ulong aligned;
            Errors.Check(Native.clpool_align_elements(Arguments.Bytes(elements, "elements"), wordSize, &aligned));
            return Arguments.Rounded(aligned, elements, "elements");
        }

        /// <summary>Rounds threads up to a multiple of 16, for coalesced accesses.</summary>
        public static long Coalesce(long threads)
        {
            ulong rounded;
            Errors.Check(Native.clpool_coalesce_threads(Arguments.Bytes(threads, "threads"), &rounded));
            return Arguments.Rounded(rounded, threads, "threads");
        }

        /// <summary>The smallest number of texture channels, 1, 2 or 4, that is at least `size`.</summary>
        public static int ValidChannelCount(int size)
        {
            uint channels;
            Errors.Check(Native.clpool_valid_channel_count(size, &channels));
            return (int)channels;
        }

        /// <summary>Gives the reference up.</summary>
        public void Dispose() { handle.Dispose(); }

        internal Borrowed Borrow() { return handle.Borrow(); }

        /// <inheritdoc/>
        public override string ToString() { return handle.IsDisposed ? "DeviceData (disposed)" : "DeviceData, " + Limits; }
    }
}
