// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the tests share: one context, allocators that need no device, the garbage collector.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using NUnit.Framework;

namespace ClPool.Tests
{
    /// <summary>A context of the device that tests are to run on.</summary>
    internal static class Shared
    {
        private static readonly Lazy<ComputeContext> context = new Lazy<ComputeContext>(Make);

        internal static ComputeContext Context { get { return context.Value; } }
        internal static CommandQueue Queue { get { return context.Value.Queue; } }
        internal static IntPtr Device { get { return context.Value.Device; } }

        /// <summary>So many rounds of a race, or twenty times as many where CLPOOL_LONG_TESTS is set.</summary>
        internal static int Rounds(int few)
        {
            return Environment.GetEnvironmentVariable("CLPOOL_LONG_TESTS") == null ? few : 20 * few;
        }

        internal static void NeedsSvm()
        {
            if ((SvmMemory.Capabilities(Device) & SvmCapabilities.CoarseGrainBuffer) == 0)
                Assert.Ignore(Devices.Describe(Device) + " has no shared virtual memory");
        }

        /// <summary>Lets forgotten objects be found. What `forget` makes must not be on this method's stack.</summary>
        internal static void Forget(Action forget)
        {
            // On a thread of its own: a conservative collector would still find what its stack held.
            Thread thread = new Thread(() => forget());
            thread.Start();
            thread.Join();
            for (int i = 0; i < 4; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
        }

        private static ComputeContext Make()
        {
            try
            {
                return ComputeContext.Create();
            }
            catch (ClPoolException exception)
            {
                Assert.Ignore("no OpenCL device: " + exception.Message);
                throw;
            }
        }
    }

    /// <summary>The library's messages as long as it lives.</summary>
    internal sealed class Messages : IDisposable
    {
        private readonly List<string> all = new List<string>();

        internal Messages() { Library.Message += Note; }

        /// <summary>Those so far: severity and text.</summary>
        internal string[] Texts { get { lock (all) return all.ToArray(); } }

        public void Dispose() { Library.Message -= Note; }

        private void Note(MessageSeverity severity, string text) { lock (all) all.Add(severity + " " + text); }
    }

    /// <summary>A user event, which holds commands up until it is opened.</summary>
    internal sealed class Gate : IDisposable
    {
        private bool opened;

        internal Gate() { Event = ClEvent.User(Shared.Context); }

        internal ClEvent Event { get; private set; }

        internal void Open()
        {
            opened = true;
            Event.Complete();
        }

        /// <summary>Fails as a command does.</summary>
        internal void Fail(int code)
        {
            opened = true;
            Assert.AreEqual(0, clSetUserEventStatus(Event.Handle, code));
        }

        public void Dispose()
        {
            if (!opened) Open();
            Event.Dispose();
        }

        /// <summary>A second queue of the context; the caller's to release.</summary>
        internal static IntPtr AnotherQueue() { return clCreateCommandQueue(Shared.Context.Context, Shared.Device, 0, IntPtr.Zero); }

        [DllImport("libOpenCL.so.1")]
        private static extern int clSetUserEventStatus(IntPtr userEvent, int status);

        [DllImport("libOpenCL.so.1")]
        private static extern IntPtr clCreateCommandQueue(IntPtr context, IntPtr device, ulong properties, IntPtr code);

        [DllImport("libOpenCL.so.1")]
        internal static extern int clReleaseCommandQueue(IntPtr queue);

        [DllImport("libOpenCL.so.1")]
        private static extern int clGetCommandQueueInfo(IntPtr queue, uint name, IntPtr size, out uint value, IntPtr needed);

        [DllImport("libOpenCL.so.1")]
        private static extern int clGetCommandQueueInfo(IntPtr queue, uint name, IntPtr size, out ulong value, IntPtr needed);

        /// <summary>cl_command_queue_properties.</summary>
        internal static ulong PropertiesOf(IntPtr queue)
        {
            const uint Properties = 0x1093; // CL_QUEUE_PROPERTIES
            ulong value;
            Assert.AreEqual(0, clGetCommandQueueInfo(queue, Properties, new IntPtr(sizeof(ulong)), out value, IntPtr.Zero));
            return value;
        }

        /// <summary>References that a queue has.</summary>
        internal static uint ReferencesOf(IntPtr queue)
        {
            const uint ReferenceCount = 0x1092; // CL_QUEUE_REFERENCE_COUNT
            uint count;
            Assert.AreEqual(0, clGetCommandQueueInfo(queue, ReferenceCount, new IntPtr(sizeof(uint)), out count, IntPtr.Zero));
            return count;
        }
    }

    /// <summary>Numbers for memory: no memory is behind them.</summary>
    internal sealed class DrySource : IMemorySource
    {
        private long next = 1L << 40;
        internal long Live;
        internal long Limit = long.MaxValue;
        internal long Asked;
        internal Exception Failure;
        internal bool FailsOnce;
        internal readonly List<long> Alignments = new List<long>();

        public long Allocate(long size, long alignment)
        {
            lock (this)
            {
                Asked++;
                Exception thrown = Failure;
                if (FailsOnce) Failure = null;
                if (thrown != null) throw thrown;
                if (Live + size > Limit) throw new OutOfDeviceMemoryException("the dry source has " + Limit + " bytes");
                Live += size;
                Alignments.Add(alignment);
                long chunk = (next + alignment - 1) & -alignment;
                next = chunk + size;
                return chunk;
            }
        }

        public void Deallocate(long chunk, long size)
        {
            lock (this) Live -= size;
        }
    }
}
