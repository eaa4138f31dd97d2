// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A context with a queue: made here, or taken from elsewhere.
using System;
using System.Diagnostics;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>
    /// A device, a context and an in-order queue to begin with, or those of another library. It is what functions want that
    /// ask for a context: while a call uses it, nobody's Dispose and no collection releases it. A number (cl_context, IntPtr)
    /// becomes one by itself, which the caller keeps alive. Thread-safe.
    /// </summary>
    [DebuggerDisplay("{ToString(),nq}")]
    public sealed unsafe class ComputeContext : IDisposable, IBorrowable
    {
        private readonly OwnedHandle? owned; // null: somebody else's
        private readonly IntPtr foreign;

        private ComputeContext(IntPtr device, OwnedHandle? owned, IntPtr foreign, CommandQueue? queue)
        {
            Device = device;
            this.owned = owned;
            this.foreign = foreign;
            Queue = queue!;
        }

        /// <summary>The cl_device_id; zero for a context from elsewhere.</summary>
        public IntPtr Device { get; private set; }

        /// <summary>The cl_context for other libraries. The reference stays here: keep this object while the number is in
        /// use.</summary>
        public IntPtr Context { get { using (Borrowed used = ((IBorrowable)this).Borrow()) return used.Value; } }

        /// <summary>The queue, which stays usable as long as it is kept itself; null if none was given.</summary>
        public CommandQueue Queue { get; private set; }

        /// <summary>Chooses a device and makes a context with it alone, and an in-order queue.</summary>
        public static ComputeContext Create(DeviceOptions? options = null)
        {
            IntPtr device, context, queue;
            OwnedHandle owned = NewHandle();
            CommandQueue its = CommandQueue.New();
            Errors.Check(Devices.CreateContext(options, &device, &context, &queue));
            owned.Own(context);
            its.Own(queue);
            return new ComputeContext(device, owned, IntPtr.Zero, its);
        }

        /// <summary>Takes a context, and a queue if one is given, from another library; both are retained.</summary>
        public static ComputeContext FromHandles(IntPtr context, IntPtr queue = default(IntPtr))
        {
            if (context == IntPtr.Zero) throw new ArgumentNullException("context");
            OwnedHandle owned = NewHandle();
            CommandQueue? taken = queue == IntPtr.Zero ? null : CommandQueue.FromHandle(queue);
            int code = Native.clRetainContext(context);
            if (code != 0 && taken != null) taken.Dispose();
            Errors.CheckCl(code, "clRetainContext");
            owned.Own(context);
            return new ComputeContext(IntPtr.Zero, owned, IntPtr.Zero, taken);
        }

        /// <summary>A context that the caller keeps alive, without a queue; null for zero, which is refused where a context must be
        /// given.</summary>
        public static implicit operator ComputeContext(IntPtr context)
        {
            return context == IntPtr.Zero ? null! : new ComputeContext(IntPtr.Zero, null, context, null);
        }

        /// <summary>Waits until all commands of the queue are complete.</summary>
        public void Finish()
        {
            if (Queue == null) throw Errors.WrongState("this context was taken without a queue");
            Queue.Finish();
        }

        /// <summary>Gives up the references, the queue's too. What was made in the context keeps it alive.</summary>
        public void Dispose()
        {
            if (Queue != null) Queue.Dispose();
            if (owned != null) owned.Dispose();
        }

        /// <inheritdoc/>
        public override string ToString()
        {
            string text = OwnedHandle.Describe("ComputeContext", owned, foreign);
            return Device == IntPtr.Zero ? text : text + " of " + Devices.Describe(Device);
        }

        Borrowed IBorrowable.Borrow() { return owned == null ? new Borrowed(foreign) : owned.Borrow(); }

        private static OwnedHandle NewHandle() { return new OwnedHandle(Native.clReleaseContext, null, "ComputeContext"); }
    }
}
