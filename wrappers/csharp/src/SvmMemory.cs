// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shared virtual memory.
using System;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>Shared virtual memory. Coarse-grain memory must be mapped while the host uses it.</summary>
    public unsafe class SvmMemory : MemoryObject
    {
        internal SvmMemory(Slot slot) : base(slot) { }

        /// <summary>Makes SVM by clSVMAlloc.</summary>
        /// <param name="context">where it is made</param>
        /// <param name="size">bytes; 0 gives null</param>
        /// <param name="flags">0 means coarse grain, for reading and writing</param>
        /// <param name="alignment">bytes, a power of two; 0: the device's default</param>
        /// <param name="queue">an in-order queue behind which it is freed; null: freed at once</param>
        public static SvmMemory? Create(ComputeContext context, long size, MemFlags flags = MemFlags.None, int alignment = 0,
                                       CommandQueue? queue = null)
        {
            IntPtr memory;
            Slot slot = PerThread.Current.TakeLeash(null);
            SvmMemory made = new SvmMemory(slot);
            using (Borrowed within = Arguments.Borrow(context, "context"))
            using (Borrowed on = Arguments.BorrowOptional(queue))
                Errors.Check(Native.clpool_svm_create(within.Value, (ulong)flags, Arguments.Bytes(size, "size"),
                                                  (uint)Arguments.Bytes(alignment, "alignment"), on.Value, &memory));
            slot.Memory = memory;
            return memory == IntPtr.Zero ? null : made;
        }

        /// <summary>Describes SVM of others, which is not freed.</summary>
        /// <param name="context">the context that it belongs to</param>
        /// <param name="pointer">its address</param>
        /// <param name="size">bytes; <see cref="MemoryObject.WholeSize"/> if unknown</param>
        /// <param name="system">true for ordinary host memory, which needs fine-grain system SVM</param>
        public static SvmMemory Wrap(ComputeContext context, IntPtr pointer, long size, bool system = false)
        {
            IntPtr memory;
            Slot slot = PerThread.Current.TakeLeash(null);
            SvmMemory made = new SvmMemory(slot);
            using (Borrowed within = Arguments.Borrow(context, "context"))
                Errors.Check(Native.clpool_svm_wrap(within.Value, (void*)pointer, Arguments.BytesOrWhole(size, "size"), system ? 1 : 0, &memory));
            slot.Memory = memory;
            return made;
        }

        /// <summary>The alignment to ask for when items of a size are stored.</summary>
        public static int AlignmentFor(long itemSize)
        {
            return (int)Native.clpool_svm_alignment_for(Arguments.Bytes(itemSize, "itemSize"));
        }

        /// <summary>Which kinds of SVM a device has.</summary>
        public static SvmCapabilities Capabilities(IntPtr device)
        {
            ulong capabilities;
            Errors.Check(Native.clpool_svm_capabilities(device, &capabilities));
            return (SvmCapabilities)capabilities;
        }

        /// <summary>A buffer over the same bytes, for functions that take buffers only; it keeps this alive.</summary>
        public DeviceBuffer AsBuffer(MemFlags flags = MemFlags.None, long size = WholeSize)
        {
            IntPtr buffer;
            Slot slot = PerThread.Current.TakeLeash(this);
            DeviceBuffer made = new DeviceBuffer(slot);
            ulong bytes = Arguments.BytesOrWhole(size, "size");
            using (Borrowed memory = Borrow()) Errors.Check(Native.clpool_svm_as_buffer(memory.Value, (ulong)flags, bytes, &buffer));
            slot.Memory = buffer;
            return made;
        }
    }
}
