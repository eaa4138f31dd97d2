// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Results cached per OpenCL object: what is computed once for a context, device, queue or pool, and a key.
using System;
using System.Runtime.InteropServices;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>
    /// Results that belong to an OpenCL object, such as built programs. It holds the objects that it has results for, until it
    /// is cleared. Thread-safe: each key is computed once, and no lock is held meanwhile. What a result's Dispose does is up
    /// to the caller: the cache only forgets it.
    /// </summary>
    public sealed unsafe class Cache : IDisposable
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int NativeCompute(IntPtr user, IntPtr value);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void NativeDestroy(IntPtr user, IntPtr value);

        // Native code holds no references on delegates: these are never collected. A value is the number of its result.
        private static readonly NativeCompute compute = Compute;
        private static readonly NativeDestroy destroy = (user, value) => Callbacks.Remove(value);

        private readonly OwnedHandle handle;

        /// <summary>Makes an empty cache.</summary>
        public Cache()
        {
            IntPtr memo;
            Errors.Check(Native.clpool_memo_create(&memo));
            handle = new OwnedHandle(memo, Native.clpool_memo_release, "Cache");
        }

        /// <summary>Number of results that are kept.</summary>
        public long Count
        {
            get
            {
                ulong size;
                using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_memo_size(used.Value, &size));
                return (long)size;
            }
        }

        /// <summary>The result for an object and a key: the one that is kept, or a new one.</summary>
        /// <param name="kind">what the object is</param>
        /// <param name="owner">the OpenCL handle; held until the result is cleared</param>
        /// <param name="key">any text</param>
        /// <param name="factory">computes the result; may use the cache, but not for its own key. What it throws becomes the
        /// inner exception, and nothing is kept</param>
        public T GetOrAdd<T>(CacheOwner kind, IntPtr owner, string key, Func<T> factory)
        {
            Arguments.NotNull(factory, "factory");
            Func<object?> computed = () => factory();
            IntPtr id = Callbacks.Add(computed);
            try
            {
                clpool_memo_ops ops = clpool_memo_ops.Initial();
                ops.compute = (void*)Marshal.GetFunctionPointerForDelegate(compute);
                ops.destroy = (void*)Marshal.GetFunctionPointerForDelegate(destroy);
                byte[] bytes = Utf8.Bytes(Arguments.NotNull(key, "key"))!;
                IntPtr value;
                using (Borrowed used = handle.Borrow())
                fixed (byte* text = bytes)
                    Errors.Check(Native.clpool_memo_get(used.Value, (uint)kind, (void*)owner, text, (ulong)bytes.Length, &ops,
                                                        (void*)id, &value));
                return Open<T>(value);
            }
            finally
            {
                Callbacks.Remove(id);
            }
        }

        /// <summary>The same for a context.</summary>
        public T GetOrAdd<T>(ComputeContext owner, string key, Func<T> factory)
        {
            using (Borrowed used = Arguments.Borrow(owner, "owner"))
                return GetOrAdd(CacheOwner.Context, used.Value, key, factory);
        }

        /// <summary>The same for a queue.</summary>
        public T GetOrAdd<T>(CommandQueue owner, string key, Func<T> factory)
        {
            using (Borrowed used = Arguments.Borrow(owner, "owner"))
                return GetOrAdd(CacheOwner.Queue, used.Value, key, factory);
        }

        /// <summary>The same for a pool.</summary>
        public T GetOrAdd<T>(Pool owner, string key, Func<T> factory)
        {
            using (Borrowed used = Arguments.NotNull(owner, "owner").Borrow())
                return GetOrAdd(CacheOwner.Pool, used.Value, key, factory);
        }

        /// <summary>The result for an object and a key if it is kept.</summary>
        public bool TryGet<T>(IntPtr owner, string key, out T? result)
        {
            byte[] bytes = Utf8.Bytes(Arguments.NotNull(key, "key"))!;
            IntPtr value;
            int status;
            using (Borrowed used = handle.Borrow())
            fixed (byte* text = bytes)
                status = Native.clpool_memo_find(used.Value, (void*)owner, text, (ulong)bytes.Length, &value);
            result = default(T);
            if (status == Native.CLPOOL_ERROR_NOT_FOUND) return false;
            Errors.Check(status);
            result = Open<T>(value);
            return true;
        }

        /// <summary>Forgets all results and gives up their objects.</summary>
        public void Clear() { using (Borrowed used = handle.Borrow()) Errors.Check(Native.clpool_memo_clear(used.Value)); }

        /// <summary>Forgets the results of one object.</summary>
        public void Clear(IntPtr owner)
        {
            using (Borrowed used = handle.Borrow())
                Errors.Check(Native.clpool_memo_clear_object(used.Value, (void*)owner));
        }

        /// <summary>Clears every cache of the process.</summary>
        public static void ClearAll() { Errors.Check(Native.clpool_memo_clear_all()); }

        /// <summary>Gives the cache up, which clears it.</summary>
        public void Dispose() { handle.Dispose(); }

        private static T Open<T>(IntPtr value)
        {
            T result = (T)Callbacks.Find<Result>((IntPtr)Native.clpool_memo_value_get(value))!.Value!;
            Errors.Check(Native.clpool_memo_value_release(value));
            return result;
        }

        private static int Compute(IntPtr user, IntPtr value)
        {
            try
            {
                object? computed = Callbacks.Find<Func<object?>>(user)!();
                *(IntPtr*)value = Callbacks.Add(new Result { Value = computed });
                return Native.CLPOOL_SUCCESS;
            }
            catch (Exception exception)
            {
                Callbacks.Failed(exception);
                return Native.CLPOOL_ERROR_CALLBACK;
            }
        }

        // A result may be null, which the table of targets cannot hold.
        private sealed class Result
        {
            internal object? Value;
        }

        /// <inheritdoc/>
        public override string ToString() { return OwnedHandle.Describe(GetType().Name, handle, IntPtr.Zero); }
    }
}
