// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the runtime makes of signals is an exception still, after drivers were loaded that take them.
using System;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class SignalTests
    {
        private const string OpenCL = "libOpenCL.so.1";

        [DllImport(OpenCL)]
        private static extern IntPtr clCreateProgramWithSource(IntPtr context, uint count, ref IntPtr strings, ref IntPtr lengths, out int error);

        [DllImport(OpenCL)]
        private static extern int clBuildProgram(IntPtr program, uint deviceCount, IntPtr[] devices, string options, IntPtr notify, IntPtr user);

        [DllImport(OpenCL)]
        private static extern IntPtr clCreateKernel(IntPtr program, string name, out int error);

        [DllImport(OpenCL)]
        private static extern int clEnqueueTask(IntPtr queue, IntPtr kernel, uint waitCount, IntPtr waitFor, IntPtr done);

        [DllImport(OpenCL)]
        private static extern int clReleaseKernel(IntPtr kernel);

        [DllImport(OpenCL)]
        private static extern int clReleaseProgram(IntPtr program);

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Divide(int by) { return 7 / by; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int LengthOf(string text) { return text.Length; }

        [Test]
        public void DivisionsByZeroAreExceptions()
        {
            Assert.Greater(Devices.List().Length, 0);
            Assert.Throws<DivideByZeroException>(() => Divide(0));
            using (ComputeContext context = ComputeContext.Create())
            using (DeviceBuffer buffer = DeviceBuffer.Create(context, 64))
                buffer.Fill(context.Queue, new byte[] { 1 }).Wait();
            Assert.Throws<DivideByZeroException>(() => Divide(0));
            OnThreads(1, () => Assert.Throws<DivideByZeroException>(() => Divide(0)));
        }

        [Test]
        public void NullReferencesOfManyThreadsAtOnceAreExceptions()
        {
            Assert.Greater(Devices.List().Length, 0);
            OnThreads(16, () =>
            {
                for (int i = 0; i < 20; i++) Assert.Throws<NullReferenceException>(() => LengthOf(null));
            });
        }

        [Test]
        public void AKernelThatDividesByZeroIsTheDrivers()
        {
            using (DeviceBuffer numbers = DeviceBuffer.Create(Shared.Context, 64))
            {
                numbers.Fill(Shared.Queue, new byte[] { 0 }).Wait();
                IntPtr program = Build("kernel void divide(global int *x) { x[1] = 7 / x[0]; x[2] = 3; }");
                int error;
                IntPtr kernel = clCreateKernel(program, "divide", out error);
                Assert.AreEqual(0, error);
                numbers.SetKernelArg(kernel, 0);
                Assert.AreEqual(0, clEnqueueTask(Shared.Queue.Handle, kernel, 0, IntPtr.Zero, IntPtr.Zero));
                int[] result = new int[16];
                numbers.Read(Shared.Queue, result);
                Assert.AreEqual(3, result[2]);
                clReleaseKernel(kernel);
                clReleaseProgram(program);
            }
            Assert.Throws<DivideByZeroException>(() => Divide(0));
        }

        private static void OnThreads(int count, Action action)
        {
            Exception first = null;
            Barrier all = new Barrier(count);
            Thread[] threads = Enumerable.Range(0, count).Select(i => new Thread(() =>
            {
                try
                {
                    all.SignalAndWait();
                    action();
                }
                catch (Exception e)
                {
                    first = e;
                }
            })).ToArray();
            foreach (Thread thread in threads) thread.Start();
            foreach (Thread thread in threads) thread.Join();
            Assert.IsTrue(first == null, "" + first);
        }

        private static IntPtr Build(string source)
        {
            byte[] text = Encoding.ASCII.GetBytes(source);
            GCHandle pinned = GCHandle.Alloc(text, GCHandleType.Pinned);
            try
            {
                int error;
                IntPtr start = pinned.AddrOfPinnedObject(), length = new IntPtr(text.Length);
                IntPtr program = clCreateProgramWithSource(Shared.Context.Context, 1, ref start, ref length, out error);
                Assert.AreEqual(0, error);
                Assert.AreEqual(0, clBuildProgram(program, 1, new[] { Shared.Device }, "", IntPtr.Zero, IntPtr.Zero));
                return program;
            }
            finally
            {
                pinned.Free();
            }
        }
    }
}
