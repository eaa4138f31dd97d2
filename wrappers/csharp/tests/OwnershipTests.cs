// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Who keeps what alive; forgotten, disposed of twice, used too late.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class OwnershipTests
    {
        [Test]
        public void ABlockOutlivesItsPoolAndAllocator()
        {
            PooledBuffer block;
            using (ImmediateAllocator allocator = new ImmediateAllocator(Shared.Queue))
            using (MemoryPool pool = new MemoryPool(allocator))
                block = pool.Allocate(4096);
            byte[] read = new byte[4096];
            block.Fill(Shared.Queue, new byte[] { 9 }).Dispose();
            block.Read(Shared.Queue, read);
            Assert.AreEqual(9, read[4095]);
            block.Dispose();
        }

        [Test]
        public void DisposingTwiceDoesNothing()
        {
            DrySource source = new DrySource();
            using (CustomAllocator allocator = new CustomAllocator(source))
            {
                MemoryPool pool = new MemoryPool(allocator);
                PooledBuffer block = pool.Allocate(100);
                block.Dispose();
                block.Dispose();
                block.DisposeLater();
                Assert.AreEqual(0, pool.ActiveBlocks);
                Assert.IsTrue(block.IsDisposed);
                pool.Dispose();
                pool.Dispose();
            }
            Assert.AreEqual(0, source.Live);
        }

        [Test]
        public void UseAfterDisposeThrows()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            {
                MemoryPool pool = new MemoryPool(allocator);
                PooledBuffer block = pool.Allocate(100);
                block.Dispose();
                Assert.AreEqual("PooledBuffer", Assert.Throws<ObjectDisposedException>(() => { long size = block.Size; }).ObjectName);
                Assert.Throws<ObjectDisposedException>(() => { IntPtr pointer = block.Pointer; });
                Assert.Throws<ObjectDisposedException>(() => block.SubRegion(0));
                Assert.Throws<ObjectDisposedException>(() => block.Read(Shared.Queue, new byte[4]));
                Assert.Throws<ObjectDisposedException>(() => block.Detach());
                Assert.Throws<ObjectDisposedException>(() => block.SetTag(1));
                pool.Dispose();
                Assert.Throws<ObjectDisposedException>(() => pool.Allocate(100));
                Assert.Throws<ObjectDisposedException>(() => pool.TryAllocate(100));
                Assert.Throws<ObjectDisposedException>(() => pool.FreeHeld());
                Assert.Throws<ObjectDisposedException>(() => { PoolStatistics figures = pool.Statistics; });
            }
        }

        [Test]
        public void WhatForgottenMapsAndPoolsHoldComesBackWhenMemoryIsOut()
        {
            const int Size = 600 << 10; // there is room for one
            using (ImmediateAllocator buffers = new ImmediateAllocator(Shared.Queue))
            using (LimitAllocator limited = new LimitAllocator(buffers, 1 << 20))
            {
                using (MemoryPool pool = new MemoryPool(limited, new PoolOptions { Wait = TimeSpan.FromSeconds(5) }))
                {
                    for (int i = 0; i < 5; i++) ForgetOnAThread(() => pool.Allocate(Size).Map(Shared.Queue));
                    for (int i = 0; i < 5; i++) ForgetOnAThread(() => pool.Allocate(Size).Map(Shared.Queue).Unmap());
                }
                for (int i = 0; i < 5; i++) ForgetOnAThread(() => new MemoryPool(limited).Allocate(Size));
            }
        }

        // Without a collection: that is the pool's to do.
        private static void ForgetOnAThread(Action forget)
        {
            Exception failure = null;
            Thread thread = new Thread(() =>
            {
                try
                {
                    forget();
                }
                catch (Exception exception)
                {
                    failure = exception;
                }
                Overwrite();
            });
            thread.Start();
            thread.Join();
            Assert.IsNull(failure);
        }

        // What calls left on the stack: the next thread's may lie there, in which a conservative collector would still see it.
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static unsafe void Overwrite()
        {
            const int Size = 200000;
            byte* left = stackalloc byte[Size];
            for (int i = 0; i < Size; i++) left[i] = 1;
        }

        [Test]
        public void AForgottenBlockComesBack()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                Shared.Forget(() => { for (int i = 0; i < 100; i++) pool.Allocate(1000); });
                pool.Tick();
                Assert.LessOrEqual(pool.ActiveBlocks, 2); // a conservative collector may still see one
                pool.Check();
            }
        }

        [Test]
        public void AForgottenBlockInAnObjectThatIsUsedAgainComesBack()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                Shared.Forget(() =>
                {
                    for (int i = 0; i < 100; i++)
                    {
                        PooledBuffer block = pool.Allocate(1000);
                        block.Dispose();
                        pool.Allocate(2000, block);
                    }
                });
                pool.Tick();
                Assert.LessOrEqual(pool.ActiveBlocks, 2); // a conservative collector may still see one
                pool.Check();
            }
        }

        [Test]
        public void WithoutLeakDetectionAForgottenBlockIsLost()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { LeakDetection = LeakDetection.Off }))
            {
                Shared.Forget(() => { for (int i = 0; i < 10; i++) pool.Allocate(1000); });
                Assert.AreEqual(10, pool.ActiveBlocks);
            }
        }

        [Test]
        public void TracedLeaksTellWhereTheyCameFrom()
        {
            List<string> messages = new List<string>();
            MessageHandler handler = (severity, text) => { lock (messages) messages.Add(text); };
            Library.Message += handler;
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { LeakDetection = LeakDetection.Trace }))
                Shared.Forget(() => { for (int i = 0; i < 20; i++) LeakHere(pool); });
            Library.Message -= handler;
            lock (messages) Assert.IsTrue(messages.Exists(text => text.Contains("1234 bytes") && text.Contains("LeakHere")));
        }

        [Test]
        public void ForgottenPoolsAndAllocatorsGiveTheirMemoryBackAtTheNextCall()
        {
            DrySource source = new DrySource();
            Shared.Forget(() =>
            {
                for (int i = 0; i < 20; i++)
                {
                    MemoryPool pool = new MemoryPool(new CustomAllocator(source));
                    pool.Allocate(1000).Dispose();
                }
            });
            long before = source.Live;
            using (Heap next = new Heap()) Assert.IsNotNull(next);
            Assert.Greater(before, 0);
            Assert.LessOrEqual(source.Live, before / 10); // a conservative collector may still see one
        }

        [Test]
        public void ForgottenDirectMemoryComesBack()
        {
            DrySource source = new DrySource();
            using (CustomAllocator allocator = new CustomAllocator(source))
            {
                Shared.Forget(() => { for (int i = 0; i < 100; i++) allocator.Allocate(1000); });
                allocator.Allocate(8).Dispose();
                Assert.LessOrEqual(source.Live, 2000);
            }
        }

        [Test]
        public void APartKeepsItsParentAlive()
        {
            DrySource source = new DrySource();
            using (CustomAllocator allocator = new CustomAllocator(source))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                PooledBuffer block = pool.Allocate(1000);
                SubRegion part = block.SubRegion(100, 200);
                IntPtr start = block.Pointer;
                block.Dispose();
                Assert.AreEqual(1, pool.ActiveBlocks);
                Assert.AreEqual(start.ToInt64() + 100, part.Pointer.ToInt64());
                part.Dispose();
                Assert.AreEqual(0, pool.ActiveBlocks);
            }
        }

        [Test]
        public void DetachedMemoryBelongsToTheCaller()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                PooledBuffer block = pool.Allocate(1000);
                IntPtr memory = block.Detach();
                Assert.IsTrue(block.IsDisposed);
                Assert.AreEqual(1, pool.ActiveBlocks);
                MemoryObject.Attach(memory).Dispose();
                Assert.AreEqual(0, pool.ActiveBlocks);
                Assert.Throws<ArgumentNullException>(() => MemoryObject.Attach(IntPtr.Zero));
            }
        }

        [Test]
        public void SharedMemoryComesBackWithTheLastObject()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                PooledBuffer block = pool.Allocate(1000);
                MemoryObject second = block.Share();
                Assert.IsTrue(second.IsSameMemory(block));
                block.Dispose();
                Assert.AreEqual(1, pool.ActiveBlocks);
                second.Dispose();
                Assert.AreEqual(0, pool.ActiveBlocks);
            }
        }

        [Test]
        public void DisposeFromAFinalizerOfTheUserIsHarmless()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                Shared.Forget(() => { for (int i = 0; i < 100; i++) new Holder { Block = pool.Allocate(1000) }; });
                pool.Tick();
                Assert.LessOrEqual(pool.ActiveBlocks, 2);
                pool.Check();
            }
        }

        [Test]
        public void BlocksThatAFinalizerOfTheUserMakesStay()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                List<PooledBuffer> made = new List<PooledBuffer>();
                Shared.Forget(() =>
                {
                    for (int i = 0; i < 100; i++) new Exchanger { Block = pool.Allocate(1000), Made = made };
                });
                pool.Tick();
                Assert.Greater(made.Count, 90);
                Assert.GreaterOrEqual(pool.ActiveBlocks, made.Count);
                foreach (PooledBuffer block in made) Assert.AreEqual(2000, block.Size);
                foreach (PooledBuffer block in made) block.Dispose();
                pool.Check();
            }
        }

        [Test]
        public void APoolDisposedOfUnderOtherThreadsThrowsThere()
        {
            for (int round = 0; round < 20; round++)
            {
                using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
                {
                    MemoryPool pool = new MemoryPool(allocator);
                    int ended = 0;
                    Thread[] threads = new Thread[4];
                    for (int i = 0; i < threads.Length; i++)
                    {
                        threads[i] = new Thread(() =>
                        {
                            try
                            {
                                while (true) pool.Allocate(256).Dispose();
                            }
                            catch (ObjectDisposedException)
                            {
                                Interlocked.Increment(ref ended);
                            }
                        });
                        threads[i].Start();
                    }
                    Thread.Sleep(2);
                    pool.Dispose();
                    foreach (Thread thread in threads) thread.Join();
                    Assert.AreEqual(threads.Length, ended);
                }
            }
        }

