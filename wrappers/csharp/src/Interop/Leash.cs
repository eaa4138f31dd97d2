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
    /// <summary>Found unreachable together with the memory object that holds it, if that was forgotten.</summary>
    internal sealed class Leash
    {
        /// <summary>The memory to bring back; zero while nothing is watched.</summary>
        internal IntPtr Memory;
        /// <summary>Collections before this turn, or fewer.</summary>
        internal int Collections;
        /// <summary>Where the memory was allocated; null unless leaks are traced.</summary>
        internal string Site;

        ~Leash()
        {
            IntPtr memory = Interlocked.Exchange(ref Memory, IntPtr.Zero);
            if (memory == IntPtr.Zero) return;
            if (Site != null) Library.ReportLeak(memory, Site);
            Native.clpool_mem_release_later(memory);
        }
    }
}
