// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Maps: memory of devices in the host's address space.
using System;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>One mapping. It keeps its memory alive and is unmapped once, at the latest by Dispose. Used by one thread at a
    /// time; any thread may dispose of it.</summary>
    public sealed unsafe class MemoryMap : IDisposable
    {
        private readonly OwnedHandle handle;
        private readonly MemoryObject memory;
        private readonly object door = new object(); // threads that unmap at once

        /// <summary>For a map that is made next: <see cref="Own"/> follows.</summary>
        internal MemoryMap(MapFlags flags, MemoryObject memory)
        {
            IsReadOnly = (flags & ~MapFlags.Read) == 0;
            handle = new OwnedHandle(Native.clpool_map_release, Native.clpool_map_release_later, "MemoryMap");
            this.memory = memory;
        }

        /// <summary>Takes the reference over.</summary>
        internal MemoryMap Own(IntPtr map)
        {
            handle.Own(map);
            return this;
        }

        /// <summary>The memory that is mapped.</summary>
        public MemoryObject Memory { get { return memory; } }

        /// <summary>Whether it was mapped for reading alone: what the host would write is then lost, or ends the program, as the
        /// driver likes.</summary>
        public bool IsReadOnly { get; private set; }

        /// <summary>Address of the first byte; zero after <see cref="Unmap"/>.</summary>
        public IntPtr Pointer
        {
            get { using (Borrowed map = handle.Borrow()) return (IntPtr)Native.clpool_map_pointer(map.Value); }
        }

        /// <summary>Bytes of the mapping, gaps between rows included.</summary>
        public long Size
        {
            get { using (Borrowed map = handle.Borrow()) return (long)Native.clpool_map_size(map.Value); }
        }

        /// <summary>Bytes from row to row of an image; else 0.</summary>
        public long RowPitch
        {
            get { using (Borrowed map = handle.Borrow()) return (long)Native.clpool_map_row_pitch(map.Value); }
        }

        /// <summary>Bytes from slice to slice of an image; else 0.</summary>
        public long SlicePitch
        {
            get { using (Borrowed map = handle.Borrow()) return (long)Native.clpool_map_slice_pitch(map.Value); }
        }

        /// <summary>Copies an array of numbers in.</summary>
        /// <param name="source">the numbers</param>
        /// <param name="offset">bytes from the start of the mapping</param>
        /// <exception cref="ClPoolInvalidOperationException">if <see cref="IsReadOnly"/></exception>
        public void CopyFrom(Array source, long offset = 0)
        {
            MustBeWritable();
            using (handle.Borrow()) HostAccess.CopyFrom(Mapped, Size, source, offset);
        }

        /// <summary>Copies out as many bytes as an array of numbers takes.</summary>
        public void CopyTo(Array target, long offset = 0)
        {
            using (handle.Borrow()) HostAccess.CopyTo(Mapped, Size, target, offset);
        }

#if NET
        /// <summary>All of it as numbers. Keep the map while the span is in use, and use the span no more after <see cref="Unmap"/>
        /// or <see cref="Dispose"/>.</summary>
        /// <exception cref="ArgumentException">for bytes that are no whole number of T, or more than a span can have</exception>
        /// <exception cref="ClPoolInvalidOperationException">if <see cref="IsReadOnly"/>: that has <see cref="AsReadOnlySpan{T}()"/></exception>
        public Span<T> AsSpan<T>() where T : unmanaged { return AsSpan<T>(0, MemoryObject.WholeSize); }

        /// <summary>A part of it as numbers; offset and size are bytes.</summary>
        public Span<T> AsSpan<T>(long offset, long size) where T : unmanaged
        {
            MustBeWritable();
            return HostAccess.Span<T>(Mapped, Size, offset, size);
        }

        /// <summary>All of it as numbers to read. Keep the map while the span is in use, and use the span no more after
        /// <see cref="Unmap"/> or <see cref="Dispose"/>.</summary>
        /// <exception cref="ArgumentException">for bytes that are no whole number of T, or more than a span can have</exception>
        public ReadOnlySpan<T> AsReadOnlySpan<T>() where T : unmanaged { return AsReadOnlySpan<T>(0, MemoryObject.WholeSize); }

        /// <summary>A part of it as numbers to read; offset and size are bytes.</summary>
        public ReadOnlySpan<T> AsReadOnlySpan<T>(long offset, long size) where T : unmanaged
        {
            return HostAccess.Span<T>(Mapped, Size, offset, size);
        }
#endif

        /// <summary>Unmaps. Doing it again is no command; several threads may do it.</summary>
        /// <param name="queue">null: the queue that mapped</param>
        /// <param name="waitFor">events to wait for</param>
        public ClEvent Unmap(CommandQueue? queue = null, ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            using (Borrowed map = handle.Borrow())
            using (Command command = Command.Optional(queue, waitFor))
            fixed (IntPtr* list = command.Waits)
            lock (door)
            {
                Errors.Check(Native.clpool_map_unmap(map.Value, command.Queue, command.WaitCount, list, &done));
                // While the map keeps the queue, which later nobody knows; where nothing was to do, it may be one of those waited for.
                if (queue == null && Array.IndexOf(command.Waits ?? new IntPtr[0], done) < 0) Native.csharp_event_flush(done);
            }
            return end.Own(done, waitFor);
        }

        /// <summary>Unmaps if that was not done. It never throws: where the driver refuses, that is sent to
        /// <see cref="Library.Message"/>.</summary>
        public void Dispose() { handle.Dispose(); }

        /// <inheritdoc/>
        public override string ToString()
        {
            return handle.IsDisposed ? "MemoryMap (disposed)" : "MemoryMap of " + Size + " bytes of " + memory;
        }

        private IntPtr Mapped
        {
            get
            {
                IntPtr pointer = Pointer;
                if (pointer == IntPtr.Zero) throw Errors.WrongState("this map was unmapped");
                return pointer;
            }
        }

        private void MustBeWritable()
        {
            if (IsReadOnly) throw Errors.WrongState("this map is for reading alone: AsReadOnlySpan and CopyTo read it, MapFlags.ReadWrite and Write allow writing");
        }
    }
}
