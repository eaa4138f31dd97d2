// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Memory that the host can address, for programs that take System.Memory<byte>. Modern .NET only.
#if NET
using System;
using System.Buffers;
using System.Threading;
using ClPool.Interop;

namespace ClPool
{
    public abstract unsafe partial class MemoryObject
    {
        /// <summary>Hands SVM or host memory to an owner as .NET knows them: disposing of that gives it
        /// back. This object has no memory any more, as if it was disposed of. Nothing of the owner's Memory may be used after it was
        /// disposed of; keep the owner while a span of it is in use. What is pinned at that moment, as by a socket that still sends it, goes
        /// back when the last pin ends.</summary>
        /// <exception cref="ClPoolInvalidOperationException">for memory without an address on the host</exception>
        /// <exception cref="ArgumentOutOfRangeException">for more than 2,147,483,647 bytes</exception>
        public IMemoryOwner<byte> ToMemoryOwner()
        {
            Owner made = new Owner();
            made.Own(this);
            return made;
        }

        // The memory in an object of its own, of which nobody else knows, and how much it is; of one use. Calls that use it end in
        // order.
        private MemoryObject Move(out int length)
        {
            Slot held = Use();
            using (Borrowed memory = new Borrowed(held, held.Memory))
            {
                if (memory.Value == IntPtr.Zero) throw Disposed();
                length = HostAccess.Span<byte>(AddressOf(memory), SizeOf(memory), 0, WholeSize).Length; // or an exception that says why not
                MemoryObject moved = New(Native.clpool_mem_kind(memory.Value), held);
                if (Interlocked.CompareExchange(ref slot, null, held) == held) return moved;
                moved.slot = null;
                throw Disposed();
            }
        }

        private sealed class Owner : MemoryManager<byte>
        {
            private MemoryObject memory = null!;
            private int length;
            private readonly object door = new object();
            private int pins;
            private Borrowed pinned; // a use, as long as there are pins

            internal void Own(MemoryObject from) { memory = from.Move(out length); }

            public override Memory<byte> Memory { get { return CreateMemory(length); } }

            public override Span<byte> GetSpan() { return memory.AsSpan<byte>(); }

            /// <summary>It never moves, but is not given back before the result is disposed of.</summary>
            public override MemoryHandle Pin(int elementIndex = 0)
            {
                if (elementIndex < 0 || elementIndex > length)
                    throw new ArgumentOutOfRangeException("elementIndex", elementIndex, "of " + length + " bytes");
                using (Uninterrupted.Lock(door))
                {
                    byte* start = (byte*)memory.Pointer;
                    if (pins == 0) pinned = memory.Borrow();
                    pins++;
                    return new MemoryHandle(start + elementIndex, default(System.Runtime.InteropServices.GCHandle), this);
                }
            }

            public override void Unpin()
            {
                Borrowed ended = default(Borrowed);
                using (Uninterrupted.Lock(door))
                {
                    if (pins == 0 || --pins != 0) return;
                    ended = pinned;
                    pinned = default(Borrowed);
                }
                ended.Dispose();
            }

            public override string ToString() { return "owner of " + memory; }

            protected override void Dispose(bool disposing) { if (disposing) memory.Dispose(); }
        }
    }
}
#endif
