// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Allocates in a loop, as iterative programs do for their temporaries, with and without a pool, and prints the difference.
using System;
using System.Diagnostics;

namespace ClPool.Examples
{
    public static class PoolLoop
    {
        private const int Rounds = 2000;
        private const long Size = 1 << 20;

        public static int Main()
        {
            using (ComputeContext context = ComputeContext.Create())
            using (ImmediateAllocator allocator = new ImmediateAllocator(context.Queue))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                Console.WriteLine(Devices.Describe(context.Device));
                double without = Microseconds(() => allocator.Allocate(Size).Dispose());
                double with = Microseconds(() => pool.Allocate(Size).Dispose());
                Console.WriteLine("without a pool: {0,8:F2} us for each block of {1} bytes", without, Size);
                Console.WriteLine("with a pool:    {0,8:F2} us, {1:F0} times less", with, without / with);
                PoolStatistics figures = pool.Statistics;
                Console.WriteLine("the pool asked the driver {0} time(s) for {1} blocks", figures.DriverAllocations, figures.Allocations);
                return figures.DriverAllocations == 1 && figures.ActiveBlocks == 0 ? 0 : 1;
            }
        }

        private static double Microseconds(Action action)
        {
            action();
            Stopwatch watch = Stopwatch.StartNew();
            for (int i = 0; i < Rounds; i++) action();
            return watch.Elapsed.TotalMilliseconds * 1000 / Rounds;
        }
    }
}
