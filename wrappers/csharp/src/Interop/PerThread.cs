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
        private const int KeptAtFirst = 256, Kept = 4096; // of each kind

        [ThreadStatic] private static PerThread? current;
        private static readonly List<WeakReference> all = new List<WeakReference>();

        private Leash?[] leashes = new Leash[KeptAtFirst];
        private int leashCount;
        private PlainSlot?[] slots = new PlainSlot[KeptAtFirst];
        private int slotCount;
#if !NET
        private int collections; // as last seen: earlier than a leash's turn, or at its beginning
#endif
        private IntPtr poolInUse;

        internal static PerThread Current { get { return current ?? Make(); } }

        /// <summary>Ends a turn of a slot in a call that must not throw: where there is no memory for what a thread keeps, the slot
        /// goes.</summary>
        internal static void TryReturn(Slot slot)
        {
            try
            {
                Current.Return(slot);
            }
            catch (OutOfMemoryException)
            {
                slot.Memory = IntPtr.Zero;
                slot.Source = null;
                Leash? leash = slot as Leash;
                if (leash != null) leash.Drop();
            }
        }

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
            using (Uninterrupted.Lock(all)) threads = all.ToArray();
            foreach (WeakReference thread in threads)
            {
                PerThread? state = (PerThread?)thread.Target;
                if (state == null || state == current) continue;
                Uninterrupted.Spin spin = new Uninterrupted.Spin();
                while (Volatile.Read(ref state.poolInUse) == pool) spin.Once();
                spin.End();
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
#if !NET
            leash.Collections = collections;
#endif
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

        /// <summary>Ends a turn of a slot, which is kept for the next one; not of a leash that the collector has found.</summary>
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
            if (count == slots.Length && !Grow(ref slots)) return;
            slots[count] = slot;
            slotCount = count + 1;
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private void ReturnLeash(Leash leash)
        {
            int count = leashCount;
            leash.Site = null;
#if NET
            bool ends = false;
#else
            int now = GC.CollectionCount(0) + GC.CollectionCount(1);
            collections = now;
            bool ends = leash.Collections != now;
#endif
            if (ends || (count == leashes.Length && !Grow(ref leashes)))
            {
                leash.Drop();
                return;
            }
            leashes[count] = leash;
            leashCount = count + 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static bool Grow<T>(ref T[] kept)
        {
            if (kept.Length == Kept) return false;
            try
            {
                Array.Resize(ref kept, 2 * kept.Length);
                return true;
            }
            catch (OutOfMemoryException)
            {
                return false;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static PerThread Make()
        {
            PerThread made = new PerThread();
            WeakReference known = new WeakReference(made);
            using (Uninterrupted.Lock(all))
            {
                all.RemoveAll(thread => !thread.IsAlive);
                all.Add(known);
            }
            current = made; // which Dispose of a pool finds
            return made;
        }

    }
}
