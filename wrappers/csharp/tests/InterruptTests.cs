// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Thread.Interrupt() ends a wait of the thread, whichever comes next: none within what must be done whole or not at all.
using System;
using System.Threading;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class InterruptTests
    {
        private const int AtOnce = 50;

        // Makes many threads do it at once, as their first call of the library, each interrupted in it; how many it threw at.
        private static int ThrowsAt(int rounds, Func<Action> make)
        {
            int threw = 0;
            for (int round = 0; round < rounds; round++)
            {
                using (ManualResetEvent start = new ManualResetEvent(false))
                {
                    Thread[] threads = new Thread[AtOnce];
                    for (int i = 0; i < AtOnce; i++)
                    {
                        Action interrupted = make();
                        threads[i] = new Thread(() =>
                        {
                            start.WaitOne();
                            Thread.CurrentThread.Interrupt();
                            try
                            {
                                interrupted();
                            }
                            catch (ThreadInterruptedException)
                            {
                                Interlocked.Increment(ref threw);
                            }
                        }, 256 * 1024);
                        threads[i].Start();
                    }
                    start.Set();
                    foreach (Thread thread in threads) thread.Join();
                }
            }
            return threw;
        }

        [Test]
        public void EndsNoDisposeOfABlock()
        {
            EndsNoDispose(LeakDetection.Reclaim);
            EndsNoDispose(LeakDetection.Off);
        }

        private static void EndsNoDispose(LeakDetection detection)
        {
            DrySource source = new DrySource();
            using (CustomAllocator allocator = new CustomAllocator(source))
            using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { LeakDetection = detection }))
            {
                int threw = ThrowsAt(Shared.Rounds(12), () => pool.Allocate(64).Dispose);
                Assert.AreEqual(0, threw);
                Assert.AreEqual(0, pool.ActiveBlocks);
                pool.Check();
            }
        }

        [Test]
        public void EndsNoDetach()
        {
            DrySource source = new DrySource();
            using (CustomAllocator allocator = new CustomAllocator(source))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                int detached = 0;
                int threw = ThrowsAt(Shared.Rounds(12), () =>
                {
                    MemoryObject block = pool.Allocate(64);
                    return () =>
                    {
                        MemoryObject.Attach(block.Detach()).Dispose();
                        Interlocked.Increment(ref detached);
                    };
                });
                Assert.AreEqual(0, threw);
                Assert.AreEqual(Shared.Rounds(12) * AtOnce, detached);
                Assert.AreEqual(0, pool.ActiveBlocks);
            }
        }

        [Test]
        public void EndsNoDisposeOfAPool()
        {
            for (int i = 0; i < Shared.Rounds(4); i++)
            {
                DrySource[] sources = new DrySource[AtOnce];
                int made = 0;
                int threw = ThrowsAt(1, () =>
                {
                    DrySource source = sources[made++] = new DrySource();
                    CustomAllocator allocator = new CustomAllocator(source);
                    MemoryPool pool = new MemoryPool(allocator);
                    allocator.Dispose();
                    pool.Allocate(64).Dispose();
                    return pool.Dispose;
                });
                Assert.AreEqual(0, threw);
                foreach (DrySource source in sources) Assert.AreEqual(0, source.Live);
            }
        }

        [Test]
        public void DropsNothingThatWasComputed()
        {
            using (Cache cache = new Cache())
            {
                int number = 0, computed = 0;
                bool stop = false;
                Thread busy = new Thread(() => // with the table of what callbacks are for
                {
                    while (!Volatile.Read(ref stop)) new CustomAllocator(new DrySource()).Dispose();
                });
                busy.Start();
                int threw = ThrowsAt(Shared.Rounds(4), () =>
                {
                    string key = "key " + number++;
                    return () => cache.GetOrAdd(CacheOwner.Any, new IntPtr(1), key, () => Interlocked.Increment(ref computed));
                });
                Volatile.Write(ref stop, true);
                busy.Join();
                Assert.AreEqual(0, threw);
                Assert.AreEqual(number, computed);
                Assert.AreEqual(number, cache.Count);
            }
        }

        [Test]
        public void LeavesABlockThatAnotherThreadUsesAsItWas()
        {
            Leaves(LeakDetection.Reclaim);
            Leaves(LeakDetection.Off);
        }

        private static void Leaves(LeakDetection detection)
        {
            using (ImmediateAllocator allocator = new ImmediateAllocator(Shared.Queue))
            using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { LeakDetection = detection }))
            using (Gate gate = new Gate())
            {
                MemoryObject block = pool.Allocate(256);
                Thread reader = new Thread(() => block.Read(Shared.Queue, new byte[64], 0, MemoryObject.WholeSize, new[] { gate.Event }));
                reader.Start();
                Thread.Sleep(100); // until it reads
                bool stays = false;
                Thread interrupted = new Thread(() =>
                {
                    Thread.CurrentThread.Interrupt();
                    bool refused = IsRefused(block);
                    try
                    {
                        Thread.Sleep(1); // the first wait of the program's own
                    }
                    catch (ThreadInterruptedException)
                    {
                        stays = refused;
                    }
                });
                interrupted.Start();
                interrupted.Join();
                gate.Open();
                reader.Join();
                Assert.IsTrue(stays, "the interrupt");
                Assert.IsFalse(block.IsDisposed);
                Assert.AreEqual(256, block.Size);
                block.Dispose();
                Assert.AreEqual(0, pool.ActiveBlocks);
            }
        }

        private static bool IsRefused(MemoryObject block)
        {
            try
            {
                block.Detach();
                return false;
            }
            catch (InvalidOperationException exception)
            {
                Assert.IsTrue(exception.Message.Contains("in use by another thread"), exception.Message);
                return true;
            }
        }
    }
}
