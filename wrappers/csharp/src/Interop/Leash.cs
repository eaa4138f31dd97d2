// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Leashes bring forgotten memory back. Making an object with a finalizer costs many times what a pool's hit does, so
// leashes are used again: a memory object holds one while it lives, and hands it on when it is disposed of.
//
// A leash whose memory object was found unreachable is not used again, even if a finalizer of the user disposes of that
// object before the leash's own finalizer runs: that one would end the next turn. A leash that has seen a collection may be
// such a one.
using System;
using System.Threading;

namespace ClPool.Interop
{
    /// <summary>What a memory object holds while it lives, and hands on: the object itself, which every request makes anew,
    /// stays small.</summary>
    internal abstract class Slot
    {
        /// <summary>The memory; zero while nobody holds this.</summary>
        internal IntPtr Memory;
        /// <summary>What the memory was made from, which it keeps; or null.</summary>
        internal object? Source;
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
        }
    }
}
