// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The glue library that all native calls go through. Modern .NET says by itself where it looked for a library; Mono names it
// and nothing else, so that is done here, before the first call.
#if !NET
using System;
using System.IO;
using System.Runtime.InteropServices;
#endif
using System.Runtime.CompilerServices;

namespace ClPool.Interop
{
    internal static class Glue
    {
#if !NET
        private const string Name = "libclpool-csharp.so";
        private const int Now = 2; // RTLD_NOW

        private static bool loaded;
#endif

        /// <summary>Before every native call.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal static void Need()
        {
#if !NET
            if (!loaded) Load();
#endif
        }

#if !NET
        // Mono's own order: beside the assembly, then as the system's loader does.
        private static void Load()
        {
            string folder = Path.GetDirectoryName(typeof(Glue).Assembly.Location) ?? "";
            string beside = Path.Combine(folder, Name);
            string first = Failure(beside), second = first == null ? null : Failure(Name);
            if (second != null)
                throw new DllNotFoundException(
                    "ClPool's native part, " + Name + ", cannot be loaded. Beside the assembly: " + first + ". In LD_LIBRARY_PATH (" +
                    (Environment.GetEnvironmentVariable("LD_LIBRARY_PATH") ?? "not set") + ") and the system's folders: " + second + ".");
            loaded = true;
        }

        // Why a library cannot be loaded; null if it was, and stays.
        private static string Failure(string path)
        {
            try
            {
                return dlopen(path, Now) != IntPtr.Zero ? null : Marshal.PtrToStringAnsi(dlerror());
            }
            catch (Exception exception) when (exception is DllNotFoundException || exception is EntryPointNotFoundException)
            {
                return null; // a system without dlopen there: Mono's own message is left
            }
        }

        [DllImport("libdl.so.2")]
        private static extern IntPtr dlopen(string path, int flags);

        [DllImport("libdl.so.2")]
        private static extern IntPtr dlerror();
#endif
    }
}
