// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Allocators written in C#.
using System;
using System.Runtime.InteropServices;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>What an allocator written in C# does. Called without any lock held, possibly from several threads.</summary>
    public interface IMemorySource
    {
        /// <summary>Makes a chunk.</summary>
        /// <param name="size">bytes, > 0</param>
        /// <param name="alignment">bytes, a power of two, of which the chunk's value must be a multiple if pointers are to be
        /// aligned</param>
        /// <returns>any value but 0; pointers of blocks are this value plus the block's offset</returns>
        /// <exception cref="OutOfDeviceMemoryException">to be thrown when out of memory, which a pool answers by giving memory
        /// back and asking again; any other exception fails the request and becomes the inner exception
        /// (the constructor of <see cref="ClPoolException"/> says with which status)</exception>
        long Allocate(long size, long alignment);

        /// <summary>Takes a chunk back, with the size that it was made with. What it throws is sent to
        /// <see cref="Library.Message"/>.</summary>
        void Deallocate(long chunk, long size);
    }

    /// <summary>Memory from an <see cref="IMemorySource"/>, which lives as long as pools or memory use it, and keeps its assembly
    /// loaded so long; an AppDomain that Mono unloads takes it along, and its chunks are not given back then.</summary>
    public sealed unsafe class CustomAllocator : Allocator
    {
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int NativeAllocate(IntPtr user, ulong size, ulong alignment, IntPtr chunk);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void NativeDeallocate(IntPtr user, ulong chunk, ulong size);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void NativeDestroy(IntPtr user);

        // Native code holds no references on delegates: these are never collected.
        private static readonly NativeAllocate allocate = AllocateChunk;
        private static readonly NativeDeallocate deallocate = DeallocateChunk;
        private static readonly NativeDestroy destroy = Forget;

        /// <summary>Makes an allocator of a source.</summary>
        public CustomAllocator(IMemorySource source) : base(Make(source), MemoryKind.Custom) { }

        private static OwnedHandle Make(IMemorySource source)
        {
            OwnedHandle handle = NewHandle("CustomAllocator");
            IntPtr domain = Callbacks.Domain, id = Callbacks.Add(Arguments.NotNull(source, "source"));
            Callbacks.Hold();
            clpool_allocator_ops ops = clpool_allocator_ops.Initial();
            ops.allocate = (void*)Marshal.GetFunctionPointerForDelegate(allocate);
            ops.deallocate = (void*)Marshal.GetFunctionPointerForDelegate(deallocate);
            ops.destroy = (void*)Marshal.GetFunctionPointerForDelegate(destroy);
            void* user = (void*)id;
            if (Native.csharp_guard_allocator(domain, &ops, &user) != Native.CLPOOL_SUCCESS)
            {
                Forget(id);
                throw Callbacks.NoHostMemory();
            }
            IntPtr made;
            int status = Native.clpool_allocator_create_custom(&ops, user, &made);
            if (status == Native.CLPOOL_SUCCESS)
            {
                handle.Own(made);
                return handle;
            }
            Exception failure = Errors.Exception(status);
            Native.csharp_guarded_allocator_destroy(user);
            throw failure;
        }

        private static void Forget(IntPtr user)
        {
            Callbacks.Remove(user);
            Callbacks.LetGo();
        }

        private static int AllocateChunk(IntPtr user, ulong size, ulong alignment, IntPtr chunk)
        {
            try
            {
                IMemorySource? source = Callbacks.Find<IMemorySource>(user);
                if (source == null) return Native.CLPOOL_ERROR_CALLBACK;
                using (Callbacks.Suspend()) *(long*)chunk = source.Allocate((long)size, (long)alignment);
                return Native.CLPOOL_SUCCESS;
            }
            catch (Exception exception)
            {
                return Callbacks.Failed(exception, true);
            }
        }

        private static void DeallocateChunk(IntPtr user, ulong chunk, ulong size)
        {
            try
            {
                IMemorySource? source = Callbacks.Find<IMemorySource>(user);
                using (Callbacks.Suspend())
                    if (source != null) source.Deallocate((long)chunk, (long)size);
            }
            catch (Exception exception)
            {
                Library.Send(MessageSeverity.Error, "a memory source failed to take a chunk back: " + Callbacks.TextOf(exception));
            }
        }
    }
}
