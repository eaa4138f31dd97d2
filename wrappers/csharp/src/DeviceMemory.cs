// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Memory on devices and on the host that is made directly: buffers, parts, pipes, SVM, page-locked and custom memory.
using System;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>A buffer.</summary>
    public class DeviceBuffer : MemoryObject
    {
        internal DeviceBuffer(Slot slot) : base(slot) { }

        /// <summary>Makes a buffer by clCreateBuffer.</summary>
        public static DeviceBuffer Create(ComputeContext context, long size, MemFlags flags = MemFlags.None)
        {
            return Create(context, flags, size, IntPtr.Zero, 0);
        }

        /// <summary>Makes a buffer with a copy of an array of numbers.</summary>
        public static unsafe DeviceBuffer CopyOf(ComputeContext context, Array content, MemFlags flags = MemFlags.ReadWrite)
        {
            IntPtr memory;
            Slot slot = PerThread.Current.TakeLeash(null);
            DeviceBuffer made = new DeviceBuffer(slot);
            using (PinnedArray host = new PinnedArray(content, "content"))
                using (Borrowed within = Arguments.Borrow(context, "context"))
                    Errors.Check(Native.clpool_buffer_create(within.Value, (ulong)(flags | MemFlags.CopyHostPtr), host.Bytes, host.Pointer,
                                                         host.Bytes, &memory));
            slot.Memory = memory;
            return made;
        }

        /// <summary>Makes a buffer over host memory, which must outlive it (<see cref="MemFlags.UseHostPtr"/>), or with a
        /// copy of it (<see cref="MemFlags.CopyHostPtr"/>).</summary>
        public static unsafe DeviceBuffer Create(ComputeContext context, MemFlags flags, long size, IntPtr host, long hostSize)
        {
            IntPtr memory;
            Slot slot = PerThread.Current.TakeLeash(null);
            DeviceBuffer made = new DeviceBuffer(slot);
            using (Borrowed within = Arguments.Borrow(context, "context"))
                Errors.Check(Native.clpool_buffer_create(within.Value, (ulong)flags, Arguments.Bytes(size, "size"), (void*)host,
                                                     Arguments.Bytes(hostSize, "hostSize"), &memory));
            slot.Memory = memory;
            return made;
        }
    }

    /// <summary>A part of other memory, which it keeps alive.</summary>
    public sealed class SubRegion : MemoryObject
    {
        internal SubRegion(Slot slot) : base(slot) { }

        /// <summary>The memory that it is a part of; null for a wrapped sub-buffer.</summary>
        public MemoryObject? Parent { get { return Source as MemoryObject; } }
    }

    /// <summary>A pipe.</summary>
    public sealed class DevicePipe : MemoryObject
    {
        internal DevicePipe(Slot slot) : base(slot) { }

        /// <summary>Makes a pipe (OpenCL 2.0, where the device has pipes).</summary>
        /// <param name="context">where it is made</param>
        /// <param name="packetSize">bytes of one packet</param>
        /// <param name="maxPackets">how many packets it holds</param>
        /// <param name="flags">0 means the driver's default</param>
        public static unsafe DevicePipe Create(ComputeContext context, int packetSize, int maxPackets, MemFlags flags = MemFlags.None)
        {
            IntPtr memory;
            Slot slot = PerThread.Current.TakeLeash(null);
            DevicePipe made = new DevicePipe(slot);
            using (Borrowed within = Arguments.Borrow(context, "context"))
                Errors.Check(Native.clpool_pipe_create(within.Value, (ulong)flags, (uint)Arguments.Bytes(packetSize, "packetSize"),
                                                   (uint)Arguments.Bytes(maxPackets, "maxPackets"), &memory));
            slot.Memory = memory;
            return made;
        }
    }

    /// <summary>Page-locked host memory, or memory of a custom allocator.</summary>
    public class HostMemory : MemoryObject
    {
        internal HostMemory(Slot slot) : base(slot) { }
    }

    public abstract partial class MemoryObject
    {
        /// <summary>Memory for a plain cl_mem of another library.</summary>
        /// <param name="handle">the cl_mem, of any type</param>
        /// <param name="retain">false: the caller's reference is taken over</param>
        public static unsafe MemoryObject FromHandle(IntPtr handle, bool retain = true)
        {
            IntPtr memory;
            Errors.Check(Native.clpool_mem_wrap(handle, 1, &memory));
            int kind = Native.clpool_mem_kind(memory);
            Errors.Check(Native.clpool_mem_release(memory)); // it was only looked at
            Slot slot = PerThread.Current.TakeLeash(null);
            MemoryObject made = New(kind, slot);
            Errors.Check(Native.clpool_mem_wrap(handle, retain ? 1 : 0, &memory));
            slot.Memory = memory;
            return made;
        }

        /// <summary>An object of the class for memory of a kind.</summary>
        internal static MemoryObject New(int kind, Slot slot)
        {
            switch (kind)
            {
                case Native.CLPOOL_MEM_KIND_SUB_REGION: return new SubRegion(slot);
                case Native.CLPOOL_MEM_KIND_IMAGE: return new DeviceImage(slot);
                case Native.CLPOOL_MEM_KIND_PIPE: return new DevicePipe(slot);
                case Native.CLPOOL_MEM_KIND_SVM: return new SvmMemory(slot);
                case Native.CLPOOL_MEM_KIND_PINNED: return new HostMemory(slot);
                case Native.CLPOOL_MEM_KIND_CUSTOM: return new HostMemory(slot);
                default: return new DeviceBuffer(slot);
            }
        }
    }
}
