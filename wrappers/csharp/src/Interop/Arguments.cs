// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Checks and conversions of arguments on their way to native code.
using System;
#if !NET
using System.Collections.Concurrent;
using System.Reflection;
#endif
using System.Runtime.InteropServices;

namespace ClPool.Interop
{
    internal static unsafe class Arguments
    {
        /// <summary>A size or an offset; the library never sees a negative one.</summary>
        internal static ulong Bytes(long value, string name)
        {
            if (value < 0) throw new ArgumentOutOfRangeException(name, value, "must not be negative");
            return (ulong)value;
        }

        /// <summary>A size of which <see cref="MemoryObject.WholeSize"/> means all that is left.</summary>
        internal static ulong BytesOrWhole(long value, string name)
        {
            return value == MemoryObject.WholeSize ? ulong.MaxValue : Bytes(value, name);
        }

        /// <summary>A number of the library where .NET wants 32 bits.</summary>
        internal static int Int32(ulong value, string name)
        {
            if (value > int.MaxValue) throw new OverflowException(value + " " + name + " are more than " + int.MaxValue);
            return (int)value;
        }

        /// <summary>What a number was rounded up to, which may be beyond what C# counts with.</summary>
        internal static long Rounded(ulong value, long given, string name)
        {
            if (value > long.MaxValue)
                throw new ArgumentOutOfRangeException(name, given, "would be rounded up to " + value + ", at most " + long.MaxValue + " is possible");
            return (long)value;
        }

        internal static T NotNull<T>(T? value, string name) where T : class
        {
            if (value == null) throw new ArgumentNullException(name);
            return value;
        }

        /// <summary>Three numbers for origins; what is left out is `rest`. Null stays null.</summary>
        internal static ulong[]? Triple(long[]? values, ulong rest, string name)
        {
            return values == null ? null : Three(values, rest, name);
        }

        /// <summary>The same for regions and shapes, which must be there.</summary>
        internal static ulong[] Three(long[]? given, ulong rest, string name)
        {
            long[] values = NotNull(given, name);
            if (values.Length > 3) throw new ArgumentException("has " + values.Length + " entries; at most 3 are possible", name);
            ulong[] result = { rest, rest, rest };
            for (int i = 0; i < values.Length; i++) result[i] = Bytes(values[i], name);
            return result;
        }

        /// <summary>The handle of an object for the time of a call.</summary>
        internal static Borrowed Borrow(IBorrowable? from, string name) { return NotNull(from, name).Borrow(); }

        /// <summary>The same for one that may be missing: its handle is zero.</summary>
        internal static Borrowed BorrowOptional(IBorrowable? fromOrNull)
        {
            return fromOrNull == null ? new Borrowed(IntPtr.Zero) : fromOrNull.Borrow();
        }

        internal static uint Count(Array? array) { return array == null ? 0u : (uint)array.Length; }
    }

    /// <summary>An array of numbers, or of anything else without references, that is held in place while native code uses it.</summary>
    internal unsafe struct PinnedArray : IDisposable
    {
        private GCHandle handle;
        internal readonly void* Pointer;
        internal readonly ulong Bytes;

        internal PinnedArray(Array? given, string name)
        {
            Array array = Arguments.NotNull(given, name);
            handle = Pin(array, name);
            Bytes = (ulong)array.LongLength * ItemSize(array);
            Pointer = (void*)handle.AddrOfPinnedObject();
        }

        public void Dispose() { handle.Free(); }

        // As the runtime lays it out: Marshal.SizeOf is of what P/Invoke would make of it.
        private static ulong ItemSize(Array array)
        {
            return (ulong)((long)Marshal.UnsafeAddrOfPinnedArrayElement(array, 1) - (long)Marshal.UnsafeAddrOfPinnedArrayElement(array, 0));
        }

        private static ArgumentException NotPlain(Array array, string name)
        {
            return new ArgumentException("is a " + array.GetType() + "; arrays of numbers, and of structs without references, are possible", name);
        }

#if NET
        // The runtime refuses the others.
        private static GCHandle Pin(Array array, string name)
        {
            try
            {
                return GCHandle.Alloc(array, GCHandleType.Pinned);
            }
            catch (ArgumentException)
            {
                throw NotPlain(array, name);
            }
        }
#else
        private static readonly ConcurrentDictionary<Type, bool> plain = new ConcurrentDictionary<Type, bool>();

        private static GCHandle Pin(Array array, string name)
        {
            if (!IsPlain(array.GetType().GetElementType())) throw NotPlain(array, name);
            return GCHandle.Alloc(array, GCHandleType.Pinned);
        }

        private static bool IsPlain(Type type)
        {
            if (type.IsPrimitive || type.IsEnum || type.IsPointer) return true;
            return type.IsValueType && plain.GetOrAdd(type, HasPlainFields);
        }

        private static bool HasPlainFields(Type type)
        {
            const BindingFlags Every = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
            return Array.TrueForAll(type.GetFields(Every), field => IsPlain(field.FieldType));
        }
#endif
    }
}
