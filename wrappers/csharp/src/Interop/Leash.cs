// Leashes bring forgotten memory back. Making an object with a finalizer costs many times what a pool's hit does, so
// leashes are made once and used again: a memory object holds one while it lives, and hands it on when it is disposed of.
using System;

namespace ClPool.Interop
{
    /// <summary>Found unreachable together with the memory object that holds it, if that was forgotten.</summary>
    internal sealed class Leash
    {
        /// <summary>The memory to bring back; zero while nothing is watched.</summary>
        internal IntPtr Memory;
        /// <summary>Where the memory was allocated; null unless leaks are traced.</summary>
        internal string Site;

        ~Leash()
        {
            IntPtr memory = Memory;
            if (memory == IntPtr.Zero) return;
            Memory = IntPtr.Zero;
            if (Site != null) Library.ReportLeak(memory, Site);
            Native.clpool_mem_release_later(memory);
        }
    }
}
