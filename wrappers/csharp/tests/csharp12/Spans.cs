// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Spans, arrays and null as arguments in C# 12.
using System;

namespace ClPool.Tests
{
    public static class Spans
    {
        public static int Main()
        {
            using (ComputeContext context = ComputeContext.Create())
            using (DeviceBuffer buffer = DeviceBuffer.Create(context, 16))
            {
                Span<int> numbers = stackalloc int[] { 1, 2, 3, 4 };
                ReadOnlySpan<int> same = numbers;
                buffer.Write(context.Queue, numbers);
                buffer.Write(context.Queue, same.Slice(0, 1), 4);
                buffer.WriteBox(context.Queue, new Box(4), numbers.Slice(2));
                buffer.WriteBox(context.Queue, new Box(4), same.Slice(2));
                buffer.Write<int>(context.Queue, null);
                int[] read = new int[4];
                buffer.Read(context.Queue, read);
                buffer.Write(context.Queue, read);
                buffer.Read(context.Queue, numbers);
                Console.WriteLine(string.Join(" ", numbers.ToArray()));
            }
            return 0;
        }

        // Compiled, but not run: not every device has images.
        internal static void WriteImage(DeviceImage image, CommandQueue queue, Span<byte> pixels) { image.Write(queue, pixels); }
    }
}
