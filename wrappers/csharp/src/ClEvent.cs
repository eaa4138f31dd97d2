// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Events of commands.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>The event of a command. It may be left to the garbage collector, and it can be awaited.</summary>
    [DebuggerDisplay("{ToString(),nq}")]
    public sealed unsafe class ClEvent : IDisposable, IBorrowable
    {
        private readonly OwnedHandle handle;

        internal ClEvent(IntPtr handle) { this.handle = new OwnedHandle(handle, Native.clReleaseEvent, "ClEvent"); }

        /// <summary>The cl_event; the reference stays here.</summary>
        public IntPtr Handle { get { using (Borrowed used = handle.Borrow()) return used.Value; } }

        /// <summary>An event of another library.</summary>
        /// <param name="handle">the cl_event</param>
        /// <param name="retain">false: the caller's reference is taken over</param>
        public static ClEvent FromHandle(IntPtr handle, bool retain = true)
        {
            if (handle == IntPtr.Zero) throw new ArgumentNullException("handle");
            if (retain) Errors.CheckCl(Native.clRetainEvent(handle), "clRetainEvent");
            return new ClEvent(handle);
        }

        /// <summary>Waits until the command is complete.</summary>
        public void Wait()
        {
            using (Borrowed used = handle.Borrow())
            {
                IntPtr waited = used.Value;
                Errors.CheckCl(Native.clWaitForEvents(1, &waited), "clWaitForEvents");
            }
        }

        /// <summary>The end of the command as a task, which fails with a <see cref="ClPoolException"/> if the command does. It
        /// needs this event no more. Its queue's commands are handed to the device.</summary>
        public Task AsTask()
        {
            ClEvent own;
            using (Borrowed used = handle.Borrow()) own = FromHandle(used.Value);
            // A background thread waits. The driver could call back instead, but Mono's end would wait for its thread for ever.
            return Task.Factory.StartNew(own.WaitAndDispose, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }

        /// <summary>For await: as <see cref="AsTask"/>.</summary>
        public TaskAwaiter GetAwaiter() { return AsTask().GetAwaiter(); }

        /// <summary>Gives up the reference.</summary>
        public void Dispose() { handle.Dispose(); }

        /// <inheritdoc/>
        public override string ToString() { return OwnedHandle.Describe("ClEvent", handle, IntPtr.Zero); }

        Borrowed IBorrowable.Borrow() { return handle.Borrow(); }

        private void WaitAndDispose()
        {
            using (this) Wait();
        }
    }
}
