// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Allocation logs: read, replayed and written.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>Figures of an allocation log.</summary>
    public sealed class LogStatistics
    {
        private readonly clpool_trace_stats native;

        internal LogStatistics(clpool_trace_stats native) { this.native = native; }

        /// <summary>All events.</summary>
        public long Events { get { return (long)native.events; } }
        /// <summary>Events of each action.</summary>
        public long Allocations { get { return (long)native.allocations; } }
        /// <summary>Releases.</summary>
        public long Releases { get { return (long)native.releases; } }
        /// <summary>Failed allocations.</summary>
        public long AllocateFailures { get { return (long)native.allocate_failures; } }
        /// <summary>Different thread numbers.</summary>
        public long Threads { get { return (long)native.threads; } }
        /// <summary>Different sizes of successful allocations.</summary>
        public long DistinctSizes { get { return (long)native.distinct_sizes; } }
        /// <summary>Bytes of the largest successful allocation.</summary>
        public long LargestBytes { get { return (long)native.largest_bytes; } }
        /// <summary>The most bytes that were live at a time, as requested.</summary>
        public long PeakLiveBytes { get { return (long)native.peak_live_bytes; } }
        /// <summary>The most blocks that were live at a time.</summary>
        public long PeakLiveBlocks { get { return (long)native.peak_live_blocks; } }
        /// <summary>Bytes that the log never releases.</summary>
        public long FinalLiveBytes { get { return (long)native.final_live_bytes; } }
        /// <summary>Blocks that the log never releases.</summary>
        public long FinalLiveBlocks { get { return (long)native.final_live_blocks; } }

        /// <inheritdoc/>
        public override string ToString() { return Figures.Describe(this); }
    }

    /// <summary>What a replay found.</summary>
    public sealed class ReplayResult
    {
        private readonly clpool_trace_replay_result native;

        internal ReplayResult(clpool_trace_replay_result native) { this.native = native; }

        /// <summary>Allocations that succeeded.</summary>
        public long Allocations { get { return (long)native.allocations; } }
        /// <summary>Releases, with those of blocks that the log leaves live.</summary>
        public long Releases { get { return (long)native.releases; } }
        /// <summary>Allocations that were out of memory; their releases are left out.</summary>
        public long OutOfMemory { get { return (long)native.out_of_memory; } }
        /// <summary>Nanoseconds in all allocations and releases together.</summary>
        public long ElapsedNs { get { return (long)native.elapsed_ns; } }
        /// <summary>elapsed_ns / allocations in picoseconds: what one allocation with its release costs; 0 without * allocations.</summary>
        public long AllocationPs { get { return (long)native.allocation_ps; } }
        /// <summary>Successful allocations from the driver (or custom allocator).</summary>
        public long DriverAllocations { get { return (long)native.driver_allocations; } }
        /// <summary>The most bytes that were taken from the driver at a time.</summary>
        public long PeakDriverBytes { get { return (long)native.peak_driver_bytes; } }
        /// <summary>The most bytes that were live at a time, as requested, of the allocations that succeeded.</summary>
        public long PeakLiveBytes { get { return (long)native.peak_live_bytes; } }
        /// <summary>peak_driver_bytes / peak_live_bytes in parts per million; 0 if nothing was live.</summary>
        public long RatioPpm { get { return (long)native.ratio_ppm; } }

        /// <inheritdoc/>
        public override string ToString() { return Figures.Describe(this); }
    }

    /// <summary>One event of an allocation log.</summary>
    public sealed class LogEvent
    {
        private readonly clpool_trace_event native;

        internal LogEvent(clpool_trace_event native) { this.native = native; }

        /// <summary>One of CLPOOL_TRACE_….</summary>
        public LogAction Action { get { return (LogAction)native.action; } }
        /// <summary>Number of the thread, as the log has it.</summary>
        public long Thread { get { return (long)native.thread; } }
        /// <summary>Microseconds since whatever moment the log counts from; since midnight if it has times of day.</summary>
        public long TimeUs { get { return (long)native.time_us; } }
        /// <summary>Address, or another identity that is unique while the block is live.</summary>
        public long Pointer { get { return (long)native.pointer; } }
        /// <summary>Bytes as requested.</summary>
        public long Size { get { return (long)native.size; } }
        /// <summary>Number of the stream or queue.</summary>
        public long Stream { get { return (long)native.stream; } }
        /// <summary>Line of the file, from 1.</summary>
        public long Line { get { return (long)native.line; } }
        /// <summary>Small number that identifies the block while it is live, below clpool_trace_stats.peak_live_blocks; or * -1.</summary>
        public long Slot { get { return (long)native.slot; } }

        /// <inheritdoc/>
        public override string ToString() { return Figures.Describe(this); }
    }

    /// <summary>An allocation log in RMM's format. It never changes: any number of threads may use it.</summary>
    public sealed unsafe class AllocationLog : IReadOnlyList<LogEvent>, IDisposable
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int NativeProgress(IntPtr user, ulong done, ulong total);

        private static readonly NativeProgress report = Report; // never collected

        private readonly OwnedHandle handle;

        private AllocationLog(IntPtr trace) { handle = new OwnedHandle(trace, Native.clpool_trace_release, "AllocationLog"); }

        /// <summary>Reads a log from an uncompressed file.</summary>
        public static AllocationLog Open(string path)
        {
            IntPtr trace;
            fixed (byte* file = Utf8.Bytes(path)) Errors.Check(Native.clpool_trace_open(file, &trace));
            return new AllocationLog(trace);
        }

        /// <summary>Reads a log from text.</summary>
        /// <param name="text">the log</param>
        /// <param name="name">for messages</param>
        public static AllocationLog Parse(string text, string name = "log")
        {
            IntPtr trace;
            byte[] bytes = Encoding.UTF8.GetBytes(Arguments.NotNull(text, "text") + "\0");
            fixed (byte* content = bytes)
            fixed (byte* called = Utf8.Bytes(name))
                Errors.Check(Native.clpool_trace_parse(content, (ulong)bytes.Length - 1, called, &trace));
            return new AllocationLog(trace);
        }

        /// <summary>Figures of the log.</summary>
        public LogStatistics Statistics
        {
            get
            {
                clpool_trace_stats stats = new clpool_trace_stats();
                stats.struct_size = (uint)sizeof(clpool_trace_stats);
                using (OwnedHandle.Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_trace_statistics(used.Value, &stats));
                return new LogStatistics(stats);
            }
        }

        /// <summary>Number of events.</summary>
        public int Count { get { return checked((int)Statistics.Events); } }

        /// <summary>One event, in the order of the file.</summary>
        public LogEvent this[int index]
        {
            get
            {
                clpool_trace_event found = new clpool_trace_event();
                found.struct_size = (uint)sizeof(clpool_trace_event);
                ulong number = Arguments.Bytes(index, "index");
                using (OwnedHandle.Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_trace_event_at(used.Value, number, &found));
                return new LogEvent(found);
            }
        }

        /// <summary>Does what the log says with a pool, as fast as it goes.</summary>
        /// <param name="pool">the pool, best a fresh one</param>
        /// <param name="progress">called from time to time with events done and in all; false stops the replay</param>
        /// <param name="progressInterval">events between two calls; 0: 4096</param>
        public ReplayResult Replay(Pool pool, Func<long, long, bool> progress = null, long progressInterval = 0)
        {
            using (OwnedHandle.Borrowed target = Arguments.NotNull(pool, "pool").Borrow())
                return Replay(target.Value, true, progress, progressInterval);
        }

        /// <summary>The same with an allocator: each block comes from the driver and goes back to it.</summary>
        public ReplayResult Replay(Allocator allocator, Func<long, long, bool> progress = null, long progressInterval = 0)
        {
            using (OwnedHandle.Borrowed target = Arguments.NotNull(allocator, "allocator").Borrow())
                return Replay(target.Value, false, progress, progressInterval);
        }

        /// <summary>All events.</summary>
        public IEnumerator<LogEvent> GetEnumerator()
        {
            int count = Count;
            for (int i = 0; i < count; i++) yield return this[i];
        }

        IEnumerator IEnumerable.GetEnumerator() { return GetEnumerator(); }

        /// <summary>Gives the log up.</summary>
        public void Dispose() { handle.Dispose(); }

        private ReplayResult Replay(IntPtr target, bool isPool, Func<long, long, bool> progress, long progressInterval)
        {
            clpool_trace_replay_options options = new clpool_trace_replay_options();
            options.struct_size = (uint)sizeof(clpool_trace_replay_options);
            options.progress_interval = Arguments.Bytes(progressInterval, "progressInterval");
            clpool_trace_replay_result result = new clpool_trace_replay_result();
            result.struct_size = (uint)sizeof(clpool_trace_replay_result);
            IntPtr id = IntPtr.Zero;
            if (progress != null)
            {
                id = Callbacks.Add(progress);
                options.progress = (void*)Marshal.GetFunctionPointerForDelegate(report);
                options.user = (void*)id;
            }
            try
            {
                using (OwnedHandle.Borrowed used = handle.Borrow())
                    Errors.Check(isPool ? Native.clpool_trace_replay_pool(used.Value, target, &options, &result)
                                        : Native.clpool_trace_replay_allocator(used.Value, target, &options, &result));
            }
            finally
            {
                if (progress != null) Callbacks.Remove(id);
            }
            return new ReplayResult(result);
        }

        private static int Report(IntPtr user, ulong done, ulong total)
        {
            try
            {
                return Callbacks.Find<Func<long, long, bool>>(user)((long)done, (long)total) ? 0 : 1;
            }
            catch (Exception exception)
            {
                Callbacks.Failed(exception);
                return 1;
            }
        }

        /// <inheritdoc/>
        public override string ToString() { return handle.IsDisposed ? "AllocationLog (disposed)" : "AllocationLog, " + Statistics; }
    }

    /// <summary>Writes an allocation log that RMM's tools load. Thread-safe.</summary>
    public sealed unsafe class AllocationLogWriter : IDisposable
    {
        private readonly OwnedHandle handle;

        /// <summary>Begins a log; a file of that name is replaced.</summary>
        public AllocationLogWriter(string path)
        {
            IntPtr writer;
            fixed (byte* file = Utf8.Bytes(path)) Errors.Check(Native.clpool_trace_writer_create(file, &writer));
            handle = new OwnedHandle(writer, Native.clpool_trace_writer_release, "AllocationLogWriter");
        }

        /// <summary>Adds a row: after an allocation, before a release.</summary>
        /// <param name="action">what happened</param>
        /// <param name="pointer">an identity that is unique while the block is live; 0 for failures</param>
        /// <param name="size">bytes, as requested</param>
        /// <param name="stream">number of the stream or queue</param>
        /// <param name="status">what a failed allocation returned</param>
        /// <param name="tag">free text</param>
        public void Write(LogAction action, long pointer, long size, long stream = 0, Status status = Status.Success, string tag = null)
        {
            ulong bytes = Arguments.Bytes(size, "size");
            using (OwnedHandle.Borrowed used = handle.Borrow())
            fixed (byte* text = Utf8.Bytes(tag))
                Errors.Check(Native.clpool_trace_writer_write(used.Value, (uint)action, (ulong)pointer, bytes, (ulong)stream,
                                                              (int)status, text));
        }

        /// <summary>Hands all buffered rows to the system.</summary>
        public void Flush() { using (OwnedHandle.Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_trace_writer_flush(used.Value)); }

        /// <summary>Writes what is buffered and closes the file; <see cref="Flush"/> before tells whether that works.</summary>
        public void Dispose() { handle.Dispose(); }

        /// <inheritdoc/>
        public override string ToString() { return OwnedHandle.Describe(GetType().Name, handle, IntPtr.Zero); }
    }
}
