// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Fills, copies, reads, writes and maps of images.
using System;
using System.Runtime.CompilerServices;
using ClPool.Interop;

namespace ClPool
{
    // As in MemoryObject.Transfer.cs, with regions of pixels: an origin that is null is 0, 0, 0, a region that is null is the whole
    // image. Pitches are bytes of the host memory; 0 is tight.
    public sealed unsafe partial class DeviceImage
    {
        /// <summary>Fills a region with one color.</summary>
        /// <param name="queue">the queue</param>
        /// <param name="color">four floats, integers or unsigned integers as the format wants; one float for depth</param>
        /// <param name="origin">first pixel; null: 0, 0, 0</param>
        /// <param name="region">pixels; null: all</param>
        /// <param name="waitFor">events to wait for</param>
        public ClEvent Fill(CommandQueue queue, Array color, long[]? origin = null, long[]? region = null, ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            ulong[]? from = Origin(origin), pixels = Region(region);
            using (PinnedArray host = new PinnedArray(color, "color"))
            fixed (ulong* first = from, extent = pixels)
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_image_fill(command.Queue, memory.Value, host.Pointer, host.Bytes, first, extent, command.WaitCount, list, &done));
            return end.Own(done, waitFor);
        }

        /// <summary>Reads a region into an array of numbers, and waits.</summary>
        /// <param name="queue">the queue</param>
        /// <param name="target">where to</param>
        /// <param name="origin">first pixel; null: 0, 0, 0</param>
        /// <param name="region">pixels; null: all</param>
        /// <param name="rowPitch">bytes from row to row of the target; 0: tight</param>
        /// <param name="slicePitch">bytes from slice to slice of the target; 0: tight</param>
        /// <param name="waitFor">events to wait for</param>
        [OverloadResolutionPriority(1)] // from C# 14 on an array would be a span, and null an empty one
        public void Read(CommandQueue queue, Array target, long[]? origin = null, long[]? region = null, long rowPitch = 0, long slicePitch = 0,
                         ClEvent[]? waitFor = null)
        {
            using (PinnedArray host = new PinnedArray(target, "target"))
                Read(queue, host.Pointer, host.Bytes, origin, region, rowPitch, slicePitch, waitFor, null);
        }

        /// <summary>Reads a region into host memory, and waits.</summary>
        public void Read(CommandQueue queue, IntPtr target, long targetSize, long[]? origin = null, long[]? region = null, long rowPitch = 0,
                         long slicePitch = 0, ClEvent[]? waitFor = null)
        {
            Read(queue, (void*)target, Arguments.Bytes(targetSize, "targetSize"), origin, region, rowPitch, slicePitch, waitFor, null);
        }

        /// <summary>Reads a region into host memory, which must live until the event is complete.</summary>
        public ClEvent ReadAsync(CommandQueue queue, IntPtr target, long targetSize, long[]? origin = null, long[]? region = null,
                                 long rowPitch = 0, long slicePitch = 0, ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            Read(queue, (void*)target, Arguments.Bytes(targetSize, "targetSize"), origin, region, rowPitch, slicePitch, waitFor, &done);
            return end.Own(done, waitFor);
        }

        /// <summary>Writes an array of numbers into a region, and waits until it may be changed.</summary>
        /// <param name="queue">the queue</param>
        /// <param name="source">where from</param>
        /// <param name="origin">first pixel; null: 0, 0, 0</param>
        /// <param name="region">pixels; null: all</param>
        /// <param name="rowPitch">bytes from row to row of the source; 0: tight</param>
        /// <param name="slicePitch">bytes from slice to slice of the source; 0: tight</param>
        /// <param name="waitFor">events to wait for</param>
        [OverloadResolutionPriority(1)]
        public void Write(CommandQueue queue, Array source, long[]? origin = null, long[]? region = null, long rowPitch = 0, long slicePitch = 0,
                          ClEvent[]? waitFor = null)
        {
            using (PinnedArray host = new PinnedArray(source, "source"))
                Write(queue, host.Pointer, host.Bytes, origin, region, rowPitch, slicePitch, waitFor, null);
        }

