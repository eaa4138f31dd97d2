// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Assemblies that are unloaded, as those of plug-ins: native code calls nothing in them any more.
using System;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
#if NET
using System.Runtime.Loader;
#endif
using System.Threading;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class UnloadTests
    {
        [Test]
        public void AnUnloadedAssemblyGetsNoMessages()
        {
            BeginAndEnd();
            ComputeContext.Create().Dispose(); // which says how the device was chosen
        }

        // In the other assembly of this name.
        public static void Listen() { Library.Message += (severity, text) => { }; }

#if NET
        private static void BeginAndEnd() { Assert.IsTrue(IsUnloaded(Begin("Listen"))); }

        private sealed class PlugInContext : AssemblyLoadContext
        {
            internal PlugInContext() : base(true) { }

            // These tests and the library once more; the rest is everybody's.
            protected override Assembly Load(AssemblyName name)
            {
                if (!name.Name.StartsWith("ClPool", StringComparison.Ordinal)) return null;
                return LoadFromAssemblyPath(Path.Combine(AppContext.BaseDirectory, name.Name + ".dll"));
            }
        }

        [Test]
        public void AnAssemblyIsNotUnloadedBeforeItsMemorySource()
        {
            WeakReference plugIn = Begin("Forget");
            for (int i = 0; i < 3; i++) Collect();
            Take(); // carries releases out that finalizers put off
            Assert.IsTrue(IsUnloaded(plugIn));
            Take();
        }

        // In the other assembly of this name.
        public static void Forget()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
                for (int i = 0; i < 10; i++) allocator.Allocate(100);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static WeakReference Begin(string method)
        {
            PlugInContext context = new PlugInContext();
            Assembly plugIn = context.LoadFromAssemblyPath(typeof(UnloadTests).Assembly.Location);
            plugIn.GetType(typeof(UnloadTests).FullName).GetMethod(method).Invoke(null, null);
            context.Unload();
            return new WeakReference(context);
        }

        private static void Take()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource())) allocator.Allocate(100).Dispose();
        }

        private static void Collect()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        private static bool IsUnloaded(WeakReference plugIn)
        {
            for (int i = 0; i < 1000 && plugIn.IsAlive; i++)
            {
                Collect();
                Thread.Sleep(10);
            }
            return !plugIn.IsAlive;
        }
#else
        private static void BeginAndEnd()
        {
            AppDomainSetup setup = new AppDomainSetup { ApplicationBase = Path.GetDirectoryName(typeof(UnloadTests).Assembly.Location) };
            AppDomain domain = AppDomain.CreateDomain("plug-in", null, setup);
            domain.DoCallBack(Listen);
            AppDomain.Unload(domain);
        }
#endif
    }
}
