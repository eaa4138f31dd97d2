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

        private static string Text(object value)
        {
            if (value == null) return "none";
            IEnumerable several = value is string ? null : value as IEnumerable;
            if (several != null) return "[" + string.Join(", ", several.Cast<object>().Select(Text)) + "]";
            return Convert.ToString(value, CultureInfo.InvariantCulture);
        }
    }
}
