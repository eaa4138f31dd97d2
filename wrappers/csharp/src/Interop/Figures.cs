// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The text of objects that are nothing but their figures: all public properties, in the order in which they are written.
using System;
using System.Collections;
using System.Globalization;
using System.Linq;
using System.Reflection;

namespace ClPool.Interop
{
    internal static class Figures
    {
        /// <summary>"PoolStatistics: HeldBlocks 3, ActiveBlocks 2, …".</summary>
        internal static string Describe(object figures)
        {
            Type type = figures.GetType();
            PropertyInfo[] all = type.GetProperties(BindingFlags.Public | BindingFlags.Instance);
            return type.Name + ": " + string.Join(", ", all.Where(property => property.GetIndexParameters().Length == 0)
                                                           .Select(property => property.Name + " " + Text(property.GetValue(figures, null))));
        }

        /// <summary>The numbers of an array in a struct that count.</summary>
        internal static unsafe long[] Numbers(ulong* numbers, uint count)
        {
            long[] copy = new long[count];
            for (int i = 0; i < copy.Length; i++) copy[i] = (long)numbers[i];
            return copy;
        }

        /// <summary>Writes numbers into an array of a struct, and tells how many they are.</summary>
        internal static unsafe uint Store(long[]? numbers, ulong* room, int capacity, string name)
        {
            if (numbers == null) return 0;
            if (numbers.Length > capacity)
                throw new ArgumentException("has " + numbers.Length + " entries; at most " + capacity + " are possible", name);
            for (int i = 0; i < numbers.Length; i++) room[i] = Arguments.Bytes(numbers[i], name);
            return (uint)numbers.Length;
        }

        private static string Text(object? value)
        {
            if (value == null) return "none";
            IEnumerable? several = value is string ? null : value as IEnumerable;
            if (several != null) return "[" + string.Join(", ", several.Cast<object?>().Select(Text)) + "]";
            return Convert.ToString(value, CultureInfo.InvariantCulture) ?? "";
        }
    }
}
