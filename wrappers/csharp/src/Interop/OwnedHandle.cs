// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Handles of the library that managed code owns, except those of memory, which leashes watch over.
using System;
using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using System.Threading;

namespace ClPool.Interop
{
    /// <summary>One reference to a native object. Released at once by Dispose; a finalizer may neither block nor call a driver.
    /// So the library releases a forgotten object of its own by some later call, whoever makes it, and a forgotten one of OpenCL
    /// is put on a list, which a later call of this assembly works off, or the end of the assembly.</summary>
    internal sealed class OwnedHandle : SafeHandle, ILender
    {
        internal delegate int Releaser(IntPtr handle);

        private static readonly ConcurrentQueue<OwnedHandle> late = new ConcurrentQueue<OwnedHandle>();
        private static volatile bool putOff;    // something, here or in the library
        private static volatile bool unloading; // there may be no later call of this assembly

        private readonly Releaser release;
        private readonly Releaser? releaseLater;
        private readonly string owner;
        private volatile bool disposed; // SafeHandle is closed only when no call uses it any more
        private bool forgotten;
        private IntPtr left;

        static OwnedHandle()
        {
            Callbacks.BeforeUnloading(() =>
            {
                unloading = true;
                Interlocked.MemoryBarrier(); // a finalizer sees that, or what it left is seen here
                if (putOff) NotePutOff();    // this comes at the end of a process, too, where the driver is better left alone
            });
        }

        /// <summary>For a reference that is made next, when all that is managed is there: none is lost where there is no memory for that.
        /// <see cref="Own"/> follows.</summary>
        /// <param name="release">gives it up</param>
        /// <param name="releaseLater">the same for a finalizer; null for an object of OpenCL</param>
        /// <param name="owner">what ObjectDisposedException names</param>
        internal OwnedHandle(Releaser release, Releaser? releaseLater, string owner) : base(IntPtr.Zero, true)
        {
            this.release = release;
            this.releaseLater = releaseLater;
            this.owner = owner;
            ReleaseForgotten();
        }

        /// <summary>Takes the reference over.</summary>
        internal void Own(IntPtr value) { SetHandle(value); }

        /// <summary>The value, for who has borrowed it.</summary>
        internal IntPtr Lent { get { return handle; } }

        /// <summary>Whether it is a handle of that value.</summary>
        internal bool Is(IntPtr value) { return handle == value; }

        /// <summary>Whether Dispose was called; calls that began before may still use the handle.</summary>
        internal bool IsDisposed { get { return disposed; } }

        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }

        /// <summary>The handle for as long as the result is not disposed of, which another thread's Dispose waits for.</summary>
        /// <exception cref="ObjectDisposedException">after Dispose</exception>
        internal Borrowed Borrow()
        {
            bool added = false;
            try
            {
                DangerousAddRef(ref added);
            }
            catch (ObjectDisposedException)
            {
                throw new ObjectDisposedException(owner);
            }
            if (disposed)
            {
                DangerousRelease();
                throw new ObjectDisposedException(owner);
            }
            return new Borrowed(this, handle);
        }

        /// <summary>The text of an object over a handle.</summary>
        internal static string Describe(string name, OwnedHandle? owned, IntPtr foreign)
        {
            if (owned != null && owned.IsDisposed) return name + " (disposed)";
            IntPtr value = owned == null ? foreign : owned.handle;
            return name + " 0x" + value.ToInt64().ToString("x");
        }

        /// <summary>Releases what finalizers left.</summary>
        internal static unsafe void ReleaseForgotten()
        {
            if (!putOff) return;
            putOff = false;
            ReleaseLate();
            IntPtr memo; // the least that makes the library carry out what it put off
            if (Native.clpool_memo_create(&memo) == Native.CLPOOL_SUCCESS) Native.clpool_memo_release(memo);
        }

        /// <summary>After a finalizer has put a release off: where this assembly is being unloaded, it is carried out.</summary>
        internal static void NotePutOff()
        {
            putOff = true;
            if (!unloading) return;
#if NET
            // On a thread that may wait; the assembly stays until it is done.
            ThreadPool.UnsafeQueueUserWorkItem(nothing => ReleaseForgotten(), null);
#else
            ReleaseLate(); // no other thread runs here any more; what the library put off, somebody else's call carries out
#endif
        }

        protected override void Dispose(bool disposing)
        {
            disposed = true;
            forgotten = !disposing;
            base.Dispose(disposing);
        }

        protected override bool ReleaseHandle()
        {
            if (!forgotten)
            {
                int code = release(handle);
                if (code != 0) TellFailure(code);
                return true;
            }
            if (releaseLater != null)
            {
                releaseLater(handle);
            }
            else
            {
                left = handle;
                late.Enqueue(this);
            }
            NotePutOff();
            return true;
        }

        // Dispose throws nothing. The library's own objects have left a text; codes of OpenCL are what is left of its.
        private unsafe void TellFailure(int code)
        {
            string text = releaseLater != null ? Utf8.Read(Native.clpool_last_error_message()) : Library.ClErrorName(code) + " (" + code + ")";
            Library.Send(MessageSeverity.Error, owner + ": giving it back failed: " + text);
        }

        private static void ReleaseLate()
        {
            OwnedHandle? found;
            while (late.TryDequeue(out found)) found.release(found.left);
        }

        void ILender.Return() { DangerousRelease(); }
    }
}
