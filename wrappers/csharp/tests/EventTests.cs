// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Events that are awaited, and the queues of their commands. The fake driver, on which some of these run too, carries commands out
// when their queue is flushed, and ends the process of who uses a queue that is gone.
using System;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public sealed class EventTests
    {
        private static void MustEnd(params Task[] tasks) { Assert.IsTrue(Task.WaitAll(tasks, TimeSpan.FromMinutes(1))); }

        [Test]
        public void AnAwaitedEventAsksForNoQueueThatIsGone()
        {
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            using (DeviceBuffer mapped = DeviceBuffer.Create(Shared.Context, 64))
            using (MemoryMap map = mapped.Map(Shared.Queue, MapFlags.Read))
            using (Gate gate = new Gate())
            {
                map.Unmap().Wait();
                ClEvent waiting;
                using (CommandQueue other = CommandQueue.Create(Shared.Context))
                    waiting = buffer.Fill(other, new byte[] { 1 }, 0, 64, new[] { gate.Event });
                using (waiting)
                using (ClEvent again = map.Unmap(null, new[] { waiting })) // which is that event
                using (ClEvent foreign = ClEvent.FromHandle(waiting.Handle))
                {
                    Task[] ends = { waiting.AsTask(), again.AsTask(), foreign.AsTask() };
                    gate.Open();
                    MustEnd(ends);
                    MustEnd(waiting.AsTask(), again.AsTask(), foreign.AsTask());
                }
            }
        }

        [Test]
        public void AnAwaitedEventHandsTheCommandsOfItsOwnQueueOn()
        {
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            using (CommandQueue other = CommandQueue.Create(Shared.Context))
            {
                using (ClEvent filled = buffer.Fill(other, new byte[] { 1 }))
                using (ClEvent nothing = buffer.Fill(Shared.Queue, new byte[] { 1 }, 0, 0, new[] { filled })) // which is that event
                    MustEnd(nothing.AsTask());
                using (ClEvent filled = buffer.Fill(other, new byte[] { 1 }))
                using (ClEvent named = ClEvent.FromHandle(filled.Handle, true, other))
                    MustEnd(named.AsTask());
                using (ClEvent filled = buffer.Fill(other.Handle, new byte[] { 1 })) // a queue that is a number
                    MustEnd(filled.AsTask());
                using (MemoryMap map = buffer.Map(other, MapFlags.Read))
                using (ClEvent unmapped = map.Unmap())
                using (ClEvent filled = buffer.Fill(Shared.Queue, new byte[] { 1 }, 0, 64, new[] { unmapped }))
                {
                    MustEnd(unmapped.AsTask());
                    Shared.Queue.Flush();
                    using (ClEvent both = map.Unmap(null, new[] { unmapped, filled })) // a marker on the map's queue
                        MustEnd(both.AsTask());
                }
            }
        }

        [DllImport("libOpenCL.so.1")]
        private static extern int clEnqueueMarkerWithWaitList(IntPtr queue, uint count, IntPtr[] waits, out IntPtr made);

        /// <summary>What a call does with its queue from its begin to its end.</summary>
        private static IDisposable BeginCall(CommandQueue queue)
        {
            return (IDisposable)typeof(CommandQueue).GetInterface("ClPool.Interop.IBorrowable").GetMethod("Borrow").Invoke(queue, null);
        }

        [Test]
        public void WhatACallEnqueuesWhileItsQueueIsDisposedOfIsHandedOn() // though another call keeps the queue
        {
            CommandQueue queue = CommandQueue.Create(Shared.Context);
            IntPtr made;
            using (BeginCall(queue))
            {
                using (BeginCall(queue))
                {
                    IntPtr used = queue.Handle;
                    queue.Dispose();
                    queue.Dispose();
                    Assert.AreEqual(0, clEnqueueMarkerWithWaitList(used, 0, null, out made));
                }
                using (ClEvent marker = ClEvent.FromHandle(made, false)) MustEnd(marker.AsTask());
            }
            Assert.Throws<ObjectDisposedException>(() => queue.Flush());
        }

        [Test]
        public void UnmappingEnds()
        {
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            using (MemoryMap map = buffer.Map(Shared.Queue, MapFlags.Read))
                MustEnd(map.Unmap().AsTask());
        }

        [Test]
        public void ATaskEndsWithItsCommand()
        {
            using (Gate gate = new Gate())
            {
                Task[] ends = { gate.Event.AsTask(), gate.Event.AsTask(), gate.Event.AsTask() };
                System.Threading.Thread.Sleep(300); // in which the event is looked at several times
                foreach (Task end in ends) Assert.IsFalse(end.IsCompleted);
                gate.Open();
                MustEnd(ends);
            }
        }

        [Test]
        public void AFailedCommandFailsItsTask()
        {
            using (Gate gate = new Gate())
            {
                Task end = gate.Event.AsTask();
                gate.Fail(-5);
                AggregateException failed = Assert.Throws<AggregateException>(() => end.Wait(60000));
                Assert.AreEqual(1, failed.InnerExceptions.Count);
                foreach (Exception one in failed.InnerExceptions) Assert.AreEqual(-5, ((ClPoolException)one).ClError);
            }
        }

        [Test]
        public void AMapThatTheDriverDoesNotUnmapIsTold()
        {
            if (Environment.GetEnvironmentVariable("CLPOOL_TEST_FAILS") != "unmap") Assert.Ignore("a driver that refuses is needed");
            string told = "";
            MessageHandler hear = (severity, text) => told += text;
            Library.Message += hear;
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            {
                MemoryMap map = buffer.Map(Shared.Queue, MapFlags.Read);
                map.Dispose();
                map.Dispose();
            }
            Library.Message -= hear;
            Assert.IsTrue(told.Contains("MemoryMap: giving it back failed: ") && told.Contains("CL_OUT_OF_RESOURCES"), told);
        }
    }
}
