// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The arithmetic of PyOpenCL's bins.
using ClPool.Interop;

namespace ClPool
{
    /// <summary>Which bin a size is in, and how large its blocks are, as in PyOpenCL's pools.</summary>
    public static unsafe class Bins
    {
        /// <summary>Bin of a size.</summary>
        /// <param name="size">bytes</param>
        /// <param name="leadingBits">0…26</param>
        public static long Number(long size, int leadingBits = 4)
        {
            ulong bin;
            Errors.Check(Native.clpool_bin_number(Arguments.Bytes(size, "size"), (uint)Arguments.Bytes(leadingBits, "leadingBits"), &bin));
            return (long)bin;
        }

        /// <summary>Bytes that blocks of a bin have.</summary>
        /// <exception cref="System.ArgumentOutOfRangeException">for more than C# counts with</exception>
        public static long AllocSize(long bin, int leadingBits = 4)
        {
            ulong size;
            Errors.Check(Native.clpool_bin_alloc_size(Arguments.Bytes(bin, "bin"), (uint)Arguments.Bytes(leadingBits, "leadingBits"), &size));
            if (size > long.MaxValue)
                throw new System.ArgumentOutOfRangeException("bin", bin, "has blocks of " + size + " bytes, at most " + long.MaxValue + " is possible");
            return (long)size;
        }

        /// <summary>Index of the highest bit that is set; 0 for 0. A negative number is refused, as everywhere in C#; Java takes it as
        /// unsigned.</summary>
        public static int BitLog2(long value) { return (int)Native.clpool_bitlog2(Arguments.Bytes(value, "value")); }
    }
}
