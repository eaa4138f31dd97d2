// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Memory that the host can address: copies from and to arrays, and spans where the target has them.
using System;

namespace ClPool.Interop
{
    internal static unsafe class HostAccess
    {
#if NET
        internal static Span<T> Span<T>(IntPtr pointer, long available, long offset, long size) where T : unmanaged
        {
            if (pointer == IntPtr.Zero) throw NoAddress();
            if (offset < 0 || offset > available) throw new ArgumentOutOfRangeException("offset", offset, "of " + available + " bytes");
            long bytes = size == MemoryObject.WholeSize ? available - offset : size;
            if (bytes < 0 || bytes > available - offset)
                throw new ArgumentOutOfRangeException("size", size, "of " + (available - offset) + " bytes");
            if (bytes % sizeof(T) != 0)
                throw new ArgumentException(bytes + " bytes are no whole number of " + typeof(T).Name + " of " + sizeof(T) + " bytes");
            if (bytes / sizeof(T) > int.MaxValue)
                throw new ArgumentOutOfRangeException("size", bytes, bytes / sizeof(T) + " numbers; a span has at most " + int.MaxValue);
            return new Span<T>((byte*)pointer + offset, (int)(bytes / sizeof(T)));
        }
#endif

        internal static void CopyFrom(IntPtr pointer, long available, Array source, long offset)
        {
            using (PinnedArray host = new PinnedArray(source, "source"))
            {
                byte* start = Range(pointer, available, offset, host.Bytes, "source");
                Buffer.MemoryCopy(host.Pointer, start, (long)host.Bytes, (long)host.Bytes);
            }
        }

        internal static void CopyTo(IntPtr pointer, long available, Array target, long offset)
        {
            using (PinnedArray host = new PinnedArray(target, "target"))
            {
                byte* start = Range(pointer, available, offset, host.Bytes, "target");
                Buffer.MemoryCopy(start, host.Pointer, (long)host.Bytes, (long)host.Bytes);
            }
        }

        private static byte* Range(IntPtr pointer, long available, long offset, ulong bytes, string array)
        {
            if (pointer == IntPtr.Zero) throw NoAddress();
            if (offset < 0 || offset > available) throw new ArgumentOutOfRangeException("offset", offset, "of " + available + " bytes");
            if (bytes > (ulong)(available - offset))
                throw new ArgumentOutOfRangeException(array, bytes, "bytes of the array; from offset " + offset + " on there are " + (available - offset));
            return (byte*)pointer + offset;
        }

        private static Exception NoAddress()
        {
            return Errors.WrongState("the memory has no address on the host; map it");
        }
    }
}
