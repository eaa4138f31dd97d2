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
    /// (IntPtr) becomes one by itself, for queues of other libraries; those the caller keeps alive. Thread-safe.
    /// </summary>
    [DebuggerDisplay("{ToString(),nq}")]
    public sealed class CommandQueue : IDisposable, IBorrowable
    {
        private readonly OwnedHandle? owned; // null: somebody else's
        private readonly IntPtr foreign;

        private CommandQueue(OwnedHandle? owned, IntPtr foreign)
        {
            this.owned = owned;
            this.foreign = foreign;
        }

        /// <summary>Takes a queue of another library.</summary>
        /// <param name="handle">the cl_command_queue</param>
        /// <param name="retain">false: the caller's reference is taken over</param>
        public static CommandQueue FromHandle(IntPtr handle, bool retain = true)
        {
            if (handle == IntPtr.Zero) throw new ArgumentNullException("handle");
            if (retain) Errors.CheckCl(Native.clRetainCommandQueue(handle), "clRetainCommandQueue");
            return new CommandQueue(new OwnedHandle(handle, Native.clReleaseCommandQueue, "CommandQueue"), IntPtr.Zero);
        }

        /// <summary>A queue that the caller keeps alive; null for zero, which is refused where a queue must be given.</summary>
        public static implicit operator CommandQueue(IntPtr handle)
        {
            return handle == IntPtr.Zero ? null! : new CommandQueue(null, handle);
        }

        /// <summary>The cl_command_queue for other libraries. The reference stays here: keep this object while the number is in
        /// use.</summary>
        public IntPtr Handle { get { using (Borrowed used = ((IBorrowable)this).Borrow()) return used.Value; } }

        /// <summary>Waits until all its commands are complete.</summary>
        public void Finish()
        {
            using (Borrowed used = ((IBorrowable)this).Borrow()) Errors.CheckCl(Native.clFinish(used.Value), "clFinish");
        }

        /// <summary>Gives the reference up, if it is one of ours. Calls that use the queue end in order.</summary>
        public void Dispose() { if (owned != null) owned.Dispose(); }

        /// <inheritdoc/>
        public override string ToString() { return OwnedHandle.Describe("CommandQueue", owned, foreign); }

        Borrowed IBorrowable.Borrow() { return owned == null ? new Borrowed(foreign) : owned.Borrow(); }
    }
}
