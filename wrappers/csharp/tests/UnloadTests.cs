// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Assemblies that are unloaded, as those of plug-ins: native code calls nothing in them any more, and what they forgot comes back.
using System;
using System.IO;
using System.Linq;
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
            BeginAndEnd(Listen);
            ComputeContext.Create().Dispose(); // which says how the device was chosen
        }

        [Test]
        public void AListenerThatEndsLeavesAnotherAlone()
        {
            Messages mine = null;
            BeginAndEnd(Listen, () => mine = new Messages()); // the last one to listen
            using (mine)
            {
                ComputeContext.Create().Dispose();
                Assert.Greater(mine.Texts.Length, 0);
            }
        }

        [Test]
        public void AnUnloadedAssemblyGetsNoMessagesOfItsPools()
        {
            GiveQueue();
            BeginAndEnd(ForgetATellingPool);
            CarryOut();
        }

        [Test]
        public void AnUnloadedAssemblyHasNoResultsInCaches()
        {
            GiveQueue();
            BeginAndEnd(ForgetACache);
            Cache.ClearAll();
            CarryOut();
        }

        [Test]
        public void AnUnloadedAssemblyHasNoMemorySources()
        {
            GiveQueue();
            BeginAndEnd(ForgetChunks);
            CarryOut();
        }

        [Test]
        public void WhatAnUnloadedAssemblyForgotComesBack()
        {
            uint before = GiveQueue();
            for (int i = 0; i < 3; i++) BeginAndEnd(ForgetEverything);
            for (int i = 0; i < 1000 && Gate.ReferencesOf(Shared.Queue.Handle) > before; i++)
            {
                CarryOut();
                Shared.Queue.Finish(); // a command keeps its queue, too
                Thread.Sleep(10);
            }
            Assert.LessOrEqual(Gate.ReferencesOf(Shared.Queue.Handle), before);
        }

        // What follows runs in the other assembly of this name.
        public static void Listen() { Library.Message += (severity, text) => { }; }

        public static void ForgetATellingPool()
        {
            PoolOptions options = new PoolOptions { TraceMessages = true, Message = (severity, text) => { } };
            using (ImmediateAllocator allocator = new ImmediateAllocator(Queue))
            using (MemoryPool pool = new MemoryPool(allocator, options))
                for (int i = 0; i < 10; i++) pool.Allocate(1000);
        }

        public static void ForgetChunks()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
                for (int i = 0; i < 10; i++) allocator.Allocate(100);
        }

        public static void ForgetACache() { new Cache().GetOrAdd(Queue, "program", () => "built"); }

        public static void ForgetEverything()
        {
            CommandQueue queue = CommandQueue.FromHandle(Queue.Handle);
            MemoryPool pool = new MemoryPool(new ImmediateAllocator(queue));
            for (int i = 0; i < 10; i++) pool.Allocate(1000);
            DeviceBuffer.Create(Context, 64).Map(queue);
            new Cache().GetOrAdd(queue, "program", () => "built");
            new Heap().AddSpace(10);
            DeviceData.FromComputeCapability(9, 0);
            AllocationLog.Parse("Thread,Time,Action,Pointer,Size,Stream\n");
        }

        private static CommandQueue Queue { get { return (IntPtr)(long)AppDomain.CurrentDomain.GetData("ClPool.Tests.Queue"); } }

        private static ComputeContext Context { get { return (IntPtr)(long)AppDomain.CurrentDomain.GetData("ClPool.Tests.Context"); } }

        // For the other assembly; tells how many references the queue has.
        private static uint GiveQueue()
        {
            Give(AppDomain.CurrentDomain);
            CarryOut();
            return Gate.ReferencesOf(Shared.Queue.Handle);
        }

        private static void Give(AppDomain domain)
        {
            domain.SetData("ClPool.Tests.Queue", (long)Shared.Queue.Handle);
            domain.SetData("ClPool.Tests.Context", (long)Shared.Context.Context);
        }

        // What was put off.
        private static void CarryOut()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator))
                pool.Allocate(100).Dispose();
        }

#if NET
        // It runs in the other assembly, and what is to be done between in this one.
        private static void BeginAndEnd(Action action, Action between = null)
        {
            Assert.IsTrue(IsUnloaded(Begin(action.Method.Name, between)));
        }

        [Test]
        public void EventsThatWereAwaitedLeaveNothingOpen()
        {
            GiveQueue();
            int before = OpenEventfds();
            for (int i = 0; i < 3; i++) BeginAndEnd(Await);
            Assert.LessOrEqual(OpenEventfds(), before);
        }

        public static void Await()
        {
            ClEvent gate = ClEvent.User(Context);
            System.Threading.Tasks.Task end = gate.AsTask();
            gate.Complete();
            end.Wait();
        }

        private static int OpenEventfds()
        {
            return Directory.GetFiles("/proc/self/fd").Count(file => (new FileInfo(file).LinkTarget ?? "").Contains("eventfd"));
        }

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
            WeakReference plugIn = Begin("ForgetChunks");
            for (int i = 0; i < 3; i++) Collect();
            CarryOut();
            Assert.IsTrue(IsUnloaded(plugIn));
            CarryOut();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static WeakReference Begin(string method, Action between = null)
        {
            PlugInContext context = new PlugInContext();
            Assembly plugIn = context.LoadFromAssemblyPath(typeof(UnloadTests).Assembly.Location);
            plugIn.GetType(typeof(UnloadTests).FullName).GetMethod(method).Invoke(null, null);
            if (between != null) between();
            context.Unload();
            return new WeakReference(context);
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
        private static void BeginAndEnd(CrossAppDomainDelegate action, Action between = null)
        {
            AppDomainSetup setup = new AppDomainSetup { ApplicationBase = Path.GetDirectoryName(typeof(UnloadTests).Assembly.Location) };
            AppDomain domain = AppDomain.CreateDomain("plug-in", null, setup);
            if (Shared.Queue != null) Give(domain);
            domain.DoCallBack(action);
            if (between != null) between();
            AppDomain.Unload(domain);
        }
#endif
    }
}
