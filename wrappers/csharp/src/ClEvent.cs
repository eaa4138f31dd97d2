// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Events of commands.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>The event of a command. It may be left to the garbage collector, and it can be awaited.</summary>
    [DebuggerDisplay("{ToString(),nq}")]
    public sealed unsafe class ClEvent : IDisposable, IBorrowable
    {
        private const int InvalidEvent = -58;
        private const int InvalidOperation = -59;

        private readonly OwnedHandle handle;

        private CommandQueue? queue; // the command's; null: not known, or none

        /// <summary>For the end of a command that is enqueued next, on a queue: <see cref="Own"/> follows.</summary>
        internal ClEvent(CommandQueue? queue = null)
        {
            handle = new OwnedHandle(Native.clReleaseEvent, null, "ClEvent");
            this.queue = queue;
        }

        /// <summary>Takes the reference over. Where there was nothing to do it may be one of the events to wait for.</summary>
        internal ClEvent Own(IntPtr made, ClEvent[]? waitFor = null)
        {
            if (waitFor != null)
            {
                foreach (ClEvent waited in waitFor)
                    if (waited.handle.Is(made)) queue = waited.queue;
            }
            handle.Own(made);
            if (queue != null && !queue.IsOwned)
            {
                queue.FlushIfOpen(); // as long as the call lasts the number is good
                queue = null;
            }
            return this;
        }

        /// <summary>The cl_event; the reference stays here.</summary>
        public IntPtr Handle { get { using (Borrowed used = handle.Borrow()) return used.Value; } }

        /// <summary>An event of another library.</summary>
        /// <param name="handle">the cl_event</param>
        /// <param name="retain">false: the caller's reference is taken over</param>
        /// <param name="queue">the command's queue, which <see cref="AsTask"/> flushes as long as it is open; null: it is not known,
        /// and flushing it is the caller's</param>
        public static ClEvent FromHandle(IntPtr handle, bool retain = true, CommandQueue? queue = null)
        {
            return Take(handle, retain, new ClEvent(queue));
        }

        private static ClEvent Take(IntPtr handle, bool retain, ClEvent taken)
        {
            if (handle == IntPtr.Zero) throw new ArgumentNullException("handle");
            if (retain) Errors.CheckCl(Native.clRetainEvent(handle), "clRetainEvent");
            return taken.Own(handle);
        }

        /// <summary>An event that the program itself completes, by <see cref="Complete"/> or <see cref="Fail"/>.</summary>
        /// <param name="context">the context</param>
        public static ClEvent User(ComputeContext context)
        {
            IntPtr handle;
            ClEvent made = new ClEvent();
            using (Borrowed used = Arguments.Borrow(context, "context"))
                Errors.CheckCl(Native.csharp_user_event_create(used.Value, &handle), "clCreateUserEvent");
            return made.Own(handle);
        }

        /// <summary>Completes an event made by <see cref="User"/>.</summary>
        /// <exception cref="InvalidOperationException">it is complete already, or a command's</exception>
        public void Complete() { End(0); }

        /// <summary>Ends an event made by <see cref="User"/> with an error, with which the commands that wait for it fail.
        /// (Disposing of the event does not end it: they would wait for ever.)</summary>
        /// <param name="code">the error, less than 0</param>
        /// <exception cref="ArgumentOutOfRangeException">it is 0 or more</exception>
        /// <exception cref="InvalidOperationException">it is complete already, or a command's</exception>
        public void Fail(int code)
        {
            if (code >= 0) throw new ArgumentOutOfRangeException("code", code, "an error is less than 0");
            End(code);
        }

        private void End(int status)
        {
            using (Borrowed used = handle.Borrow())
            {
                int code = Native.clSetUserEventStatus(used.Value, status);
                if (code == InvalidEvent || code == InvalidOperation)
                    throw Errors.WrongState("the event is complete already, or a command's, which the program cannot complete");
                Errors.CheckCl(code, "clSetUserEventStatus");
            }
        }

        /// <summary>Whether the command has ended, be it with an error.</summary>
        public bool IsDone
        {
            get
            {
                int state;
                using (Borrowed used = handle.Borrow()) Errors.CheckCl(Native.csharp_event_state(used.Value, &state), "clGetEventInfo");
                return state <= 0;
            }
        }

        /// <summary>Waits until the command is complete.</summary>
        /// <exception cref="ClPoolException">the command failed, with the code that it ended with</exception>
        public void Wait()
        {
            using (Borrowed used = handle.Borrow())
            {
                IntPtr waited = used.Value;
                int code = Native.clWaitForEvents(1, &waited);
                if (code == 0) return;
                int state = Completions.StateOf(this); // which the code of the wait does not tell
                if (state < 0) throw Errors.OfCommand(state);
                Errors.CheckCl(code, "clWaitForEvents");
            }
        }

        /// <summary>The end of the command as a task, which fails with a <see cref="ClPoolException"/> if the command does. It
        /// needs this event no more. Its queue's commands are handed to the device, if the queue is known (see
        /// <see cref="FromHandle"/>). However many events are awaited, one thread
        /// serves them; what follows runs on the thread pool.</summary>
        public Task AsTask()
        {
            ClEvent own;
            using (Borrowed used = handle.Borrow()) own = Take(used.Value, true, new ClEvent(queue));
            return Completions.Of(own);
        }

        /// <summary>Hands the commands of its queue to the device, unless that is gone. The driver is not asked for it, as it may
        /// be gone, too.</summary>
        internal void FlushQueue()
        {
            if (queue != null) queue.FlushIfOpen();
        }

        /// <summary>For await: as <see cref="AsTask"/>.</summary>
        public TaskAwaiter GetAwaiter() { return AsTask().GetAwaiter(); }

        /// <summary>Gives up the reference.</summary>
        public void Dispose() { handle.Dispose(); }

        /// <inheritdoc/>
        public override string ToString() { return OwnedHandle.Describe("ClEvent", handle, IntPtr.Zero); }

        Borrowed IBorrowable.Borrow() { return handle.Borrow(); }
    }
}
