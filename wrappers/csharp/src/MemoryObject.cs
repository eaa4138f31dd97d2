// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// One piece of memory: what all kinds share. Transfers are in MemoryObject.Transfer.cs.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>
    /// A buffer, sub-region, image, pipe, SVM or host allocation, pooled or not. Dispose gives it back, to its pool or to the
    /// driver; a forgotten one comes back by the garbage collector. It keeps alive what it was made from: a pool may be
    /// disposed of before its blocks. One thread at a time may use it; any may dispose of it.
    /// </summary>
    [DebuggerDisplay("{ToString(),nq}")]
    public abstract unsafe partial class MemoryObject : IDisposable
    {
        /// <summary>As a size: all that is left; of transfers, all that is left of the source, or all of an array or of host
        /// memory. Where the other side has less, that is an error.</summary>
        public const long WholeSize = -1;

        private IntPtr memory;
        private Leash leash;
        private readonly object source;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal MemoryObject(IntPtr memory, Leash leash, object source)
        {
            this.memory = memory;
            this.leash = leash;
            this.source = source;
        }

        /// <summary>Memory that is made directly, under a leash.</summary>
        internal MemoryObject(IntPtr memory, object source) : this(memory, PerThread.Current.TakeLeash(memory), source) { }

        /// <summary>The native memory; the caller ends with <see cref="Done"/> or GC.KeepAlive.</summary>
        internal IntPtr Live
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            get
            {
                IntPtr value = memory;
                if (value == IntPtr.Zero) ThrowDisposed();
                return value;
            }
        }

        /// <summary>The cl_mem to pass to OpenCL; zero for SVM and host memory. The reference stays here.</summary>
        public IntPtr Handle { get { return Kept(Native.clpool_mem_handle(Live)); } }

        /// <summary>The address of SVM and host memory; zero for others.</summary>
        public IntPtr Pointer { get { return Kept((IntPtr)Native.clpool_mem_pointer(Live)); } }

        /// <summary>Bytes as requested.</summary>
        public long Size { get { return (long)Kept(Native.clpool_mem_size(Live)); } }

        /// <summary>Bytes as reserved, at least <see cref="Size"/>, which is all that may be used.</summary>
        public long Capacity { get { return (long)Kept(Native.clpool_mem_capacity(Live)); } }

        /// <summary>What it is.</summary>
        public MemoryKind Kind { get { return (MemoryKind)Kept(Native.clpool_mem_kind(Live)); } }

        /// <summary>Whether it returns to a pool.</summary>
        public bool IsPooled { get { return Kept(Native.clpool_mem_is_pooled(Live)) != 0; } }

        /// <summary>Whether it was given back. Anything else then throws ObjectDisposedException.</summary>
        public bool IsDisposed { get { return memory == IntPtr.Zero; } }

        /// <summary>The cl_context in which it lives; zero for custom memory.</summary>
        public IntPtr Context
        {
            get
            {
                IntPtr context;
                Done(Native.clpool_mem_context(Live, &context));
                return context;
            }
        }

        /// <summary>The pool or other object that it came from, or null.</summary>
        protected object Source { get { return source; } }

        /// <summary>Gives it back. Doing it again does nothing; it never throws: what fails is sent to
        /// <see cref="Library.Message"/>.</summary>
        public void Dispose()
        {
            IntPtr value = Take();
            if (value == IntPtr.Zero) return;
            int status = Native.clpool_mem_release(value);
            if (status != Native.CLPOOL_SUCCESS) ReleaseFailed(status);
        }

        /// <summary>Gives it back without waiting and without a driver call, as finalizers must: the release is carried out
        /// by the next call that may.</summary>
        public void DisposeLater()
        {
            IntPtr value = Take();
            if (value == IntPtr.Zero) return;
            int status = Native.clpool_mem_release_later(value);
            if (status != Native.CLPOOL_SUCCESS) ReleaseFailed(status);
        }

        /// <summary>Gives back a block that no command uses any more, which the caller knows and the pool need not find out:
        /// it may be reused, and its memory given back, at once. For other memory the same as <see cref="Dispose"/>.</summary>
        public void DisposeIdle()
        {
            IntPtr value = Take();
            if (value == IntPtr.Zero) return;
            int status = Native.clpool_mem_release_idle(value);
            if (status != Native.CLPOOL_SUCCESS) ReleaseFailed(status);
        }

        /// <summary>Ends this object without giving the memory back: the reference is the caller's.</summary>
        /// <returns>the clpool_mem, for C code</returns>
        public IntPtr Detach()
        {
            IntPtr value = Take();
            if (value == IntPtr.Zero) ThrowDisposed();
            return value;
        }

        /// <summary>Takes over a reference that <see cref="Detach"/> or C code gave.</summary>
        /// <param name="memory">the clpool_mem</param>
        public static MemoryObject Attach(IntPtr memory)
        {
            if (memory == IntPtr.Zero) throw new ArgumentNullException("memory");
            return Wrap(memory, null);
        }

        /// <summary>A second object for the same memory, which is given back when both are disposed of.</summary>
        public MemoryObject Share()
        {
            IntPtr value = Live;
            Done(Native.clpool_mem_retain(value));
            return Wrap(value, source);
        }

        /// <summary>Marks a block of a pool for pictures and leak lists; 0 is no mark.</summary>
        public void SetTag(long tag) { Done(Native.clpool_mem_set_tag(Live, (ulong)tag)); }

        /// <summary>Commands use this block of a pool that may still run when it is given back: the pool hands it out again
        /// only when all events are complete.</summary>
        public void ReleaseAfter(params ClEvent[] events)
        {
            using (BorrowedList waits = new BorrowedList(events, "events"))
            fixed (IntPtr* list = waits.Values)
                Done(Native.clpool_mem_release_after(Live, waits.Count, list));
        }

        /// <summary>Commands on a queue other than the pool's use this block: it is handed out again only when those enqueued
        /// before it is given back are complete.</summary>
        public void UsedOn(CommandQueue queue)
        {
            using (OwnedHandle.Borrowed on = Arguments.Borrow(queue, "queue")) Done(Native.clpool_mem_used_on(Live, on.Value));
        }

        /// <summary>Whether two objects are the same cl_mem, or without one the same address.</summary>
        public bool IsSameMemory(MemoryObject other)
        {
            if (other == null) return false;
            bool same = Native.clpool_mem_equal(Live, other.Live) != 0;
            GC.KeepAlive(this);
            GC.KeepAlive(other);
            return same;
        }

        /// <summary>A property that is one number, handle or address.</summary>
        public long InfoNumber(MemInfo name)
        {
            ulong value;
            Done(Native.clpool_mem_info_number(Live, (uint)name, &value));
            return (long)value;
        }

        /// <summary>A property as its bytes.</summary>
        public byte[] InfoBytes(MemInfo name)
        {
            ulong needed = 0;
            Done(Ask(name, 0, null, &needed));
            byte[] bytes = new byte[Arguments.Int32(needed, "bytes")];
            fixed (byte* room = bytes) Done(Ask(name, needed, room, &needed));
            return bytes;
        }

        /// <summary>The host memory that it was made over with <see cref="MemFlags.UseHostPtr"/>.</summary>
        /// <param name="size">receives its bytes</param>
        public IntPtr HostMemoryOf(out long size)
        {
            void* pointer;
            ulong bytes;
            Done(Native.clpool_mem_host_memory(Live, &pointer, &bytes));
            size = (long)bytes;
            return (IntPtr)pointer;
        }

        /// <summary>Passes it to a kernel, buffers and images by their cl_mem, SVM by its address.</summary>
        public void SetKernelArg(IntPtr kernel, int index)
        {
            Done(Native.clpool_mem_set_kernel_arg(Live, kernel, (uint)Arguments.Bytes(index, "index")));
        }

        /// <summary>Copies an array of numbers into memory that has a <see cref="Pointer"/>.</summary>
        /// <param name="source">the numbers</param>
        /// <param name="offset">bytes from the start of this memory</param>
        public void CopyFrom(Array source, long offset = 0) { HostAccess.CopyFrom(this, Pointer, Size, source, offset); }

        /// <summary>Copies as many bytes as an array of numbers takes out of memory that has a <see cref="Pointer"/>.</summary>
        public void CopyTo(Array target, long offset = 0) { HostAccess.CopyTo(this, Pointer, Size, target, offset); }

