// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How many work-groups a multiprocessor holds at a time, and what limits them.
using System;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>A kernel whose occupancy is asked for.</summary>
    public sealed unsafe class OccupancyRequest
    {
        /// <summary>Threads (work items) per group.</summary>
        public long Threads { get; set; }
        /// <summary>Registers per thread; 0: not counted.</summary>
        public long RegistersPerThread { get; set; }
        /// <summary>Bytes of local memory per group.</summary>
        public long LocalBytes { get; set; }
        /// <summary>Bytes of local memory that the multiprocessor is to be set to; 0: the most.</summary>
        public long CarveOutBytes { get; set; }
        /// <summary>Named barriers per group; 0: not counted.</summary>
        public long Barriers { get; set; }
        /// <summary>A group gets no more than the default local memory, as without CUDA's opt-in.</summary>
        public bool NoOptIn { get; set; }
        /// <summary>Global loads are cached by halves of the multiprocessor (some NVIDIA devices).</summary>
        public bool PartitionedCache { get; set; }

        internal clpool_occupancy_request ToNative()
        {
            clpool_occupancy_request native = new clpool_occupancy_request();
            native.struct_size = (uint)sizeof(clpool_occupancy_request);
            if (NoOptIn) native.flags |= Native.CLPOOL_OCCUPANCY_NO_OPT_IN;
            if (PartitionedCache) native.flags |= Native.CLPOOL_OCCUPANCY_PARTITIONED_CACHE;
            native.threads = Threads;
            native.registers_per_thread = RegistersPerThread;
            native.local_bytes = LocalBytes;
            native.carve_out_bytes = CarveOutBytes;
            native.barriers = Barriers;
            return native;
        }

        /// <inheritdoc/>
        public override string ToString() { return Figures.Describe(this); }
    }

    /// <summary>How well a kernel fills a multiprocessor.</summary>
    public sealed unsafe class OccupancyRecord
    {
        /// <summary>A limit that does not bind.</summary>
        public const long Unlimited = uint.MaxValue;

        private readonly clpool_occupancy native;

        /// <summary>Answers for one kernel.</summary>
        public OccupancyRecord(DeviceData device, OccupancyRequest request)
        {
            clpool_occupancy_request asked = Arguments.NotNull(request, "request").ToNative();
            clpool_occupancy answer = Empty();
            using (OwnedHandle.Borrowed used = Arguments.NotNull(device, "device").Borrow())
                Errors.Check(Native.clpool_occupancy_compute(used.Value, &asked, &answer));
            native = answer;
        }

        /// <summary>Answers for one kernel, as PyCUDA's OccupancyRecord is asked.</summary>
        public OccupancyRecord(DeviceData device, long threads, long localBytes = 0, long registersPerThread = 0)
            : this(device, new OccupancyRequest { Threads = threads, LocalBytes = localBytes, RegistersPerThread = registersPerThread })
        {
        }

        private OccupancyRecord(clpool_occupancy native) { this.native = native; }

        /// <summary>Groups that a multiprocessor holds; 0: the kernel cannot run, and the factors say why.</summary>
        public long GroupsPerMp { get { return native.groups_per_mp; } }
        /// <summary>Warps of a group.</summary>
        public long WarpsPerGroup { get { return native.warps_per_group; } }
        /// <summary>Warps of all these groups.</summary>
        public long WarpsPerMp { get { return native.warps_per_mp; } }
        /// <summary>Warps that a multiprocessor can hold.</summary>
        public long MaxWarpsPerMp { get { return native.max_warps_per_mp; } }
        /// <summary>Every limit that <see cref="GroupsPerMp"/> reaches.</summary>
        public LimitingFactors LimitedBy { get { return (LimitingFactors)native.limiting_factors; } }
        /// <summary>Groups by warps alone, or <see cref="Unlimited"/>.</summary>
        public long LimitWarps { get { return native.limit_warps; } }
        /// <summary>Groups by registers alone, or <see cref="Unlimited"/>.</summary>
        public long LimitRegisters { get { return native.limit_registers; } }
        /// <summary>Groups by local memory alone, or <see cref="Unlimited"/>.</summary>
        public long LimitLocalMemory { get { return native.limit_local_memory; } }
        /// <summary>Groups by the device alone, or <see cref="Unlimited"/>.</summary>
        public long LimitGroups { get { return native.limit_groups; } }
        /// <summary>Groups by barriers alone, or <see cref="Unlimited"/>.</summary>
        public long LimitBarriers { get { return native.limit_barriers; } }
        /// <summary>Registers of a group, as given out.</summary>
        public long RegistersPerGroup { get { return (long)native.registers_per_group; } }
        /// <summary>Bytes of local memory of a group, as given out.</summary>
        public long LocalPerGroup { get { return (long)native.local_per_group; } }
        /// <summary>Bytes of local memory that the multiprocessor is assumed to be set to.</summary>
        public long LocalPerMp { get { return (long)native.local_per_mp; } }
        /// <summary>Warps in use by warps possible, 0 to 1.</summary>
        public double Occupancy { get { return native.occupancy; } }

        /// <summary>The group sizes, multiples of the warp size, that reach the highest occupancy.</summary>
        /// <param name="device">the device</param>
        /// <param name="request">the kernel; its threads are ignored</param>
        /// <param name="best">the answer for the smallest of them</param>
        public static long[] Suggest(DeviceData device, OccupancyRequest request, out OccupancyRecord best)
        {
            clpool_occupancy_request asked = Arguments.NotNull(request, "request").ToNative();
            clpool_occupancy answer = Empty();
            ulong count;
            uint[] sizes;
            using (OwnedHandle.Borrowed used = Arguments.NotNull(device, "device").Borrow())
            {
                Errors.Check(Native.clpool_occupancy_suggest(used.Value, &asked, null, 0, &count, &answer));
                sizes = new uint[count];
                fixed (uint* room = sizes)
                    Errors.Check(Native.clpool_occupancy_suggest(used.Value, &asked, room, (ulong)sizes.Length, &count, &answer));
            }
            best = new OccupancyRecord(answer);
            return Array.ConvertAll(sizes, size => (long)size);
        }

        /// <summary>Name of one limiting factor.</summary>
        public static string FactorName(LimitingFactors factor, Model model = Model.Current)
        {
            return Utf8.Read(Native.clpool_occupancy_factor_name((uint)factor, (uint)model));
        }

        /// <inheritdoc/>
        public override string ToString() { return Math.Round(100 * Occupancy) + " %, limited by " + LimitedBy; }

        private static clpool_occupancy Empty()
        {
            clpool_occupancy empty = new clpool_occupancy();
            empty.struct_size = (uint)sizeof(clpool_occupancy);
            return empty;
        }
    }
}