#if NET
        [Test]
        public void AHitMakesNothingButASmallObject()
        {
            const int Rounds = 10000;
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
                foreach (LeakDetection detection in new[] { LeakDetection.Reclaim, LeakDetection.Off })
                    using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { LeakDetection = detection }))
                    {
                        pool.Allocate(4096).Dispose();
                        long before = GC.GetAllocatedBytesForCurrentThread();
                        for (int i = 0; i < Rounds; i++) pool.Allocate(4096).Dispose();
                        Assert.LessOrEqual(GC.GetAllocatedBytesForCurrentThread() - before, 25 * Rounds);
                    }
        }

        [Test]
        public void AHitInAnObjectThatIsUsedAgainMakesNothing()
        {
            const int Rounds = 10000;
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
                foreach (LeakDetection detection in new[] { LeakDetection.Reclaim, LeakDetection.Off })
                    using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { LeakDetection = detection }))
                    {
                        PooledBuffer block = pool.Allocate(4096);
                        block.Dispose();
                        long before = GC.GetAllocatedBytesForCurrentThread();
                        for (int i = 0; i < Rounds; i++) pool.Allocate(4096, block).Dispose();
                        Assert.LessOrEqual(GC.GetAllocatedBytesForCurrentThread() - before, Rounds / 10);
                    }
        }
