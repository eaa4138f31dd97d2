// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The engine of the pools without any device: ranges of a number space that the caller owns.
using System;
using System.Threading;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>Hands out ranges of a number space by best fit, with splitting and merging. Threads that use one
    /// heap wait for each other.</summary>
    public sealed unsafe class Heap : IDisposable
    {
        private readonly OwnedHandle handle;
        private readonly object turn = new object(); // whoever has it uses the heap

        /// <summary>Makes an empty heap.</summary>
        /// <param name="granule">units, a power of two, of which offsets and sizes are multiples</param>
        public Heap(long granule = 1)
        {
            IntPtr heap;
            handle = new OwnedHandle(Destroy, Destroy, "Heap");
            Errors.Check(Native.clpool_heap_create(Arguments.Bytes(granule, "granule"), &heap));
            handle.Own(heap);
        }

        /// <summary>Figures of this moment.</summary>
        public HeapStatistics Statistics
        {
            get
            {
                clpool_heap_stats stats = clpool_heap_stats.Initial();
                lock (turn)
                    using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_heap_statistics(used.Value, &stats));
                return new HeapStatistics(stats);
            }
        }

        /// <summary>Gives the heap a space to hand out ranges of; they never cross from one to another.</summary>
        /// <returns>the space's number: 0, 1, 2, …</returns>
        public long AddSpace(long size)
        {
            ulong space, units = Arguments.Bytes(size, "size");
            lock (turn)
                using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_heap_add_space(used.Value, units, &space));
            return (long)space;
        }

        /// <summary>Takes a wholly free space away again.</summary>
        public void RemoveSpace(long space)
        {
            ulong number = Arguments.Bytes(space, "space");
            lock (turn)
                using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_heap_remove_space(used.Value, number));
        }

        /// <summary>Hands out a range.</summary>
        /// <param name="size">units; 0 counts as 1</param>
        /// <exception cref="OutOfDeviceMemoryException">no free range is large enough</exception>
        public HeapRange Allocate(long size)
        {
            IntPtr range;
            HeapRange made = new HeapRange(this);
            ulong units = Arguments.Bytes(size, "size");
            lock (turn)
                using (Borrowed used = handle.Borrow())
                {
                    Errors.Check(Native.clpool_heap_allocate(used.Value, units, &range));
                    made.Own(range); // it ends with the heap
                }
            return made;
        }

        /// <summary>Checks the books against a recount.</summary>
        public void Check()
        {
            lock (turn)
                using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_heap_check(used.Value));
        }

        /// <summary>Ends the heap and all ranges.</summary>
        public void Dispose() { handle.Dispose(); }

        internal void Free(IntPtr range)
        {
            try
            {
                lock (turn)
                    using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_heap_free(used.Value, range));
            }
            catch (ObjectDisposedException)
            {
                // The range ended with the heap.
            }
        }

        private static int Destroy(IntPtr heap)
        {
            Native.clpool_heap_destroy(heap);
            return Native.CLPOOL_SUCCESS;
        }

        /// <inheritdoc/>
        public override string ToString() { return handle.IsDisposed ? "Heap (disposed)" : "Heap, " + Statistics; }
    }

    /// <summary>A range that a heap handed out. A forgotten one stays handed out.</summary>
    public sealed unsafe class HeapRange : IDisposable
    {
        private readonly Heap heap;
        private IntPtr range;

        /// <summary>For a range that is handed out next: <see cref="Own"/> follows.</summary>
        internal HeapRange(Heap heap) { this.heap = heap; }

        internal void Own(IntPtr made)
        {
            range = made;
            Space = (long)Native.clpool_heap_range_space(range);
            Offset = (long)Native.clpool_heap_range_offset(range);
            Size = (long)Native.clpool_heap_range_size(range);
        }

        /// <summary>Number of the space in which it lies.</summary>
        public long Space { get; private set; }
        /// <summary>Units from the start of the space.</summary>
        public long Offset { get; private set; }
        /// <summary>Units, at least what was asked for.</summary>
        public long Size { get; private set; }

        /// <summary>Gives it back; doing it again does nothing.</summary>
        public void Dispose()
        {
            IntPtr taken = Interlocked.Exchange(ref range, IntPtr.Zero);
            if (taken != IntPtr.Zero) heap.Free(taken);
        }
    }
}
