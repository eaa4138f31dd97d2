// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a multiprocessor (compute unit, sub-slice) can hold: the input of the occupancy model.
using System;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>The numbers. "mp" is the multiprocessor, "group" the work-group, "warp" what runs in step, "local" the memory
    /// that CUDA calls shared.</summary>
    public sealed unsafe class DeviceLimits
    {
        /// <summary>No limits yet; units are 1.</summary>
        public DeviceLimits()
        {
            RegisterUnit = 1;
            WarpGranularity = 1;
            SubPartitions = 1;
            LocalUnit = 1;
            LocalCarveOuts = new long[0];
            Note = "";
        }

        internal DeviceLimits(clpool_device_limits native)
        {
            Model = (Model)native.model;
            Vendor = (DeviceVendor)native.vendor;
            ComputeMajor = (int)native.compute_major;
            ComputeMinor = (int)native.compute_minor;
            WarpSize = (int)native.warp_size;
            MaxThreadsPerGroup = (int)native.max_threads_per_group;
            MaxWarpsPerMp = (int)native.max_warps_per_mp;
            MaxGroupsPerMp = (int)native.max_groups_per_mp;
            MaxLoneWarpGroupsPerMp = (int)native.max_lone_warp_groups_per_mp;
            RegistersPerMp = (int)native.registers_per_mp;
            RegistersPerGroup = (int)native.registers_per_group;
            MaxRegistersPerThread = (int)native.max_registers_per_thread;
            RegisterUnit = (int)native.register_unit;
            RegisterLanes = (int)native.register_lanes;
            RegisterAllocation = (RegisterAllocation)native.register_allocation;
            WarpGranularity = (int)native.warp_granularity;
            SubPartitions = (int)native.sub_partitions;
            MinSubPartitionsCheck = (int)native.min_sub_partitions_check;
            BarriersPerMp = (int)native.barriers_per_mp;
            PartitionedCache = native.partitioned_cache != 0;
            LocalAccessThreads = (int)native.local_access_threads;
            LocalPerMp = (long)native.local_per_mp;
            LocalPerGroup = (long)native.local_per_group;
            LocalPerGroupOptIn = (long)native.local_per_group_opt_in;
            LocalUnit = (long)native.local_unit;
            LocalReserved = (long)native.local_reserved;
            LocalCarveOuts = new long[native.local_carve_out_count];
            for (int i = 0; i < LocalCarveOuts.Length; i++) LocalCarveOuts[i] = (long)native.local_carve_outs[i];
            Source = (AnswerSource)native.source;
            Note = Utf8.Read(native.note);
        }

        /// <summary>Whose rules.</summary>
        public Model Model { get; set; }
        /// <summary>Who made it.</summary>
        public DeviceVendor Vendor { get; set; }
        /// <summary>NVIDIA: compute capability; AMD: number of the target; else 0.</summary>
        public int ComputeMajor { get; set; }
        /// <summary>Second number of the same.</summary>
        public int ComputeMinor { get; set; }
        /// <summary>Threads, &gt; 0.</summary>
        public int WarpSize { get; set; }
        /// <summary>Threads, &gt; 0.</summary>
        public int MaxThreadsPerGroup { get; set; }
        /// <summary>Warps, &gt; 0.</summary>
        public int MaxWarpsPerMp { get; set; }
        /// <summary>Groups, &gt; 0.</summary>
        public int MaxGroupsPerMp { get; set; }
        /// <summary>Groups of a single warp; 0: as max_groups_per_mp.</summary>
        public int MaxLoneWarpGroupsPerMp { get; set; }
        /// <summary>Registers.</summary>
        public int RegistersPerMp { get; set; }
        /// <summary>Registers that one group may have; 0: as registers_per_mp.</summary>
        public int RegistersPerGroup { get; set; }
        /// <summary>Registers; 0: no limit of its own.</summary>
        public int MaxRegistersPerThread { get; set; }
        /// <summary>Registers are given out in multiples of this, &gt; 0.</summary>
        public int RegisterUnit { get; set; }
        /// <summary>A warp takes this many times the registers of a thread; 0: warp_size.</summary>
        public int RegisterLanes { get; set; }
        /// <summary>What registers are given to.</summary>
        public RegisterAllocation RegisterAllocation { get; set; }
        /// <summary>Warps: the check of a group's registers rounds up to a multiple of this, &gt; 0.</summary>
        public int WarpGranularity { get; set; }
        /// <summary>Parts of the register file, &gt; 0: a warp's registers are in one of them.</summary>
        public int SubPartitions { get; set; }
        /// <summary>A group must also fit with so many parts (NVIDIA 6.0); 0: none.</summary>
        public int MinSubPartitionsCheck { get; set; }
        /// <summary>Named barriers; 0: no limit.</summary>
        public int BarriersPerMp { get; set; }
        /// <summary>1: has NVIDIA's partitioned global caching.</summary>
        public bool PartitionedCache { get; set; }
        /// <summary>Threads that take part in one access to local memory.</summary>
        public int LocalAccessThreads { get; set; }
        /// <summary>Bytes.</summary>
        public long LocalPerMp { get; set; }
        /// <summary>Bytes that one group may have without opting in.</summary>
        public long LocalPerGroup { get; set; }
        /// <summary>Bytes with opting in; 0: as local_per_group.</summary>
        public long LocalPerGroupOptIn { get; set; }
        /// <summary>Bytes: local memory is given out in multiples of this, &gt; 0.</summary>
        public long LocalUnit { get; set; }
        /// <summary>Bytes that the system takes for each group.</summary>
        public long LocalReserved { get; set; }
        /// <summary>Bytes of local memory that a multiprocessor can be set to, ascending; at most 10.</summary>
        public long[] LocalCarveOuts { get; set; }
        /// <summary>How good the figures are.</summary>
        public AnswerSource Source { get; private set; }
        /// <summary>What to beware of.</summary>
        public string Note { get; private set; }

        internal clpool_device_limits ToNative()
        {
            clpool_device_limits native = new clpool_device_limits();
            native.struct_size = (uint)sizeof(clpool_device_limits);
            native.model = (uint)Model;
            native.vendor = (uint)Vendor;
            native.compute_major = (uint)Arguments.Bytes(ComputeMajor, "ComputeMajor");
            native.compute_minor = (uint)Arguments.Bytes(ComputeMinor, "ComputeMinor");
            native.warp_size = (uint)Arguments.Bytes(WarpSize, "WarpSize");
            native.max_threads_per_group = (uint)Arguments.Bytes(MaxThreadsPerGroup, "MaxThreadsPerGroup");
            native.max_warps_per_mp = (uint)Arguments.Bytes(MaxWarpsPerMp, "MaxWarpsPerMp");
            native.max_groups_per_mp = (uint)Arguments.Bytes(MaxGroupsPerMp, "MaxGroupsPerMp");
            native.max_lone_warp_groups_per_mp = (uint)Arguments.Bytes(MaxLoneWarpGroupsPerMp, "MaxLoneWarpGroupsPerMp");
            native.registers_per_mp = (uint)Arguments.Bytes(RegistersPerMp, "RegistersPerMp");
            native.registers_per_group = (uint)Arguments.Bytes(RegistersPerGroup, "RegistersPerGroup");
            native.max_registers_per_thread = (uint)Arguments.Bytes(MaxRegistersPerThread, "MaxRegistersPerThread");
            native.register_unit = (uint)Arguments.Bytes(RegisterUnit, "RegisterUnit");
            native.register_lanes = (uint)Arguments.Bytes(RegisterLanes, "RegisterLanes");
            native.register_allocation = (uint)RegisterAllocation;
            native.warp_granularity = (uint)Arguments.Bytes(WarpGranularity, "WarpGranularity");
            native.sub_partitions = (uint)Arguments.Bytes(SubPartitions, "SubPartitions");
            native.min_sub_partitions_check = (uint)Arguments.Bytes(MinSubPartitionsCheck, "MinSubPartitionsCheck");
            native.barriers_per_mp = (uint)Arguments.Bytes(BarriersPerMp, "BarriersPerMp");
            native.partitioned_cache = PartitionedCache ? 1u : 0u;
            native.local_access_threads = (uint)Arguments.Bytes(LocalAccessThreads, "LocalAccessThreads");
            native.local_per_mp = Arguments.Bytes(LocalPerMp, "LocalPerMp");
            native.local_per_group = Arguments.Bytes(LocalPerGroup, "LocalPerGroup");
            native.local_per_group_opt_in = Arguments.Bytes(LocalPerGroupOptIn, "LocalPerGroupOptIn");
            native.local_unit = Arguments.Bytes(LocalUnit, "LocalUnit");
            native.local_reserved = Arguments.Bytes(LocalReserved, "LocalReserved");
            long[] carveOuts = LocalCarveOuts ?? new long[0];
            if (carveOuts.Length > Native.CLPOOL_MAX_CARVE_OUTS)
                throw new ArgumentException("has " + carveOuts.Length + " entries; at most " + Native.CLPOOL_MAX_CARVE_OUTS +
                                            " are possible", "LocalCarveOuts");
            native.local_carve_out_count = (uint)carveOuts.Length;
            for (int i = 0; i < carveOuts.Length; i++) native.local_carve_outs[i] = Arguments.Bytes(carveOuts[i], "LocalCarveOuts");
            return native;
        }

        /// <inheritdoc/>
        public override string ToString() { return Figures.Describe(this); }
    }

    /// <summary>Limits of a multiprocessor, checked. They never change.</summary>
    public sealed unsafe class DeviceData : IDisposable
    {
        private readonly OwnedHandle handle;

        private DeviceData(IntPtr data) { handle = new OwnedHandle(data, Native.clpool_device_data_release, "DeviceData"); }

        /// <summary>Limits of an OpenCL device: its own answers, completed from the table of its architecture.</summary>
        public static DeviceData FromDevice(IntPtr device, Model model = Model.Current)
        {
            IntPtr data;
            Errors.Check(Native.clpool_device_data_create_from_device(device, (uint)model, &data));
            return new DeviceData(data);
        }

        /// <summary>Limits of an NVIDIA compute capability, 1.0 to 12.1.</summary>
        public static DeviceData FromComputeCapability(int major, int minor, Model model = Model.Current)
        {
            IntPtr data;
            Errors.Check(Native.clpool_device_data_create_from_compute_capability(major, minor, (uint)model, &data));
            return new DeviceData(data);
        }

        /// <summary>Limits of an architecture by its compiler's name: "sm_90", "gfx90a", "xe-hpc", …</summary>
        public static DeviceData FromArchitecture(string name, Model model = Model.Current)
        {
            IntPtr data;
            fixed (byte* text = Utf8.Bytes(name))
                Errors.Check(Native.clpool_device_data_create_from_architecture(text, (uint)model, &data));
            return new DeviceData(data);
        }

        /// <summary>Limits given as numbers.</summary>
        public static DeviceData FromLimits(DeviceLimits limits)
        {
            IntPtr data;
            clpool_device_limits native = Arguments.NotNull(limits, "limits").ToNative();
            Errors.Check(Native.clpool_device_data_create_from_limits(&native, &data));
            return new DeviceData(data);
        }

        /// <summary>The numbers, as a copy.</summary>
        public DeviceLimits Limits
        {
            get
            {
                clpool_device_limits limits = new clpool_device_limits();
                limits.struct_size = (uint)sizeof(clpool_device_limits);
                using (OwnedHandle.Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_device_data_limits(used.Value, &limits));
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
            return (long)aligned;
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
            return (long)aligned;
        }

        /// <summary>Rounds threads up to a multiple of 16, for coalesced accesses.</summary>
        public static long Coalesce(long threads)
        {
            ulong rounded;
            Errors.Check(Native.clpool_coalesce_threads(Arguments.Bytes(threads, "threads"), &rounded));
            return (long)rounded;
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

        internal OwnedHandle.Borrowed Borrow() { return handle.Borrow(); }

        /// <inheritdoc/>
        public override string ToString() { return handle.IsDisposed ? "DeviceData (disposed)" : "DeviceData, " + Limits; }
    }
}
