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
    /// <summary>An allocation log in RMM's format. It never changes: any number of threads may use it.</summary>
    public sealed unsafe class AllocationLog : IReadOnlyList<LogEvent>, IDisposable
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int NativeProgress(IntPtr user, ulong done, ulong total);

        private static readonly NativeProgress report = Report; // never collected

        private readonly OwnedHandle handle;

        private AllocationLog() { handle = new OwnedHandle(Native.clpool_trace_release, Native.clpool_trace_release_later, "AllocationLog"); }

        /// <summary>Reads a log from an uncompressed file.</summary>
        public static AllocationLog Open(string path)
        {
            IntPtr trace;
            AllocationLog made = new AllocationLog();
            fixed (byte* file = Utf8.Bytes(Arguments.NotNull(path, "path"), "path")) Errors.Check(Native.clpool_trace_open(file, &trace));
            made.handle.Own(trace);
            return made;
        }

        /// <summary>Reads a log from text.</summary>
        /// <param name="text">the log</param>
        /// <param name="name">for messages</param>
        public static AllocationLog Parse(string text, string name = "log")
        {
            IntPtr trace;
            AllocationLog made = new AllocationLog();
            byte[] bytes = Encoding.UTF8.GetBytes(Arguments.NotNull(text, "text") + "\0");
            fixed (byte* content = bytes)
            fixed (byte* called = Utf8.Bytes(Arguments.NotNull(name, "name"), "name"))
                Errors.Check(Native.clpool_trace_parse(content, (ulong)bytes.Length - 1, called, &trace));
            made.handle.Own(trace);
            return made;
        }

        /// <summary>Figures of the log.</summary>
        public LogStatistics Statistics
        {
            get
            {
                clpool_trace_stats stats = clpool_trace_stats.Initial();
                using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_trace_statistics(used.Value, &stats));
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
                clpool_trace_event found = clpool_trace_event.Initial();
                ulong number = Arguments.Bytes(index, "index");
                using (Borrowed used = handle.Borrow())
                {
                    int status = Native.clpool_trace_event_at(used.Value, number, &found);
                    if (status != Native.CLPOOL_SUCCESS && index >= Count)
                        throw new ArgumentOutOfRangeException("index", index, "of " + Count + " events");
                    Errors.Check(status);
                }
                return new LogEvent(found);
            }
        }

        /// <summary>Does what the log says with a pool, as fast as it goes.</summary>
        /// <param name="pool">the pool, best a fresh one</param>
        /// <param name="progress">called from time to time with events done and in all; false stops the replay</param>
        /// <param name="progressInterval">events between two calls; 0: 4096</param>
        public ReplayResult Replay(Pool pool, Func<long, long, bool>? progress = null, long progressInterval = 0)
        {
            using (Borrowed target = Arguments.NotNull(pool, "pool").Borrow())
                return Replay(target.Value, true, progress, progressInterval);
        }

        /// <summary>The same with an allocator: each block comes from the driver and goes back to it.</summary>
        public ReplayResult Replay(Allocator allocator, Func<long, long, bool>? progress = null, long progressInterval = 0)
        {
            using (Borrowed target = Arguments.NotNull(allocator, "allocator").Borrow())
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

        private ReplayResult Replay(IntPtr target, bool isPool, Func<long, long, bool>? progress, long progressInterval)
        {
            clpool_trace_replay_options options = clpool_trace_replay_options.Initial();
            options.progress_interval = Arguments.Bytes(progressInterval, "progressInterval");
            clpool_trace_replay_result result = clpool_trace_replay_result.Initial();
            IntPtr id = IntPtr.Zero;
            if (progress != null)
            {
                id = Callbacks.Add(progress);
                options.progress = (void*)Marshal.GetFunctionPointerForDelegate(report);
                options.user = (void*)id;
            }
            try
            {
                using (Borrowed used = handle.Borrow())
                    Errors.Check(isPool ? Native.clpool_trace_replay_pool(used.Value, target, &options, &result)
                                        : Native.clpool_trace_replay_allocator(used.Value, target, &options, &result));
            }
            finally
            {
                if (progress != null) Callbacks.Remove(id);
            }
            Callbacks.ReportPending();
            return new ReplayResult(result);
        }

        private static int Report(IntPtr user, ulong done, ulong total)
        {
            try
            {
                using (Callbacks.Suspend()) return Callbacks.Find<Func<long, long, bool>>(user)!((long)done, (long)total) ? 0 : 1;
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
            handle = new OwnedHandle(Native.clpool_trace_writer_release, Native.clpool_trace_writer_release_later, "AllocationLogWriter");
            fixed (byte* file = Utf8.Bytes(Arguments.NotNull(path, "path"), "path")) Errors.Check(Native.clpool_trace_writer_create(file, &writer));
            handle.Own(writer);
        }

        /// <summary>Adds a row: after an allocation, before a release.</summary>
        /// <param name="action">what happened</param>
        /// <param name="pointer">an identity that is unique while the block is live; 0 for failures</param>
        /// <param name="size">bytes, as requested</param>
        /// <param name="stream">number of the stream or queue</param>
        /// <param name="status">what a failed allocation returned</param>
        /// <param name="tag">free text, of which at most 200 bytes are kept; commas, quotes and control characters become _</param>
        public void Write(LogAction action, long pointer, long size, long stream = 0, Status status = Status.Success, string? tag = null)
        {
            ulong bytes = Arguments.Bytes(size, "size");
            using (Borrowed used = handle.Borrow())
            fixed (byte* text = Utf8.Bytes(tag, "tag"))
                Errors.Check(Native.clpool_trace_writer_write(used.Value, (uint)action, (ulong)pointer, bytes, (ulong)stream,
                                                              (int)status, text));
        }

        /// <summary>Hands all buffered rows to the system.</summary>
        public void Flush() { using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_trace_writer_flush(used.Value)); }

        /// <summary>Writes what is buffered and closes the file; <see cref="Flush"/> before tells whether that works.</summary>
        public void Dispose() { handle.Dispose(); }

        /// <inheritdoc/>
        public override string ToString() { return OwnedHandle.Describe(GetType().Name, handle, IntPtr.Zero); }
    }
}
