// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Ends with everything still alive: pools, blocks, maps, callbacks, events, on two threads, and a task for a command that never
// ends. The process must end by itself, with the value that Main returned.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace ClPool.Tests
{
    public static class LiveAtExit
    {
        private static readonly List<object> kept = new List<object>();

        public static int Main()
        {
            Library.Message += (severity, text) => Console.Error.WriteLine(text);
            Use();
            Thread other = new Thread(Use);
            other.Start();
            other.Join();
            Forgotten();
            Awaited();
            return kept.Count == 2 * 8 + 5 ? 0 : 1;
        }

        private static void Use()
        {
            ComputeContext context = ComputeContext.Create();
            ImmediateAllocator allocator = new ImmediateAllocator(context.Queue);
            PoolOptions options = new PoolOptions { Collect = PoolOptions.CollectGarbage, OutOfMemory = (size, attempt) => false };
            MemoryPool pool = new MemoryPool(allocator, options);
            PooledBuffer block = pool.Allocate(4096);
            ClEvent filled = block.Fill(context.Queue, new byte[] { 1 });
            MemoryMap map = block.Map(context.Queue);
            MemoryObject direct = new CustomAllocator(new Source()).Allocate(100);
            Cache cache = new Cache();
            cache.GetOrAdd(context, "key", () => new object());
            lock (kept) kept.AddRange(new object[] { context, allocator, pool, block, filled, map, direct, cache });
        }

        private static void Forgotten()
        {
            for (int i = 0; i < 100; i++) ((MemoryPool)kept[2]).Allocate(1000);
        }

        // A command that never ends, and what waits for it: begun before something that it has waited for.
        private static void Awaited()
        {
            ComputeContext context = ComputeContext.Create();
            ClEvent never = ClEvent.FromHandle(clCreateUserEvent(context.Context, IntPtr.Zero), false);
            ClEvent ends = ClEvent.FromHandle(clCreateUserEvent(context.Context, IntPtr.Zero), false);
            DeviceBuffer buffer = DeviceBuffer.Create(context, 64);
            ClEvent filled = buffer.Fill(context.Queue, new byte[] { 1 }, 0, 64, new[] { never });
            kept.AddRange(new object[] { context, never, buffer, filled, filled.AsTask() });
            Task ended = ends.AsTask();
            clSetUserEventStatus(ends.Handle, 0);
            ended.Wait();
        }

        [DllImport("libOpenCL.so.1")]
        private static extern IntPtr clCreateUserEvent(IntPtr context, IntPtr code);

        [DllImport("libOpenCL.so.1")]
        private static extern int clSetUserEventStatus(IntPtr userEvent, int status);

        private sealed class Source : IMemorySource
        {
            public long Allocate(long size, long alignment) { return 1L << 40; }

            public void Deallocate(long chunk, long size) { }
        }
    }
}
