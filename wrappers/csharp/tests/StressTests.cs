// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Many threads, and sizes that no 32-bit number holds.
using System;
using System.Collections.Generic;
using System.Threading;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class StressTests
    {
        [Test]
        public void EightThreadsShareAPool()
        {
            DrySource source = new DrySource();
            using (CustomAllocator allocator = new CustomAllocator(source))
            {
                using (MemoryPool pool = new MemoryPool(allocator))
                {
                    Exception failure = null;
                    Thread[] threads = new Thread[8];
                    for (int t = 0; t < threads.Length; t++)
                    {
                        int seed = t;
                        threads[t] = new Thread(() =>
                        {
                            try
                            {
                                Work(pool, new Random(seed));
                            }
                            catch (Exception exception)
                            {
                                failure = exception;
                            }
                        });
                        threads[t].Start();
                    }
                    for (int i = 0; i < 20; i++)
                    {
                        GC.Collect();
                        Thread.Sleep(1);
                    }
                    foreach (Thread thread in threads) thread.Join();
                    Assert.IsNull(failure);
                    for (int i = 0; i < 4; i++)
                    {
                        GC.Collect();
                        GC.WaitForPendingFinalizers();
                    }
                    pool.Tick();
                    Assert.LessOrEqual(pool.ActiveBlocks, 16); // what a conservative collector may still see
                    pool.Check();
                }
            }
        }

        [Test]
        public void BlocksMayBeDisposedOfByOtherThreads()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                Queue<PooledBuffer> handed = new Queue<PooledBuffer>();
                Thread consumer = new Thread(() =>
                {
                    for (int left = 5000; left > 0;)
                    {
                        PooledBuffer block = null;
                        lock (handed) if (handed.Count > 0) block = handed.Dequeue();
                        if (block == null) Thread.Yield();
                        else
                        {
                            block.Dispose();
                            left--;
                        }
                    }
                });
                consumer.Start();
                for (int i = 0; i < 5000; i++)
                {
                    PooledBuffer block = pool.Allocate(64 + i % 1000);
                    lock (handed) handed.Enqueue(block);
                }
                consumer.Join();
                Assert.AreEqual(0, pool.ActiveBlocks);
                pool.Check();
            }
        }

        [Test]
        public void ThreadsThatUseOneObjectAgainAtOnceLoseNothing()
        {
            foreach (LeakDetection detection in new[] { LeakDetection.Reclaim, LeakDetection.Off })
                using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
                using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { LeakDetection = detection }))
                {
                    PooledBuffer block = pool.Allocate(1);
                    int taken = 0;
                    Thread[] threads = new Thread[4];
                    for (int i = 0; i < threads.Length; i++)
                    {
                        long size = 64 + i;
                        threads[i] = new Thread(() =>
                        {
                            for (int turn = 0; turn < 5000; turn++)
                            {
                                try
                                {
                                    pool.Allocate(size, block);
                                    Interlocked.Increment(ref taken);
                                }
                                catch (ArgumentException) { } // another thread's block is in it
                                block.ToString();
                                block.Dispose();
                            }
                        });
                        threads[i].Start();
                    }
                    foreach (Thread thread in threads) thread.Join();
                    Assert.Greater(taken, 0);
                    Assert.AreEqual(0, pool.ActiveBlocks);
                    pool.Check();
                }
        }

