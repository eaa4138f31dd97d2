// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Choosing devices, contexts made here and taken from elsewhere.
using System;
using System.Linq;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class DeviceTests
    {
        [Test]
        public void TheChosenDeviceIsTheFirstOfTheList()
        {
            IntPtr chosen = Shared.Device;
            Assert.AreEqual(chosen, Devices.Choose());
            Assert.AreEqual(chosen, Devices.List()[0]);
            Assert.IsTrue(Devices.Describe(chosen).Contains("["), Devices.Describe(chosen));
            Assert.Greater(Devices.ListForTests().Length, 0);
        }

        [Test]
        public void FactsOfADeviceAreThoseThatOpenClTells()
        {
            DeviceFacts facts = Devices.Facts(Shared.Device);
            Assert.AreEqual(Devices.Describe(Shared.Device), facts.Name + " [" + facts.Platform + "]");
            Assert.AreEqual(SvmMemory.Capabilities(Shared.Device), facts.SvmCapabilities);
            Assert.IsTrue(facts.ComputeUnits >= 1 && facts.Type != DeviceTypes.Any, facts.ToString());
            Assert.IsTrue(facts.MemoryBytes >= facts.LargestAllocationBytes && facts.LargestAllocationBytes > 0, facts.ToString());
            Assert.IsTrue(facts.LocalMemoryBytes > 0 && (facts.Alignment & (facts.Alignment - 1)) == 0, facts.ToString());
            Assert.IsTrue(facts.Version.StartsWith("OpenCL " + facts.VersionMajor + "." + facts.VersionMinor), facts.ToString());
            Assert.IsTrue(facts.Vendor != "" && facts.DriverVersion != "", facts.ToString());
            DeviceOptions there = new DeviceOptions { Selector = facts.PlatformIndex + ":" + facts.DeviceIndex };
            Assert.AreEqual(Shared.Device, Devices.Choose(there));
            Assert.Throws<ClPoolArgumentException>(() => Devices.Facts(IntPtr.Zero));
        }

        [Test]
        public void OptionsReachTheLibrary()
        {
            string name = Devices.Describe(Shared.Device);
            DeviceOptions options = new DeviceOptions { Selector = name.Substring(0, 5), IgnoreEnvironment = true, ByRank = false };
            Assert.IsTrue(Devices.List(options).Contains(Shared.Device));
            Assert.Throws<ClPoolException>(() => Devices.Choose(new DeviceOptions { Types = DeviceTypes.Custom }));
        }

        [Test]
        public void AContextFromElsewhereIsRetained()
        {
            ComputeContext taken = ComputeContext.FromHandles(Shared.Context.Context, Shared.Queue.Handle);
            Assert.AreEqual(Shared.Queue.Handle, taken.Queue.Handle);
            taken.Finish();
            taken.Dispose();
            taken.Dispose();
            Assert.Throws<ObjectDisposedException>(() => { IntPtr gone = taken.Context; });
            DeviceBuffer.Create(Shared.Context, 16).Dispose(); // the original still works
        }

        [Test]
        public void MemoryKeepsItsContextAlive()
        {
            DeviceBuffer buffer;
            using (ComputeContext context = ComputeContext.Create()) buffer = DeviceBuffer.Create(context, 64);
            Assert.AreEqual(64, buffer.Size);
            buffer.Dispose();
        }
    }
}
