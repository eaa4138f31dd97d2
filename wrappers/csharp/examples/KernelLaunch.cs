// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Builds and launches a kernel by OpenCL's own functions, with a context, queue and pooled buffers of ours: y = a x + y.
using System;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;

namespace ClPool.Examples
{
    public static class KernelLaunch
    {
        private const string Source = "kernel void saxpy(float a, global const float *x, global float *y)\n" +
                                      "{ size_t i = get_global_id(0); y[i] = a * x[i] + y[i]; }\n";
        private const string OpenCL = "libOpenCL.so.1";
        private const int Count = 4096;

        [DllImport(OpenCL)]
        private static extern IntPtr clCreateProgramWithSource(IntPtr context, uint count, ref IntPtr strings, ref IntPtr lengths, out int error);

        [DllImport(OpenCL)]
        private static extern int clBuildProgram(IntPtr program, uint deviceCount, IntPtr[] devices, string options, IntPtr notify, IntPtr user);

        [DllImport(OpenCL)]
        private static extern IntPtr clCreateKernel(IntPtr program, string name, out int error);

        [DllImport(OpenCL)]
        private static extern int clSetKernelArg(IntPtr kernel, uint index, IntPtr size, ref float value);

        [DllImport(OpenCL)]
        private static extern int clEnqueueNDRangeKernel(IntPtr queue, IntPtr kernel, uint dimensions, IntPtr[] offset, IntPtr[] global,
                                                         IntPtr[] local, uint waitCount, IntPtr[] waitFor, out IntPtr done);

        [DllImport(OpenCL)]
        private static extern int clReleaseKernel(IntPtr kernel);

        [DllImport(OpenCL)]
        private static extern int clReleaseProgram(IntPtr program);

        public static int Main()
        {
            using (ComputeContext context = ComputeContext.Create())
            using (ImmediateAllocator allocator = new ImmediateAllocator(context.Queue))
            using (MemoryPool pool = new MemoryPool(allocator))
            using (PooledBuffer x = pool.Allocate(Count * sizeof(float)), y = pool.Allocate(Count * sizeof(float)))
            {
                float[] numbers = Enumerable.Range(0, Count).Select(i => (float)i).ToArray(), result = new float[Count];
                x.Write(context.Queue, numbers);
                y.Fill(context.Queue, new[] { 1f }).Dispose();

                IntPtr program = Build(context);
                int error;
                IntPtr kernel = clCreateKernel(program, "saxpy", out error), done;
                Check(error, "clCreateKernel");
                float a = 2;
                Check(clSetKernelArg(kernel, 0, new IntPtr(sizeof(float)), ref a), "clSetKernelArg");
                x.SetKernelArg(kernel, 1);
                y.SetKernelArg(kernel, 2);
                Check(clEnqueueNDRangeKernel(context.Queue.Handle, kernel, 1, null, new[] { new IntPtr(Count) }, null, 0, null, out done),
                      "clEnqueueNDRangeKernel");
                using (ClEvent finished = ClEvent.FromHandle(done, false)) y.Read(context.Queue, result, 0, MemoryObject.WholeSize, new[] { finished });
                clReleaseKernel(kernel);
                clReleaseProgram(program);

                Console.WriteLine("2 * {0} + 1 = {1}", numbers[Count - 1], result[Count - 1]);
                return result.SequenceEqual(numbers.Select(number => 2 * number + 1)) ? 0 : 1;
            }
        }

        private static IntPtr Build(ComputeContext context)
        {
            byte[] text = Encoding.ASCII.GetBytes(Source);
            GCHandle pinned = GCHandle.Alloc(text, GCHandleType.Pinned);
            try
            {
                int error;
                IntPtr start = pinned.AddrOfPinnedObject(), length = new IntPtr(text.Length);
                IntPtr program = clCreateProgramWithSource(context.Context, 1, ref start, ref length, out error);
                Check(error, "clCreateProgramWithSource");
                Check(clBuildProgram(program, 1, new[] { context.Device }, "", IntPtr.Zero, IntPtr.Zero), "clBuildProgram");
                return program;
            }
            finally
            {
                pinned.Free();
            }
        }

        private static void Check(int code, string function)
        {
            if (code != 0) throw new InvalidOperationException(function + " failed with " + Library.ClErrorName(code));
        }
    }
}
