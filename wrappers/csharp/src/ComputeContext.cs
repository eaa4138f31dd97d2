// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A context with a queue: made here, or taken from elsewhere.
using System;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>A device, a context and an in-order queue to begin with, or those of another library.</summary>
    public sealed unsafe class ComputeContext : IDisposable
    {
        private readonly OwnedHandle context;
        private readonly OwnedHandle queue;

        private ComputeContext(IntPtr device, IntPtr context, IntPtr queue)
        {
            Device = device;
            this.context = new OwnedHandle(context, Native.clReleaseContext, "ComputeContext");
            this.queue = queue == IntPtr.Zero ? null : new OwnedHandle(queue, Native.clReleaseCommandQueue, "ComputeContext");
        }

        /// <summary>The cl_device_id; zero for a context from elsewhere.</summary>
        public IntPtr Device { get; private set; }

        /// <summary>The cl_context.</summary>
        public IntPtr Context { get { using (OwnedHandle.Borrowed used = context.Borrow()) return used.Value; } }

        /// <summary>The cl_command_queue; zero if none was given.</summary>
        public IntPtr Queue
        {
            get
            {
                if (queue == null) return IntPtr.Zero;
                using (OwnedHandle.Borrowed used = queue.Borrow()) return used.Value;
            }
        }

        /// <summary>Chooses a device and makes a context with it alone, and an in-order queue.</summary>
        public static ComputeContext Create(DeviceOptions options = null)
        {
            IntPtr device, context, queue;
            Errors.Check(Devices.CreateContext(options, &device, &context, &queue));
            return new ComputeContext(device, context, queue);
        }

        /// <summary>Takes a context, and a queue if one is given, from another library; both are retained.</summary>
        public static ComputeContext FromHandles(IntPtr context, IntPtr queue = default(IntPtr))
        {
            if (context == IntPtr.Zero) throw new ArgumentNullException("context");
            Errors.CheckCl(Native.clRetainContext(context), "clRetainContext");
            if (queue != IntPtr.Zero)
            {
                int code = Native.clRetainCommandQueue(queue);
                if (code != 0) Native.clReleaseContext(context);
                Errors.CheckCl(code, "clRetainCommandQueue");
            }
            return new ComputeContext(IntPtr.Zero, context, queue);
        }

        /// <summary>Waits until all commands of the queue are complete.</summary>
        public void Finish() { Errors.CheckCl(Native.clFinish(Queue), "clFinish"); }

        /// <summary>Gives up the references. What was made in the context keeps it alive.</summary>
        public void Dispose()
        {
            if (queue != null) queue.Dispose();
            context.Dispose();
        }
    }
}
