// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Allocators, decorators, and allocators written in C#.
using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class AllocatorTests
    {
        [Test]
        public void EachAllocatorMakesItsKind()
        {
            using (DeferredAllocator allocator = new DeferredAllocator(Shared.Context)) Makes(allocator, MemoryKind.Buffer, true);
            using (ImmediateAllocator allocator = new ImmediateAllocator(Shared.Queue)) Makes(allocator, MemoryKind.Buffer, true);
            using (PinnedAllocator allocator = new PinnedAllocator(Shared.Queue)) Makes(allocator, MemoryKind.Pinned, false);
            using (CustomAllocator allocator = new CustomAllocator(new DrySource())) Makes(allocator, MemoryKind.Custom, false);
        }

        [Test]
        public void AnAllocationWaitsForTheCommandThatMakesItsMemoryIfThatIsWanted()
        {
            Touches(Touch.Byte, true, true);
            Touches(Touch.Whole, true, true);
            Touches(Touch.Write, false, true);
            Touches(Touch.Byte, false, false);
        }

        /// <summary>Allocates behind a command that is held up: the allocation waits for it or not.</summary>
        private static void Touches(Touch touch, bool wait, bool waits)
        {
            int opened = 0;
            using (CommandQueue queue = CommandQueue.Create(Shared.Context))
            using (ImmediateAllocator allocator = new ImmediateAllocator(queue, MemFlags.None, touch, wait))
            using (DeviceBuffer held = DeviceBuffer.Create(Shared.Context, 4096))
            using (Gate gate = new Gate())
            using (ClEvent fill = held.Fill(queue, new byte[1], 0, MemoryObject.WholeSize, new[] { gate.Event }))
            {
                Thread opener = new Thread(() =>
                {
                    Thread.Sleep(50);
                    Volatile.Write(ref opened, 1);
                    gate.Open();
                });
                if (waits) opener.Start();
                using (allocator.Allocate(4096))
                {
                    Assert.AreEqual(waits ? 1 : 0, Volatile.Read(ref opened));
                    if (!waits) opener.Start();
                    opener.Join();
                    fill.Wait();
                }
            }
        }

        [Test]
        public void ACommandThatIsNoneIsRefused()
        {
            Exception refused = Assert.Throws<ClPoolArgumentException>(() => new ImmediateAllocator(Shared.Queue, MemFlags.None, (Touch)4));
            Assert.IsTrue(refused.Message.Contains("touch is 0x4, valid are 0 to 3"), refused.Message);
        }

        [Test]
        public void SvmAllocatorMakesSvm()
        {
            Shared.NeedsSvm();
            using (SvmAllocator allocator = new SvmAllocator(Shared.Context, MemFlags.None, 64, Shared.Queue))
                Makes(allocator, MemoryKind.Svm, false);
        }

        [Test]
        public void NoBytesAreNoMemory()
        {
            using (DeferredAllocator allocator = new DeferredAllocator(Shared.Context)) Assert.IsNull(allocator.Allocate(0));
        }

        [Test]
        public void LimitIsGivenBackWithTheMemory()
        {
            using (CustomAllocator inner = new CustomAllocator(new DrySource()))
            using (LimitAllocator allocator = new LimitAllocator(inner, 100))
            {
                Assert.AreEqual(MemoryKind.Custom, allocator.Kind);
                using (allocator.Allocate(60)) Assert.Throws<OutOfDeviceMemoryException>(() => allocator.Allocate(60));
                allocator.Allocate(100).Dispose();
            }
        }

        [Test]
        public void TraceIsReadBack()
        {
            string path = Path.GetTempFileName();
            try
            {
                using (CustomAllocator inner = new CustomAllocator(new DrySource()))
                using (TraceAllocator allocator = new TraceAllocator(inner, path))
                    allocator.Allocate(4096).Dispose();
                using (AllocationLog log = AllocationLog.Open(path))
                {
                    Assert.AreEqual(2, log.Count);
                    Assert.AreEqual(LogAction.Allocate, log[0].Action);
                    Assert.AreEqual(4096, log[0].Size);
                    Assert.AreEqual(LogAction.Release, log[1].Action);
                }
            }
            finally
            {
                File.Delete(path);
            }
        }

        [Test]
        public void SourceInCSharpSeesSizesAndGetsThemBack()
        {
            DrySource source = new DrySource();
            using (CustomAllocator allocator = new CustomAllocator(source))
            {
                using (MemoryObject memory = allocator.Allocate(1000))
                {
                    Assert.AreEqual(1000, source.Live);
                    Assert.IsTrue(memory.Pointer != IntPtr.Zero);
                    Assert.AreEqual(IntPtr.Zero, memory.Handle);
                }
                Assert.AreEqual(0, source.Live);
            }
        }

        [Test]
        public void WhatASourceThrowsIsTheInnerException()
        {
            DrySource source = new DrySource { Failure = new FormatException("mine") };
            using (CustomAllocator allocator = new CustomAllocator(source))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                ClPoolException error = Assert.Throws<ClPoolException>(() => pool.Allocate(100));
                Assert.AreEqual(Status.Callback, error.Status);
                Assert.AreSame(source.Failure, error.InnerException);
                error = Assert.Throws<ClPoolException>(() => allocator.Allocate(100));
                Assert.AreSame(source.Failure, error.InnerException);
                source.Failure = null;
                pool.Allocate(100).Dispose();
                pool.Check();
            }
        }

        [Test]
        public void SourceMayBeOutOfMemory()
        {
            DrySource source = new DrySource { Limit = 1000 };
            using (CustomAllocator allocator = new CustomAllocator(source))
            {
                OutOfDeviceMemoryException error = Assert.Throws<OutOfDeviceMemoryException>(() => allocator.Allocate(1001));
                Assert.IsTrue(error.InnerException is OutOfDeviceMemoryException);
                Assert.IsTrue(error.InnerException.Message.Contains("dry source"));
            }
        }

        [Test]
        public void WhatASourceThrowsChoosesTheStatus()
        {
            foreach (int code in new[] { 0, -4, -5, -6, -30, 7 })
                Chooses(new OutOfDeviceMemoryException("mine", code), Status.OutOfMemory, code == -4 || code == -5 || code == -6 ? code : 0, true);
            Chooses(new ClPoolException(Status.OutOfMemory, "mine"), Status.OutOfMemory, 0, true);
            Chooses(new ClPoolException(Status.OpenCL, "mine", -5), Status.OutOfMemory, -5, true);
            Chooses(new ClPoolException(Status.OpenCL, "mine", -30), Status.OpenCL, -30, false);
            Chooses(new ClPoolException(Status.NotFound, "mine", -33), Status.OpenCL, -33, false);
            Chooses(new ClPoolException(Status.NotSupported, "mine"), Status.Callback, 0, false);
            Chooses(new ClPoolException(Status.Success, "mine"), Status.Callback, 0, false);
            Chooses(new FormatException("mine"), Status.Callback, 0, false);
        }

        private static void Chooses(Exception thrown, Status status, int clError, bool isAskedAgain)
        {
            DrySource source = new DrySource { Failure = thrown };
            using (CustomAllocator allocator = new CustomAllocator(source))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                ClPoolException error = Failure(() => allocator.Allocate(8 << 20));
                Assert.IsTrue(error.Status == status && error.ClError == clError, thrown + ": " + error);
                Assert.AreSame(thrown, error.InnerException);
                source.Asked = 0;
                error = Failure(() => pool.Allocate(8 << 20));
                Assert.IsTrue(isAskedAgain == error is OutOfDeviceMemoryException && isAskedAgain == source.Asked > 1, source.Asked + " times " + thrown);
                Assert.AreSame(thrown, error.InnerException);
            }
        }

        private static ClPoolException Failure(Action code)
        {
            try
            {
                code();
                throw new AssertionException("nothing was thrown");
            }
            catch (ClPoolException error)
            {
                return error;
            }
        }

        [Test]
        public void WhatTheNextAttemptAnsweredIsNoMessage()
        {
            DrySource source = new DrySource { Failure = new OutOfDeviceMemoryException("mine"), FailsOnce = true };
            using (Messages messages = new Messages())
            using (CustomAllocator allocator = new CustomAllocator(source))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                pool.Allocate(8 << 20).Dispose();
                Assert.AreEqual(2, source.Asked);
                Assert.AreEqual(new string[0], messages.Texts);
            }
        }

        [Test]
        public void WhatASourceThrowsWhenItTakesBackIsAMessage()
        {
            using (Messages messages = new Messages())
            {
                using (CustomAllocator allocator = new CustomAllocator(new BadSource())) allocator.Allocate(10).Dispose();
                Assert.IsTrue(Array.Exists(messages.Texts, text => text.StartsWith("Error") && text.Contains("no way")));
            }
        }

        [Test]
        public void AnExceptionThatCannotTellItselfIsNamed()
        {
            using (Messages messages = new Messages())
            {
                using (CustomAllocator allocator = new CustomAllocator(new MuteSource())) allocator.Allocate(10).Dispose();
                Assert.IsTrue(Array.Exists(messages.Texts, text => text.StartsWith("Error") && text.Contains("MuteException")));
            }
        }

        [Test]
        public void DisposedAllocatorsThrow()
        {
            CustomAllocator allocator = new CustomAllocator(new DrySource());
            MemoryObject memory = allocator.Allocate(10);
            allocator.Dispose();
            allocator.Dispose();
            Assert.AreEqual("CustomAllocator", Assert.Throws<ObjectDisposedException>(() => allocator.Allocate(1)).ObjectName);
            Assert.AreEqual(10, memory.Size);
            memory.Dispose();
        }

        private sealed class BadSource : IMemorySource
        {
            public long Allocate(long size, long alignment) { return 4096; }

            public void Deallocate(long chunk, long size) { throw new InvalidOperationException("no way"); }
        }

        private sealed class MuteSource : IMemorySource
        {
            public long Allocate(long size, long alignment) { return 4096; }

            public void Deallocate(long chunk, long size) { throw new MuteException(); }
        }

        private sealed class MuteException : Exception
        {
            public override string ToString() { throw new InvalidOperationException("not even that"); }
        }

        private static void Makes(Allocator allocator, MemoryKind kind, bool hasHandle)
        {
            Assert.AreEqual(kind, allocator.Kind);
            using (MemoryObject memory = allocator.Allocate(4096))
            {
                Assert.AreEqual(kind, memory.Kind);
                Assert.AreEqual(4096, memory.Size);
                Assert.GreaterOrEqual(memory.Capacity, 4096);
                Assert.AreEqual(hasHandle, memory.Handle != IntPtr.Zero);
                Assert.AreEqual(!hasHandle, memory.Pointer != IntPtr.Zero);
                Assert.IsFalse(memory.IsPooled);
            }
        }
    }
}
