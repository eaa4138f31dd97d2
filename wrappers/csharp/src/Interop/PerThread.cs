// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a thread keeps for the fast paths: slots that are free, and the pool whose native part it is using.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

namespace ClPool.Interop
{
    internal sealed class PerThread
    {
        private const int Kept = 256; // of each kind

        [ThreadStatic] private static PerThread? current;
        private static readonly List<WeakReference> all = new List<WeakReference>();

        private readonly Leash?[] leashes = new Leash[Kept];
        private int leashCount;
        private readonly PlainSlot?[] slots = new PlainSlot[Kept];
        private int slotCount;
        private IntPtr poolInUse;

        internal static PerThread Current { get { return current ?? Make(); } }

        /// <summary>Begins the use of a pool: its Dispose will wait. To be followed by a look whether it is disposed of.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal void Enter(IntPtr pool) { Volatile.Write(ref poolInUse, pool); }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal void Leave() { Volatile.Write(ref poolInUse, IntPtr.Zero); }

        /// <summary>Waits until no other thread is between Enter and Leave with this pool.</summary>
        internal static void WaitWhileInUse(IntPtr pool)
        {
            // The threads' own writes have no fence, which would cost each of them more than the rest: after this one, a
            // thread has either been seen to enter or sees that the pool is closed.
            Interlocked.MemoryBarrierProcessWide();
            WeakReference[] threads;
            lock (all) threads = all.ToArray();
            foreach (WeakReference thread in threads)
            {
                PerThread? state = (PerThread?)thread.Target;
                if (state == null || state == current) continue;
                SpinWait spin = new SpinWait();
                while (Volatile.Read(ref state.poolInUse) == pool) spin.SpinOnce();
            }
        }

        /// <summary>A leash, which watches the memory that it is given.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal Leash TakeLeash(object? source)
        {
            int last = leashCount - 1;
            Leash leash;
            if (last < 0)
            {
                leash = new Leash();
            }
            else
            {
                leash = leashes[last]!;
                leashes[last] = null;
                leashCount = last;
            }
            leash.Source = source;
            return leash;
        }

        /// <summary>A slot, for memory that nothing watches.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal Slot TakeSlot(object? source)
        {
            int last = slotCount - 1;
            PlainSlot slot;
            if (last < 0)
            {
                slot = new PlainSlot();
            }
            else
            {
                slot = slots[last]!;
                slots[last] = null;
                slotCount = last;
            }
            slot.Source = source;
            return slot;
        }

        /// <summary>Ends a turn of a slot. It is kept for the next one, but for a leash that was found unreachable.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal void Return(Slot slot)
        {
            slot.Memory = IntPtr.Zero;
            slot.Source = null;
            Leash? leash = slot as Leash;
            if (leash != null) ReturnLeash(leash);
            else ReturnSlot((PlainSlot)slot);
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private void ReturnSlot(PlainSlot slot)
        {
            int count = slotCount;
            if (count == Kept) return;
            slots[count] = slot;
            slotCount = count + 1;
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private void ReturnLeash(Leash leash)
        {
            int count = leashCount;
            leash.Site = null;
            if (count == Kept || leash.WasFound)
            {
                GC.SuppressFinalize(leash);
                return;
            }
            leashes[count] = leash;
            leashCount = count + 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static PerThread Make()
        {
            PerThread made = new PerThread();
            current = made;
            lock (all)
            {
                all.RemoveAll(thread => !thread.IsAlive);
                all.Add(new WeakReference(made));
            }
            return made;
        }
    }
}
