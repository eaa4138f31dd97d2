// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a call uses of other objects: none of it is released before the call has ended, whoever disposes of it meanwhile.
using System;

namespace ClPool.Interop
{
    /// <summary>An object over a handle that calls use.</summary>
    internal interface IBorrowable
    {
        /// <summary>The handle for as long as the result is not disposed of.</summary>
        /// <exception cref="ObjectDisposedException">after Dispose</exception>
        Borrowed Borrow();
    }

    /// <summary>What counts the uses of something native.</summary>
    internal interface ILender
    {
        /// <summary>Ends a use.</summary>
        void Return();
    }

    /// <summary>A handle in use.</summary>
    internal struct Borrowed : IDisposable
    {
        private readonly ILender? from; // null: somebody else keeps it

        internal readonly IntPtr Value;

        internal Borrowed(ILender? from, IntPtr value)
        {
            this.from = from;
            Value = value;
        }

        internal Borrowed(IntPtr foreign) : this(null, foreign) { }

        public void Dispose() { if (from != null) from.Return(); }
    }

    /// <summary>Several handles in use.</summary>
    internal struct BorrowedList : IDisposable
    {
        private readonly Borrowed[]? borrowed;

        /// <summary>The handles; null for none, as C has it.</summary>
        internal readonly IntPtr[]? Values;

        internal BorrowedList(IBorrowable?[]? objects, string name)
        {
            borrowed = null;
            Values = null;
            if (objects == null || objects.Length == 0) return;
            borrowed = new Borrowed[objects.Length];
            Values = new IntPtr[objects.Length];
            try
            {
                for (int i = 0; i < objects.Length; i++)
                {
                    IBorrowable? one = objects[i];
                    if (one == null) throw new ArgumentNullException(name + "[" + i + "]");
                    borrowed[i] = one.Borrow();
                    Values[i] = borrowed[i].Value;
                }
            }
            catch
            {
                Dispose();
                throw;
            }
        }

        internal uint Count { get { return Arguments.Count(Values); } }

        public void Dispose()
        {
            if (borrowed == null) return;
            foreach (Borrowed one in borrowed) one.Dispose();
        }
    }

    /// <summary>A queue, and the events that its next command waits for.</summary>
    internal struct Command : IDisposable
    {
        private readonly Borrowed queue;
        private readonly BorrowedList waits;

        internal Command(CommandQueue? queue, ClEvent[]? waitFor) : this(Arguments.Borrow(queue, "queue"), waitFor) { }

        private Command(Borrowed queue, ClEvent[]? waitFor)
        {
            this.queue = queue;
            waits = default(BorrowedList);
            try
            {
                waits = new BorrowedList(waitFor, "waitFor");
            }
            catch
            {
                queue.Dispose();
                throw;
            }
        }

        /// <summary>The same where a missing queue has a meaning.</summary>
        internal static Command Optional(CommandQueue? queueOrNull, ClEvent[]? waitFor)
        {
            return new Command(Arguments.BorrowOptional(queueOrNull), waitFor);
        }

        internal IntPtr Queue { get { return queue.Value; } }

        internal IntPtr[]? Waits { get { return waits.Values; } }

        internal uint WaitCount { get { return waits.Count; } }

        public void Dispose()
        {
            waits.Dispose();
            queue.Dispose();
        }
    }
}
