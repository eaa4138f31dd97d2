// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Fills, copies, reads, writes, migration, maps and parts of buffers and SVM.
using System;
using System.Runtime.CompilerServices;
using ClPool.Interop;

namespace ClPool
{
    // What all commands share: `queue` carries them out after the events of `waitFor`; sizes and offsets are bytes; every
    // range is checked before anything is enqueued. Those that return a ClEvent do not wait.
    public abstract unsafe partial class MemoryObject
    {
        /// <summary>Reads into an array of numbers, and waits.</summary>
        /// <param name="queue">the queue</param>
        /// <param name="target">where to</param>
        /// <param name="offset">bytes from the start of this memory</param>
        /// <param name="size">bytes; <see cref="WholeSize"/>: as many as the array has</param>
        /// <param name="waitFor">events to wait for</param>
        [OverloadResolutionPriority(1)] // from C# 14 on an array would be a span, and null an empty one
        public void Read(CommandQueue queue, Array target, long offset = 0, long size = WholeSize, ClEvent[]? waitFor = null)
        {
            using (PinnedArray host = new PinnedArray(target, "target"))
                Read(queue, host.Pointer, host.Bytes, offset, size, waitFor, null);
        }

        /// <summary>Reads into host memory, and waits.</summary>
        public void Read(CommandQueue queue, IntPtr target, long targetSize, long offset = 0, long size = WholeSize,
                         ClEvent[]? waitFor = null)
        {
            Read(queue, (void*)target, Arguments.Bytes(targetSize, "targetSize"), offset, size, waitFor, null);
        }

        /// <summary>Reads into host memory, which must live until the event is complete.</summary>
        public ClEvent ReadAsync(CommandQueue queue, IntPtr target, long targetSize, long offset = 0, long size = WholeSize,
                                 ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            Read(queue, (void*)target, Arguments.Bytes(targetSize, "targetSize"), offset, size, waitFor, &done);
            return end.Own(done, waitFor);
        }

        /// <summary>Writes an array of numbers, and waits until it may be changed.</summary>
        [OverloadResolutionPriority(1)]
        public void Write(CommandQueue queue, Array source, long offset = 0, long size = WholeSize, ClEvent[]? waitFor = null)
        {
            using (PinnedArray host = new PinnedArray(source, "source"))
                Write(queue, host.Pointer, host.Bytes, offset, size, waitFor, null);
        }

        /// <summary>Writes host memory, and waits until it may be changed.</summary>
        public void Write(CommandQueue queue, IntPtr source, long sourceSize, long offset = 0, long size = WholeSize,
                          ClEvent[]? waitFor = null)
        {
            Write(queue, (void*)source, Arguments.Bytes(sourceSize, "sourceSize"), offset, size, waitFor, null);
        }

        /// <summary>Writes host memory, which must stay until the event is complete.</summary>
        public ClEvent WriteAsync(CommandQueue queue, IntPtr source, long sourceSize, long offset = 0, long size = WholeSize,
                                  ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            Write(queue, (void*)source, Arguments.Bytes(sourceSize, "sourceSize"), offset, size, waitFor, &done);
            return end.Own(done, waitFor);
        }

#if NET
        /// <summary>Reads into a span, and waits.</summary>
        public void Read<T>(CommandQueue queue, Span<T> target, long offset = 0, ClEvent[]? waitFor = null) where T : unmanaged
        {
            fixed (T* host = target) Read(queue, host, (ulong)target.Length * (ulong)sizeof(T), offset, WholeSize, waitFor, null);
        }

        /// <summary>Writes a span, and waits until it may be changed.</summary>
        public void Write<T>(CommandQueue queue, ReadOnlySpan<T> source, long offset = 0, ClEvent[]? waitFor = null) where T : unmanaged
        {
            fixed (T* host = source) Write(queue, host, (ulong)source.Length * (ulong)sizeof(T), offset, WholeSize, waitFor, null);
        }

