// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The shortest useful program in C#: using gives everything back, failures are exceptions.
using System;
using ClPool;

public static class FirstPool
{
    public static void Main()
    {
        using (ComputeContext context = ComputeContext.Create())
        using (ImmediateAllocator allocator = new ImmediateAllocator(context.Queue))
        using (MemoryPool pool = new MemoryPool(allocator))
        {
            int[] after = new int[1];
            for (int step = 0; step < 1000; step++) // only the first step asks the driver for memory
            {
                using (PooledBuffer block = pool.Allocate(1 << 20))
                {
                    block.Write(context.Queue, new[] { 42 });
                    block.Read(context.Queue, after);
                }
            }
            PoolStatistics stats = pool.Statistics;
            Console.WriteLine("read {0}; {1} blocks from {2} allocations of the driver",
                              after[0], stats.Allocations, stats.DriverAllocations);
        }
    }
}
