// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Queues, contexts and events: who keeps them, while they are used, forgotten, disposed of by others.
using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class OwnerTests
    {
        [Test]
        public void AQueueOutlivesTheContextObjectThatItCameFrom()
        {
            CommandQueue queue = null;
            DeviceBuffer buffer = null;
            Shared.Forget(() =>
            {
                ComputeContext context = ComputeContext.Create();
                queue = context.Queue;
                buffer = DeviceBuffer.Create(context, 4096);
            });
            byte[] data = new byte[4096];
            for (int i = 0; i < 3; i++)
            {
                buffer.Write(queue, data); // makes events, which releases what was forgotten
                buffer.Fill(queue, new byte[] { 1 }).Dispose();
                Shared.Forget(() => { });
            }
            Assert.GreaterOrEqual(Gate.ReferencesOf(queue.Handle), 1);
            buffer.Dispose();
            queue.Dispose();
            Assert.Throws<ObjectDisposedException>(() => { IntPtr gone = queue.Handle; });
            Assert.AreEqual("CommandQueue (disposed)", queue.ToString());
        }

        [Test]
        public void AForgottenContextIsReleased()
        {
            uint before = Gate.ReferencesOf(Shared.Queue.Handle);
            Shared.Forget(() =>
            {
                for (int i = 0; i < 100; i++) ComputeContext.FromHandles(Shared.Context.Context, Shared.Queue.Handle);
            });
            using (CommandQueue.FromHandle(Shared.Queue.Handle)) { } // releases what was forgotten
            Assert.LessOrEqual(Gate.ReferencesOf(Shared.Queue.Handle), before + 50); // a conservative collector may still see some
        }

        [Test]
        public void ANumberBecomesAQueueThatTheCallerKeeps()
        {
            IntPtr number = Gate.AnotherQueue();
            CommandQueue queue = number;
            ComputeContext context = Shared.Context.Context;
            using (DeviceBuffer buffer = DeviceBuffer.Create(context, 64))
            using (ClEvent filled = buffer.Fill(queue, new byte[] { 1 }))
                filled.Wait();
            queue.Dispose();
            context.Dispose();
            queue.Finish(); // it is not ours to end
            Assert.GreaterOrEqual(Gate.ReferencesOf(number), 1);
            Assert.AreEqual(0, Gate.clReleaseCommandQueue(number));
            CommandQueue none = IntPtr.Zero;
            Assert.IsNull(none);
        }

        [Test]
        public void AQueueIsMadeOnADeviceOfItsContext()
        {
            const ulong OutOfOrder = 1; // CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
            byte[] read = new byte[1];
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            using (ComputeContext elsewhere = ComputeContext.FromHandles(Shared.Context.Context)) // which names no device
            using (CommandQueue queue = CommandQueue.Create(elsewhere))
            using (CommandQueue second = CommandQueue.Create(Shared.Context, Shared.Device))
            {
                foreach (CommandQueue each in new[] { queue, second })
                {
                    Assert.AreEqual(0, Gate.PropertiesOf(each.Handle) & OutOfOrder);
                    read[0] = 0;
                    buffer.Fill(each, new byte[] { 7 }).Wait();
                    buffer.Read(each, read);
                    Assert.AreEqual(7, read[0]);
                }
            }
            Assert.Throws<ArgumentNullException>(() => CommandQueue.Create(null));
            try
            {
                using (CommandQueue unordered = CommandQueue.CreateOutOfOrder(Shared.Context, Shared.Device))
                    Assert.AreEqual(OutOfOrder, Gate.PropertiesOf(unordered.Handle) & OutOfOrder);
            }
            catch (ClPoolException refused) // by a device that has none
            {
                Assert.AreEqual(-35, refused.ClError); // CL_INVALID_QUEUE_PROPERTIES
            }
        }

        [Test]
        public void AnEventOfTheProgramHoldsCommandsUntilItIsComplete()
        {
            using (CommandQueue queue = CommandQueue.Create(Shared.Context))
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            using (ClEvent gate = ClEvent.User(Shared.Context))
            using (ClEvent filled = buffer.Fill(queue, new byte[] { 1 }, 0, 64, new[] { gate }))
            {
                queue.Flush();
                Assert.IsFalse(gate.IsDone);
                Assert.IsFalse(filled.IsDone);
                gate.Complete();
                Assert.IsTrue(gate.IsDone);
                Assert.Throws<ClPoolInvalidOperationException>(() => gate.Complete());
                filled.Wait();
                Assert.IsTrue(filled.IsDone);
                Assert.Throws<ClPoolInvalidOperationException>(() => filled.Complete()); // it is the driver's
            }
            Assert.Throws<ArgumentNullException>(() => ClEvent.User(null));
        }

        [Test]
        public void CommandsThatWaitForAnEventThatFailedFail()
        {
            using (CommandQueue queue = CommandQueue.Create(Shared.Context))
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            using (ClEvent gate = ClEvent.User(Shared.Context))
            using (ClEvent filled = buffer.Fill(queue, new byte[] { 1 }, 0, 64, new[] { gate }))
            {
                queue.Flush();
                Assert.Throws<ArgumentOutOfRangeException>(() => gate.Fail(0));
                Assert.IsFalse(filled.IsDone);
                gate.Fail(-5);
                Assert.IsTrue(gate.IsDone);
                Assert.Throws<ClPoolInvalidOperationException>(() => gate.Fail(-5));
                Assert.Throws<ClPoolException>(() => filled.Wait());
            }
        }

        [Test]
        public void AFlushHandsCommandsToTheDevice() // which some drivers do not do by themselves
        {
            using (CommandQueue queue = CommandQueue.Create(Shared.Context))
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            using (ClEvent filled = buffer.Fill(queue, new byte[] { 1 }))
            {
                queue.Flush();
                Assert.IsTrue(SpinWait.SpinUntil(() => filled.IsDone, 60000));
            }
        }

        [Test]
        public void AMissingQueueIsNamed()
        {
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            {
                ArgumentNullException thrown = Assert.Throws<ArgumentNullException>(() => buffer.Write(IntPtr.Zero, new byte[1]));
                Assert.AreEqual("queue", thrown.ParamName);
                Assert.Throws<ArgumentNullException>(() => buffer.Fill(Shared.Queue, new byte[1], 0, 1, new ClEvent[1]));
                Assert.Throws<ArgumentNullException>(() => new ImmediateAllocator(null));
                Assert.Throws<ArgumentNullException>(() => DeviceBuffer.Create(null, 64));
            }
            using (ComputeContext bare = ComputeContext.FromHandles(Shared.Context.Context))
            {
                Assert.IsNull(bare.Queue);
                Assert.Throws<ClPoolInvalidOperationException>(() => bare.Finish());
            }
        }

        [Test]
        public void QueuesAreDisposedOfWhileThreadsUseThem()
        {
            Race(20, () => CommandQueue.Create(Shared.Context), queue => queue.Finish());
        }

        private sealed class SlowSource : IMemorySource
        {
            private int calls;
            internal readonly ManualResetEventSlim Inside = new ManualResetEventSlim(), Go = new ManualResetEventSlim();

            public long Allocate(long size, long alignment)
            {
                if (Interlocked.Increment(ref calls) == 1)
                {
                    Inside.Set();
                    Go.Wait();
                }
                return 1L << 40;
            }

            public void Deallocate(long chunk, long size) { }
        }

        [Test]
        public void NoUseBeginsAfterDisposeAlthoughAnotherOneLasts()
        {
            SlowSource source = new SlowSource();
            CustomAllocator allocator = new CustomAllocator(source);
            Thread user = new Thread(() => allocator.Allocate(100).Dispose());
            user.Start();
            source.Inside.Wait();
            allocator.Dispose();
            Assert.Throws<ObjectDisposedException>(() => allocator.Allocate(1));
            Assert.AreEqual("CustomAllocator (disposed)", allocator.ToString());
            source.Go.Set();
            user.Join();
        }

        [Test]
        public void EventsAreDisposedOfWhileThreadsUseThem()
        {
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
                Race(20, () => buffer.Fill(Shared.Queue, new byte[] { 0 }), done =>
                {
                    done.Wait();
                    done.ToString();
                });
        }

        [Test]
        public void PoolsAreDisposedOfWhileThreadsAllocate()
        {
            DrySource source = new DrySource();
            using (CustomAllocator allocator = new CustomAllocator(source))
                Race(20, () => new MemoryPool(allocator), pool => pool.Allocate(4096).Dispose());
            Assert.AreEqual(0, source.Live);
        }

        [Test]
        public void MemoryIsDisposedOfWhileThreadsUseIt()
        {
            DrySource source = new DrySource();
            using (CustomAllocator allocator = new CustomAllocator(source))
            using (MemoryPool pool = new MemoryPool(allocator))
            using (MemoryPool unwatched = new MemoryPool(allocator, new PoolOptions { LeakDetection = LeakDetection.Off }))
            {
                foreach (MemoryPool from in new[] { pool, unwatched })
                {
                    int number = 0;
                    Race(50, () => from.Allocate(1000 + ++number % 7), block =>
                    {
                        Assert.AreEqual(block.Size, block.Size); // those of another block would differ at times
                        Assert.AreSame(from, block.Pool);
                        block.ToString();
                    });
                    Assert.AreEqual(0, from.ActiveBlocks);
                    from.Check();
                }
            }
            Assert.AreEqual(0, source.Live);
            Race(20, () => DeviceBuffer.Create(Shared.Context, 4096), buffer => // a use after its end would end the process
            {
                buffer.Read(Shared.Queue, new byte[16]);
                using (SubRegion part = buffer.SubRegion(0, 128)) Assert.AreSame(buffer, part.Parent);
            });
        }

        [Test]
        public void MemoryThatIsDisposedOfInUseGoesBackWhenTheUseEnds()
        {
            using (ImmediateAllocator allocator = new ImmediateAllocator(Shared.Queue))
            using (MemoryPool pool = new MemoryPool(allocator))
            using (Gate gate = new Gate())
            {
                MemoryObject block = pool.Allocate(64);
                Exception wrong = null;
                Thread user = new Thread(() =>
                {
                    try
                    {
                        while (!IsRead(Volatile.Read(ref block), gate.Event)) { }
                    }
                    catch (Exception exception)
                    {
                        wrong = exception;
                    }
                });
                user.Start();
                while (!InUse(ref block)) Thread.Yield();
                block.Dispose();
                Assert.IsTrue(block.IsDisposed);
                Assert.Throws<ObjectDisposedException>(() => block.SetTag(1));
                Assert.AreEqual(1, pool.ActiveBlocks);
                gate.Open();
                user.Join();
                Assert.IsNull(wrong);
                Assert.AreEqual(0, pool.ActiveBlocks);
            }
        }

        // Of two lives of an object, the first one's end must not come back when it could not be detached.
        [Test]
        public void ABlockThatCouldNotBeDetachedDoesNotComeBackIntoAnObjectThatIsUsedAgain()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { LeakDetection = LeakDetection.Off }))
            {
                for (int turn = 0; turn < 5; turn++)
                {
                    PooledBuffer block = pool.Allocate(1000);
                    using (UseOf(block))
                    {
                        Thread one = FailingDetach(block);
                        block.Dispose();
                        pool.Allocate(2000, block);
                        using (UseOf(block))
                        {
                            Thread other = FailingDetach(block);
                            one.Join();
                            other.Join();
                        }
                    }
                    Assert.AreEqual(2000, block.Size);
                    Assert.AreEqual(1, pool.ActiveBlocks);
                    block.Dispose();
                    Assert.AreEqual(0, pool.ActiveBlocks);
                }
            }
        }

        private static Thread FailingDetach(PooledBuffer block)
        {
            Thread thread = new Thread(() =>
            {
                try
                {
                    block.Detach();
                }
                catch (ClPoolInvalidOperationException) { } // it is in use
            });
            thread.Start();
            while (thread.IsAlive && !block.ToString().Contains("disposed")) { } // until it waits
            return thread;
        }

        private static IDisposable UseOf(MemoryObject memory)
        {
            return (IDisposable)typeof(MemoryObject).GetInterface("ClPool.Interop.IBorrowable").GetMethod("Borrow").Invoke(memory, null);
        }

        [Test]
        public void MemoryIsDisposedOfAlsoWhileAnotherThreadTriesToDetachIt() // which waits some milliseconds for uses to end
        {
            using (ImmediateAllocator allocator = new ImmediateAllocator(Shared.Queue))
            using (MemoryPool pool = new MemoryPool(allocator, new PoolOptions { LeakDetection = LeakDetection.Off }))
                for (int i = 0; i < 10; i++)
                    using (Gate gate = new Gate())
                    {
                        MemoryObject block = pool.Allocate(64);
                        Thread user = new Thread(() => { while (!IsRead(Volatile.Read(ref block), gate.Event)) { } });
                        user.Start();
                        while (!InUse(ref block)) Thread.Yield();
                        Thread other = new Thread(() => InUse(ref block));
                        other.Start();
                        Thread.Sleep(1);
                        block.Dispose();
                        other.Join();
                        gate.Open();
                        user.Join();
                        Assert.IsTrue(block.IsDisposed);
                        Assert.AreEqual(0, pool.ActiveBlocks);
                    }
        }

        private sealed class Told
        {
            internal readonly PooledBuffer Block;
            internal readonly string Text;

            internal Told(PooledBuffer block)
            {
                Block = block;
                Text = block.ToString();
            }
        }

        [Test]
        public void AUseThatComesTooLateIsNoneOfTheNextMemory() // which what holds the memory serves at once
        {
            const int Users = 2;
            DrySource source = new DrySource();
            using (CustomAllocator allocator = new CustomAllocator(source))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                Told shown = new Told(pool.Allocate(1));
                bool done = false;
                long wrong = 0;
                Thread[] users = new Thread[Users];
                for (int i = 0; i < Users; i++)
                {
                    users[i] = new Thread(() =>
                    {
                        while (!Volatile.Read(ref done))
                        {
                            Told seen = Volatile.Read(ref shown);
                            string text = seen.Block.ToString();
                            if (text != seen.Text && text != "PooledBuffer (disposed)") Interlocked.Increment(ref wrong);
                        }
                    });
                    users[i].Start();
                }
                int rounds = Shared.Rounds(300000);
                for (int i = 0; i < rounds; i++)
                {
                    shown.Block.Dispose();
                    Volatile.Write(ref shown, new Told(pool.Allocate(2 + i)));
                }
                Volatile.Write(ref done, true);
                foreach (Thread user in users) user.Join();
                shown.Block.Dispose();
                Assert.AreEqual(0, wrong);
                Assert.AreEqual(0, pool.ActiveBlocks);
                pool.Check();
            }
            Assert.AreEqual(0, source.Live);
        }

        // False for an object whose reference was handed on.
        private static bool IsRead(MemoryObject block, ClEvent gate)
        {
            try
            {
                block.Read(Shared.Queue, new byte[64], 0, MemoryObject.WholeSize, new[] { gate });
                return true;
            }
            catch (ObjectDisposedException)
            {
                return false;
            }
        }

        // A reference is not handed on while another thread uses it; else it goes to the next object.
        private static bool InUse(ref MemoryObject block)
        {
            try
            {
                Volatile.Write(ref block, MemoryObject.Attach(block.Detach()));
                return false;
            }
            catch (ObjectDisposedException)
            {
                return true;
            }
            catch (InvalidOperationException exception)
            {
                Assert.IsTrue(exception.Message.Contains("in use by another thread"), exception.Message);
                return true;
            }
        }

        [Test]
        public void AnEventCanBeAwaited()
        {
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            using (Gate gate = new Gate())
            {
                Task<byte> read = FillAndRead(buffer, gate.Event);
                Assert.IsFalse(read.IsCompleted);
                gate.Open();
                Assert.IsTrue(read.Wait(TimeSpan.FromMinutes(1)));
                Assert.AreEqual(3, read.Result);
            }
            using (Gate opened = new Gate())
            {
                opened.Open();
                Assert.IsTrue(opened.Event.AsTask().Wait(TimeSpan.FromMinutes(1)));
            }
        }

        [Test]
        public void AwaitedEventsTakeNoThreadEach()
        {
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            using (Gate gate = new Gate())
            {
                Task[] tasks = new Task[200];
                tasks[0] = HeldUp(buffer, gate);
                int before = Threads();
                for (int i = 1; i < tasks.Length; i++) tasks[i] = HeldUp(buffer, gate);
                int more = Threads() - before;
                gate.Open();
                Assert.IsTrue(Task.WaitAll(tasks, TimeSpan.FromMinutes(1)));
                Assert.LessOrEqual(more, 20);
            }
        }

        private static Task HeldUp(DeviceBuffer buffer, Gate gate)
        {
            using (ClEvent filled = buffer.Fill(Shared.Queue, new byte[1], 0, 64, new[] { gate.Event })) return filled.AsTask();
        }

        private static int Threads() { return Directory.GetDirectories("/proc/self/task").Length; }

        [Test]
        public void WhatFollowsAnAwaitedEventHoldsUpNoOther()
        {
            using (Gate first = new Gate())
            using (Gate second = new Gate())
            using (ManualResetEventSlim begun = new ManualResetEventSlim())
            {
                Task other = second.Event.AsTask();
                Task<bool> follows = first.Event.AsTask().ContinueWith(ended =>
                {
                    begun.Set();
                    return other.Wait(TimeSpan.FromSeconds(20));
                }, TaskContinuationOptions.ExecuteSynchronously);
                first.Open();
                begun.Wait();
                second.Open();
                Assert.IsTrue(follows.Result);
            }
        }

        [Test]
        public void AFailedCommandTellsItsOwnCode()
        {
            using (Gate gate = new Gate())
            {
                Task before = gate.Event.AsTask();
                gate.Fail(-5);
                foreach (Task task in new[] { before, gate.Event.AsTask() })
                    Fails(Assert.Throws<AggregateException>(() => task.Wait(TimeSpan.FromMinutes(1))).InnerException);
                Fails(Assert.Throws<ClPoolException>(() => gate.Event.Wait()));
            }
        }

        private static void Fails(Exception exception)
        {
            ClPoolException error = (ClPoolException)exception;
            Assert.AreEqual(Status.OpenCL, error.Status);
            Assert.AreEqual(-5, error.ClError);
            Assert.IsTrue(error.Message.Contains("CL_OUT_OF_RESOURCES (-5)"), error.Message);
        }

        [Test]
        public void AnEventThatEndedIsATaskThatDid()
        {
            using (Gate gate = new Gate())
            {
                gate.Open();
                Assert.IsTrue(gate.Event.AsTask().IsCompleted);
            }
        }

        private static async Task<byte> FillAndRead(DeviceBuffer buffer, ClEvent gate)
        {
            await buffer.Fill(Shared.Queue, new byte[] { 3 }, 0, 64, new[] { gate });
            byte[] read = new byte[64];
            buffer.Read(Shared.Queue, read); // whatever a program does
            return read[63];
        }

        // Threads use what `make` makes until it is disposed of, which this one does meanwhile.
        private static void Race<T>(int rounds, Func<T> make, Action<T> use) where T : IDisposable
        {
            for (int round = 0; round < Shared.Rounds(rounds); round++)
            {
                T shared = make();
                Exception wrong = null;
                using (CountdownEvent begun = new CountdownEvent(3))
                {
                    Thread[] users = new Thread[3];
                    for (int i = 0; i < users.Length; i++)
                    {
                        users[i] = new Thread(() =>
                        {
                            begun.Signal();
                            try
                            {
                                while (true) use(shared);
                            }
                            catch (ObjectDisposedException)
                            {
                            }
                            catch (Exception exception)
                            {
                                wrong = exception;
                            }
                        });
                        users[i].Start();
                    }
                    begun.Wait();
                    shared.Dispose();
                    foreach (Thread user in users) user.Join();
                }
                Assert.IsNull(wrong);
            }
        }
    }
}
