// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Memory pools: what all kinds share.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>
    /// Keeps memory that was given back for the next request, so that allocation is nearly free. Thread-safe. Its blocks keep
    /// what they need: it may be disposed of before them.
    /// </summary>
    public abstract unsafe class Pool : IDisposable
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int NativeVisitor(IntPtr user, IntPtr stretch);

        private static readonly NativeVisitor visit = Visit; // never collected

        private readonly IntPtr pool;
        private readonly OwnedHandle handle;
        private readonly PoolCallbacks? callbacks;
        private readonly bool leashed;
        private readonly bool traced;
        private volatile bool quick; // requests may be served by clpool_pool_try_allocate, which traces nothing
        private int closed;

        internal Pool(Allocator allocator, PoolOptions? options)
        {
            options = options ?? new PoolOptions();
            if (options.LeakDetection < LeakDetection.Reclaim || options.LeakDetection > LeakDetection.Off)
                throw new ArgumentOutOfRangeException("LeakDetection", (int)options.LeakDetection, "valid are Reclaim, Trace and Off");
            callbacks = PoolCallbacks.Of(options);
            handle = new OwnedHandle(Native.clpool_pool_release, Native.clpool_pool_release_later, GetType().Name);
            using (Borrowed used = Arguments.NotNull(allocator, "allocator").Borrow())
                pool = options.Create(used.Value, callbacks);
            handle.Own(pool);
            leashed = options.LeakDetection != LeakDetection.Off;
            traced = options.LeakDetection == LeakDetection.Trace;
            quick = !options.TraceMessages;
        }

        /// <summary>The clpool_pool, for C code; the reference stays here.</summary>
        public IntPtr Handle { get { using (Borrowed used = handle.Borrow()) return used.Value; } }

        /// <summary>Figures of this moment.</summary>
        public PoolStatistics Statistics
        {
            get
            {
                clpool_pool_stats stats = clpool_pool_stats.Initial();
                using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_pool_statistics(used.Value, &stats));
                return new PoolStatistics(stats);
            }
        }

        /// <summary>Blocks that were given back and are kept.</summary>
        public long HeldBlocks { get { return Statistics.HeldBlocks; } }

        /// <summary>Blocks that are handed out.</summary>
        public long ActiveBlocks { get { return Statistics.ActiveBlocks; } }

        /// <summary>Bytes that the pool has from its allocator.</summary>
        public long ManagedBytes { get { return Statistics.ManagedBytes; } }

        /// <summary>Bytes that were requested for the blocks that are handed out.</summary>
        public long ActiveBytes { get { return Statistics.ActiveBytes; } }

        /// <summary>Gives every chunk that has no block handed out back to the allocator.</summary>
        public void FreeHeld() { using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_pool_free_held(used.Value)); }

        /// <summary>Stops keeping memory, until <see cref="ResumeHolding"/>; the pool still works.</summary>
        public void StopHolding()
        {
            using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_pool_stop_holding(used.Value));
        }

        /// <summary>Keeps memory again after <see cref="StopHolding"/>.</summary>
        public void ResumeHolding()
        {
            using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_pool_resume_holding(used.Value));
        }

        /// <summary>Gives free chunks back, largest first, until at most so many bytes are held.</summary>
        public void Trim(long keepBytes = 0)
        {
            ulong keep = Arguments.Bytes(keepBytes, "keepBytes");
            using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_pool_trim(used.Value, keep));
        }

        /// <summary>Does what a background thread would: takes in completed releases, gives old chunks back. Never waits.</summary>
        public void Tick() { using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_pool_tick(used.Value)); }

        /// <summary>Checks the pool's books against a recount. For tests and bug reports.</summary>
        public void Check() { using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_pool_check(used.Value)); }

        /// <summary>All of the pool's memory at one moment, chunk by chunk, in the order of addresses.</summary>
        public IReadOnlyList<PoolStretch> Stretches()
        {
            List<PoolStretch> found = new List<PoolStretch>();
            IntPtr id = Callbacks.Add(found);
            try
            {
                using (Borrowed used = handle.Borrow())
                    Errors.Check(Native.clpool_pool_visit(used.Value, (void*)Marshal.GetFunctionPointerForDelegate(visit), (void*)id));
            }
            finally
            {
                Callbacks.Remove(id);
            }
            return found;
        }

        /// <summary>The same picture and the statistics as JSON text.</summary>
        public string DumpJson()
        {
            using (Borrowed used = handle.Borrow())
            {
                IntPtr value = used.Value;
                return Utf8.Ask((text, capacity, needed) => Native.clpool_pool_dump_json(value, text, capacity, needed));
            }
        }

        /// <summary>Gives the pool up. Blocks that are handed out keep its memory alive.</summary>
        public void Dispose()
        {
            if (Interlocked.Exchange(ref closed, 1) != 0) return;
            quick = false;
            PerThread.WaitWhileInUse(pool);
            handle.Dispose();
        }

        /// <inheritdoc/>
        public override string ToString()
        {
            if (closed != 0) return GetType().Name + " (disposed)";
            PoolStatistics now = Statistics;
            return GetType().Name + ": " + now.ActiveBlocks + " blocks with " + now.ActiveBytes + " bytes handed out, " +
                   now.ManagedBytes + " bytes managed";
        }

        internal Borrowed Borrow() { return handle.Borrow(); }

        /// <summary>The slot of a block that is taken next: what is managed is there before, and none is lost where there is no memory
        /// for that.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal Slot NewSlot(PerThread thread)
        {
            if (!leashed) return thread.TakeSlot(this);
            Leash leash = thread.TakeLeash(this);
            if (traced) leash.Site = Environment.StackTrace;
            return leash;
        }

        /// <summary>The hit path.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal void Take(PerThread thread, Slot slot, long size)
        {
            IntPtr block;
            if (size >= 0 && TryTake(thread, (ulong)size, &block) == Native.CLPOOL_SUCCESS) slot.Memory = block;
            else TakeSlowly(slot, size);
        }

        /// <summary>A block in an object that was disposed of, which has the slot only when there is memory in that.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal T TakeAgain<T>(T again, long size) where T : MemoryObject
        {
            again.MustBeDisposed();
            PerThread thread = PerThread.Current;
            Slot slot = NewSlot(thread);
            Take(thread, slot, size);
            again.Hold(slot);
            return again;
        }

        /// <summary>The same for one queue.</summary>
        internal T TakeAgainOn<T>(T again, CommandQueue queue, long size) where T : MemoryObject
        {
            again.MustBeDisposed();
            Slot slot = NewSlot(PerThread.Current);
            TakeOn(slot, queue, size);
            again.Hold(slot);
            return again;
        }

        /// <summary>The same if it takes neither waiting nor a driver call; else null.</summary>
        internal T? TryTakeAgain<T>(T again, long size) where T : MemoryObject
        {
            again.MustBeDisposed();
            PerThread thread = PerThread.Current;
            Slot slot = NewSlot(thread);
            if (!TryTake(thread, slot, size)) return null;
            again.Hold(slot);
            return again;
        }

        /// <summary>A block for one queue.</summary>
        internal void TakeOn(Slot slot, CommandQueue queue, long size)
        {
            using (Borrowed on = Arguments.Borrow(queue, "queue")) TakeSlowly(slot, size, on.Value);
        }

        /// <summary>Whether a block takes neither waiting nor a driver call.</summary>
        internal bool TryTake(PerThread thread, Slot slot, long size)
        {
            IntPtr block;
            int status = TryTake(thread, Arguments.Bytes(size, "size"), &block);
            if (status == Native.CLPOOL_SUCCESS)
            {
                slot.Memory = block;
                return true;
            }
            thread.Return(slot);
            if (closed != 0) throw new ObjectDisposedException(GetType().Name);
            if (status != Native.CLPOOL_ERROR_WOULD_BLOCK) Errors.Check(status); // such as a size that no device has
            return false;
        }

        // Dispose waits for threads in here, so that nobody uses a pool that is gone.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private int TryTake(PerThread thread, ulong size, IntPtr* block)
        {
            thread.Enter(pool);
            int status = quick ? Native.clpool_pool_try_allocate(pool, size, block) : Native.CLPOOL_ERROR_WOULD_BLOCK;
            thread.Leave();
            return status;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private void TakeSlowly(Slot slot, long size, IntPtr queueOrZero = default(IntPtr))
        {
            IntPtr block = IntPtr.Zero;
            try
            {
                ulong bytes = Arguments.Bytes(size, "size");
                OwnedHandle.ReleaseForgotten();
                using (Borrowed used = handle.Borrow())
                {
                    Callbacks.ReportPending();
                    int status = queueOrZero == IntPtr.Zero
                        ? Native.clpool_pool_allocate(used.Value, bytes, &block)
                        : Native.clpool_pool_allocate_on(used.Value, queueOrZero, bytes, &block);
                    Errors.Check(status);
                }
                Callbacks.ReportPending();
            }
            catch
            {
                Native.clpool_mem_release_idle(block);
                PerThread.Current.Return(slot);
                throw;
            }
            slot.Memory = block;
        }

        private static int Visit(IntPtr user, IntPtr stretch)
        {
            try
            {
                Callbacks.Find<List<PoolStretch>>(user)!.Add(new PoolStretch(*(clpool_pool_stretch*)stretch));
                return 0;
            }
            catch (Exception exception)
            {
                Callbacks.Failed(exception);
                return 1;
            }
        }
    }

    /// <summary>A pool of buffers, or of whatever an allocator written in C# makes.</summary>
    public sealed unsafe class MemoryPool : Pool
    {
        /// <summary>Makes a pool over an allocator of buffers, or a custom one.</summary>
        public MemoryPool(Allocator allocator, PoolOptions? options = null) : base(Fitting(allocator), options) { }

        /// <summary>Hands out a block with undefined content.</summary>
        /// <param name="size">bytes; 0 gives a block of size 0</param>
        /// <exception cref="OutOfDeviceMemoryException">everything that could help was tried</exception>
        public PooledBuffer Allocate(long size)
        {
            PerThread thread = PerThread.Current;
            Slot slot = NewSlot(thread);
            PooledBuffer block = new PooledBuffer(slot);
            Take(thread, slot, size);
            return block;
        }

        /// <summary>The same without garbage: the block gets an object that the caller is through with. Whoever else still has that
        /// object has the new block, such as <see cref="SubRegion.Parent"/> of a part of the former one.</summary>
        /// <param name="size">bytes; 0 gives a block of size 0</param>
        /// <param name="again">a block, of any pool, that was disposed of; null makes an object</param>
        /// <returns><paramref name="again"/>, or the new object</returns>
        /// <exception cref="ArgumentException"><paramref name="again"/> was not disposed of; it stays as it is</exception>
        /// <exception cref="OutOfDeviceMemoryException">everything that could help was tried; <paramref name="again"/> stays disposed of</exception>
        public PooledBuffer Allocate(long size, PooledBuffer? again)
        {
            return again == null ? Allocate(size) : TakeAgain(again, size);
        }

        /// <summary>The same for a block that commands on this queue will use, and on no other unless
        /// <see cref="MemoryObject.UsedOn"/> says so: in a pool over several queues it waits for this one alone when it is given
        /// back.</summary>
        public PooledBuffer AllocateOn(CommandQueue queue, long size)
        {
            Slot slot = NewSlot(PerThread.Current);
            PooledBuffer block = new PooledBuffer(slot);
            TakeOn(slot, queue, size);
            return block;
        }

        /// <summary>The same in an object that was disposed of, as <see cref="Allocate(long, PooledBuffer)"/> has it.</summary>
        public PooledBuffer AllocateOn(CommandQueue queue, long size, PooledBuffer? again)
        {
            return again == null ? AllocateOn(queue, size) : TakeAgainOn(again, queue, size);
        }

        /// <summary>A block, or null if that would take waiting or a driver call.</summary>
        /// <exception cref="ArgumentException">for a size that the device never has</exception>
        public PooledBuffer? TryAllocate(long size)
        {
            PerThread thread = PerThread.Current;
            Slot slot = NewSlot(thread);
            PooledBuffer block = new PooledBuffer(slot);
            return TryTake(thread, slot, size) ? block : null;
        }

        /// <summary>The same in an object that was disposed of, as <see cref="Allocate(long, PooledBuffer)"/> has it; where the
        /// result is null, it stays disposed of.</summary>
        public PooledBuffer? TryAllocate(long size, PooledBuffer? again)
        {
            return again == null ? TryAllocate(size) : TryTakeAgain(again, size);
        }

        private static Allocator Fitting(Allocator allocator)
        {
            MemoryKind kind = Arguments.NotNull(allocator, "allocator").Kind;
            if (kind == MemoryKind.Svm) throw new ArgumentException("makes SVM; that needs an SvmPool", "allocator");
            if (kind == MemoryKind.Pinned) throw new ArgumentException("makes host memory; that needs a PageLockedMemoryPool", "allocator");
            return allocator;
        }
    }

    /// <summary>A pool of shared virtual memory.</summary>
    public sealed unsafe class SvmPool : Pool
    {
        /// <summary>Makes a pool over an <see cref="SvmAllocator"/>.</summary>
        public SvmPool(Allocator allocator, PoolOptions? options = null) : base(Fitting(allocator), options) { }

        /// <summary>Hands out a block with undefined content.</summary>
        public PooledSvm Allocate(long size)
        {
            PerThread thread = PerThread.Current;
            Slot slot = NewSlot(thread);
            PooledSvm block = new PooledSvm(slot);
            Take(thread, slot, size);
            return block;
        }

        /// <summary>The same without garbage: the block gets an object that the caller is through with. Whoever else still has that
        /// object has the new block, such as <see cref="SubRegion.Parent"/> of a part of the former one.</summary>
        /// <param name="size">bytes; 0 gives a block of size 0</param>
        /// <param name="again">a block, of any pool, that was disposed of; null makes an object</param>
        /// <returns><paramref name="again"/>, or the new object</returns>
        /// <exception cref="ArgumentException"><paramref name="again"/> was not disposed of; it stays as it is</exception>
        /// <exception cref="OutOfDeviceMemoryException">everything that could help was tried; <paramref name="again"/> stays disposed of</exception>
        public PooledSvm Allocate(long size, PooledSvm? again)
        {
            return again == null ? Allocate(size) : TakeAgain(again, size);
        }

        /// <summary>The same for a block that commands on this queue will use, and on no other unless
        /// <see cref="MemoryObject.UsedOn"/> says so: in a pool over several queues it waits for this one alone when it is given
        /// back.</summary>
        public PooledSvm AllocateOn(CommandQueue queue, long size)
        {
            Slot slot = NewSlot(PerThread.Current);
            PooledSvm block = new PooledSvm(slot);
            TakeOn(slot, queue, size);
            return block;
        }

        /// <summary>The same in an object that was disposed of, as <see cref="Allocate(long, PooledSvm)"/> has it.</summary>
        public PooledSvm AllocateOn(CommandQueue queue, long size, PooledSvm? again)
        {
            return again == null ? AllocateOn(queue, size) : TakeAgainOn(again, queue, size);
        }

        /// <summary>A block, or null if that would take waiting or a driver call.</summary>
        /// <exception cref="ArgumentException">for a size that the device never has</exception>
        public PooledSvm? TryAllocate(long size)
        {
            PerThread thread = PerThread.Current;
            Slot slot = NewSlot(thread);
            PooledSvm block = new PooledSvm(slot);
            return TryTake(thread, slot, size) ? block : null;
        }

        /// <summary>The same in an object that was disposed of, as <see cref="Allocate(long, PooledSvm)"/> has it; where the
        /// result is null, it stays disposed of.</summary>
        public PooledSvm? TryAllocate(long size, PooledSvm? again)
        {
            return again == null ? TryAllocate(size) : TryTakeAgain(again, size);
        }

        private static Allocator Fitting(Allocator allocator)
        {
            if (Arguments.NotNull(allocator, "allocator").Kind == MemoryKind.Svm) return allocator;
            throw new ArgumentException("makes no SVM", "allocator");
        }
    }

    /// <summary>A pool of page-locked host memory, for transfers at full speed.</summary>
    public sealed unsafe class PageLockedMemoryPool : Pool
    {
        /// <summary>Makes a pool over a <see cref="PinnedAllocator"/> or a custom allocator.</summary>
        public PageLockedMemoryPool(Allocator allocator, PoolOptions? options = null) : base(Fitting(allocator), options) { }

        /// <summary>Hands out a block with undefined content.</summary>
        public PooledHostMemory Allocate(long size)
        {
            PerThread thread = PerThread.Current;
            Slot slot = NewSlot(thread);
            PooledHostMemory block = new PooledHostMemory(slot);
            Take(thread, slot, size);
            return block;
        }

        /// <summary>The same without garbage: the block gets an object that the caller is through with. Whoever else still has that
        /// object has the new block, such as <see cref="SubRegion.Parent"/> of a part of the former one.</summary>
        /// <param name="size">bytes; 0 gives a block of size 0</param>
        /// <param name="again">a block, of any pool, that was disposed of; null makes an object</param>
        /// <returns><paramref name="again"/>, or the new object</returns>
        /// <exception cref="ArgumentException"><paramref name="again"/> was not disposed of; it stays as it is</exception>
        /// <exception cref="OutOfDeviceMemoryException">everything that could help was tried; <paramref name="again"/> stays disposed of</exception>
        public PooledHostMemory Allocate(long size, PooledHostMemory? again)
        {
            return again == null ? Allocate(size) : TakeAgain(again, size);
        }

        /// <summary>The same for a block that commands on this queue will use, and on no other unless
        /// <see cref="MemoryObject.UsedOn"/> says so: in a pool over several queues it waits for this one alone when it is given
        /// back.</summary>
        public PooledHostMemory AllocateOn(CommandQueue queue, long size)
        {
            Slot slot = NewSlot(PerThread.Current);
            PooledHostMemory block = new PooledHostMemory(slot);
            TakeOn(slot, queue, size);
            return block;
        }

        /// <summary>The same in an object that was disposed of, as <see cref="Allocate(long, PooledHostMemory)"/> has it.</summary>
        public PooledHostMemory AllocateOn(CommandQueue queue, long size, PooledHostMemory? again)
        {
            return again == null ? AllocateOn(queue, size) : TakeAgainOn(again, queue, size);
        }

        /// <summary>A block, or null if that would take waiting or a driver call.</summary>
        /// <exception cref="ArgumentException">for a size that the device never has</exception>
        public PooledHostMemory? TryAllocate(long size)
        {
            PerThread thread = PerThread.Current;
            Slot slot = NewSlot(thread);
            PooledHostMemory block = new PooledHostMemory(slot);
            return TryTake(thread, slot, size) ? block : null;
        }

        /// <summary>The same in an object that was disposed of, as <see cref="Allocate(long, PooledHostMemory)"/> has it; where the
        /// result is null, it stays disposed of.</summary>
        public PooledHostMemory? TryAllocate(long size, PooledHostMemory? again)
        {
            return again == null ? TryAllocate(size) : TryTakeAgain(again, size);
        }

        private static Allocator Fitting(Allocator allocator)
        {
            MemoryKind kind = Arguments.NotNull(allocator, "allocator").Kind;
            if (kind == MemoryKind.Pinned || kind == MemoryKind.Custom) return allocator;
            throw new ArgumentException("makes no host memory", "allocator");
        }
    }

    /// <summary>A block of a <see cref="MemoryPool"/>.</summary>
    public sealed class PooledBuffer : DeviceBuffer
    {
        internal PooledBuffer(Slot slot) : base(slot) { }

        /// <summary>The pool that it returns to.</summary>
        public MemoryPool Pool { get { return (MemoryPool)Source!; } }
    }

    /// <summary>A block of an <see cref="SvmPool"/>.</summary>
    public sealed class PooledSvm : SvmMemory
    {
        internal PooledSvm(Slot slot) : base(slot) { }

        /// <summary>The pool that it returns to.</summary>
        public SvmPool Pool { get { return (SvmPool)Source!; } }
    }

    /// <summary>A block of a <see cref="PageLockedMemoryPool"/>.</summary>
    public sealed class PooledHostMemory : HostMemory
    {
        internal PooledHostMemory(Slot slot) : base(slot) { }

        /// <summary>The pool that it returns to.</summary>
        public PageLockedMemoryPool Pool { get { return (PageLockedMemoryPool)Source!; } }
    }
}
