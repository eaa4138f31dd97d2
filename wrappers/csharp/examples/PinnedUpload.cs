// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Uploads through page-locked memory of a pool, which transfers at full speed, and compares that with an ordinary array.
using System;
using System.Diagnostics;

namespace ClPool.Examples
{
    public static class PinnedUpload
    {
        private const int Size = 16 << 20;

        public static int Main()
        {
            using (ComputeContext context = ComputeContext.Create())
            using (PinnedAllocator pinned = new PinnedAllocator(context.Queue))
            using (PageLockedMemoryPool staging = new PageLockedMemoryPool(pinned))
            using (ImmediateAllocator device = new ImmediateAllocator(context.Queue))
            using (MemoryPool pool = new MemoryPool(device))
            using (PooledBuffer target = pool.Allocate(Size))
            {
                byte[] ordinary = new byte[Size], read = new byte[Size];
                new Random(1).NextBytes(ordinary);
                target.Write(context.Queue, ordinary);
                Report("ordinary array", () => target.Write(context.Queue, ordinary));
                using (PooledHostMemory locked = staging.Allocate(Size))
                {
                    locked.CopyFrom(ordinary);
                    Report("page-locked", () => { using (ClEvent sent = target.WriteAsync(context.Queue, locked.Pointer, Size)) sent.Wait(); });
                }
                target.Read(context.Queue, read);
                for (int i = 0; i < Size; i++)
                    if (read[i] != ordinary[i]) return 1;
                Console.WriteLine("all {0} bytes arrived", Size);
                return 0;
            }
        }

        private static void Report(string name, Action upload)
        {
            Stopwatch watch = Stopwatch.StartNew();
            for (int i = 0; i < 10; i++) upload();
            Console.WriteLine("{0,-15} {1,6:F1} GB/s", name, 10.0 * Size / watch.Elapsed.TotalSeconds / 1e9);
        }
    }
}
