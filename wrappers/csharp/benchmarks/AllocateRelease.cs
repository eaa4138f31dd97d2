// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What an allocation of 4096 bytes with its release costs, next to its peers in the same run: the price of a call into native
// code, the free list that one would write oneself, and what the runtime offers. Prints a table in Markdown.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;

namespace ClPool.Benchmarks
{
    public static class AllocateRelease
    {
        private const long Size = 4096;
        private const int Passes = 301; // short ones, so that most of them run undisturbed; each has several collections
        private static int repetitions = 20000;

        public static int Main(string[] arguments)
        {
            if (arguments.Length > 0) repetitions = int.Parse(arguments[0]);
#if NET
            string runtime = RuntimeInformation.FrameworkDescription;
#else
            string runtime = "Mono";
#endif
            Console.WriteLine("{0}, {1} passes of {2}\n", runtime, Passes, repetitions);
            Console.WriteLine("| one allocation and its release, 4096 bytes | ns, median | least | bytes of garbage |\n|---|---|---|---|");
            using (ComputeContext context = ComputeContext.Create())
            using (ImmediateAllocator allocator = new ImmediateAllocator(context.Queue))
            using (MemoryPool pool = new MemoryPool(allocator))
            using (MemoryPool unwatched = new MemoryPool(allocator, new PoolOptions { LeakDetection = LeakDetection.Off }))
            {
                Report("a call into native code that does nothing", count =>
                {
                    for (int i = 0; i < count; i++) sum += Library.VersionNumber;
                });
                Report("`Dictionary<long, Stack<IntPtr>>` as a free list", FreeList);
                Report("the same, handed out as an `IDisposable`", DisposableFreeList);
                Report("`Marshal.AllocHGlobal` and `FreeHGlobal`", count =>
                {
                    for (int i = 0; i < count; i++) Marshal.FreeHGlobal(Marshal.AllocHGlobal((int)Size));
                });
                Report("**`MemoryPool`, forgotten blocks come back (default)**", count =>
                {
                    for (int i = 0; i < count; i++) pool.Allocate(Size).Dispose();
                });
                Report("**`MemoryPool`, `LeakDetection.Off`**", count =>
                {
                    for (int i = 0; i < count; i++) unwatched.Allocate(Size).Dispose();
                });
                PooledBuffer block = null;
                Report("`MemoryPool`, each block in the object of the one before", count =>
                {
                    for (int i = 0; i < count; i++)
                    {
                        block = pool.Allocate(Size, block);
                        block.Dispose();
                    }
                });
                repetitions *= 10;
                Threads("`MemoryPool` (default), 2 threads at once", 2, pool);
                Threads("`MemoryPool` (default), 4 threads at once", 4, pool);
                Threads("`MemoryPool` (default), 8 threads at once", 8, pool);
                repetitions /= 1000;
                Report("`ImmediateAllocator`, without a pool", count =>
                {
                    for (int i = 0; i < count; i++) allocator.Allocate(Size).Dispose();
                });
                return pool.Statistics.DriverAllocations < 100 && sum > 0 ? 0 : 1;
            }
        }

        private static long sum;

        private static void FreeList(int count)
        {
            Dictionary<long, Stack<IntPtr>> free = new Dictionary<long, Stack<IntPtr>>();
            for (int i = 0; i < count; i++) Give(free, Take(free));
        }

        private static void DisposableFreeList(int count)
        {
            Dictionary<long, Stack<IntPtr>> free = new Dictionary<long, Stack<IntPtr>>();
            for (int i = 0; i < count; i++) new Entry(free).Dispose();
        }

        private static IntPtr Take(Dictionary<long, Stack<IntPtr>> free)
        {
            Stack<IntPtr> entries;
            return free.TryGetValue(Size, out entries) && entries.Count > 0 ? entries.Pop() : new IntPtr(4096);
        }

        private static void Give(Dictionary<long, Stack<IntPtr>> free, IntPtr value)
        {
            Stack<IntPtr> entries;
            if (!free.TryGetValue(Size, out entries)) free[Size] = entries = new Stack<IntPtr>();
            entries.Push(value);
        }

        private static void Report(string name, Action<int> work, bool alone = true)
        {
            for (int i = 0; i < 10; i++) work(repetitions); // the compiler's turn
            Thread.Sleep(200);
            work(repetitions);
            double[] times = Enumerable.Range(0, Passes).Select(pass => Nanoseconds(work)).OrderBy(time => time).ToArray();
            Console.WriteLine("| {0} | {1:F0} | {2:F0} | {3} |", name, times[Passes / 2], times[0], alone ? Garbage(work) : "");
        }

        // What one repetition leaves to the garbage collector; Mono does not tell.
        private static string Garbage(Action<int> work)
        {
#if NET
            long before = GC.GetAllocatedBytesForCurrentThread();
            work(repetitions);
            return ((GC.GetAllocatedBytesForCurrentThread() - before) / (double)repetitions).ToString("F0");
#else
            return "";
#endif
        }

        private static double Nanoseconds(Action<int> work)
        {
            Stopwatch watch = Stopwatch.StartNew();
            work(repetitions);
            return watch.Elapsed.TotalMilliseconds * 1e6 / repetitions;
        }

        private static void Threads(string name, int threads, MemoryPool pool)
        {
            Report(name, count =>
            {
                Thread[] all = Enumerable.Range(0, threads).Select(number => new Thread(() =>
                {
                    for (int i = 0; i < count / threads; i++) pool.Allocate(Size).Dispose();
                })).ToArray();
                foreach (Thread thread in all) thread.Start();
                foreach (Thread thread in all) thread.Join();
            }, false);
        }

        private sealed class Entry : IDisposable
        {
            private readonly Dictionary<long, Stack<IntPtr>> free;
            private readonly IntPtr value;

            internal Entry(Dictionary<long, Stack<IntPtr>> free)
            {
                this.free = free;
                value = Take(free);
            }

            public void Dispose() { Give(free, value); }
        }
    }
}
