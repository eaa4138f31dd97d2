// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a pool is to be like, and the functions of the user that it calls.
using System;
using System.Runtime.InteropServices;
using ClPool.Interop;

namespace ClPool
{
    public sealed unsafe partial class PoolOptions
    {
        private const ulong NanosecondsOfTick = 100;

        /// <summary>Binned only: bits after the leading one that tell bins apart, 0…26; 0: bins by the highest bit alone; null: 4.</summary>
        public int? LeadingBitsInBinId { get; set; }
        /// <summary>Held chunks that were not used for so long go back; zero: never by age.</summary>
        public TimeSpan Decay { get; set; }
        /// <summary>How long a request without memory waits while nothing comes free, before <see cref="OutOfMemory"/> is asked or
        /// the request fails; zero: 10 seconds.</summary>
        public TimeSpan Wait { get; set; }
        /// <summary>Queues on which the memory is used; null: the allocator's.</summary>
        public CommandQueue[]? Queues { get; set; }
        /// <summary>Whether the pool looks for mistakes of the program: commands that use blocks after they were given back, and
        /// writes beyond a block's end, told to <see cref="Message"/> as errors that begin with "guard: "; null: as the variable
        /// CLPOOL_GUARD says.</summary>
        public bool? Guard { get; set; }
        /// <summary>What happens to blocks that nobody disposed of.</summary>
        public LeakDetection LeakDetection { get; set; }
        /// <summary>Called when the driver is out of memory, before the pool gives up what it holds: run a garbage collection,
        /// drop caches. <see cref="CollectGarbage"/> unless it is set; null: nothing. What it throws is the inner exception if the
        /// request fails and nothing else threw since, else it is sent to <see cref="Library.Message"/>.</summary>
        public Action? Collect { get; set; } = CollectGarbage;
        /// <summary>Called last, when nothing has helped, with the bytes asked for and the number of the attempt, from 1; true
        /// to try once more.</summary>
        public Func<long, int, bool>? OutOfMemory { get; set; }
        /// <summary>Receives the pool's messages; null: <see cref="Library.Message"/> does.</summary>
        public MessageHandler? Message { get; set; }

        /// <summary>For <see cref="Collect"/>: brings forgotten blocks back by a full garbage collection.</summary>
        public static void CollectGarbage()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        private static ulong Nanoseconds(TimeSpan time, string name)
        {
            ulong ticks = Arguments.Bytes(time.Ticks, name);
            if (ticks > ulong.MaxValue / NanosecondsOfTick)
                throw new ArgumentOutOfRangeException(name, time, "at most " + TimeSpan.FromTicks((long)(ulong.MaxValue / NanosecondsOfTick)));
            return ticks * NanosecondsOfTick;
        }

        private uint LeadingBits()
        {
            if (LeadingBitsInBinId == null) return 0; // the default
            return LeadingBitsInBinId == 0 ? Constants.CLPOOL_LEADING_BITS_NONE : (uint)Arguments.Bytes(LeadingBitsInBinId.Value, "LeadingBitsInBinId");
        }

        internal IntPtr Create(IntPtr allocator, PoolCallbacks? callbacks)
        {
            clpool_pool_callbacks functions = callbacks == null ? new clpool_pool_callbacks() : callbacks.ToNative();
            clpool_pool_options native = ToNative();
            native.leading_bits_in_bin_id = LeadingBits();
            native.decay_ns = Nanoseconds(Decay, "Decay");
            native.wait_ns = Nanoseconds(Wait, "Wait");
            native.guard = (uint)(Guard == null ? Native.CLPOOL_GUARD_DEFAULT : Guard.Value ? Native.CLPOOL_GUARD_ON : Native.CLPOOL_GUARD_OFF);
            native.callbacks = callbacks == null ? null : &functions;
            native.user = callbacks == null ? null : (void*)callbacks.Id;
            IntPtr pool;
            using (BorrowedList used = new BorrowedList(Queues, "Queues"))
            fixed (IntPtr* queues = used.Values)
            fixed (byte* name = Utf8.Bytes(Name, "Name"))
            {
                native.queue_count = used.Count;
                native.queues = queues;
                native.name = name;
                Errors.Check(Native.clpool_pool_create(allocator, &native, &pool));
            }
            return pool;
        }
    }
}

namespace ClPool.Interop
{
    /// <summary>The user's functions of one pool. The pool and its blocks hold this object, native code only its number.</summary>
    internal sealed unsafe class PoolCallbacks
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void NativeCollect(IntPtr user);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int NativeOutOfMemory(IntPtr user, ulong size, uint attempt);

        // Native code holds no references on delegates: these are never collected.
        private static readonly NativeCollect nativeCollect = RunCollect;
        private static readonly NativeOutOfMemory nativeOutOfMemory = RunOutOfMemory;
        private static readonly Library.NativeMessage nativeMessage = RunMessage;

        private readonly Action? collect;
        private readonly Func<long, int, bool>? outOfMemory;
        private readonly MessageHandler? message;

        private PoolCallbacks(PoolOptions options)
        {
            collect = options.Collect;
            outOfMemory = options.OutOfMemory;
            message = options.Message;
            Id = Callbacks.Add(new WeakReference(this));
        }

        ~PoolCallbacks() { Callbacks.Remove(Id); }

        internal IntPtr Id { get; private set; }

        /// <summary>Null if the options have no functions.</summary>
        internal static PoolCallbacks? Of(PoolOptions options)
        {
            bool none = options.Collect == null && options.OutOfMemory == null && options.Message == null;
            return none ? null : new PoolCallbacks(options);
        }

        internal clpool_pool_callbacks ToNative()
        {
            clpool_pool_callbacks native = clpool_pool_callbacks.Initial();
            if (collect != null) native.collect = (void*)Marshal.GetFunctionPointerForDelegate(nativeCollect);
            if (outOfMemory != null) native.out_of_memory = (void*)Marshal.GetFunctionPointerForDelegate(nativeOutOfMemory);
            if (message != null) native.message = (void*)Marshal.GetFunctionPointerForDelegate(nativeMessage);
            return native;
        }

        private static void RunCollect(IntPtr user)
        {
            try
            {
                PoolCallbacks? found = Callbacks.Find<PoolCallbacks>(user);
                if (found != null) found.collect!();
            }
            catch (Exception exception)
            {
                Callbacks.Failed(exception);
            }
        }

        private static int RunOutOfMemory(IntPtr user, ulong size, uint attempt)
        {
            try
            {
                PoolCallbacks? found = Callbacks.Find<PoolCallbacks>(user);
                return found != null && found.outOfMemory!((long)size, (int)attempt) ? 1 : 0;
            }
            catch (Exception exception)
            {
                Callbacks.Failed(exception);
                return 0;
            }
        }

        private static void RunMessage(IntPtr user, int severity, IntPtr text)
        {
            try
            {
                PoolCallbacks? found = Callbacks.Find<PoolCallbacks>(user);
                if (found != null) found.message!((MessageSeverity)severity, Utf8.Read((void*)text));
            }
            catch (Exception exception)
            {
                Library.Send(MessageSeverity.Error, "a message handler failed: " + Callbacks.TextOf(exception));
            }
        }
    }
}
