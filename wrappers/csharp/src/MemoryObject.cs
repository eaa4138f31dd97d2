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
    /// disposed of before its blocks. One thread at a time may use it; any may dispose of it. A block that was disposed of may be given
    /// to its pool to hold another one.
    /// </summary>
    [DebuggerDisplay("{ToString(),nq}")]
    public abstract unsafe partial class MemoryObject : IDisposable, IBorrowable
    {
        /// <summary>As a size: all that is left; of transfers, all that is left of the source, or all of an array or of host
        /// memory. Where the other side has less, that is an error.</summary>
        public const long WholeSize = -1;

        private const int Patience = 30; // turns of a SpinWait, some milliseconds, in which uses that came too late have ended

        private Slot? slot; // which counts the calls that use it; null once it was disposed of

        /// <summary>For memory that is made next, and put into the slot: what is managed is there before, and none is lost where there
        /// is no memory for that.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal MemoryObject(Slot slot) { this.slot = slot; }

        /// <summary>The cl_mem to pass to OpenCL; zero for SVM and host memory. The reference stays here.</summary>
        public IntPtr Handle { get { using (Borrowed memory = Borrow()) return Native.clpool_mem_handle(memory.Value); } }

        /// <summary>The address of SVM and host memory; the number of custom memory; zero for others.</summary>
        public IntPtr Pointer { get { using (Borrowed memory = Borrow()) return PointerOf(memory); } }

        /// <summary>Bytes as requested.</summary>
        public long Size { get { using (Borrowed memory = Borrow()) return SizeOf(memory); } }

        /// <summary>Bytes as reserved, at least <see cref="Size"/>, which is all that may be used.</summary>
        public long Capacity { get { using (Borrowed memory = Borrow()) return (long)Native.clpool_mem_capacity(memory.Value); } }

        /// <summary>What it is.</summary>
        public MemoryKind Kind { get { using (Borrowed memory = Borrow()) return (MemoryKind)Native.clpool_mem_kind(memory.Value); } }

        /// <summary>Whether it returns to a pool.</summary>
        public bool IsPooled { get { using (Borrowed memory = Borrow()) return Native.clpool_mem_is_pooled(memory.Value) != 0; } }

        /// <summary>Whether it was given back. Anything else then throws ObjectDisposedException.</summary>
        public bool IsDisposed { get { return Volatile.Read(ref slot) == null; } }

        /// <summary>The cl_context in which it lives; zero for custom memory.</summary>
        public IntPtr Context
        {
            get
            {
                IntPtr context;
                using (Borrowed memory = Borrow()) Errors.Check(Native.clpool_mem_context(memory.Value, &context));
                return context;
            }
        }

        /// <summary>The pool or other object that it came from, or null.</summary>
        internal object? Source
        {
            get
            {
                Slot used = Use();
                object? source = used.Source;
                used.EndUse();
                return source;
            }
        }

        /// <summary>Gives it back; what uses it at this moment on another thread ends in order. Doing it again does nothing; it
        /// never throws: what fails is sent to <see cref="Library.Message"/>.</summary>
        public void Dispose() { Close(Slot.Release); }

        /// <summary>Gives it back without waiting and without a driver call, as finalizers must: the release is carried out
        /// by the next call that may.</summary>
        public void DisposeLater() { Close(Slot.ReleaseLater); }

        /// <summary>Gives back a block that no command uses any more, which the caller knows and the pool need not find out:
        /// it may be reused, and its memory given back, at once. For other memory the same as <see cref="Dispose"/>.</summary>
        public void DisposeIdle() { Close(Slot.ReleaseIdle); }

        /// <summary>Ends this object without giving the memory back: the reference is the caller's. No other thread may use it
        /// then.</summary>
        /// <returns>the clpool_mem, for C code</returns>
        public IntPtr Detach()
        {
            GivingUp given = BeginGivingUp();
            EndGivingUp(given, true);
            return given.Taken;
        }

        /// <summary>Takes over a reference that <see cref="Detach"/> or C code gave.</summary>
        /// <param name="memory">the clpool_mem</param>
        public static MemoryObject Attach(IntPtr memory)
        {
            if (memory == IntPtr.Zero) throw new ArgumentNullException("memory");
            Slot slot = PerThread.Current.TakeLeash(null);
            MemoryObject made = New(Native.clpool_mem_kind(memory), slot);
            slot.Memory = memory;
            return made;
        }

        /// <summary>A second object for the same memory, which is given back when both are disposed of. There may be 16,383 at a time,
        /// with forgotten ones that the collector has not found yet.</summary>
        public MemoryObject Share()
        {
            Slot used = Use();
            try
            {
                IntPtr value = used.Memory;
                if (value == IntPtr.Zero) throw Disposed();
                Slot shared = PerThread.Current.TakeLeash(used.Source);
                MemoryObject made = New(Native.clpool_mem_kind(value), shared);
                Errors.Check(Native.clpool_mem_retain(value));
                shared.Memory = value;
                return made;
            }
            finally
            {
                used.EndUse();
            }
        }

        /// <summary>Marks a block of a pool for pictures and leak lists; 0 is no mark.</summary>
        public void SetTag(long tag)
        {
            using (Borrowed memory = Borrow()) Errors.Check(Native.clpool_mem_set_tag(memory.Value, (ulong)tag));
        }

        /// <summary>Commands use this block of a pool that may still run when it is given back: the pool hands it out again
        /// only when all events are complete.</summary>
        public void ReleaseAfter(params ClEvent[] events)
        {
            using (BorrowedList waits = new BorrowedList(events, "events"))
            using (Borrowed memory = Borrow())
            fixed (IntPtr* list = waits.Values)
                Errors.Check(Native.clpool_mem_release_after(memory.Value, waits.Count, list));
        }

        /// <summary>Commands on a queue other than the pool's use this block: it is handed out again only when those enqueued
        /// before it is given back are complete.</summary>
        public void UsedOn(CommandQueue queue)
        {
            using (Borrowed on = Arguments.Borrow(queue, "queue"))
            using (Borrowed memory = Borrow())
                Errors.Check(Native.clpool_mem_used_on(memory.Value, on.Value));
        }

        /// <summary>From now on this SVM, or this block of a pool, is used on this in-order queue, and goes back behind its
        /// commands.</summary>
        public void BindQueue(CommandQueue queue)
        {
            using (Borrowed on = Arguments.Borrow(queue, "queue"))
            using (Borrowed memory = Borrow())
                Errors.Check(Native.clpool_mem_bind_queue(memory.Value, on.Value));
        }

        /// <summary>Waits for the queue that it is bound to and forgets it.</summary>
        public void UnbindQueue()
        {
            using (Borrowed memory = Borrow()) Errors.Check(Native.clpool_mem_unbind_queue(memory.Value));
        }

        /// <summary>Gives back SVM, or a block of a pool, with a choice of queue, events to wait for and the event behind which it
        /// is free. No other thread may use it then.</summary>
        /// <param name="queue">null: the queue that it is bound to</param>
        /// <param name="waitFor">events to wait for</param>
        /// <exception cref="ClPoolException">it is as before then</exception>
        public ClEvent ReleaseOn(CommandQueue? queue = null, ClEvent[]? waitFor = null)
        {
            IntPtr freed;
            ClEvent end = new ClEvent(); // the library flushes its queue
            using (Command command = Command.Optional(queue, waitFor))
            fixed (IntPtr* list = command.Waits)
            {
                GivingUp given = BeginGivingUp();
                int status = Native.clpool_mem_release_on(given.Taken, command.Queue, command.WaitCount, list, &freed);
                EndGivingUp(given, status == Native.CLPOOL_SUCCESS);
                Errors.Check(status);
            }
            return end.Own(freed);
        }

        /// <summary>Whether two objects are the same cl_mem, or without one the same address.</summary>
        public bool IsSameMemory(MemoryObject? other)
        {
            if (other == null) return false;
            using (Borrowed one = Borrow())
            using (Borrowed two = other.Borrow())
                return Native.clpool_mem_equal(one.Value, two.Value) != 0;
        }

        /// <summary>A property that is one number, handle or address.</summary>
        public long InfoNumber(MemInfo name)
        {
            ulong value;
            using (Borrowed memory = Borrow()) Errors.Check(Native.clpool_mem_info_number(memory.Value, (uint)name, &value));
            return (long)value;
        }

        /// <summary>A property as its bytes.</summary>
        public byte[] InfoBytes(MemInfo name)
        {
            using (Borrowed memory = Borrow())
            {
                ulong needed = 0;
                Errors.Check(Ask(memory.Value, name, 0, null, &needed));
                byte[] bytes = new byte[Arguments.Int32(needed, "bytes")];
                fixed (byte* room = bytes) Errors.Check(Ask(memory.Value, name, needed, room, &needed));
                return bytes;
            }
        }

        /// <summary>The host memory that it was made over with <see cref="MemFlags.UseHostPtr"/>.</summary>
        /// <param name="size">receives its bytes</param>
        public IntPtr HostMemoryOf(out long size)
        {
            void* pointer;
            ulong bytes;
            using (Borrowed memory = Borrow()) Errors.Check(Native.clpool_mem_host_memory(memory.Value, &pointer, &bytes));
            size = (long)bytes;
            return (IntPtr)pointer;
        }

        /// <summary>Passes it to a kernel, buffers and images by their cl_mem, SVM by its address.</summary>
        public void SetKernelArg(IntPtr kernel, int index)
        {
            uint number = (uint)Arguments.Bytes(index, "index");
            using (Borrowed memory = Borrow()) Errors.Check(Native.clpool_mem_set_kernel_arg(memory.Value, kernel, number));
        }

        /// <summary>Copies an array of numbers into SVM or host memory.</summary>
        /// <param name="source">the numbers</param>
        /// <param name="offset">bytes from the start of this memory</param>
        public void CopyFrom(Array source, long offset = 0)
        {
            using (Borrowed memory = Borrow()) HostAccess.CopyFrom(AddressOf(memory), SizeOf(memory), source, offset);
        }

        /// <summary>Copies as many bytes as an array of numbers takes out of SVM or host memory.</summary>
        public void CopyTo(Array target, long offset = 0)
        {
            using (Borrowed memory = Borrow()) HostAccess.CopyTo(AddressOf(memory), SizeOf(memory), target, offset);
        }

#if NET
        /// <summary>SVM or host memory as numbers. Keep this object while the span is in use.</summary>
        /// <exception cref="ClPoolInvalidOperationException">for memory without an address on the host</exception>
        /// <exception cref="ArgumentException">for bytes that are no whole number of T, or more than a span can have</exception>
        public Span<T> AsSpan<T>() where T : unmanaged { return AsSpan<T>(0, WholeSize); }

        /// <summary>A part of SVM or host memory; offset and size are bytes.</summary>
        public Span<T> AsSpan<T>(long offset, long size) where T : unmanaged
        {
            using (Borrowed memory = Borrow()) return HostAccess.Span<T>(AddressOf(memory), SizeOf(memory), offset, size);
        }
#endif

        /// <inheritdoc/>
        public override string ToString()
        {
            string name = GetType().Name;
            Borrowed memory;
            if (!TryBorrow(out memory)) return name + " (disposed)";
            using (memory)
                return name + " of " + Native.clpool_mem_size(memory.Value) + " bytes" +
                       (Native.clpool_mem_is_pooled(memory.Value) != 0 ? ", pooled" : "");
        }

        /// <summary>The native memory for as long as the result is not disposed of: whoever disposes of this object meanwhile,
        /// the memory goes back when its last use ends.</summary>
        /// <exception cref="ObjectDisposedException">after Dispose</exception>
        internal Borrowed Borrow()
        {
            Borrowed memory;
            if (!TryBorrow(out memory)) throw Disposed();
            return memory;
        }

        Borrowed IBorrowable.Borrow() { return Borrow(); }

        /// <summary>Begins another life of an object that was disposed of, with memory in its slot.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal void Hold(Slot next)
        {
            if (Interlocked.CompareExchange(ref slot, next, null) == null) return;
            next.Close(Slot.ReleaseIdle); // another thread was first
            throw NotDisposed();
        }

        internal void MustBeDisposed() { if (!IsDisposed) throw NotDisposed(); }

        private static ArgumentException NotDisposed()
        {
            return new ArgumentException("this block was not disposed of: only one that was can be used again", "again");
        }

        /// <summary>Ends all use for a call that takes the reference away, to be followed by <see cref="EndGivingUp"/>.</summary>
        /// <returns>what held the memory, and stands in its place</returns>
        internal GivingUp BeginGivingUp()
        {
            Slot? held = Volatile.Read(ref slot);
            if (held == null || held is GivingUp) throw Disposed();
            GivingUp given = new GivingUp(held);
            if (Interlocked.CompareExchange(ref slot, given, held) != held) throw Disposed();
            Uninterrupted.Spin spin = new Uninterrupted.Spin();
            for (int turn = 0; turn < Patience && held.IsInUse; turn++) spin.Once();
            spin.End();
            bool used = held.IsInUse;
            if (!used) given.Taken = held.TakeMemory();
            if (given.Taken != IntPtr.Zero) return given;
            EndGivingUp(given, false);
            throw used ? Errors.WrongState("this memory is in use by another thread") : Disposed();
        }

        /// <summary>After it: whether the reference is gone, or everything is as before; if somebody disposed of this object
        /// meanwhile, that is done now.</summary>
        internal void EndGivingUp(GivingUp given, bool gone)
        {
            if (!gone && given.Taken != IntPtr.Zero) given.Held.Memory = given.Taken;
            bool disposed = Interlocked.CompareExchange(ref slot, gone ? null : given.Held, given) != given;
            if (gone) given.Held.EndTurn();
            else if (disposed) given.Held.Close(Slot.Release);
        }

        private bool TryBorrow(out Borrowed memory)
        {
            memory = default(Borrowed);
            Slot? used = TryUse();
            if (used == null) return false;
            memory = new Borrowed(used, used.Memory);
            if (memory.Value != IntPtr.Zero) return true;
            used.EndUse(); // a finalizer of the user asks, and the leash's was first
            return false;
        }

        // Of one use: of two, the second may be of another block that is in this object by then.
        private static IntPtr PointerOf(Borrowed memory) { return (IntPtr)Native.clpool_mem_pointer(memory.Value); }

        // Where the library may read and write on the host.
        private IntPtr AddressOf(Borrowed memory)
        {
            // Whoever makes a pool of host memory over a CustomAllocator says so.
            if (Native.clpool_mem_kind(memory.Value) == (int)MemoryKind.Custom && !(this is PooledHostMemory))
                throw Errors.WrongState("memory of a CustomAllocator may be any numbers; where they are addresses on the host, use Pointer");
            return PointerOf(memory);
        }

        private static long SizeOf(Borrowed memory) { return (long)Native.clpool_mem_size(memory.Value); }

        private Slot Use()
        {
            Slot? used = TryUse();
            if (used == null) throw Disposed();
            return used;
        }

        // The slot, for as long as its use is not ended; null after Dispose. It may already hold other memory when it is counted,
        // which then is none of ours: that is seen afterwards.
        private Slot? TryUse()
        {
            Slot? held = Volatile.Read(ref slot);
            if (held == null || !held.TryBeginUse()) return null;
            if (Volatile.Read(ref slot) == held) return held;
            held.EndUse();
            return null;
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private void Close(int how)
        {
            Slot? held = Interlocked.Exchange(ref slot, null);
            if (held != null) held.Close(how);
        }

        private static int Ask(IntPtr memory, MemInfo name, ulong size, void* room, ulong* needed)
        {
            if ((int)name >= (int)MemInfo.PipePacketSize) return Native.clpool_pipe_info(memory, (uint)name, size, room, needed);
            if ((int)name >= (int)MemInfo.ImageFormat) return Native.clpool_image_info(memory, (uint)name, size, room, needed);
            return Native.clpool_mem_info(memory, (uint)name, size, room, needed);
        }

        private ObjectDisposedException Disposed() { return new ObjectDisposedException(GetType().Name); }
    }
}
