// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The functions of the user that a pool calls.
using System;
using System.Runtime.InteropServices;

namespace ClPool.Interop
{
    /// <summary>The user's functions of one pool. The pool and its blocks hold this object, native code only its number; and,
    /// until it calls none of them any more, this assembly.</summary>
    internal sealed unsafe class PoolCallbacks
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void NativeCollect(IntPtr user);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int NativeOutOfMemory(IntPtr user, ulong size, uint attempt);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void NativeDestroy(IntPtr user);

        // Native code holds no references on delegates: these are never collected.
        private static readonly NativeCollect nativeCollect = RunCollect;
        private static readonly NativeOutOfMemory nativeOutOfMemory = RunOutOfMemory;
        private static readonly Library.NativeMessage nativeMessage = RunMessage;
        private static readonly NativeDestroy nativeDestroy = Forget;

        private readonly Action? collect;
        private readonly Func<long, int, bool>? outOfMemory;
        private readonly MessageHandler? message;

        private PoolCallbacks(PoolOptions options)
        {
            bool collectsLast = options.OutOfMemory != null && options.CollectsByDefault;
            collect = collectsLast ? null : options.Collect;
            outOfMemory = collectsLast ? CollectsLast.Behind(options.OutOfMemory!) : options.OutOfMemory;
            message = options.Message;
        }

        /// <summary>Null if the options have no functions.</summary>
        internal static PoolCallbacks? Of(PoolOptions options)
        {
            bool none = options.Collect == null && options.OutOfMemory == null && options.Message == null;
            return none ? null : new PoolCallbacks(options);
        }

        /// <summary>Makes a pool with these functions.</summary>
        internal IntPtr Create(IntPtr allocator, clpool_pool_options* options)
        {
            IntPtr domain = Callbacks.Domain, id = Callbacks.Add(new WeakReference(this)), pool;
            Callbacks.Hold();
            clpool_pool_callbacks functions = ToNative();
            void* user = (void*)id;
            if (Native.csharp_guard_pool(domain, &functions, &user) != Native.CLPOOL_SUCCESS)
            {
                Forget(id);
                throw Callbacks.NoHostMemory();
            }
            options->callbacks = &functions;
            options->user = user;
            int status = Native.clpool_pool_create(allocator, options, &pool);
            if (status == Native.CLPOOL_SUCCESS) return pool;
            Exception failure = Errors.Exception(status);
            Native.csharp_guarded_pool_destroy(user);
            throw failure;
        }

        private static void Forget(IntPtr user)
        {
            Callbacks.Remove(user);
            Callbacks.LetGo();
        }

        private clpool_pool_callbacks ToNative()
        {
            clpool_pool_callbacks native = clpool_pool_callbacks.Initial();
            if (collect != null) native.collect = (void*)Marshal.GetFunctionPointerForDelegate(nativeCollect);
            if (outOfMemory != null) native.out_of_memory = (void*)Marshal.GetFunctionPointerForDelegate(nativeOutOfMemory);
            if (message != null) native.message = (void*)Marshal.GetFunctionPointerForDelegate(nativeMessage);
            native.destroy = (void*)Marshal.GetFunctionPointerForDelegate(nativeDestroy);
            return native;
        }

        private static void RunCollect(IntPtr user)
        {
            try
            {
                PoolCallbacks? found = Callbacks.Find<PoolCallbacks>(user);
                using (Callbacks.Suspend())
                    if (found != null) found.collect!();
                OwnedHandle.ReleaseForgotten();
            }
            catch (Exception exception)
            {
                Callbacks.Failed(exception);
            }
        }

        private static int RunOutOfMemory(IntPtr user, ulong size, uint attempt)
        {
            try
            {
                PoolCallbacks? found = Callbacks.Find<PoolCallbacks>(user);
                using (Callbacks.Suspend()) return found != null && found.outOfMemory!((long)size, (int)attempt) ? 1 : 0;
            }
            catch (Exception exception)
            {
                Callbacks.Failed(exception);
                return 0;
            }
        }

        private static void RunMessage(IntPtr user, int severity, IntPtr text)
        {
            try
            {
                PoolCallbacks? found = Callbacks.Find<PoolCallbacks>(user);
                using (Callbacks.Suspend())
                    if (found != null) found.message!((MessageSeverity)severity, Utf8.Read((void*)text));
            }
            catch (Exception exception)
            {
                Library.Send(MessageSeverity.Error, "a message handler failed: " + Callbacks.TextOf(exception));
            }
        }
    }
}
