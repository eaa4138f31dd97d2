// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Where memory comes from. Allocators written in C# are in CustomAllocator.cs.
using System;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>A source of memory. Pools and memory made by it keep what they need: it may be disposed of before them.</summary>
    public abstract unsafe class Allocator : IDisposable
    {
        private readonly OwnedHandle handle;

        internal Allocator(OwnedHandle handle, MemoryKind kind)
        {
            this.handle = handle;
            Kind = kind;
        }

        /// <summary>For an allocator that is made next.</summary>
        internal static OwnedHandle NewHandle(string name)
        {
            return new OwnedHandle(Native.clpool_allocator_release, Native.clpool_allocator_release_later, name);
        }

        /// <summary>What it makes.</summary>
        public MemoryKind Kind { get; private set; }

        /// <summary>Makes memory that goes straight back to the driver when disposed of.</summary>
        /// <param name="size">bytes; 0 gives null</param>
        /// <exception cref="OutOfDeviceMemoryException">there is none left</exception>
        public MemoryObject? Allocate(long size)
        {
            IntPtr memory;
            ulong bytes = Arguments.Bytes(size, "size");
            Slot slot = PerThread.Current.TakeLeash(this);
            MemoryObject made = MemoryObject.New((int)Kind, slot);
            using (Borrowed used = Borrow()) Errors.Check(Native.clpool_allocator_allocate(used.Value, bytes, &memory));
            slot.Memory = memory;
            return memory == IntPtr.Zero ? null : made;
        }

        /// <summary>Gives up the reference.</summary>
        public void Dispose() { handle.Dispose(); }

        internal Borrowed Borrow() { return handle.Borrow(); }

        /// <inheritdoc/>
        public override string ToString() { return OwnedHandle.Describe(GetType().Name, handle, IntPtr.Zero); }
    }

    /// <summary>Buffers by clCreateBuffer. Out-of-memory may come late, where no pool can answer it: prefer
    /// <see cref="ImmediateAllocator"/>.</summary>
    public sealed unsafe class DeferredAllocator : Allocator
    {
        /// <summary>Makes buffers in a cl_context.</summary>
        public DeferredAllocator(ComputeContext context, MemFlags flags = MemFlags.None) : base(Make(context, flags), MemoryKind.Buffer) { }

        private static OwnedHandle Make(ComputeContext context, MemFlags flags)
        {
            IntPtr made;
            OwnedHandle handle = NewHandle("DeferredAllocator");
            using (Borrowed within = Arguments.Borrow(context, "context"))
                Errors.Check(Native.clpool_allocator_create_deferred(within.Value, (ulong)flags, &made));
            handle.Own(made);
            return handle;
        }
    }

    /// <summary>Buffers that are forced into existence when they are made, so that out-of-memory comes then.</summary>
    public sealed unsafe class ImmediateAllocator : Allocator
    {
        /// <summary>Makes buffers for a cl_command_queue.</summary>
        /// <param name="queue">where the memory is forced and used</param>
        /// <param name="flags">0 means ReadWrite</param>
        /// <param name="touch">the command by which the memory is forced</param>
        /// <param name="wait">whether each allocation waits for that command, and so for what was enqueued on the queue before,
        /// too: memory that is not to be had is then its error and no later command's</param>
        /// <exception cref="ClPoolNotSupportedException">the device lacks the command, or its driver crashes in it</exception>
        public ImmediateAllocator(CommandQueue queue, MemFlags flags = MemFlags.None, Touch touch = Touch.Byte, bool wait = false)
            : base(Make(queue, flags, touch, wait), MemoryKind.Buffer)
        {
        }

        private static OwnedHandle Make(CommandQueue queue, MemFlags flags, Touch touch, bool wait)
        {
            IntPtr made;
            OwnedHandle handle = NewHandle("ImmediateAllocator");
            uint command = (uint)touch | (wait ? (uint)Native.CLPOOL_TOUCH_WAIT : 0);
            using (Borrowed on = Arguments.Borrow(queue, "queue"))
                Errors.Check(Native.clpool_allocator_create_touching(on.Value, (ulong)flags, command, &made));
            handle.Own(made);
            return handle;
        }
    }

    /// <summary>Shared virtual memory by clSVMAlloc.</summary>
    public sealed unsafe class SvmAllocator : Allocator
    {
        /// <summary>Makes SVM in a cl_context.</summary>
        /// <param name="context">where it is made</param>
        /// <param name="flags">0 means coarse grain</param>
        /// <param name="alignment">bytes, a power of two; 0: the device's default</param>
        /// <param name="queue">an in-order queue behind which it is freed; zero: freed at once</param>
        public SvmAllocator(ComputeContext context, MemFlags flags = MemFlags.None, int alignment = 0, CommandQueue? queue = null)
            : base(Make(context, flags, alignment, queue), MemoryKind.Svm)
        {
        }

        private static OwnedHandle Make(ComputeContext context, MemFlags flags, int alignment, CommandQueue? queue)
        {
            IntPtr made;
            OwnedHandle handle = NewHandle("SvmAllocator");
            using (Borrowed within = Arguments.Borrow(context, "context"))
            using (Borrowed on = Arguments.BorrowOptional(queue))
                Errors.Check(Native.clpool_allocator_create_svm(within.Value, (ulong)flags, (uint)Arguments.Bytes(alignment, "alignment"), on.Value,
                                                            &made));
            handle.Own(made);
            return handle;
        }
    }

    /// <summary>Page-locked host memory, which transfers at full speed.</summary>
    public sealed unsafe class PinnedAllocator : Allocator
    {
        /// <summary>Makes host memory by a cl_command_queue, which maps and unmaps.</summary>
        public PinnedAllocator(CommandQueue queue, MemFlags flags = MemFlags.None) : base(Make(queue, flags), MemoryKind.Pinned) { }

        private static OwnedHandle Make(CommandQueue queue, MemFlags flags)
        {
            IntPtr made;
            OwnedHandle handle = NewHandle("PinnedAllocator");
            using (Borrowed on = Arguments.Borrow(queue, "queue"))
                Errors.Check(Native.clpool_allocator_create_pinned(on.Value, (ulong)flags, &made));
            handle.Own(made);
            return handle;
        }
    }

    /// <summary>Never lets more than so many bytes be taken from another allocator at a time.</summary>
    public sealed unsafe class LimitAllocator : Allocator
    {
        /// <summary>Limits an allocator, of which it keeps a reference.</summary>
        public LimitAllocator(Allocator inner, long maxBytes) : base(Make(inner, maxBytes), inner.Kind) { }

        private static OwnedHandle Make(Allocator inner, long maxBytes)
        {
            IntPtr made;
            OwnedHandle handle = NewHandle("LimitAllocator");
            ulong bytes = Arguments.Bytes(maxBytes, "maxBytes");
            using (Borrowed used = Arguments.NotNull(inner, "inner").Borrow())
                Errors.Check(Native.clpool_allocator_create_limit(used.Value, bytes, &made));
            handle.Own(made);
            return handle;
        }
    }

    /// <summary>Writes every allocation, failure and release of another allocator to a log.</summary>
    public sealed unsafe class TraceAllocator : Allocator
    {
        /// <summary>Logs an allocator, of which it keeps a reference, to a file that is replaced.</summary>
        public TraceAllocator(Allocator inner, string path) : base(Make(inner, path), inner.Kind) { }

        private static OwnedHandle Make(Allocator inner, string path)
        {
            IntPtr made;
            OwnedHandle handle = NewHandle("TraceAllocator");
            using (Borrowed used = Arguments.NotNull(inner, "inner").Borrow())
            fixed (byte* file = Utf8.Bytes(Arguments.NotNull(path, "path"), "path"))
                Errors.Check(Native.clpool_allocator_create_trace(used.Value, file, &made));
            handle.Own(made);
            return handle;
        }
    }
}
