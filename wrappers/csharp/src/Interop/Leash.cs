// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Leashes bring forgotten memory back. Making an object with a finalizer costs many times what a pool's hit does, so
// leashes are used again: a memory object holds one while it lives, and hands it on when it is disposed of.
//
// A leash whose memory object was found unreachable is not used again, even if a finalizer of the user disposes of that
// object before the leash's own finalizer runs: that one would end the next turn. A leash that has seen a collection may be
// such a one.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace ClPool.Interop
{
    /// <summary>What a memory object holds while it lives, and hands on: the object itself, which every request makes anew,
    /// has room for one reference. Whoever uses the memory counts here, and then looks whether the object still holds this. A
    /// count that comes too late is one of the next holder's, which it delays and nothing else: whoever ends the last use of
    /// closed memory gives that back.</summary>
    internal abstract class Slot : ILender
    {
        /// <summary>How its holder was disposed of, in the low bits of the uses: what the last one does.</summary>
        internal const int Release = 1, ReleaseLater = 2, ReleaseIdle = 3;
        private const int Closed = 3; // any of them
        private const int Use = 4;    // the other bits count the calls that use it

        /// <summary>The memory; zero while nobody holds this.</summary>
        internal IntPtr Memory;
        /// <summary>What the memory was made from, which it keeps; or null.</summary>
        internal object? Source;

        private int uses;

        internal bool IsInUse { get { return Volatile.Read(ref uses) != 0; } }

        /// <summary>Counts a use; not of closed memory.</summary>
        internal bool TryBeginUse()
        {
            int now, before = Volatile.Read(ref uses);
            do
            {
                now = before;
                if ((now & Closed) != 0) return false;
                before = Interlocked.CompareExchange(ref uses, now + Use, now);
            } while (before != now);
            return true;
        }

        /// <summary>Ends a use.</summary>
        internal void EndUse()
        {
            int left = Interlocked.Add(ref uses, -Use);
            if (left == 0 || left > Closed) return;
            Volatile.Write(ref uses, 0); // nobody counts on closed memory
            GiveBack(left);
        }

        void ILender.Return() { EndUse(); }

        /// <summary>Gives the memory back now, or when its last use ends. The holder has let this go before, with a full fence:
        /// whoever is not seen here sees that.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal void Close(int how)
        {
            if (Volatile.Read(ref uses) == 0 || !CloseInUse(how)) GiveBack(how);
        }

        // Whether somebody uses it.
        private bool CloseInUse(int how)
        {
            int now, before = Volatile.Read(ref uses);
            do
            {
                now = before;
                if (now == 0) return false;
                before = Interlocked.CompareExchange(ref uses, now | how, now);
            } while (before != now);
            return true;
        }

        // Once, by the one that closed it or by its last use.
        private void GiveBack(int how)
        {
            IntPtr value = Memory;
            if (value == IntPtr.Zero) return; // the leash's finalizer was first
            PerThread.Current.Return(this);
            int status = how == Release ? Native.clpool_mem_release(value)
                       : how == ReleaseLater ? Native.clpool_mem_release_later(value) : Native.clpool_mem_release_idle(value);
            if (status != Native.CLPOOL_SUCCESS) ReleaseFailed(status);
        }

        private static void ReleaseFailed(int status)
        {
            Library.Send(MessageSeverity.Error, "memory could not be given back: " + Errors.Exception(status).Message);
        }
    }

    /// <summary>A slot for memory that nobody brings back.</summary>
    internal sealed class PlainSlot : Slot
    {
    }

    /// <summary>A slot that is found unreachable together with the memory object that holds it, if that was forgotten.</summary>
    internal sealed class Leash : Slot
    {
        /// <summary>Collections before this turn, or fewer.</summary>
        internal int Collections;
        /// <summary>Where the memory was allocated; null unless leaks are traced.</summary>
        internal string? Site;

        ~Leash()
        {
            IntPtr memory = Interlocked.Exchange(ref Memory, IntPtr.Zero);
            if (memory == IntPtr.Zero) return;
            if (Site != null) Library.ReportLeak(memory, Site);
            Native.clpool_mem_release_later(memory);
            OwnedHandle.NotePutOff();
        }
    }
}
