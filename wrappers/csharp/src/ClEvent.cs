// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Events of commands.
using System;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>The event of a command. It may be left to the garbage collector.</summary>
    public sealed unsafe class ClEvent : IDisposable
    {
        private readonly OwnedHandle handle;

        internal ClEvent(IntPtr handle) { this.handle = new OwnedHandle(handle, Native.clReleaseEvent, "ClEvent"); }

        /// <summary>The cl_event; the reference stays here.</summary>
        public IntPtr Handle { get { using (OwnedHandle.Borrowed used = handle.Borrow()) return used.Value; } }

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
            using (OwnedHandle.Borrowed used = handle.Borrow())
            {
                IntPtr waited = used.Value;
                Errors.CheckCl(Native.clWaitForEvents(1, &waited), "clWaitForEvents");
            }
        }

        /// <summary>Gives up the reference.</summary>
        public void Dispose() { handle.Dispose(); }
    }
}