        /// <summary>Writes host memory into a region, and waits until it may be changed.</summary>
        public void Write(CommandQueue queue, IntPtr source, long sourceSize, long[]? origin = null, long[]? region = null, long rowPitch = 0,
                          long slicePitch = 0, ClEvent[]? waitFor = null)
        {
            Write(queue, (void*)source, Arguments.Bytes(sourceSize, "sourceSize"), origin, region, rowPitch, slicePitch, waitFor, null);
        }

        /// <summary>Writes host memory into a region; it must stay until the event is complete.</summary>
        public ClEvent WriteAsync(CommandQueue queue, IntPtr source, long sourceSize, long[]? origin = null, long[]? region = null,
                                  long rowPitch = 0, long slicePitch = 0, ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            Write(queue, (void*)source, Arguments.Bytes(sourceSize, "sourceSize"), origin, region, rowPitch, slicePitch, waitFor, &done);
            return end.Own(done, waitFor);
        }

#if NET
        /// <summary>Reads a region into a span, and waits.</summary>
        public void Read<T>(CommandQueue queue, Span<T> target, long[]? origin = null, long[]? region = null, long rowPitch = 0,
                            long slicePitch = 0, ClEvent[]? waitFor = null) where T : unmanaged
        {
            fixed (T* host = target)
                Read(queue, host, (ulong)target.Length * (ulong)sizeof(T), origin, region, rowPitch, slicePitch, waitFor, null);
        }

        /// <summary>Writes a span into a region, and waits until it may be changed.</summary>
        public void Write<T>(CommandQueue queue, ReadOnlySpan<T> source, long[]? origin = null, long[]? region = null, long rowPitch = 0,
                             long slicePitch = 0, ClEvent[]? waitFor = null) where T : unmanaged
        {
            fixed (T* host = source)
                Write(queue, host, (ulong)source.Length * (ulong)sizeof(T), origin, region, rowPitch, slicePitch, waitFor, null);
        }

        /// <summary>The same: compilers before C# 14 do not find the type of numbers through the other one.</summary>
        public void Write<T>(CommandQueue queue, Span<T> source, long[]? origin = null, long[]? region = null, long rowPitch = 0,
                             long slicePitch = 0, ClEvent[]? waitFor = null) where T : unmanaged
        {
            Write(queue, (ReadOnlySpan<T>)source, origin, region, rowPitch, slicePitch, waitFor);
        }
#endif

