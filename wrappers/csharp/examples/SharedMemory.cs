// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shared virtual memory from a pool: the host and the device use the same addresses.
using System;
using System.Linq;

namespace ClPool.Examples
{
    public static class SharedMemory
    {
        public static int Main()
        {
            using (ComputeContext context = ComputeContext.Create())
            {
                if ((SvmMemory.Capabilities(context.Device) & SvmCapabilities.CoarseGrainBuffer) == 0)
                {
                    Console.WriteLine("skipped: " + Devices.Describe(context.Device) + " has no shared virtual memory");
                    return 77;
                }
                using (SvmAllocator allocator = new SvmAllocator(context, MemFlags.None, 0, context.Queue))
                using (SvmPool pool = new SvmPool(allocator))
                using (PooledSvm block = pool.Allocate(1024 * sizeof(float)))
                {
                    // Coarse-grain memory is mapped while the host uses it.
                    using (MemoryMap map = block.Map(context.Queue, MapFlags.WriteInvalidateRegion))
                        map.CopyFrom(Enumerable.Range(0, 1024).Select(i => (float)i).ToArray());
                    // The device works on it: here a fill of the first half.
                    block.Fill(context.Queue, new[] { -1f }, 0, 512 * sizeof(float)).Dispose();
                    float[] result = new float[1024];
                    using (MemoryMap map = block.Map(context.Queue, MapFlags.Read)) map.CopyTo(result);
                    Console.WriteLine("at address 0x{0:x}: {1}, {2}, ..., {3}", block.Pointer.ToInt64(), result[0], result[1], result[1023]);
                    return result[511] == -1 && result[512] == 512 ? 0 : 1;
                }
            }
        }
    }
}
