// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pools: what they hand out, their figures, options and callbacks.
using System;
using System.Collections.Generic;
using System.Linq;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class PoolTests
    {
        private DrySource source;
        private CustomAllocator allocator;

        [SetUp]
        public void MakeAllocator()
        {
            source = new DrySource();
            allocator = new CustomAllocator(source);
        }

        [TearDown]
        public void EndAllocator() { allocator.Dispose(); }

        [Test]
        public void AReleasedBlockIsHandedOutAgain()
        {
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                IntPtr first;
                using (PooledBuffer block = pool.Allocate(1000))
                {
                    first = block.Pointer;
                    Assert.AreSame(pool, block.Pool);
                    Assert.IsTrue(block.IsPooled);
                    Assert.AreEqual(1000, block.Size);
                    Assert.AreEqual(1, pool.ActiveBlocks);
                    Assert.AreEqual(1000, pool.ActiveBytes);
                }
                Assert.AreEqual(0, pool.ActiveBlocks);
                using (PooledBuffer block = pool.Allocate(1000)) Assert.AreEqual(first, block.Pointer);
                PoolStatistics figures = pool.Statistics;
                Assert.AreEqual(2, figures.Allocations);
                Assert.AreEqual(1, figures.Hits);
                Assert.AreEqual(1, figures.DriverAllocations);
                Assert.Greater(pool.ManagedBytes, 0);
                pool.Check();
            }
        }

        [Test]
        public void AnObjectThatWasDisposedOfTakesTheNextBlock()
        {
            using (MemoryPool pool = new MemoryPool(allocator), other = new MemoryPool(allocator))
            {
                PooledBuffer block = pool.Allocate(1000, null);
                Assert.AreEqual(1000, block.Size);
                block.Dispose();
                Assert.AreSame(block, other.Allocate(2000, block));
                Assert.IsFalse(block.IsDisposed);
                Assert.AreEqual(2000, block.Size);
                Assert.AreSame(other, block.Pool);
                Assert.AreEqual(0, pool.ActiveBlocks);
                Assert.AreEqual(1, other.ActiveBlocks);
                IntPtr place = block.Pointer;
                ArgumentException refused = Assert.Throws<ArgumentException>(() => pool.Allocate(3000, block));
                Assert.IsTrue(refused.Message.Contains("not disposed of"), refused.Message);
                Assert.AreEqual("again", refused.ParamName);
                Assert.AreEqual(place, block.Pointer);
                Assert.AreEqual(0, pool.ActiveBlocks);
                block.DisposeIdle();
                Assert.Throws<ArgumentOutOfRangeException>(() => pool.Allocate(-1, block));
                Assert.IsTrue(block.IsDisposed, "where there is no block, the object has none");
                IntPtr native = other.Allocate(100, block).Detach();
                Assert.IsTrue(block.IsDisposed);
                Assert.AreSame(block, other.Allocate(200, block));
                MemoryObject.Attach(native).Dispose();
                Assert.AreEqual(200, block.Size);
                block.Dispose();
                block.Dispose();
                Assert.AreSame(block, other.TryAllocate(300, block));
                Assert.Throws<ArgumentException>(() => other.TryAllocate(300, block));
                Assert.Throws<ArgumentException>(() => other.AllocateOn(Shared.Queue, 300, block));
                Assert.AreEqual(300, block.Size);
                block.Dispose();
                Assert.IsTrue(other.TryAllocate(1L << 30, block) == null, "not without the source");
                Assert.IsTrue(block.IsDisposed);
                Assert.AreSame(block, other.AllocateOn(Shared.Queue, 400, block));
                block.Dispose();
                Assert.Throws<ArgumentNullException>(() => other.AllocateOn(null, 400, block));
                Assert.IsTrue(block.IsDisposed);
                using (PooledBuffer fresh = other.AllocateOn(Shared.Queue, 500, null)) Assert.AreEqual(500, fresh.Size);
                using (PooledBuffer fresh = other.TryAllocate(100, null)) Assert.AreEqual(100, fresh.Size);
                Assert.AreEqual(0, other.ActiveBlocks);
                other.Dispose();
                Assert.Throws<ObjectDisposedException>(() => other.Allocate(1, block));
                Assert.IsTrue(block.IsDisposed);
                pool.Check();
            }
        }

        [Test]
        public void BuffersOfAPoolAreOpenClBuffers()
        {
            using (ImmediateAllocator buffers = new ImmediateAllocator(Shared.Queue))
            using (MemoryPool pool = new MemoryPool(buffers))
            using (PooledBuffer block = pool.Allocate(4096))
            {
                int[] numbers = Enumerable.Range(0, 1024).ToArray(), read = new int[1024];
                block.Write(Shared.Queue, numbers);
                block.Read(Shared.Queue, read);
                Assert.AreEqual(numbers, read);
                Assert.IsTrue(block.Handle != IntPtr.Zero);
            }
        }

        [Test]
        public void SvmPoolAndPageLockedPoolHandOutPointers()
        {
            using (PinnedAllocator pinned = new PinnedAllocator(Shared.Queue))
            using (PageLockedMemoryPool pool = new PageLockedMemoryPool(pinned))
            using (PooledHostMemory block = pool.Allocate(4096))
            {
                double[] numbers = { 1, 2, 3 }, read = new double[3];
                block.CopyFrom(numbers, 8);
                block.CopyTo(read, 8);
                Assert.AreEqual(numbers, read);
                Assert.AreSame(pool, block.Pool);
                Assert.Throws<ArgumentOutOfRangeException>(() => block.CopyFrom(numbers, 4096 - 16));
                block.Dispose();
                Assert.AreSame(block, pool.Allocate(100, block));
                Assert.AreEqual(100, pool.Allocate(100, null).Size);
            }
            Shared.NeedsSvm();
            using (SvmAllocator shared = new SvmAllocator(Shared.Context))
            using (SvmPool pool = new SvmPool(shared))
            using (PooledSvm block = pool.Allocate(4096))
            {
                Assert.AreEqual(MemoryKind.Svm, block.Kind);
                Assert.AreSame(pool, block.Pool);
                block.Dispose();
                Assert.AreSame(block, pool.Allocate(100, block));
                Assert.AreEqual(100, pool.Allocate(100, null).Size);
                Assert.Throws<ArgumentException>(() => new MemoryPool(shared));
                Assert.Throws<ArgumentException>(() => new PageLockedMemoryPool(shared));
            }
            Assert.Throws<ArgumentException>(() => new SvmPool(allocator));
        }

        [Test]
        public void TryAllocateNeverAsksTheDriver()
        {
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                Assert.IsNull(pool.TryAllocate(1000));
                pool.Allocate(1000).Dispose();
                using (PooledBuffer block = pool.TryAllocate(1000)) Assert.AreEqual(1000, block.Size);
            }
        }

        [Test]
        public void ASizeThatNoDeviceHasIsNoReasonToTryAgain()
        {
            using (ImmediateAllocator immediate = new ImmediateAllocator(Shared.Queue))
            using (MemoryPool pool = new MemoryPool(immediate))
            {
                ClPoolArgumentException refused = Assert.Throws<ClPoolArgumentException>(() => pool.TryAllocate(long.MaxValue));
                Assert.IsTrue(refused.Message.Contains("9223372036854775807 bytes"), refused.Message);
                PooledBuffer block = pool.Allocate(1000);
                block.Dispose();
                Assert.Throws<ClPoolArgumentException>(() => pool.TryAllocate(long.MaxValue, block));
                using (PooledBuffer again = pool.TryAllocate(1000, block)) Assert.AreSame(block, again);
                Assert.AreEqual(0, pool.Statistics.ActiveBlocks);
            }
        }

        [Test]
        public void AKindOfLeakDetectionThatThereIsNotIsRefused()
        {
            PoolOptions options = new PoolOptions { LeakDetection = (LeakDetection)99 };
            ArgumentOutOfRangeException refused =
                Assert.Throws<ArgumentOutOfRangeException>(() => new MemoryPool(allocator, options));
            Assert.AreEqual(99, refused.ActualValue);
        }

        [Test]
        public void HeldMemoryGoesBack()
        {
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                pool.Allocate(1000).Dispose();
                Assert.Greater(source.Live, 0);
                pool.FreeHeld();
                Assert.AreEqual(0, source.Live);
                pool.Allocate(1000).Dispose();
                pool.Trim();
                Assert.AreEqual(0, source.Live);
                pool.Tick();
                pool.StopHolding();
                pool.Allocate(1000).Dispose();
                Assert.AreEqual(0, source.Live);
                pool.ResumeHolding();
                pool.Allocate(1000).Dispose();
                Assert.AreEqual(1, pool.HeldBlocks);
                Assert.Greater(source.Live, 0);
            }
        }

        [Test]
        public void BinnedPoolsCountAsPyOpenClDoes()
        {
            using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { Strategy = PoolStrategy.Binned, Name = "Bänder" }))
            {
                PooledBuffer block = pool.Allocate(1001);
                Assert.AreEqual(Bins.AllocSize(Bins.Number(1001)), source.Live);
                block.Dispose();
                Assert.AreEqual(1, pool.HeldBlocks);
                Assert.IsTrue(pool.DumpJson().Contains("\"Bänder\""), pool.DumpJson());
            }
        }

        [Test]
        public void PictureShowsBlocksAndTags()
        {
            using (MemoryPool pool = new MemoryPool(allocator))
            using (PooledBuffer block = pool.Allocate(1000))
            {
                block.SetTag(42);
                PoolStretch active = pool.Stretches().Single(stretch => stretch.State == StretchState.Active);
                Assert.AreEqual(1000, active.Requested);
                Assert.AreEqual(42, active.Tag);
                Assert.IsTrue(pool.DumpJson().Contains("\"clpool-pool-1\""));
            }
        }

        [Test]
        public void CallbacksAreAskedInOrder()
        {
            List<string> asked = new List<string>();
            PoolOptions options = new PoolOptions
            {
                MaxBytes = 1000,
                Collect = () => asked.Add("collect"),
                OutOfMemory = (size, attempt) => { asked.Add(size + "/" + attempt); return attempt < 3; }
            };
            using (MemoryPool pool = new MemoryPool(allocator, options))
            {
                Assert.Throws<OutOfDeviceMemoryException>(() => pool.Allocate(2000));
                Assert.AreEqual("collect", asked[0]);
                Assert.AreEqual(new[] { "2000/1", "2000/2", "2000/3" }, asked.Where(text => text != "collect").ToArray());
            }
        }

        [Test]
        public void TheDefaultCollectionComesBehindTheOutOfMemoryFunction()
        {
            source.Limit = 1 << 20;
            List<int> asked = new List<int>();
            PooledBuffer kept = null;
            bool gives = true;
            PoolOptions options = new PoolOptions
            {
                OutOfMemory = (size, attempt) =>
                {
                    asked.Add(attempt);
                    if (gives) kept.Dispose();
                    return gives;
                }
            };
            using (MemoryPool pool = new MemoryPool(allocator, options))
            {
                kept = pool.Allocate(900000);
                int before = GC.CollectionCount(GC.MaxGeneration);
                for (int i = 0; i < 20; ++i) kept = pool.Allocate(900000);
                Assert.AreEqual(20, asked.Count);
                Assert.LessOrEqual(GC.CollectionCount(GC.MaxGeneration) - before, 5); // other tests' may be among them
                gives = false;
                for (int i = 0; i < 2; ++i) // each request has its own collection
                {
                    asked.Clear();
                    before = GC.CollectionCount(GC.MaxGeneration);
                    Assert.Throws<OutOfDeviceMemoryException>(() => pool.Allocate(900000));
                    Assert.AreEqual(new[] { 1 }, asked); // it said no
                    Assert.Greater(GC.CollectionCount(GC.MaxGeneration), before);
                }
                kept.Dispose();
            }
        }

        [Test]
        public void CustomMemoryIsNotTakenForHostMemory()
        {
            using (MemoryPool pool = new MemoryPool(allocator))
            using (PooledBuffer block = pool.Allocate(1000))
            {
                Assert.AreNotEqual(IntPtr.Zero, block.Pointer);
                Assert.Throws<ClPoolInvalidOperationException>(() => block.CopyFrom(new byte[1]));
                Assert.Throws<ClPoolInvalidOperationException>(() => block.CopyTo(new byte[1]));
#if NET
                Assert.Throws<ClPoolInvalidOperationException>(() => block.AsSpan<byte>());
                Assert.Throws<ClPoolInvalidOperationException>(() => block.ToMemoryOwner());
#endif
            }
        }

        [Test]
        public void OutOfMemoryCallbackMayMakeRoom()
        {
            source.Limit = 1 << 20;
            PooledBuffer[] kept = new PooledBuffer[1];
            PoolOptions options = new PoolOptions
            {
                OutOfMemory = (size, attempt) =>
                {
                    if (kept[0] == null) return false;
                    kept[0].Dispose();
                    kept[0] = null;
                    return true;
                }
            };
            using (MemoryPool pool = new MemoryPool(allocator, options))
            {
                kept[0] = pool.Allocate(900000);
                pool.Allocate(800000).Dispose();
                Assert.IsNull(kept[0]);
                pool.Check();
            }
        }

        [Test]
        public void CallsInACallbackHaveNoPartInTheInnerExceptionOfTheCallThatItIsIn()
        {
            OutOfDeviceMemoryException mine = new OutOfDeviceMemoryException("mine");
            DrySource empty = new DrySource { Limit = 1 << 10 };
            Exception nested = null;
            MemoryPool pool = null;
            using (Allocator broken = new CustomAllocator(new DrySource { Failure = mine }))
            using (Allocator limited = new CustomAllocator(empty))
            using (MemoryPool other = new MemoryPool(limited))
            using (Cache cache = new Cache())
            using (Messages messages = new Messages())
            {
                Action[] all =
                {
                    () => pool.FreeHeld(),
                    () => other.Allocate(10).Dispose(),
                    () => nested = Assert.Throws<ClPoolArgumentException>(() => new LimitAllocator(limited, 0)),
                    () => Assert.Throws<OutOfDeviceMemoryException>(() => other.Allocate(1 << 20)),
                    () => Assert.Throws<ClPoolException>(
                        () => cache.GetOrAdd<int>(CacheOwner.Any, new IntPtr(1), "key", () => { throw new FormatException("theirs"); }))
                };
                foreach (Action calls in all)
                foreach (bool collects in new[] { true, false })
                {
                    PoolOptions options = new PoolOptions { Collect = null };
                    if (collects) options.Collect = calls;
                    else options.OutOfMemory = (size, attempt) => { calls(); return false; };
                    using (pool = new MemoryPool(broken, options))
                        Assert.AreSame(mine, Assert.Throws<OutOfDeviceMemoryException>(() => pool.Allocate(100)).InnerException);
                }
                Assert.IsNull(nested.InnerException);
                Assert.AreEqual("", string.Join("; ", messages.Texts));
            }
        }

        [Test]
        public void WhatCallbacksThrowIsTheInnerException()
        {
            PoolOptions options = new PoolOptions
            {
                MaxBytes = 1000,
                OutOfMemory = (size, attempt) => { throw new FormatException("mine"); }
            };
            using (MemoryPool pool = new MemoryPool(allocator, options))
            {
                OutOfDeviceMemoryException error = Assert.Throws<OutOfDeviceMemoryException>(() => pool.Allocate(2000));
                Assert.IsTrue(error.InnerException is FormatException);
                Assert.IsNull(Assert.Throws<ClPoolArgumentException>(() => new LimitAllocator(allocator, 0)).InnerException);
            }
        }

        [Test]
        public void WhatCollectThrowsIsToldWhateverHappensLater()
        {
            PoolOptions options = new PoolOptions { Collect = () => { throw new FormatException("mine"); } };
            using (Messages messages = new Messages())
            using (MemoryPool pool = new MemoryPool(allocator, options))
            {
                source.Limit = 1000;
                OutOfDeviceMemoryException error = Assert.Throws<OutOfDeviceMemoryException>(() => pool.Allocate(2000));
                Assert.IsTrue(error.InnerException.Message.Contains("dry source"), error.ToString());
                Assert.AreEqual(1, messages.Texts.Count(text => text.StartsWith("Error") && text.Contains("FormatException: mine")));
            }
            options.MaxBytes = 1000;
            using (MemoryPool pool = new MemoryPool(allocator, options)) // whose source is not asked
                Assert.IsTrue(Assert.Throws<OutOfDeviceMemoryException>(() => pool.Allocate(2000)).InnerException is FormatException);
        }

        [Test]
        public void ForgottenBlocksMakeRoomUnlessNothingIsToCollectThem()
        {
            source.Limit = 1 << 20;
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                Shared.Forget(() => pool.Allocate(900000));
                pool.Allocate(800000).Dispose();
            }
            using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { Collect = null }))
            using (PooledBuffer kept = pool.Allocate(900000))
            {
                int before = GC.CollectionCount(GC.MaxGeneration);
                Assert.Throws<OutOfDeviceMemoryException>(() => pool.Allocate(800000));
                Assert.AreEqual(before, GC.CollectionCount(GC.MaxGeneration));
                Assert.AreEqual(900000, kept.Size);
            }
        }

        [Test]
        public void LeadingBitsAreFourUnlessTheyAreGivenAndMayBeNone()
        {
            foreach (int? bits in new int?[] { null, 0, 4, 26 })
            {
                PoolOptions options = new PoolOptions { Strategy = PoolStrategy.Binned, LeadingBitsInBinId = bits };
                using (MemoryPool pool = new MemoryPool(allocator, options))
                using (PooledBuffer block = pool.Allocate(1025))
                    Assert.AreEqual(Bins.AllocSize(Bins.Number(1025, bits ?? 4), bits ?? 4), block.Capacity);
            }
            PoolOptions tooFew = new PoolOptions { Strategy = PoolStrategy.Binned, LeadingBitsInBinId = -1 };
            Assert.Throws<ArgumentOutOfRangeException>(() => new MemoryPool(allocator, tooFew));
            PoolOptions tooMany = new PoolOptions { Strategy = PoolStrategy.Binned, LeadingBitsInBinId = 27 };
            Assert.Throws<ClPoolArgumentException>(() => new MemoryPool(allocator, tooMany));
        }

        [Test]
        public void TimesAreSpansThatAreNotNegative()
        {
            using (new MemoryPool(allocator, new PoolOptions { Decay = TimeSpan.FromSeconds(1), Wait = TimeSpan.FromSeconds(1) })) { }
            PoolOptions back = new PoolOptions { Wait = TimeSpan.FromSeconds(-1) };
            Assert.AreEqual("Wait", Assert.Throws<ArgumentOutOfRangeException>(() => new MemoryPool(allocator, back)).ParamName);
        }

        [Test]
        public void MessagesGoToThePoolsHandler()
        {
            List<string> messages = new List<string>();
            PoolOptions options = new PoolOptions { Message = (severity, text) => messages.Add(severity + ": " + text) };
            using (DeferredAllocator deferred = new DeferredAllocator(Shared.Context))
            using (new MemoryPool(deferred, options))
                Assert.IsTrue(messages.Exists(text => text.StartsWith("Warning")), string.Join("\n", messages));
        }

        [Test]
        public void TracesTellEveryRequest()
        {
            int traces = 0;
            PoolOptions options = new PoolOptions
            {
                TraceMessages = true,
                Message = (severity, text) => { if (severity == MessageSeverity.Trace && text.Contains("handed out for a request of 1000")) traces++; }
            };
            using (MemoryPool pool = new MemoryPool(allocator, options))
                for (int i = 0; i < 3; i++) pool.Allocate(1000).Dispose();
            Assert.AreEqual(3, traces);
        }

        [Test]
        public void BlocksInUseAreNotHandedOutAgain()
        {
            using (ImmediateAllocator buffers = new ImmediateAllocator(Shared.Queue))
            using (MemoryPool pool = new MemoryPool(buffers, new PoolOptions { Queues = new[] { Shared.Queue } }))
            using (PooledBuffer block = pool.Allocate(4096))
            using (ClEvent filled = block.Fill(Shared.Queue, new byte[] { 7 }))
            {
                block.ReleaseAfter(filled);
                block.UsedOn(Shared.Queue);
                filled.Wait();
            }
        }

        [Test]
        public void ABlockForOneQueueIsReusedAtOnceThereAndNowhereElse()
        {
            using (CommandQueue other = CommandQueue.Create(Shared.Context))
            using (Gate gate = new Gate())
            using (DeviceBuffer busy = DeviceBuffer.Create(Shared.Context, 4096))
            using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { Queues = new[] { Shared.Queue, other } }))
            {
                PooledBuffer block = pool.AllocateOn(Shared.Queue, 4096);
                IntPtr place = block.Pointer;
                busy.Fill(Shared.Queue, new byte[] { 1 }, 0, 4096, new[] { gate.Event }).Dispose();
                block.Dispose();
                using (PooledBuffer elsewhere = pool.AllocateOn(other, 4096))
                using (PooledBuffer anywhere = pool.Allocate(4096))
                using (PooledBuffer here = pool.AllocateOn(Shared.Queue, 4096))
                {
                    Assert.AreNotEqual(place, elsewhere.Pointer);
                    Assert.AreNotEqual(place, anywhere.Pointer);
                    Assert.AreEqual(place, here.Pointer);
                    gate.Open();
                    Shared.Queue.Finish();
                }
                Assert.Throws<ArgumentNullException>(() => pool.AllocateOn(IntPtr.Zero, 1));
            }
        }

        [Test]
        public void ABlockThatIsKnownToBeIdleIsReusedAtOnce()
        {
            using (CommandQueue other = CommandQueue.Create(Shared.Context))
            using (Gate gate = new Gate())
            using (DeviceBuffer busy = DeviceBuffer.Create(Shared.Context, 4096))
            using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { Queues = new[] { Shared.Queue, other } }))
            {
                PooledBuffer waits = pool.Allocate(4096), idle = pool.Allocate(4096);
                IntPtr place = idle.Pointer;
                busy.Fill(Shared.Queue, new byte[] { 1 }, 0, 4096, new[] { gate.Event }).Dispose();
                waits.Dispose();
                idle.DisposeIdle();
                idle.DisposeIdle();
                Assert.IsTrue(idle.IsDisposed);
                Assert.IsTrue(pool.Statistics.PendingBytes > 0, "the other waits for the queue");
                using (PooledBuffer again = pool.Allocate(4096)) Assert.AreEqual(place, again.Pointer);
                gate.Open();
                Shared.Queue.Finish();
            }
        }

        [Test]
        public void AGuardedPoolFindsAWriteBeyondTheEnd()
        {
            List<string> findings = FindingsOfAWriteBeyondTheEnd(true);
            Assert.AreEqual(1, findings.Count);
            Assert.IsTrue(findings[0].Contains("1000 bytes with tag 77"), findings[0]);
            Assert.AreEqual(0, FindingsOfAWriteBeyondTheEnd(false).Count);
        }

        private static List<string> FindingsOfAWriteBeyondTheEnd(bool guard)
        {
            List<string> findings = new List<string>();
            PoolOptions options = new PoolOptions
            {
                Guard = guard,
                Message = (severity, text) => { if (text.StartsWith("guard: ", StringComparison.Ordinal)) findings.Add(text); }
            };
            using (ImmediateAllocator buffers = new ImmediateAllocator(Shared.Queue))
            using (MemoryPool pool = new MemoryPool(buffers, options))
            {
                PooledBuffer block = pool.Allocate(1000);
                block.SetTag(77);
                using (MemoryObject behind = MemoryObject.FromHandle(block.Handle))
                {
                    if (behind.Size > 1000) behind.Fill(Shared.Queue, new byte[] { 1 }, 1000, 1).Dispose();
                    Shared.Queue.Finish();
                }
                block.Dispose();
                pool.FreeHeld();
            }
            return findings;
        }

        [Test]
        public void TextTellsWhatThereIs()
        {
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                PooledBuffer block = pool.Allocate(1000);
                Assert.AreEqual("PooledBuffer of 1000 bytes, pooled", block.ToString());
                Assert.IsTrue(pool.ToString().Contains("1 blocks with 1000 bytes"), pool.ToString());
                block.Dispose();
                Assert.AreEqual("PooledBuffer (disposed)", block.ToString());
            }
        }
    }
}
