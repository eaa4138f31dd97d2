// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Functions of managed code that native code calls. No exception may cross native frames: each is caught here, kept for the
// calling thread, and thrown as the inner exception of what the managed caller gets. Native code knows its target by a
// number, so that a call that comes too late finds nothing instead of freed memory.
using System;
using System.Collections.Concurrent;
using System.Threading;

namespace ClPool.Interop
{
    internal static class Callbacks
    {
        private static readonly ConcurrentDictionary<IntPtr, object> targets = new ConcurrentDictionary<IntPtr, object>();
        private static long last;

        [ThreadStatic] private static Exception? pending;

        /// <summary>Makes a target known; it stays until <see cref="Remove"/>.</summary>
        internal static IntPtr Add(object target)
        {
            IntPtr id = new IntPtr(Interlocked.Increment(ref last));
            targets[id] = target;
            return id;
        }

        internal static void Remove(IntPtr id)
        {
            object? removed;
            targets.TryRemove(id, out removed);
        }

        /// <summary>The target, or null when it is gone.</summary>
        internal static T? Find<T>(IntPtr id) where T : class
        {
            object? found;
            if (!targets.TryGetValue(id, out found)) return null;
            WeakReference? weak = found as WeakReference;
            return (weak == null ? found : weak.Target) as T;
        }

        /// <summary>Keeps what a callback threw for the managed caller on the same thread.</summary>
        internal static void Failed(Exception exception) { pending = exception; }

        /// <summary>What callbacks of this thread threw since the last call; null for nothing.</summary>
        internal static Exception? TakePending()
        {
            Exception? taken = pending;
            if (taken != null) pending = null;
            return taken;
        }

        /// <summary>After a call that succeeded although one of its callbacks failed.</summary>
        internal static void ReportPending()
        {
            Exception? failure = TakePending();
            if (failure != null) Library.Send(MessageSeverity.Error, "a callback failed: " + failure);
        }
    }
}