        /// <summary>The same: compilers before C# 14 do not find the type of numbers through the other one.</summary>
        public void Write<T>(CommandQueue queue, Span<T> source, long offset = 0, ClEvent[]? waitFor = null) where T : unmanaged
        {
            Write(queue, (ReadOnlySpan<T>)source, offset, waitFor);
        }
#endif

        /// <summary>Fills with a pattern of 1, 2, 4, … 128 bytes.</summary>
        /// <param name="queue">the queue</param>
        /// <param name="pattern">an array of numbers, copied by the call</param>
        /// <param name="offset">bytes, a multiple of the pattern's</param>
        /// <param name="size">bytes, a multiple of the pattern's</param>
        /// <param name="waitFor">events to wait for</param>
        public ClEvent Fill(CommandQueue queue, Array pattern, long offset = 0, long size = WholeSize, ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            ulong from = Arguments.Bytes(offset, "offset"), bytes = Arguments.BytesOrWhole(size, "size");
            using (PinnedArray host = new PinnedArray(pattern, "pattern"))
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_mem_fill(command.Queue, memory.Value, host.Pointer, host.Bytes, from, bytes, command.WaitCount, list, &done));
            return end.Own(done, waitFor);
        }

        /// <summary>Copies to other memory: buffers, SVM and page-locked memory, but not from page-locked to page-locked. The numbers are
        /// best given by name: <c>CopyTo(queue, target, size: 64, targetOffset: 128)</c>.</summary>
        /// <param name="queue">the queue</param>
        /// <param name="target">memory of the same context</param>
        /// <param name="size">bytes; <see cref="WholeSize"/>: up to the end of this memory; 0 copies nothing</param>
        /// <param name="sourceOffset">bytes from the start of this memory</param>
        /// <param name="targetOffset">bytes from the start of the target</param>
        /// <param name="waitFor">events that it waits for</param>
        /// <returns>the end of the copy</returns>
        public ClEvent CopyTo(CommandQueue queue, MemoryObject target, long size = WholeSize, long sourceOffset = 0,
                              long targetOffset = 0, ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            ulong from = Arguments.Bytes(sourceOffset, "sourceOffset"), to = Arguments.Bytes(targetOffset, "targetOffset");
            ulong bytes = Left(size, sourceOffset);
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            using (Borrowed other = Arguments.Borrow(target, "target"))
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_mem_copy(command.Queue, other.Value, to, memory.Value, from, bytes, command.WaitCount, list, &done));
            return end.Own(done, waitFor);
        }

        /// <summary>Copies to a buffer of another context, from device to device (cl_amd_copy_buffer_p2p).</summary>
        public ClEvent CopyToPeer(CommandQueue queue, MemoryObject target, long size = WholeSize, ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            ulong bytes = Left(size, 0);
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            using (Borrowed other = Arguments.Borrow(target, "target"))
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_mem_copy_p2p(command.Queue, other.Value, 0, memory.Value, 0, bytes, command.WaitCount, list, &done));
            return end.Own(done, waitFor);
        }

        /// <summary>Copies a box of bytes to another buffer.</summary>
        public ClEvent CopyBoxTo(CommandQueue queue, MemoryObject target, Box box, ClEvent[]? waitFor = null)
        {
            clpool_box native = Arguments.NotNull(box, "box").ToNative();
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            using (Borrowed other = Arguments.Borrow(target, "target"))
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_mem_copy_box(command.Queue, other.Value, memory.Value, &native, command.WaitCount, list, &done));
            return end.Own(done, waitFor);
        }

        /// <summary>Reads a box (the box's source) into an array of numbers (its target), and waits.</summary>
        [OverloadResolutionPriority(1)]
        public void ReadBox(CommandQueue queue, Box box, Array target, ClEvent[]? waitFor = null)
        {
            using (PinnedArray host = new PinnedArray(target, "target")) ReadBox(queue, box, host.Pointer, host.Bytes, waitFor, null);
        }

        /// <summary>Reads a box (the box's source) into host memory (its target), and waits.</summary>
        public void ReadBox(CommandQueue queue, Box box, IntPtr target, long targetSize, ClEvent[]? waitFor = null)
        {
            ReadBox(queue, box, (void*)target, Arguments.Bytes(targetSize, "targetSize"), waitFor, null);
        }

        /// <summary>Reads a box into host memory, which must live until the event is complete.</summary>
        public ClEvent ReadBoxAsync(CommandQueue queue, Box box, IntPtr target, long targetSize, ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            ReadBox(queue, box, (void*)target, Arguments.Bytes(targetSize, "targetSize"), waitFor, &done);
            return end.Own(done, waitFor);
        }

        /// <summary>Writes a box of an array of numbers (the box's source) into this buffer (its target), and waits until it may be
        /// changed.</summary>
        [OverloadResolutionPriority(1)]
        public void WriteBox(CommandQueue queue, Box box, Array source, ClEvent[]? waitFor = null)
        {
            using (PinnedArray host = new PinnedArray(source, "source")) WriteBox(queue, box, host.Pointer, host.Bytes, waitFor, null);
        }

        /// <summary>Writes a box of host memory (the box's source) into this buffer (its target), and waits until it may be
        /// changed.</summary>
        public void WriteBox(CommandQueue queue, Box box, IntPtr source, long sourceSize, ClEvent[]? waitFor = null)
        {
            WriteBox(queue, box, (void*)source, Arguments.Bytes(sourceSize, "sourceSize"), waitFor, null);
        }

        /// <summary>Writes a box of host memory, which must stay until the event is complete.</summary>
        public ClEvent WriteBoxAsync(CommandQueue queue, Box box, IntPtr source, long sourceSize, ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            WriteBox(queue, box, (void*)source, Arguments.Bytes(sourceSize, "sourceSize"), waitFor, &done);
            return end.Own(done, waitFor);
        }

