// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Functions of managed code that native code calls. No exception may cross native frames: each is caught here, kept for the
// calling thread, and thrown as the inner exception of what the managed caller gets. Native code knows its target by a
// number, so that a call that comes too late finds nothing instead of freed memory.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
#if NET
using System.Runtime.Loader;
#endif
using System.Threading;

namespace ClPool.Interop
{
    internal static class Callbacks
    {
        private static readonly Dictionary<IntPtr, object> targets = new Dictionary<IntPtr, object>(); // behind the door
        private static long last;

        private static readonly object door = new object();
        private static int holders;
        private static GCHandle held;
        private static IntPtr domain;

        [ThreadStatic] private static Exception? pending;
        [ThreadStatic] private static bool mayBeAnswered; // it is an allocator's "out of memory"

        /// <summary>Makes a target known; it stays until <see cref="Remove"/>.</summary>
        internal static IntPtr Add(object target)
        {
            using (Uninterrupted.Lock(door))
            {
                IntPtr id = new IntPtr(++last);
                targets[id] = target;
                return id;
            }
        }

        internal static void Remove(IntPtr id)
        {
            using (Uninterrupted.Lock(door)) targets.Remove(id);
        }

        /// <summary>Keeps this assembly from being unloaded, as that of a plug-in may be, while native code may call it.</summary>
        internal static void Hold()
        {
            using (Uninterrupted.Lock(door))
            {
                if (holders++ == 0) held = GCHandle.Alloc(typeof(Callbacks));
            }
        }

        /// <summary>What native code asks whether it may call functions of this assembly; on Mono nothing holds that.</summary>
        internal static IntPtr Domain
        {
            get
            {
                using (Uninterrupted.Lock(door))
                {
                    if (domain != IntPtr.Zero) return domain;
                    domain = Native.csharp_domain_create();
                    if (domain == IntPtr.Zero) throw NoHostMemory();
#if !NET
                    IntPtr closed = domain;
                    BeforeUnloading(() => Native.csharp_domain_close(closed));
#endif
                    return domain;
                }
            }
        }

        internal static Exception NoHostMemory()
        {
            return new ClPoolException(Status.OutOfHostMemory, "there is no memory of the host for a callback");
        }

        /// <summary>Ends one <see cref="Hold"/>.</summary>
        internal static void LetGo()
        {
            using (Uninterrupted.Lock(door))
            {
                if (--holders == 0) held.Free();
            }
        }

        /// <summary>Does something when the unloading of this assembly, or of Mono's application domain, begins.</summary>
        internal static void BeforeUnloading(Action action)
        {
#if NET
            AssemblyLoadContext? context = AssemblyLoadContext.GetLoadContext(typeof(Callbacks).Assembly);
            if (context != null && context.IsCollectible) context.Unloading += unloaded => action();
#else
            AppDomain.CurrentDomain.DomainUnload += (domain, nothing) => action();
#endif
        }

        /// <summary>The target, or null when it is gone.</summary>
        internal static T? Find<T>(IntPtr id) where T : class
        {
            object? found;
            using (Uninterrupted.Lock(door)) targets.TryGetValue(id, out found);
            WeakReference? weak = found as WeakReference;
            return (weak == null ? found : weak.Target) as T;
        }

        /// <summary>Keeps what a callback threw for the managed caller on the same thread, and tells the status that the callback
        /// returns. An earlier failure, of which nobody else will know, becomes a message.</summary>
        /// <param name="exception">what it threw</param>
        /// <param name="allocates">whether a pool may go on after "out of memory"</param>
        internal static int Failed(Exception exception, bool allocates = false)
        {
            ReportPending();
            int status = StatusOf(exception as IClPoolError);
            pending = exception;
            mayBeAnswered = allocates && IsOutOfMemory(status);
            return status;
        }

        /// <summary>While a callback runs the user's code: what failed before it is for the call that it is in, and those that the code
        /// makes have no part in it. Disposed of before <see cref="Failed"/>.</summary>
        internal static Suspended Suspend() { return new Suspended(TakePending(), mayBeAnswered); }

        /// <summary>What is pending for the outer call.</summary>
        internal struct Suspended : IDisposable
        {
            private readonly Exception? kept;
            private readonly bool keptMayBeAnswered;

            internal Suspended(Exception? pending, bool mayBeAnswered)
            {
                kept = pending;
                keptMayBeAnswered = mayBeAnswered;
            }

            public void Dispose()
            {
                ReportPending();
                pending = kept;
                mayBeAnswered = keptMayBeAnswered;
            }
        }

        /// <summary>The last failure of this thread's callbacks since the last call; null for none.</summary>
        internal static Exception? TakePending()
        {
            Exception? taken = pending;
            if (taken != null) pending = null;
            return taken;
        }

        /// <summary>After a call that succeeded although one of its callbacks failed: it is told, unless the call was its
        /// answer.</summary>
        internal static void ReportPending()
        {
            Exception? failure = TakePending();
            if (failure != null && !mayBeAnswered) Library.Send(MessageSeverity.Error, "a callback failed: " + TextOf(failure));
        }

        /// <summary>What an exception says of itself, or its type if saying so fails, which must not reach native code either.</summary>
        internal static string TextOf(Exception exception)
        {
            try
            {
                return exception.ToString();
            }
            catch (Exception)
            {
                return exception.GetType().ToString();
            }
        }

        // As C's callbacks: out of memory, or an OpenCL code, which is negative; anything else is a failed callback.
        private static int StatusOf(IClPoolError? error)
        {
            if (error == null) return Native.CLPOOL_ERROR_CALLBACK;
            if (error.Status == Status.OutOfMemory && !IsOutOfMemory(error.ClError)) return Native.CLPOOL_ERROR_OUT_OF_MEMORY;
            return error.ClError < 0 ? error.ClError : Native.CLPOOL_ERROR_CALLBACK;
        }

        private static bool IsOutOfMemory(int status)
        {
            return status == Native.CLPOOL_ERROR_OUT_OF_MEMORY || status == -4 || status == -5 || status == -6;
        }
    }
}
