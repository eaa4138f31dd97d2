// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The library as a whole: its version, its texts, its messages.
using System;
using System.Runtime.InteropServices;
using System.Threading;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>Receives one message of the library.</summary>
    /// <param name="severity">how much it matters</param>
    /// <param name="text">one line</param>
    public delegate void MessageHandler(MessageSeverity severity, string text);

    /// <summary>The native library.</summary>
    public static unsafe class Library
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void NativeMessage(IntPtr user, int severity, IntPtr text);

        // Native code holds no reference on a delegate: this one is never collected.
        private static readonly NativeMessage received = Receive;
        private static readonly object door = new object();
        private static MessageHandler? handlers;
        private static bool endsWithAssembly;
        private static bool ended; // the assembly is being unloaded

        /// <summary>Version of the native library, such as "1.0.0".</summary>
        public static string Version { get { return Utf8.Read(Native.clpool_version_string()); } }

        /// <summary>The same as one number: major * 1000000 + minor * 1000 + patch.</summary>
        public static long VersionNumber { get { return Native.clpool_version_number(); } }

        /// <summary>
        /// Raised for every warning and trace that no pool's own handler takes, and for what went wrong where no exception
        /// could be thrown. Called from the thread in which the message arose, possibly from several at once. What a handler
        /// throws is dropped. A process has one receiver: where this assembly is loaded more than once, or other code sets a receiver
        /// by the C API, the last one to do so has the messages. The end of another copy's listening leaves it alone, where both
        /// have the same libclpool-csharp.so.
        /// </summary>
        public static event MessageHandler Message
        {
            add
            {
                lock (door)
                {
                    if (!endsWithAssembly) Callbacks.BeforeUnloading(End);
                    endsWithAssembly = true;
                    handlers += value;
                    if (!ended) Native.csharp_listen((void*)Marshal.GetFunctionPointerForDelegate(received));
                }
            }
            remove
            {
                lock (door)
                {
                    handlers -= value;
                    if (handlers == null) Native.csharp_listen_no_more((void*)Marshal.GetFunctionPointerForDelegate(received));
                }
            }
        }

        /// <summary>Short English text for a status.</summary>
        public static string Describe(Status status) { return Utf8.Read(Native.clpool_status_string((int)status)); }

        /// <summary>Name of an OpenCL error code, such as "CL_INVALID_VALUE" for -30.</summary>
        public static string ClErrorName(int code) { return Utf8.Read(Native.clpool_cl_error_name(code)); }

        internal static void Send(MessageSeverity severity, string text)
        {
            MessageHandler? called = Volatile.Read(ref handlers);
            if (called == null) return;
            try
            {
                using (Callbacks.Suspend()) called(severity, text);
            }
            catch (Exception)
            {
                // There is nobody left to tell.
            }
        }

        private static void End()
        {
            lock (door)
            {
                ended = true;
                Native.csharp_listen_no_more((void*)Marshal.GetFunctionPointerForDelegate(received));
            }
        }

        internal static void ReportLeak(IntPtr memory, string site)
        {
            Send(MessageSeverity.Warning, "memory of " + Native.clpool_mem_size(memory) +
                 " bytes was not disposed of; it was allocated " + site);
        }

        private static void Receive(IntPtr user, int severity, IntPtr text)
        {
            Send((MessageSeverity)severity, Utf8.Read((void*)text));
        }
    }
}
