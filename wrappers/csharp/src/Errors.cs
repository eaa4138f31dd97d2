// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Exceptions of the library, and how statuses become them. Those of single statuses are generated.
using System;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>What every exception that stands for a failed call of the library tells.</summary>
    public interface IClPoolError
    {
        /// <summary>The status that the call returned.</summary>
        Status Status { get; }
        /// <summary>The OpenCL error code behind it, such as -4; 0 if the failure did not come from OpenCL.</summary>
        int ClError { get; }
    }

    /// <summary>A call of the library failed. Mistakes of the caller are reported by <see cref="ClPoolArgumentException"/>,
    /// <see cref="ClPoolInvalidOperationException"/> and <see cref="ClPoolNotSupportedException"/> instead.</summary>
    public class ClPoolException : Exception, IClPoolError
    {
        /// <summary>Makes an exception. An allocator written in C#, or a factory of a <see cref="Cache"/>, that throws it chooses the
        /// status of the call: <see cref="ClPool.Status.OutOfMemory"/>, and an OpenCL code of -4, -5 or -6, are out of memory,
        /// which a pool answers; any other negative code is <see cref="ClPool.Status.OpenCL"/>; everything else, as other exceptions,
        /// is <see cref="ClPool.Status.Callback"/>.</summary>
        public ClPoolException(Status status, string message, int clError = 0, Exception? inner = null) : base(message, inner)
        {
            Status = status;
            ClError = clError;
        }

        /// <inheritdoc/>
        public Status Status { get; private set; }
        /// <inheritdoc/>
        public int ClError { get; private set; }
    }

    /// <summary>Device memory, or a limit, is exhausted, and everything that could help was tried.</summary>
    public sealed class OutOfDeviceMemoryException : ClPoolException
    {
        /// <summary>Makes an exception; allocators written in C# throw it when they are out of memory.</summary>
        public OutOfDeviceMemoryException(string message, int clError = 0, Exception? inner = null)
            : base(Status.OutOfMemory, message, clError, inner)
        {
        }
    }
}

namespace ClPool.Interop
{
    /// <summary>Statuses of native calls.</summary>
    internal static unsafe class Errors
    {
        internal static void Check(int status)
        {
            if (status != Native.CLPOOL_SUCCESS) throw Exception(status);
        }

        /// <summary>The exception for the calling thread's last failed call.</summary>
        internal static Exception Exception(int status)
        {
            string message = Utf8.Read(Native.clpool_last_error_message());
            int clError = Native.clpool_last_cl_error();
            if (string.IsNullOrEmpty(message)) message = Utf8.Read(Native.clpool_status_string(status));
            return Native.ExceptionOf(status, message, clError, Callbacks.TakePending());
        }

        /// <summary>For the few OpenCL functions that are called here.</summary>
        internal static void CheckCl(int code, string function)
        {
            if (code == 0) return;
            throw new ClPoolException(Status.OpenCL, function + " failed with " + Utf8.Read(Native.clpool_cl_error_name(code)), code);
        }

        /// <summary>For what is refused before native code.</summary>
        internal static Exception WrongState(string message) { return new ClPoolInvalidOperationException(message, 0, null); }

        /// <summary>For a command that ended with an error.</summary>
        internal static Exception OfCommand(int state)
        {
            string name = Utf8.Read(Native.clpool_cl_error_name(state));
            return new ClPoolException(Status.OpenCL, "the command failed with " + name + " (" + state + ")", state);
        }
    }
}
