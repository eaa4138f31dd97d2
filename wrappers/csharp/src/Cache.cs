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
    /// is cleared, and keeps an assembly loaded that is to be unloaded. Thread-safe: each key is computed once, and no lock is held
    /// meanwhile; two threads that compute keys that ask for each other wait for ever. What a result's Dispose does is up
    /// to the caller: the cache only forgets it.
    /// </summary>
    public sealed unsafe class Cache : IDisposable
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int NativeCompute(IntPtr user, IntPtr value);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void NativeForget(IntPtr number);

        // Native code holds no references on delegates: these are never collected. A value is native, and has the number of its
        // result; until it is destroyed this assembly stays loaded.
        private static readonly NativeCompute compute = Compute;
        private static readonly NativeForget forget = Forget;

        private readonly OwnedHandle handle;

        /// <summary>Makes an empty cache.</summary>
        public Cache()
        {
            IntPtr memo;
            handle = new OwnedHandle(Native.clpool_memo_release, Native.clpool_memo_release_later, "Cache");
            Errors.Check(Native.clpool_memo_create(&memo));
            handle.Own(memo);
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
        /// <param name="factory">computes the result; may use the cache, but not for its own key; nor may two threads compute keys
        /// that ask for each other: each then waits for the other for ever. What it throws becomes the inner
        /// exception, chooses the status as the constructor of <see cref="ClPoolException"/> says, and nothing is kept</param>
        /// <exception cref="InvalidCastException">the result that is kept is no T</exception>
        public T GetOrAdd<T>(CacheOwner kind, IntPtr owner, string key, Func<T> factory)
        {
            Arguments.NotNull(factory, "factory");
            Func<object?> computed = () => factory();
            IntPtr id = Callbacks.Add(computed);
            try
            {
                clpool_memo_ops ops = clpool_memo_ops.Initial();
                ops.compute = (void*)Marshal.GetFunctionPointerForDelegate(compute);
                ops.destroy = Native.csharp_result_destroyer();
                IntPtr value;
                using (Borrowed used = handle.Borrow())
                fixed (char* text = Arguments.NotNull(key, "key"))
                    Errors.Check(Native.clpool_memo_get(used.Value, (uint)kind, (void*)owner, text, Bytes(key), &ops, (void*)id, &value));
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
        /// <exception cref="InvalidCastException">it is no T</exception>
        public bool TryGet<T>(IntPtr owner, string key, out T? result)
        {
            IntPtr value;
            int status;
            using (Borrowed used = handle.Borrow())
            fixed (char* text = Arguments.NotNull(key, "key"))
                status = Native.clpool_memo_find(used.Value, (void*)owner, text, Bytes(key), &value);
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

        // A key is the text as it is, in UTF-16: as UTF-8, which has no halves of surrogate pairs, different keys would be equal.
        private static ulong Bytes(string key) { return (ulong)key.Length * sizeof(char); }

        private static T Open<T>(IntPtr value)
        {
            object? result = Callbacks.Find<Result>((IntPtr)Native.csharp_result_number(Native.clpool_memo_value_get(value)))!.Value;
            Errors.Check(Native.clpool_memo_value_release(value));
            try
            {
                return (T)result!;
            }
            catch (Exception exception) when (exception is InvalidCastException || exception is NullReferenceException)
            {
                string kept = result == null ? "null" : "a " + result.GetType();
                throw new InvalidCastException("the result that is kept for the key is " + kept + ", not a " + typeof(T), exception);
            }
        }

        private static int Compute(IntPtr user, IntPtr value)
        {
            try
            {
                object? computed;
                using (Callbacks.Suspend()) computed = Callbacks.Find<Func<object?>>(user)!();
                IntPtr domain = Callbacks.Domain, number = Callbacks.Add(new Result { Value = computed });
                Callbacks.Hold();
                void* made = Native.csharp_result_create(domain, (void*)Marshal.GetFunctionPointerForDelegate(forget), (void*)number);
                *(IntPtr*)value = (IntPtr)made;
                if (made != null) return Native.CLPOOL_SUCCESS;
                Forget(number);
                throw Callbacks.NoHostMemory();
            }
            catch (Exception exception)
            {
                return Callbacks.Failed(exception);
            }
        }

        private static void Forget(IntPtr number)
        {
            Callbacks.Remove(number);
            Callbacks.LetGo();
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
