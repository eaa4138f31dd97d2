// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How well kernels fill a multiprocessor, for the device here and for some that need not be here.
using System;

namespace ClPool.Examples
{
    public static class OccupancyReport
    {
        public static int Main()
        {
            IntPtr device = Devices.Choose();
            Console.WriteLine(Devices.Describe(device));
            Console.WriteLine("  work items in step: " + Characterization.SimdGroupSize(device));
            using (DeviceData data = DeviceData.FromDevice(device)) Report("this device", data, 0, 0);
            foreach (string architecture in new[] { "sm_70", "sm_90", "gfx90a", "xe-hpc" })
                using (DeviceData data = DeviceData.FromArchitecture(architecture)) Report(architecture, data, 32, 4096);
            return 0;
        }

        private static void Report(string name, DeviceData data, long registers, long localBytes)
        {
            OccupancyRequest kernel = new OccupancyRequest { RegistersPerThread = registers, LocalBytes = localBytes };
            OccupancyRecord best;
            long[] sizes = OccupancyRecord.Suggest(data, kernel, out best);
            Console.WriteLine("  {0,-12} {1,3} registers, {2,5} bytes: best group sizes {3}, {4}", name, registers, localBytes,
                              string.Join(" ", sizes), best);
        }
    }
}
