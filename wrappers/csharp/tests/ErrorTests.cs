// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Statuses become exceptions; arguments are checked before native code.
using System;
using System.IO;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class ErrorTests
    {
        [Test]
        public void NegativeSizesAreRefusedBeforeNativeCode()
        {
            using (CustomAllocator allocator = new CustomAllocator(new DrySource()))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                Assert.Throws<ArgumentOutOfRangeException>(() => pool.Allocate(-1));
                Assert.Throws<ArgumentOutOfRangeException>(() => pool.TryAllocate(-1));
                Assert.Throws<ArgumentOutOfRangeException>(() => allocator.Allocate(long.MinValue));
                Assert.Throws<ArgumentOutOfRangeException>(() => pool.Trim(-1));
                Assert.Throws<ArgumentOutOfRangeException>(() => new LimitAllocator(allocator, -1));
                Assert.Throws<ArgumentOutOfRangeException>(() => new MemoryPool(allocator, new PoolOptions { MaxBytes = -1 }));
                Assert.Throws<ArgumentOutOfRangeException>(() => DeviceBuffer.Create(Shared.Context, -5));
                Assert.Throws<ArgumentOutOfRangeException>(() => SvmMemory.Create(Shared.Context, -5));
                using (PooledBuffer block = pool.Allocate(64))
                    Assert.Throws<ArgumentOutOfRangeException>(() => block.SubRegion(-1));
                Assert.Throws<ArgumentOutOfRangeException>(() => new Heap(-8));
            }
        }

        [Test]
        public void InvalidValuesAreArgumentExceptions()
        {
            Assert.Throws<ArgumentNullException>(() => new DeferredAllocator(IntPtr.Zero));
            ClPoolArgumentException error = Assert.Throws<ClPoolArgumentException>(() => Bins.Number(1, 27));
            Assert.AreEqual(Status.InvalidValue, error.Status);
            Assert.IsTrue(error is ArgumentException);
            Assert.IsTrue(error.Message.Contains("27"), error.Message);
        }

        [Test]
        public void WhatOpenClRefusesCarriesItsCode()
        {
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 4096))
            {
                ClPoolException error =
                    Assert.Throws<ClPoolException>(() => buffer.CopyTo(Shared.Queue, buffer, size: 32, targetOffset: 16));
                Assert.AreEqual(Status.OpenCL, error.Status);
                Assert.AreEqual(-8, error.ClError);
                Assert.AreEqual("CL_MEM_COPY_OVERLAP", Library.ClErrorName(error.ClError));
            }
        }

        [Test]
        public void OutOfMemoryIsOutOfDeviceMemory()
        {
            using (CustomAllocator inner = new CustomAllocator(new DrySource()))
            using (LimitAllocator allocator = new LimitAllocator(inner, 1000))
            {
                OutOfDeviceMemoryException error = Assert.Throws<OutOfDeviceMemoryException>(() => allocator.Allocate(1001));
                Assert.AreEqual(Status.OutOfMemory, error.Status);
                Assert.IsFalse((object)error is OutOfMemoryException);
                Assert.IsTrue(error.Message.Contains("1000"), error.Message);
            }
        }

        [Test]
        public void WrongStatesAreInvalidOperations()
        {
            using (PinnedAllocator allocator = new PinnedAllocator(Shared.Queue))
            using (MemoryObject memory = allocator.Allocate(4096))
            {
                ClPoolInvalidOperationException error =
                    Assert.Throws<ClPoolInvalidOperationException>(() => memory.Map(Shared.Queue));
                Assert.AreEqual(Status.InvalidOperation, error.Status);
            }
        }

        [Test]
        public void MissingFeaturesAreNotSupported()
        {
            ClPoolNotSupportedException error = Assert.Throws<ClPoolNotSupportedException>(
                () => { using (CustomAllocator inner = new CustomAllocator(new DrySource())) new TraceAllocator(inner, "log.csv.gz"); });
            Assert.AreEqual(Status.NotSupported, error.Status);
            Assert.IsTrue(error is NotSupportedException);
        }

        [Test]
        public void FilesAndFormatsHaveTheirStatus()
        {
            Assert.AreEqual(Status.InputOutput,
                            Assert.Throws<ClPoolException>(() => AllocationLog.Open("/nonexistent/ä.csv")).Status);
            ClPoolException error = Assert.Throws<ClPoolException>(() => AllocationLog.Parse("nonsense\n", "näme"));
            Assert.AreEqual(Status.BadFormat, error.Status);
            Assert.IsTrue(error.Message.Contains("näme:1"), error.Message);
            Assert.AreEqual(Status.NotFound, Assert.Throws<ClPoolException>(
                () => Devices.Choose(new DeviceOptions { Selector = "no such device" })).Status);
        }

        [Test]
        public void NullsAreNamed()
        {
            Assert.AreEqual("allocator", Assert.Throws<ArgumentNullException>(() => new MemoryPool(null)).ParamName);
            Assert.AreEqual("source", Assert.Throws<ArgumentNullException>(() => new CustomAllocator(null)).ParamName);
            Assert.AreEqual("path", Assert.Throws<ArgumentNullException>(() => AllocationLog.Open(null)).ParamName);
            Assert.AreEqual("path", Assert.Throws<ArgumentNullException>(() => new AllocationLogWriter(null)).ParamName);
            Assert.AreEqual("name", Assert.Throws<ArgumentNullException>(() => DeviceData.FromArchitecture(null)).ParamName);
            using (CustomAllocator inner = new CustomAllocator(new DrySource()))
                Assert.AreEqual("path", Assert.Throws<ArgumentNullException>(() => new TraceAllocator(inner, null)).ParamName);
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            {
                Assert.AreEqual("target", Assert.Throws<ArgumentNullException>(() => buffer.Read(Shared.Queue, null)).ParamName);
                Assert.AreEqual("target",
                                Assert.Throws<ArgumentNullException>(() => buffer.CopyTo(Shared.Queue, null)).ParamName);
                Assert.Throws<ArgumentException>(() => buffer.Read(Shared.Queue, new string[1]));
                int[] none = null; // of a type that a span could be made of
                Assert.AreEqual("target", Assert.Throws<ArgumentNullException>(() => buffer.Read(Shared.Queue, none)).ParamName);
                Assert.AreEqual("source", Assert.Throws<ArgumentNullException>(() => buffer.Write(Shared.Queue, none)).ParamName);
            }
        }

        [Test]
        public void TextsThatWouldBeCutAreRefused()
        {
            string file = Path.GetTempFileName(), path = file + "\0rest";
            File.Delete(file);
            using (CustomAllocator inner = new CustomAllocator(new DrySource()))
            {
                Refused("path", () => new TraceAllocator(inner, path));
                Refused("Name", () => new MemoryPool(inner, new PoolOptions { Name = "a\0b" }));
            }
            Refused("path", () => new AllocationLogWriter(path));
            Refused("path", () => AllocationLog.Open(path));
            Refused("name", () => AllocationLog.Parse("", "a\0b"));
            Refused("Selector", () => Devices.List(new DeviceOptions { Selector = "0\0:7" }));
            Refused("name", () => DeviceData.FromArchitecture("sm_90\0a"));
            Assert.IsFalse(File.Exists(file));
        }

        private static void Refused(string name, TestDelegate code)
        {
            ArgumentException refused = Assert.Throws<ArgumentException>(code);
            Assert.AreEqual(name, refused.ParamName);
            Assert.IsTrue(refused.Message.Contains("zero"), refused.Message);
        }

        [Test]
        public void StatusesHaveTexts()
        {
            foreach (Status status in Enum.GetValues(typeof(Status)))
                Assert.AreNotEqual("unknown status", Library.Describe(status));
        }
    }
}