#if NET
        // Never the address of one and the size of another.
        [Test]
        public unsafe void ACallIsOfOneBlockOfAnObjectThatIsUsedAgain()
        {
            const int Small = 64, Large = 8192;
            int mixed = 0;
            bool ends = false;
            using (Area area = new Area(), other = new Area())
            using (CustomAllocator allocator = new CustomAllocator(area), otherAllocator = new CustomAllocator(other))
            using (PageLockedMemoryPool small = new PageLockedMemoryPool(allocator), large = new PageLockedMemoryPool(otherAllocator))
            {
                List<Thread> threads = new List<Thread>();
                for (int i = 0; i < 2; i++)
                {
                    PooledHostMemory block = small.Allocate(Small);
                    threads.Add(new Thread(() =>
                    {
                        while (!Volatile.Read(ref ends))
                        {
                            block.Dispose();
                            large.Allocate(Large, block);
                            block.Dispose();
                            small.Allocate(Small, block);
                        }
                        block.Dispose();
                    }));
                    threads.Add(new Thread(() =>
                    {
                        while (!Volatile.Read(ref ends))
                        {
                            try
                            {
                                Span<byte> span = block.AsSpan<byte>();
                                fixed (byte* first = span)
                                    if (area.Has(first) != (span.Length == Small)) Interlocked.Increment(ref mixed);
                                using (System.Buffers.IMemoryOwner<byte> owner = block.ToMemoryOwner())
                                using (System.Buffers.MemoryHandle pin = owner.Memory.Pin())
                                    if (area.Has((byte*)pin.Pointer) != (owner.Memory.Length == Small)) Interlocked.Increment(ref mixed);
                            }
                            catch (ObjectDisposedException) { }
                        }
                    }));
                }
                foreach (Thread thread in threads) thread.Start();
                Thread.Sleep(1500);
                Volatile.Write(ref ends, true);
                foreach (Thread thread in threads) thread.Join();
                Assert.AreEqual(0, mixed);
            }
        }

        // Memory of the host.
        private sealed unsafe class Area : IMemorySource, IDisposable
        {
            private const int Bytes = 1 << 24;
            private readonly byte* first = (byte*)System.Runtime.InteropServices.NativeMemory.AlignedAlloc(Bytes, 4096);
            private long used;

            public long Allocate(long size, long alignment)
            {
                long place = (used + alignment - 1) & -alignment;
                if (size > Bytes - place) throw new OutOfDeviceMemoryException("there is no more");
                used = place + size;
                return (long)first + place;
            }

            public void Deallocate(long chunk, long size) { }

            internal bool Has(byte* place) { return place >= first && place < first + Bytes; }

            public void Dispose() { System.Runtime.InteropServices.NativeMemory.AlignedFree(first); }
        }
#endif

        [Test]
        public void SizesOverFourGibAreExact()
        {
            DrySource source = new DrySource();
            long size = (5L << 30) + 12345;
            using (CustomAllocator allocator = new CustomAllocator(source))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                using (MemoryObject direct = allocator.Allocate(size))
                {
                    Assert.AreEqual(size, direct.Size);
                    Assert.AreEqual(size, source.Live);
                }
                using (PooledBuffer block = pool.Allocate(size))
                using (SubRegion part = block.SubRegion(size - 100, 50))
                {
                    Assert.AreEqual(size, block.Size);
                    Assert.GreaterOrEqual(block.Capacity, size);
                    Assert.AreEqual(size, pool.ActiveBytes);
                    Assert.AreEqual(block.Pointer.ToInt64() + size - 100, part.Pointer.ToInt64());
                }
                Assert.Throws<OutOfDeviceMemoryException>(() => new LimitAllocator(allocator, 5L << 30).Allocate(size));
                using (Heap heap = new Heap())
                {
                    heap.AddSpace(1L << 50);
                    Assert.AreEqual(1L << 49, heap.Allocate(1L << 49).Size);
                }
            }
        }

        private static void Work(MemoryPool pool, Random random)
        {
            List<PooledBuffer> live = new List<PooledBuffer>();
            for (int i = 0; i < 4000; i++)
            {
                if (live.Count > 0 && random.Next(2) == 0)
                {
                    int which = random.Next(live.Count);
                    if (random.Next(20) != 0) live[which].Dispose(); // else it is forgotten
                    live.RemoveAt(which);
                }
                else
                {
                    PooledBuffer block = pool.Allocate(1 + random.Next(100000));
                    if (block.Capacity < block.Size) throw new InvalidOperationException("a block is too small");
                    live.Add(block);
                }
            }
            foreach (PooledBuffer block in live) block.Dispose();
        }
    }
}
