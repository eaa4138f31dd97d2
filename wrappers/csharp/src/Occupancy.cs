// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How many work-groups a multiprocessor holds at a time, and what limits them.
using System;
using ClPool.Interop;

namespace ClPool
{
    public sealed unsafe partial class OccupancyRecord
    {
        /// <summary>Answers for one kernel.</summary>
        public OccupancyRecord(DeviceData device, OccupancyRequest request)
        {
            clpool_occupancy_request asked = Arguments.NotNull(request, "request").ToNative();
            clpool_occupancy answer = clpool_occupancy.Initial();
            using (Borrowed used = Arguments.NotNull(device, "device").Borrow())
                Errors.Check(Native.clpool_occupancy_compute(used.Value, &asked, &answer));
            native = answer;
        }

        /// <summary>Answers for one kernel, as PyCUDA's OccupancyRecord is asked.</summary>
        public OccupancyRecord(DeviceData device, long threads, long localBytes = 0, long registersPerThread = 0)
            : this(device, new OccupancyRequest { Threads = threads, LocalBytes = localBytes, RegistersPerThread = registersPerThread })
        {
        }

        /// <summary>The group sizes, multiples of the warp size, that reach the highest occupancy.</summary>
        /// <param name="device">the device</param>
        /// <param name="request">the kernel; its threads are ignored</param>
        /// <param name="best">the answer for the smallest of them</param>
        public static long[] Suggest(DeviceData device, OccupancyRequest request, out OccupancyRecord best)
        {
            clpool_occupancy_request asked = Arguments.NotNull(request, "request").ToNative();
            clpool_occupancy answer = clpool_occupancy.Initial();
            ulong count;
            uint[] sizes;
            using (Borrowed used = Arguments.NotNull(device, "device").Borrow())
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
    }
}
