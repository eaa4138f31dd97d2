// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a pool is to be like.
using System;
using ClPool.Interop;

namespace ClPool
{
    public sealed unsafe partial class PoolOptions
    {
        private const ulong NanosecondsOfTick = 100;
        private static readonly Action collectByDefault = CollectGarbage;

        /// <summary>Binned only: bits after the leading one that tell bins apart, 0…26; 0: bins by the highest bit alone; null: 4.</summary>
        public int? LeadingBitsInBinId { get; set; }
        /// <summary>Held chunks that were not used for so long go back; zero: never by age.</summary>
        public TimeSpan Decay { get; set; }
        /// <summary>How long a request without memory waits for commands while nothing comes free, before
        /// <see cref="OutOfMemory"/> is asked or the request fails; zero: 10 seconds. Blocks that somebody holds are not waited
        /// for: to wait until another thread gives one back is for the program, such as by a semaphore.</summary>
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
        /// drop caches. <see cref="CollectGarbage"/> unless it is set, which runs first, or, where <see cref="OutOfMemory"/> is
        /// set, once that says no: each collection takes as long as the program has many objects; null: nothing. What it throws
        /// is the inner exception if the request fails and nothing else threw since, else it is sent to <see cref="Library.Message"/>.</summary>
        public Action? Collect { get; set; } = collectByDefault;
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

        internal bool CollectsByDefault { get { return ReferenceEquals(Collect, collectByDefault); } }

        private object?[] Others()
        {
            return new object?[]
            {
                "LeadingBitsInBinId", LeadingBitsInBinId, "Decay", Decay, "Wait", Wait, "Queues", Queues, "Guard", Guard,
                "LeakDetection", LeakDetection, "Collect", Collect, "OutOfMemory", OutOfMemory, "Message", Message
            };
        }

        private static ulong Nanoseconds(TimeSpan time, string name)
        {
            if (time < TimeSpan.Zero) throw new ArgumentOutOfRangeException(name, time, "at least " + TimeSpan.Zero);
            ulong ticks = (ulong)time.Ticks;
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
            clpool_pool_options native = ToNative();
            native.leading_bits_in_bin_id = LeadingBits();
            native.decay_ns = Nanoseconds(Decay, "Decay");
            native.wait_ns = Nanoseconds(Wait, "Wait");
            native.guard = (uint)(Guard == null ? Native.CLPOOL_GUARD_DEFAULT : Guard.Value ? Native.CLPOOL_GUARD_ON : Native.CLPOOL_GUARD_OFF);
            IntPtr pool;
            using (BorrowedList used = new BorrowedList(Queues, "Queues"))
            fixed (IntPtr* queues = used.Values)
            fixed (byte* name = Utf8.Bytes(Name, "Name"))
            {
                native.queue_count = used.Count;
                native.queues = queues;
                native.name = name;
                if (callbacks != null) return callbacks.Create(allocator, &native);
                Errors.Check(Native.clpool_pool_create(allocator, &native, &pool));
            }
            return pool;
        }
    }
}
