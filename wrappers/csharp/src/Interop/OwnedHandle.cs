// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Handles of the library that managed code owns, except those of memory, which leashes watch over.
using System;
using System.Collections.Concurrent;
using System.Runtime.InteropServices;

namespace ClPool.Interop
{
    /// <summary>One reference to a native object. Released at once by Dispose; a forgotten one is put on a list that the
    /// next call works off, because a finalizer may neither block nor call a driver.</summary>
    internal sealed class OwnedHandle : SafeHandle, ILender
    {
        internal delegate int Releaser(IntPtr handle);

        private static readonly ConcurrentQueue<OwnedHandle> late = new ConcurrentQueue<OwnedHandle>();

        private readonly Releaser release;
        private readonly string owner;
        private volatile bool disposed; // SafeHandle is closed only when no call uses it any more
        private bool forgotten;
        private IntPtr left;

        internal OwnedHandle(IntPtr value, Releaser release, string owner) : base(IntPtr.Zero, true)
        {
            this.release = release;
            this.owner = owner;
            SetHandle(value);
            ReleaseForgotten();
        }

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
        internal static void ReleaseForgotten()
        {
            OwnedHandle? found;
            while (!late.IsEmpty && late.TryDequeue(out found)) found.release(found.left);
        }

        protected override void Dispose(bool disposing)
        {
            disposed = true;
            forgotten = !disposing;
            base.Dispose(disposing);
        }

        protected override bool ReleaseHandle()
        {
            if (!forgotten) return release(handle) == 0;
            left = handle;
            late.Enqueue(this);
            return true;
        }

        void ILender.Return() { DangerousRelease(); }
    }
}