#endif

        private static void LeakHere(MemoryPool pool) { pool.Allocate(1234); }

        private sealed class Exchanger
        {
            internal PooledBuffer Block;
            internal List<PooledBuffer> Made;

            ~Exchanger()
            {
                MemoryPool pool = Block.Pool;
                Block.Dispose();
                Made.Add(pool.Allocate(2000));
            }
        }

        private sealed class Holder
        {
            internal PooledBuffer Block;

            ~Holder() { Block.Dispose(); }
        }

        [Test]
        public void NoBlockIsLostWhereThereIsNoManagedMemory()
        {
            if (Environment.GetEnvironmentVariable("DOTNET_GCHeapHardLimit") == null)
                Assert.Ignore("all memory would be taken: DOTNET_GCHeapHardLimit is not set");
            foreach (LeakDetection detection in new[] { LeakDetection.Reclaim, LeakDetection.Off })
            {
                using (Allocator allocator = new CustomAllocator(new DrySource()))
                using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { LeakDetection = detection }))
                {
                    int refused = TakeWhereThereIsNoMemory(() => pool.Allocate(64)) + TakeWhereThereIsNoMemory(() => pool.TryAllocate(64));
                    using (PooledBuffer block = pool.Allocate(64)) refused += TakeWhereThereIsNoMemory(() => block.Share());
                    Assert.Greater(refused, 0);
                    Shared.Forget(() => { });
                    pool.Tick();
                    Assert.AreEqual(0L, pool.ActiveBlocks);
                }
            }
        }

        // How often there was none for a managed object.
        private static int TakeWhereThereIsNoMemory(Func<MemoryObject> take)
        {
            MemoryObject[] taken = new MemoryObject[300];
            int refused = 0;
            take().Dispose();
            List<object> all = FillMemory();
            for (int i = 0; i < taken.Length; i++)
            {
                try
                {
                    taken[i] = take();
                }
                catch (OutOfMemoryException)
                {
                    refused++;
                }
            }
            foreach (MemoryObject one in taken)
            {
                if (one != null) one.Dispose();
            }
            all.Clear();
            return refused;
        }

        private static List<object> FillMemory()
        {
            List<object> all = new List<object>(1 << 18);
            for (int size = 1 << 20; size >= 16; size /= 2)
            {
                try
                {
                    while (true) all.Add(new byte[size]);
                }
                catch (OutOfMemoryException)
                {
                    // with smaller ones
                }
            }
            return all;
        }
    }
}
