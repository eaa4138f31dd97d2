// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Leashes bring forgotten memory back. Making an object with a finalizer costs many times what a pool's hit does, so
// leashes are used again: a memory object holds one while it lives, and hands it on when it is disposed of.
//
// A leash that the collector has found unreachable, with its memory object, is not used again, even if somebody who has that object
// back, such as a finalizer of the user, disposes of it before the leash's own finalizer runs: that one would end the next turn.
// A weak handle tells: the collector clears it when it finds the leash. On Mono, where two looks at such a one made a hit 120 ns slower,
// a leash that has seen a collection may have been found; that leaves out what a collection finds that runs beside the program.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
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

#if NET
        /// <summary>Whether the collector has found it unreachable: its finalizer has run, runs or will.</summary>
        private bool WasFound
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get
            {
                Leash? leash = this as Leash;
                return leash != null && !leash.IsReachable;
            }
        }
#endif

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
#if NET
            bool found = WasFound;
            IntPtr value = found ? TakeMemory() : Memory;
            Memory = IntPtr.Zero; // whatever comes now, it is given back once
#else
            const bool found = false; // as far as is known
            IntPtr value = TakeMemory();
#endif
            if (value == IntPtr.Zero) return; // the leash's finalizer was first, or this holds a place alone
            int status = how == Release ? Native.clpool_mem_release(value)
                       : how == ReleaseLater ? Native.clpool_mem_release_later(value) : Native.clpool_mem_release_idle(value);
            if (!found) PerThread.TryReturn(this);
            if (status != Native.CLPOOL_SUCCESS) ReleaseFailed(status);
        }

        /// <summary>Ends the turn of a slot whose memory was taken.</summary>
        internal void EndTurn()
        {
#if NET
            if (WasFound) return;
#endif
            PerThread.TryReturn(this);
        }

        /// <summary>Takes the memory, unless a finalizer was first.</summary>
        internal IntPtr TakeMemory() { return Interlocked.Exchange(ref Memory, IntPtr.Zero); }

        private static void ReleaseFailed(int status)
        {
            Library.Send(MessageSeverity.Error, "memory could not be given back: " + Errors.Exception(status).Message);
        }
    }

    /// <summary>What stands in a slot's place while its memory is given up: it holds none, and whoever disposes of the object takes it
    /// away. Each time another one: meanwhile the object may have begun another life, and be given up again.</summary>
    internal sealed class GivingUp : Slot
    {
        internal readonly Slot Held;
        /// <summary>The memory, which nobody else has meanwhile, also no finalizer.</summary>
        internal IntPtr Taken;

        internal GivingUp(Slot held) { Held = held; }
    }

    /// <summary>A slot for memory that nobody brings back.</summary>
    internal sealed class PlainSlot : Slot
    {
    }

    /// <summary>A slot that is found unreachable together with the memory object that holds it, if that was forgotten.</summary>
    internal sealed class Leash : Slot
    {
        /// <summary>Where the memory was allocated; null unless leaks are traced.</summary>
        internal string? Site;

#if NET
        private IntPtr self; // a weak handle
        private bool isFound;

        internal Leash() { self = GCHandle.ToIntPtr(GCHandle.Alloc(this, GCHandleType.Weak)); }

        internal bool IsReachable
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get
            {
                IntPtr handle = Volatile.Read(ref self);
                return handle != IntPtr.Zero && GCHandle.FromIntPtr(handle).Target == this;
            }
        }

        /// <summary>Nobody has it any more.</summary>
        internal void Drop()
        {
            GC.SuppressFinalize(this);
            FreeHandle();
        }

        private void FreeHandle()
        {
            IntPtr handle = Interlocked.Exchange(ref self, IntPtr.Zero);
            if (handle != IntPtr.Zero) GCHandle.FromIntPtr(handle).Free();
        }
#else
        /// <summary>Collections before this turn, or fewer.</summary>
        internal int Collections;

        /// <summary>Nobody has it any more.</summary>
        internal void Drop() { GC.SuppressFinalize(this); }
#endif

        ~Leash()
        {
            IntPtr memory = TakeMemory();
            if (memory != IntPtr.Zero)
            {
                if (Site != null) Library.ReportLeak(memory, Site);
                Native.clpool_mem_release_later(memory);
                OwnedHandle.NotePutOff();
            }
#if NET
            if (isFound)
            {
                FreeHandle();
                return;
            }
            isFound = true;
            GC.ReRegisterForFinalize(this); // who has it back may look at the handle, and put memory back, until it is found once more
#endif
        }
    }
}
