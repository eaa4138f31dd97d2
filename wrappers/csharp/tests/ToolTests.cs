// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What needs no memory of a device: heaps, logs, caches, answers, occupancy, bins.
using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class ToolTests
    {
        private const string Log = "Thread,Time,Action,Pointer,Size,Stream\n1,10,allocate,0x1000,256,0\n1,11,allocate,0x2000,512,0\n" +
                                   "1,12,free,0x1000,256,0\n";

        [Test]
        public void HeapsHandOutRanges()
        {
            using (Heap heap = new Heap(16))
            {
                Assert.AreEqual(0, heap.AddSpace(1024));
                HeapRange range = heap.Allocate(100);
                Assert.AreEqual(112, range.Size);
                Assert.AreEqual(0, range.Space);
                Assert.AreEqual(0, range.Offset % 16);
                Assert.AreEqual(1, heap.Statistics.ActiveRanges);
                Assert.Throws<ClPoolInvalidOperationException>(() => heap.RemoveSpace(0));
                Assert.Throws<OutOfDeviceMemoryException>(() => heap.Allocate(1024));
                range.Dispose();
                range.Dispose();
                Assert.AreEqual(1024, heap.Statistics.LargestFree);
                heap.Check();
                heap.RemoveSpace(0);
                HeapRange late;
                heap.AddSpace(64);
                late = heap.Allocate(1);
                heap.Dispose();
                late.Dispose();
                Assert.Throws<ObjectDisposedException>(() => heap.Allocate(1));
            }
        }

        [Test]
        public void ThreadsShareAHeapThatAnotherOneEnds()
        {
            for (int round = 0; round < 20; round++)
            {
                Heap heap = new Heap();
                heap.AddSpace(1L << 40);
                int failures = 0, ranges = 0;
                Thread[] threads = new Thread[3];
                for (int i = 0; i < threads.Length; i++)
                {
                    threads[i] = new Thread(() =>
                    {
                        try
                        {
                            for (;;)
                                using (HeapRange range = heap.Allocate(64))
                                {
                                    if (range.Size != 64) Interlocked.Increment(ref failures);
                                    Interlocked.Increment(ref ranges);
                                }
                        }
                        catch (ObjectDisposedException) { } // as it is to end
                        catch (Exception) { Interlocked.Increment(ref failures); }
                    });
                    threads[i].Start();
                }
                while (Volatile.Read(ref ranges) < 300) Thread.Yield();
                heap.Check();
                heap.Dispose();
                foreach (Thread thread in threads) thread.Join();
                Assert.AreEqual(0, failures);
            }
        }

        [Test]
        public void LogsAreReadAndReplayed()
        {
            using (AllocationLog log = AllocationLog.Parse(Log))
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                Assert.AreEqual(3, log.Count);
                Assert.AreEqual(768, log.Statistics.PeakLiveBytes);
                Assert.AreEqual(new[] { LogAction.Allocate, LogAction.Allocate, LogAction.Release },
                                log.Select(entry => entry.Action).ToArray());
                Assert.AreEqual(0x2000, log[1].Pointer);
                ReplayResult result = log.Replay(pool);
                Assert.AreEqual(2, result.Allocations);
                Assert.AreEqual(768, result.PeakLiveBytes);
                Assert.AreEqual(2, log.Replay(allocator).DriverAllocations);
                Assert.Throws<ArgumentOutOfRangeException>(() => { LogEvent none = log[3]; });
                Exception thrown = new FormatException("mine");
                ClPoolException error = Assert.Throws<ClPoolException>(
                    () => log.Replay(pool, (done, total) => { throw thrown; }, 1));
                Assert.AreEqual(Status.Callback, error.Status);
                Assert.AreSame(thrown, error.InnerException);
                Assert.Throws<ClPoolException>(() => log.Replay(pool, (done, total) => false, 1));
            }
        }

        [Test]
        public void LogsAreWritten()
        {
            string path = Path.GetTempFileName();
            try
            {
                using (AllocationLogWriter writer = new AllocationLogWriter(path))
                {
                    writer.Write(LogAction.Allocate, 4096, 5L << 30, 0, Status.Success, "täg");
                    writer.Write(LogAction.Release, 4096, 5L << 30);
                    writer.Flush();
                }
                using (AllocationLog log = AllocationLog.Open(path)) Assert.AreEqual(5L << 30, log.Statistics.LargestBytes);
            }
            finally
            {
                File.Delete(path);
            }
        }

        [Test]
        public void FiguresPrintAllOfThemselves()
        {
            using (DeviceData data = DeviceData.FromComputeCapability(9, 0))
            foreach (object figures in new object[] { new PoolOptions(), new Box(1), data.Limits, new DeviceOptions(), new OccupancyRequest(),
                                                      new BankMemory(), Devices.Facts(Shared.Device) })
            {
                string text = figures.ToString();
                Assert.IsTrue(text.StartsWith(figures.GetType().Name + ": "), text);
                foreach (PropertyInfo property in figures.GetType().GetProperties(BindingFlags.Public | BindingFlags.Instance))
                    Assert.IsTrue(text.Contains(" " + property.Name + " "), property.Name + " in " + text);
            }
        }