#if NET
        /// <summary>Memory that has a <see cref="Pointer"/> as numbers. Keep this object while the span is in use.</summary>
        /// <exception cref="ArgumentException">for bytes that are no whole number of T, or more than a span can have</exception>
        public Span<T> AsSpan<T>() where T : unmanaged { return AsSpan<T>(0, WholeSize); }

        /// <summary>A part of memory that has a <see cref="Pointer"/>; offset and size are bytes.</summary>
        public Span<T> AsSpan<T>(long offset, long size) where T : unmanaged
        {
            return HostAccess.Span<T>(Pointer, Size, offset, size);
        }
#endif

        /// <inheritdoc/>
        public override string ToString()
        {
            IntPtr value = memory;
            string name = GetType().Name;
            if (value == IntPtr.Zero) return name + " (disposed)";
            return name + " of " + Kept(Native.clpool_mem_size(value)) + " bytes" +
                   (Kept(Native.clpool_mem_is_pooled(value)) != 0 ? ", pooled" : "");
        }

        /// <summary>After a native call with <see cref="Live"/>: throws if it failed.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal void Done(int status)
        {
            GC.KeepAlive(this);
            Errors.Check(status);
        }

        /// <summary>The memory for the one caller that gives it back; zero for all others.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal IntPtr Take()
        {
            IntPtr value = Interlocked.Exchange(ref memory, IntPtr.Zero);
            if (value == IntPtr.Zero) return value;
            Leash held = leash;
            if (held == null) return value;
            leash = null;
            if (held.Memory == IntPtr.Zero) return IntPtr.Zero; // its finalizer was first
            held.Memory = IntPtr.Zero;
            held.Site = null;
            PerThread.Current.ReturnLeash(held);
            return value;
        }

        /// <summary>Takes memory back after a release that failed and left it as it was.</summary>
        internal void Restore(IntPtr value)
        {
            leash = PerThread.Current.TakeLeash(value);
            memory = value;
        }

        private T Kept<T>(T value)
        {
            GC.KeepAlive(this);
            return value;
        }

        private int Ask(MemInfo name, ulong size, void* room, ulong* needed)
        {
            if ((int)name >= (int)MemInfo.PipePacketSize) return Native.clpool_pipe_info(Live, (uint)name, size, room, needed);
            if ((int)name >= (int)MemInfo.ImageFormat) return Native.clpool_image_info(Live, (uint)name, size, room, needed);
            return Native.clpool_mem_info(Live, (uint)name, size, room, needed);
        }

        private void ThrowDisposed() { throw new ObjectDisposedException(GetType().Name); }

        private static void ReleaseFailed(int status)
        {
            Library.Send(MessageSeverity.Error, "memory could not be given back: " + Errors.Exception(status).Message);
        }
    }
}