#if NET
        /// <summary>Reads a box into a span, and waits.</summary>
        public void ReadBox<T>(CommandQueue queue, Box box, Span<T> target, ClEvent[]? waitFor = null) where T : unmanaged
        {
            fixed (T* host = target) ReadBox(queue, box, host, (ulong)target.Length * (ulong)sizeof(T), waitFor, null);
        }

        /// <summary>Writes a box of a span, and waits until it may be changed.</summary>
        public void WriteBox<T>(CommandQueue queue, Box box, ReadOnlySpan<T> source, ClEvent[]? waitFor = null) where T : unmanaged
        {
            fixed (T* host = source) WriteBox(queue, box, host, (ulong)source.Length * (ulong)sizeof(T), waitFor, null);
        }

        /// <summary>The same: compilers before C# 14 do not find the type of numbers through the other one.</summary>
        public void WriteBox<T>(CommandQueue queue, Box box, Span<T> source, ClEvent[]? waitFor = null) where T : unmanaged
        {
            WriteBox(queue, box, (ReadOnlySpan<T>)source, waitFor);
        }
#endif

        /// <summary>Moves memory to the queue's device, or to the host.</summary>
        public static ClEvent Migrate(CommandQueue queue, MemoryObject[] objects, MigrationFlags flags = MigrationFlags.None,
                                      ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            using (BorrowedList memories = new BorrowedList(Arguments.NotNull(objects, "objects"), "objects"))
            fixed (IntPtr* moved = memories.Values)
            using (Command command = new Command(queue, waitFor))
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_mem_migrate(command.Queue, moved, memories.Count, (ulong)flags, command.WaitCount, list, &done));
            return end.Own(done, waitFor);
        }

        /// <summary>Maps bytes into the host's address space, and waits until the host may use them.</summary>
        public MemoryMap Map(CommandQueue queue, MapFlags flags = MapFlags.ReadWrite, long offset = 0, long size = WholeSize,
                             ClEvent[]? waitFor = null)
        {
            return Map(queue, flags, offset, size, waitFor, null);
        }

        /// <summary>Maps bytes; the host must wait for the event before it uses them.</summary>
        public MemoryMap MapAsync(CommandQueue queue, out ClEvent mapped, MapFlags flags = MapFlags.ReadWrite, long offset = 0,
                                  long size = WholeSize, ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            MemoryMap map = Map(queue, flags, offset, size, waitFor, &done);
            mapped = end.Own(done);
            return map;
        }

        /// <summary>A part of this memory, which it keeps alive. For buffers the origin must be aligned
        /// (CL_DEVICE_MEM_BASE_ADDR_ALIGN, in bits).</summary>
        public SubRegion SubRegion(long origin, long size = WholeSize, MemFlags flags = MemFlags.None)
        {
            IntPtr part;
            Slot slot = PerThread.Current.TakeLeash(this);
            SubRegion made = new SubRegion(slot);
            ulong from = Arguments.Bytes(origin, "origin"), bytes = Arguments.BytesOrWhole(size, "size");
            using (Borrowed memory = Borrow())
                Errors.Check(Native.clpool_mem_sub_region(memory.Value, from, bytes, (ulong)flags, &part));
            slot.Memory = part;
            return made;
        }

        /// <summary>The buffer object that this memory lies in, and the bytes from its start, for kernels that take both.</summary>
        public IntPtr Root(out long offset)
        {
            IntPtr root;
            ulong bytes;
            using (Borrowed memory = Borrow()) Errors.Check(Native.clpool_mem_root(memory.Value, &root, &bytes));
            offset = (long)bytes;
            return root;
        }

        // Bytes of a copy: a target that is smaller is an error, not a shorter copy.
        private ulong Left(long size, long offset)
        {
            if (size != WholeSize) return Arguments.Bytes(size, "size");
            long all = Size;
            if (offset > all) throw new ArgumentOutOfRangeException("sourceOffset", offset, "of " + all + " bytes");
            return (ulong)(all - offset);
        }

        private void Read(CommandQueue queue, void* host, ulong hostSize, long offset, long size, ClEvent[]? waitFor, IntPtr* done)
        {
            ulong from = Arguments.Bytes(offset, "offset"), bytes = size == WholeSize ? hostSize : Arguments.Bytes(size, "size");
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_mem_read(command.Queue, memory.Value, from, bytes, host, hostSize, done == null ? 1 : 0, command.WaitCount,
                                            list, done));
        }

        private void Write(CommandQueue queue, void* host, ulong hostSize, long offset, long size, ClEvent[]? waitFor, IntPtr* done)
        {
            ulong to = Arguments.Bytes(offset, "offset"), bytes = size == WholeSize ? hostSize : Arguments.Bytes(size, "size");
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_mem_write(command.Queue, memory.Value, to, bytes, host, hostSize, done == null ? 1 : 0, command.WaitCount,
                                             list, done));
        }

        private void ReadBox(CommandQueue queue, Box box, void* host, ulong hostSize, ClEvent[]? waitFor, IntPtr* done)
        {
            clpool_box native = Arguments.NotNull(box, "box").ToNative();
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_mem_read_box(command.Queue, memory.Value, &native, host, hostSize, done == null ? 1 : 0,
                                                        command.WaitCount, list, done));
        }

        private void WriteBox(CommandQueue queue, Box box, void* host, ulong hostSize, ClEvent[]? waitFor, IntPtr* done)
        {
            clpool_box native = Arguments.NotNull(box, "box").ToNative();
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_mem_write_box(command.Queue, memory.Value, &native, host, hostSize, done == null ? 1 : 0,
                                                         command.WaitCount, list, done));
        }

        private MemoryMap Map(CommandQueue queue, MapFlags flags, long offset, long size, ClEvent[]? waitFor, IntPtr* done)
        {
            IntPtr map;
            MemoryMap made = new MemoryMap(flags, this);
            ulong from = Arguments.Bytes(offset, "offset"), bytes = Arguments.BytesOrWhole(size, "size");
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_mem_map(command.Queue, memory.Value, (ulong)flags, from, bytes, done == null ? 1 : 0, command.WaitCount,
                                           list, done, &map));
            return made.Own(map);
        }
    }
}