#if NET
        [Test]
        public void ProgramsMayBeTrimmed()
        {
            Assembly assembly = typeof(Pool).Assembly;
            Assert.IsTrue(assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Any(said => said.Key == "IsTrimmable" && said.Value == "True"));
        }
#endif

        [Test]
        public void FiguresPrintThemselves()
        {
            DrySource source = new DrySource();
            using (CustomAllocator allocator = new CustomAllocator(source))
            using (MemoryPool pool = new MemoryPool(allocator))
            using (pool.Allocate(1000))
            {
                string text = pool.Statistics.ToString();
                Assert.IsTrue(text.StartsWith("PoolStatistics: HeldBlocks ") && text.Contains(", ActiveBlocks 1, "), text);
                Assert.IsTrue(pool.Stretches()[0].ToString().Contains("Size "));
                Assert.IsTrue(allocator.ToString().StartsWith("CustomAllocator 0x"), allocator.ToString());
            }
            DeviceData data = DeviceData.FromComputeCapability(9, 0);
            Assert.IsTrue(data.ToString().Contains("WarpSize 32"), data.ToString());
            data.Dispose();
            Assert.AreEqual("DeviceData (disposed)", data.ToString());
            using (Heap heap = new Heap())
            {
                heap.AddSpace(100);
                Assert.IsTrue(heap.ToString().StartsWith("Heap, HeapStatistics: "), heap.ToString());
            }
        }

        [Test]
        public void CachesComputeOnce()
        {
            int computed = 0;
            using (Cache cache = new Cache())
            {
                Func<string> factory = () => "result " + Interlocked.Increment(ref computed);
                Assert.AreEqual("result 1", cache.GetOrAdd(CacheOwner.Context, Shared.Context.Context, "kéy", factory));
                Assert.AreEqual("result 1", cache.GetOrAdd(Shared.Context, "kéy", factory));
                Assert.AreEqual("result 2", cache.GetOrAdd(Shared.Context, "other", factory));
                Assert.AreEqual(2, cache.Count);
                string found;
                Assert.IsTrue(cache.TryGet(Shared.Context.Context, "kéy", out found));
                Assert.AreEqual("result 1", found);
                Assert.IsFalse(cache.TryGet(Shared.Context.Context, "none", out found));
                Assert.IsNull(cache.GetOrAdd<string>(CacheOwner.Any, IntPtr.Zero, "null", () => null));
                cache.Clear(Shared.Context.Context);
                Assert.IsFalse(cache.TryGet(Shared.Context.Context, "kéy", out found));
                Assert.AreEqual(1, cache.Count);
                Assert.AreEqual("result 3", cache.GetOrAdd(Shared.Queue, "kéy", factory));
                cache.Clear();
                Assert.AreEqual(0, cache.Count);
                Cache.ClearAll();
            }
        }

        [Test]
        public void WhatAFactoryThrowsIsTheInnerExceptionAndNothingIsKept()
        {
            using (Cache cache = new Cache())
            {
                Exception thrown = new FormatException("mine");
                ClPoolException error = Assert.Throws<ClPoolException>(
                    () => cache.GetOrAdd<int>(CacheOwner.Any, IntPtr.Zero, "key", () => { throw thrown; }));
                Assert.AreSame(thrown, error.InnerException);
                Assert.AreEqual(5, cache.GetOrAdd(CacheOwner.Any, IntPtr.Zero, "key", () => 5));
                Assert.Throws<ClPoolException>(() => cache.GetOrAdd(CacheOwner.Any, IntPtr.Zero, "outer", () =>
                    cache.GetOrAdd(CacheOwner.Any, IntPtr.Zero, "outer", () => 1)));
            }
        }

        [Test]
        public void AResultOfAnotherTypeIsNamedAndForgottenWithItsCache()
        {
            WeakReference kept = null;
            Exception[] wrong = new Exception[3];
            Shared.Forget(() =>
            {
                using (Cache cache = new Cache())
                {
                    kept = new WeakReference(cache.GetOrAdd(CacheOwner.Any, IntPtr.Zero, "key", () => new byte[10]));
                    wrong[0] = Thrown(() => cache.GetOrAdd(CacheOwner.Any, IntPtr.Zero, "key", () => "text"));
                    wrong[1] = Thrown(() => { string found; cache.TryGet(IntPtr.Zero, "key", out found); });
                    cache.GetOrAdd<object>(CacheOwner.Any, IntPtr.Zero, "null", () => null);
                    wrong[2] = Thrown(() => cache.GetOrAdd(CacheOwner.Any, IntPtr.Zero, "null", () => 1));
                }
            });
            Assert.IsFalse(kept.IsAlive);
            string[] kinds = { "a System.Byte[], not a System.String", "a System.Byte[], not a System.String", "null, not a System.Int32" };
            for (int i = 0; i < kinds.Length; i++)
                Assert.IsTrue(wrong[i] is InvalidCastException && wrong[i].Message.Contains(kinds[i]), wrong[i] + "");
        }

        private static Exception Thrown(Action code)
        {
            try
            {
                code();
                return null;
            }
            catch (Exception exception)
            {
                return exception;
            }
        }

        [Test]
        public void KeysAreAnyTextAndKeptApart()
        {
            string[] keys = { "", "\0", "a", "a\0", "\uD800", "\uD801", "\uFFFD", "?" };
            using (Cache cache = new Cache())
            {
                for (int i = 0; i < keys.Length; i++) Assert.AreEqual(i, cache.GetOrAdd(CacheOwner.Any, IntPtr.Zero, keys[i], () => i));
                for (int i = 0; i < keys.Length; i++)
                {
                    int found;
                    Assert.IsTrue(cache.TryGet(IntPtr.Zero, keys[i], out found));
                    Assert.AreEqual(i, found);
                }
            }
        }

        [Test]
        public void AFactoryMayChooseTheStatus()
        {
            using (Cache cache = new Cache())
            {
                Assert.Throws<OutOfDeviceMemoryException>(() => cache.GetOrAdd<int>(
                    CacheOwner.Any, IntPtr.Zero, "key", () => { throw new OutOfDeviceMemoryException("mine"); }));
                Assert.AreEqual(-11, Assert.Throws<ClPoolException>(() => cache.GetOrAdd<int>(
                    CacheOwner.Any, IntPtr.Zero, "key", () => { throw new ClPoolException(Status.OpenCL, "mine", -11); })).ClError);
            }
        }

        [Test]
        public void CachesHoldPools()
        {
            using (Cache cache = new Cache())
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator))
                Assert.AreEqual(3, cache.GetOrAdd(pool, "key", () => 3));
        }

        [Test]
        public void DevicesAreCharacterized()
        {
            IntPtr device = Shared.Device;
            Answer simd = Characterization.SimdGroupSize(device);
            Assert.Greater(simd.Value, 0);
            Assert.AreNotEqual(AnswerSource.None, simd.Source);
            Assert.IsTrue(Characterization.SimdGroupSizes(device).Contains((int)simd.Value));
            Assert.Greater(Characterization.UsableLocalMemory(device).Value, 0);
            Assert.IsNotNull(Characterization.FastBuildOptions(device));
            Assert.IsNotNull(Characterization.FastBuildOptions(device, Model.PyOpenCl));
            Assert.GreaterOrEqual(Characterization.DoubleSupport(device).Value, 0);
            Assert.GreaterOrEqual(Characterization.AmdDoubleSupport(device).Value, 0);
            Assert.GreaterOrEqual(Characterization.LocalAccessGranularity(device).Value, 0);
            Assert.GreaterOrEqual(Characterization.LocalAccessWorkItems(device).Value, 0);
            Assert.GreaterOrEqual(Characterization.LocalBankCount(device).Value, 0);
            Assert.GreaterOrEqual(Characterization.SourceBuildCache(device).Value, -1);
            Assert.GreaterOrEqual(Characterization.SubGroups(device).Value, 0);
            Assert.Greater(Characterization.WorkGroupSizeMultiple(device, Shared.Context).Value, 0);
            Assert.AreEqual(StructArgumentBug.None, Characterization.StructArgumentBug(device));
            Assert.AreEqual((SvmMemory.Capabilities(device) & SvmCapabilities.CoarseGrainBuffer) != 0,
                            Characterization.Svm(device, SvmKind.CoarseBuffer).IsYes);
            Assert.GreaterOrEqual(Characterization.LocalAccessConflicts(device, 4, new long[] { 32, 32 }).Multiplicity, 1);
            Version capability = Characterization.ComputeCapability(device);
            Assert.IsTrue(capability == null || capability.Major > 0);
            Assert.Throws<ClPoolArgumentException>(() => Characterization.UsableLocalMemory(device, -2));
            Assert.Throws<ClPoolArgumentException>(() => Characterization.UsableLocalMemory(device, IntPtr.Zero));
            Assert.Throws<ClPoolArgumentException>(() => Characterization.SimdGroupSize(device, IntPtr.Zero));
        }

        [Test]
        public void PerformanceIsMeasured()
        {
            DevicePerformance speed = Characterization.Performance(
                Shared.Context, Shared.Device,
                new PerformanceOptions { Repetitions = 1, WarmUps = 1, TransferBytes = 4096, LeastNs = 1 });
            Assert.Greater(speed.WriteBandwidth, 0);
            Assert.AreEqual(4096, speed.TransferBytes);
        }

        [Test]
        public void BankConflictsAreExplained()
        {
            BankConflict conflict = Characterization.BankConflicts(4, new long[] { 32, 32 });
            Assert.AreEqual(32, conflict.Multiplicity);
            Assert.Greater(conflict.Explanation.Length, 0);
            Assert.AreEqual(1, Characterization.BankConflicts(4, new long[] { 32, 32 }, new long[] { 32, 33 }).Multiplicity);
            Assert.AreEqual(16, Characterization.BankConflicts(4, new long[] { 32, 32 }, null,
                                                              new BankMemory { Banks = 16, WorkItems = 16 }).Multiplicity);
        }

        [Test]
        public void OccupancyOfAKnownDevice()
        {
            using (DeviceData data = DeviceData.FromComputeCapability(9, 0))
            {
                OccupancyRecord record = new OccupancyRecord(data, 256, 0, 64);
                Assert.AreEqual(4, record.GroupsPerMp);
                Assert.AreEqual(0.5, record.Occupancy, 1e-9);
                Assert.AreEqual(LimitingFactors.Registers, record.LimitedBy);
                Assert.AreEqual(OccupancyRecord.Unlimited, record.LimitBarriers);
                OccupancyRecord best;
                long[] sizes = OccupancyRecord.Suggest(data, new OccupancyRequest { RegistersPerThread = 32 }, out best);
                Assert.Greater(sizes.Length, 0);
                Assert.AreEqual(1.0, best.Occupancy, 1e-9);
                Assert.AreEqual("registers", OccupancyRecord.FactorName(LimitingFactors.Registers));
                Assert.Throws<ClPoolArgumentException>(() => new OccupancyRecord(data, -1));
            }
        }

        [Test]
        public void DeviceDataOfEveryOrigin()
        {
            using (DeviceData data = DeviceData.FromDevice(Shared.Device)) Assert.Greater(data.Limits.MaxThreadsPerGroup, 0);
            using (DeviceData data = DeviceData.FromArchitecture("gfx90a"))
            {
                DeviceLimits limits = data.Limits;
                Assert.AreEqual(DeviceVendor.Amd, limits.Vendor);
                Assert.AreEqual(64, limits.WarpSize);
                limits.MaxWarpsPerMp = 8;
                using (DeviceData changed = DeviceData.FromLimits(limits)) Assert.AreEqual(8, changed.Limits.MaxWarpsPerMp);
            }
            Assert.AreEqual(Status.NotFound, Assert.Throws<ClPoolException>(() => DeviceData.FromComputeCapability(99, 0)).Status);
            Assert.Throws<ClPoolArgumentException>(() => DeviceData.FromLimits(new DeviceLimits()));
            Assert.AreEqual(64, DeviceData.AlignBytes(4));
            Assert.AreEqual(128, DeviceData.Align(65));
            Assert.AreEqual(16, DeviceData.AlignWords(4));
            Assert.AreEqual(32, DeviceData.AlignElements(17, 4));
            Assert.AreEqual(32, DeviceData.Coalesce(17));
            Assert.AreEqual(4, DeviceData.ValidChannelCount(3));
            Assert.AreEqual(long.MaxValue - 15, DeviceData.Coalesce(long.MaxValue - 15));
            TooLarge("threads", () => DeviceData.Coalesce(long.MaxValue));
            TooLarge("bytes", () => DeviceData.Align(long.MaxValue));
            TooLarge("elements", () => DeviceData.AlignElements(long.MaxValue));
        }

        private static void TooLarge(string name, TestDelegate code)
        {
            ArgumentOutOfRangeException refused = Assert.Throws<ArgumentOutOfRangeException>(code);
            Assert.AreEqual(name, refused.ParamName);
            Assert.AreEqual(long.MaxValue, refused.ActualValue);
            Assert.IsTrue(refused.Message.Contains("9223372036854775808") && refused.Message.Contains("at most 9223372036854775807"), refused.Message);
        }

        [Test]
        public void BinsAreThoseOfPyOpenCl()
        {
            for (long size = 1; size < 100000; size += 137)
                Assert.GreaterOrEqual(Bins.AllocSize(Bins.Number(size)), size);
            Assert.AreEqual(40, Bins.BitLog2(1L << 40));
            Assert.Throws<ClPoolArgumentException>(() => Bins.Number(1, 27));
            long last = Bins.Number(long.MaxValue); // of those whose blocks' bytes C# can count
            Assert.AreEqual(long.MaxValue, Bins.AllocSize(last));
            Assert.AreEqual("bin", Assert.Throws<ArgumentOutOfRangeException>(() => Bins.AllocSize(last + 1)).ParamName);
        }
    }
}
