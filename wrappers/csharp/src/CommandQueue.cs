// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Command queues.
using System;
using System.Diagnostics;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>
    /// A cl_command_queue, which it keeps alive: while a call uses it, nobody's Dispose and no collection releases it. A number
    /// (IntPtr) becomes one by itself, for queues of other libraries; those the caller keeps alive, and what is given an event is
    /// handed to the device at once. Thread-safe.
    /// </summary>
    [DebuggerDisplay("{ToString(),nq}")]
    public sealed unsafe class CommandQueue : IDisposable, IBorrowable, ILender
    {
        private readonly OwnedHandle? owned; // null: somebody else's
        private readonly IntPtr foreign;

        private CommandQueue(OwnedHandle? owned, IntPtr foreign)
        {
            this.owned = owned;
            this.foreign = foreign;
        }

        /// <summary>Makes an in-order queue.</summary>
        /// <param name="context">the context</param>
        /// <param name="device">a device of it, a cl_device_id; zero: its first one</param>
        public static CommandQueue Create(ComputeContext context, IntPtr device = default(IntPtr)) { return Create(context, device, 0); }

        /// <summary>Makes a queue that may carry commands out in any order.</summary>
        /// <param name="context">the context</param>
        /// <param name="device">a device of it, a cl_device_id; zero: its first one</param>
        public static CommandQueue CreateOutOfOrder(ComputeContext context, IntPtr device = default(IntPtr))
        {
            return Create(context, device, 1);
        }

        private static CommandQueue Create(ComputeContext context, IntPtr device, int outOfOrder)
        {
            IntPtr queue;
            CommandQueue made = New();
            using (Borrowed used = Arguments.Borrow(context, "context"))
                Errors.CheckCl(Native.csharp_queue_create(used.Value, device, outOfOrder, &queue), "clCreateCommandQueue");
            made.Own(queue);
            return made;
        }

        /// <summary>Takes a queue of another library.</summary>
        /// <param name="handle">the cl_command_queue</param>
        /// <param name="retain">false: the caller's reference is taken over</param>
        public static CommandQueue FromHandle(IntPtr handle, bool retain = true)
        {
            if (handle == IntPtr.Zero) throw new ArgumentNullException("handle");
            CommandQueue taken = New();
            if (retain) Errors.CheckCl(Native.clRetainCommandQueue(handle), "clRetainCommandQueue");
            taken.Own(handle);
            return taken;
        }

        /// <summary>One of ours, which is made next: <see cref="Own"/> follows.</summary>
        internal static CommandQueue New()
        {
            return new CommandQueue(new OwnedHandle(Native.clReleaseCommandQueue, null, "CommandQueue"), IntPtr.Zero);
        }

        /// <summary>Takes the reference over.</summary>
        internal void Own(IntPtr handle) { owned!.Own(handle); }

        /// <summary>A queue that the caller keeps alive; null for zero, which is refused where a queue must be given.</summary>
        public static implicit operator CommandQueue(IntPtr handle)
        {
            return handle == IntPtr.Zero ? null! : new CommandQueue(null, handle);
        }

        /// <summary>The cl_command_queue for other libraries. The reference stays here: keep this object while the number is in
        /// use.</summary>
        public IntPtr Handle { get { using (Borrowed used = ((IBorrowable)this).Borrow()) return used.Value; } }

        /// <summary>Hands all its commands to the device.</summary>
        public void Flush()
        {
            using (Borrowed used = ((IBorrowable)this).Borrow()) Errors.CheckCl(Native.csharp_queue_flush(used.Value), "clFlush");
        }

        /// <summary>The same where it is open: to dispose of it has done so. What it fails of, the commands fail of too.</summary>
        internal void FlushIfOpen()
        {
            try
            {
                using (Borrowed used = ((IBorrowable)this).Borrow()) Native.csharp_queue_flush(used.Value);
            }
            catch (ObjectDisposedException)
            {
                // it is not
            }
        }

        /// <summary>Whether it lives until it is disposed of.</summary>
        internal bool IsOwned { get { return owned != null; } }

        /// <summary>Waits until all its commands are complete.</summary>
        public void Finish()
        {
            using (Borrowed used = ((IBorrowable)this).Borrow()) Errors.CheckCl(Native.csharp_queue_finish(used.Value), "clFinish");
        }

        /// <summary>Gives the reference up, if it is one of ours, with all commands handed to the device. Calls that use the queue
        /// end in order.</summary>
        public void Dispose()
        {
            if (owned == null || owned.IsDisposed) return;
            try
            {
                using (((IBorrowable)this).Borrow()) owned.Dispose();
            }
            catch (ObjectDisposedException)
            {
                // by another thread
            }
        }

        /// <inheritdoc/>
        public override string ToString() { return OwnedHandle.Describe("CommandQueue", owned, foreign); }

        Borrowed IBorrowable.Borrow() { return owned == null ? new Borrowed(foreign) : new Borrowed(this, owned.Borrow().Value); }

        /// <summary>As a queue that is disposed of may go only when another thread's call has ended, which may wait for a command,
        /// whoever ends a call on one, and who disposes of it, hands on what was enqueued till then.</summary>
        void ILender.Return()
        {
            if (owned!.IsDisposed) Native.csharp_queue_flush(owned.Lent);
            ((ILender)owned).Return();
        }
    }
}
