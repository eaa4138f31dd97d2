// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Modern .NET: one program for all examples, which runs the one that is named.
using System;
using System.Reflection;

namespace ClPool.Examples
{
    internal static class Run
    {
        private static int Main(string[] arguments)
        {
            Type example = arguments.Length == 1 ? typeof(Run).Assembly.GetType("ClPool.Examples." + arguments[0]) : null;
            MethodInfo main = example == null ? null : example.GetMethod("Main");
            if (main != null) return ((Func<int>)Delegate.CreateDelegate(typeof(Func<int>), main))();
            Console.Error.WriteLine("usage: ClPool.Examples PoolLoop | SharedMemory | PinnedUpload | OccupancyReport | KernelLaunch");
            return 2;
        }
    }
}