        /// <summary>Copies a region to another image of the same format.</summary>
        public ClEvent CopyTo(CommandQueue queue, DeviceImage target, long[]? region = null, long[]? sourceOrigin = null, long[]? targetOrigin = null,
                              ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            ulong[]? from = Origin(sourceOrigin), to = Origin(targetOrigin), pixels = Region(region);
            fixed (ulong* first = from, second = to, extent = pixels)
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            using (Borrowed other = Arguments.Borrow(target, "target"))
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_image_copy(command.Queue, other.Value, second, memory.Value, first, extent, command.WaitCount, list, &done));
            return end.Own(done, waitFor);
        }

        /// <summary>Copies a region into a buffer, without gaps.</summary>
        public ClEvent CopyToBuffer(CommandQueue queue, MemoryObject buffer, long offset = 0, long[]? origin = null, long[]? region = null,
                                    ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            ulong[]? from = Origin(origin), pixels = Region(region);
            ulong to = Arguments.Bytes(offset, "offset");
            fixed (ulong* first = from, extent = pixels)
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            using (Borrowed other = Arguments.Borrow(buffer, "buffer"))
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_image_copy_to_buffer(command.Queue, other.Value, to, memory.Value, first, extent, command.WaitCount, list, &done));
            return end.Own(done, waitFor);
        }

        /// <summary>Copies a buffer that holds a region without gaps into this image.</summary>
        public ClEvent CopyFromBuffer(CommandQueue queue, MemoryObject buffer, long offset = 0, long[]? origin = null,
                                      long[]? region = null, ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            ulong[]? to = Origin(origin), pixels = Region(region);
            ulong from = Arguments.Bytes(offset, "offset");
            fixed (ulong* first = to, extent = pixels)
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            using (Borrowed other = Arguments.Borrow(buffer, "buffer"))
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_image_copy_from_buffer(command.Queue, memory.Value, first, extent, other.Value, from, command.WaitCount, list,
                                                          &done));
            return end.Own(done, waitFor);
        }

        /// <summary>Maps a region, and waits until the host may use it.</summary>
        /// <param name="queue">the queue</param>
        /// <param name="flags">what the host will do</param>
        /// <param name="origin">first pixel; null: 0, 0, 0</param>
        /// <param name="region">pixels; null: all</param>
        /// <param name="waitFor">events to wait for</param>
        public MemoryMap Map(CommandQueue queue, MapFlags flags = MapFlags.ReadWrite, long[]? origin = null, long[]? region = null,
                             ClEvent[]? waitFor = null)
        {
            return Map(queue, flags, origin, region, waitFor, null);
        }

        /// <summary>Maps a region; the host must wait for the event before it uses it.</summary>
        public MemoryMap MapAsync(CommandQueue queue, out ClEvent mapped, MapFlags flags = MapFlags.ReadWrite, long[]? origin = null,
                                  long[]? region = null, ClEvent[]? waitFor = null)
        {
            IntPtr done;
            ClEvent end = new ClEvent(queue);
            MemoryMap map = Map(queue, flags, origin, region, waitFor, &done);
            mapped = end.Own(done);
            return map;
        }

        private void Read(CommandQueue queue, void* host, ulong hostSize, long[]? origin, long[]? region, long rowPitch, long slicePitch,
                          ClEvent[]? waitFor, IntPtr* done)
        {
            ulong[]? from = Origin(origin), pixels = Region(region);
            ulong row = Arguments.Bytes(rowPitch, "rowPitch"), slice = Arguments.Bytes(slicePitch, "slicePitch");
            fixed (ulong* first = from, extent = pixels)
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_image_read(command.Queue, memory.Value, first, extent, row, slice, host, hostSize, done == null ? 1 : 0,
                                                      command.WaitCount, list, done));
        }

        private void Write(CommandQueue queue, void* host, ulong hostSize, long[]? origin, long[]? region, long rowPitch, long slicePitch,
                           ClEvent[]? waitFor, IntPtr* done)
        {
            ulong[]? to = Origin(origin), pixels = Region(region);
            ulong row = Arguments.Bytes(rowPitch, "rowPitch"), slice = Arguments.Bytes(slicePitch, "slicePitch");
            fixed (ulong* first = to, extent = pixels)
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_image_write(command.Queue, memory.Value, first, extent, row, slice, host, hostSize, done == null ? 1 : 0,
                                                       command.WaitCount, list, done));
        }

        private MemoryMap Map(CommandQueue queue, MapFlags flags, long[]? origin, long[]? region, ClEvent[]? waitFor, IntPtr* done)
        {
            IntPtr map;
            MemoryMap made = new MemoryMap(flags, this);
            ulong[]? from = Origin(origin), pixels = Region(region);
            fixed (ulong* first = from, extent = pixels)
            using (Command command = new Command(queue, waitFor))
            using (Borrowed memory = Borrow())
            fixed (IntPtr* list = command.Waits)
                Errors.Check(Native.clpool_image_map(command.Queue, memory.Value, (ulong)flags, first, extent, done == null ? 1 : 0,
                                                     command.WaitCount, list, done, &map));
            return made.Own(map);
        }

        private static ulong[]? Origin(long[]? origin) { return Arguments.Triple(origin, 0, "origin"); }

        private ulong[] Region(long[]? region) { return Arguments.Three(region ?? Shape, 1, "region"); }
    }
}
