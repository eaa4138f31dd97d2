// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The text of objects that are nothing but their figures: all public properties, without reflection, which a program that was
// trimmed has not.
using System;
using System.Collections;
using System.Globalization;
using System.Linq;

namespace ClPool.Interop
{
    internal static class Figures
    {
        /// <summary>"PoolStatistics: HeldBlocks 3, ActiveBlocks 2, …".</summary>
        /// <param name="name">the object's class</param>
        /// <param name="figures">a name, its value, a name, …</param>
        internal static string Describe(string name, params object?[] figures)
        {
            return name + ": " + string.Join(", ", Enumerable.Range(0, figures.Length / 2).Select(i => figures[2 * i] + " " + Text(figures[2 * i + 1])));
        }

        /// <summary>The same with more of them at the end.</summary>
        internal static string Describe(string name, object?[] more, params object?[] figures)
        {
            return Describe(name, figures.Concat(more).ToArray());
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
