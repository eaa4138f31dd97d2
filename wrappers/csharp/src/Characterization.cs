// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What one must know of a device to use its memory well.
using System;
using System.Collections.Generic;
using ClPool.Interop;

namespace ClPool
{
    public sealed unsafe partial class Answer
    {
        /// <summary>Whether the answer is yes.</summary>
        public bool IsYes { get { return Value == 1; } }

        /// <inheritdoc/>
        public override string ToString() { return Value + " (" + Utf8.Read(Native.clpool_source_name((uint)Source)) + ")"; }
    }

    /// <summary>The worst bank conflict of an access.</summary>
    public sealed class BankConflict
    {
        internal BankConflict(long multiplicity, string explanation, Answer? answer)
        {
            Multiplicity = multiplicity;
            Explanation = explanation;
            Answer = answer;
        }

        /// <summary>Accesses that one bank serves one after the other; 1: free of conflicts.</summary>
        public long Multiplicity { get; private set; }
        /// <summary>Why; "" where there is no conflict.</summary>
        public string Explanation { get; private set; }
        /// <summary>Where a device's figures come from; null where they were given.</summary>
        public Answer? Answer { get; private set; }

        /// <inheritdoc/>
        public override string ToString()
        {
            return Figures.Describe("BankConflict", "Multiplicity", Multiplicity, "Explanation", Explanation, "Answer", Answer);
        }
    }

    /// <summary>Answers about devices (cl_device_id). Each has its source.</summary>
    public static unsafe class Characterization
    {
        private delegate int Question(clpool_answer* answer);

        /// <summary>Build options for fast and inaccurate arithmetic, separated by blanks.</summary>
        public static string FastBuildOptions(IntPtr device, Model model = Model.Current)
        {
            return Utf8.Ask((text, capacity, needed) =>
                Native.clpool_characterize_fast_build_options(device, (uint)model, text, capacity, needed));
        }

        /// <summary>Whether kernels can use double by AMD's old extension cl_amd_fp64.</summary>
        public static Answer AmdDoubleSupport(IntPtr device)
        {
            return Ask(answer => Native.clpool_characterize_amd_double_support(device, answer));
        }

        /// <summary>Whether kernels can use double.</summary>
        public static Answer DoubleSupport(IntPtr device, Model model = Model.Current)
        {
            return Ask(answer => Native.clpool_characterize_double_support(device, (uint)model, answer));
        }

        /// <summary>Bytes that one bank of local memory gives at a time.</summary>
        public static Answer LocalAccessGranularity(IntPtr device, Model model = Model.Current)
        {
            return Ask(answer => Native.clpool_characterize_local_access_granularity(device, (uint)model, answer));
        }

        /// <summary>Work items whose accesses to local memory are served together.</summary>
        public static Answer LocalAccessWorkItems(IntPtr device, Model model = Model.Current)
        {
            return Ask(answer => Native.clpool_characterize_local_access_work_items(device, (uint)model, answer));
        }

        /// <summary>Banks of local memory.</summary>
        public static Answer LocalBankCount(IntPtr device, Model model = Model.Current)
        {
            return Ask(answer => Native.clpool_characterize_local_bank_count(device, (uint)model, answer));
        }

        /// <summary>Work items that run in step by default: a warp, wavefront, sub-group.</summary>
        public static Answer SimdGroupSize(IntPtr device, Model model = Model.Current)
        {
            return Ask(answer => Native.clpool_characterize_simd_group_size(device, (uint)model, answer));
        }

        /// <summary>Work items that run in step in a cl_kernel, as the compiler chose.</summary>
        public static Answer SimdGroupSize(IntPtr device, IntPtr kernel)
        {
            return Ask(answer => Native.clpool_characterize_simd_group_size_of_kernel(device, kernel, answer));
        }

        /// <summary>All SIMD widths that the compiler may choose for a kernel, ascending.</summary>
        public static IReadOnlyList<int> SimdGroupSizes(IntPtr device)
        {
            ulong count;
            clpool_answer answer = clpool_answer.Initial();
            Errors.Check(Native.clpool_characterize_simd_group_sizes(device, null, 0, &count, &answer));
            uint[] sizes = new uint[count];
            fixed (uint* room = sizes)
                Errors.Check(Native.clpool_characterize_simd_group_sizes(device, room, (ulong)sizes.Length, &count, &answer));
            return Array.ConvertAll(sizes, size => (int)size);
        }

        /// <summary>Whether the driver keeps programs that were built from source.</summary>
        public static Answer SourceBuildCache(IntPtr device)
        {
            return Ask(answer => Native.clpool_characterize_source_build_cache(device, answer));
        }

        /// <summary>Most sub-groups that a work-group can have.</summary>
        public static Answer SubGroups(IntPtr device)
        {
            return Ask(answer => Native.clpool_characterize_sub_groups(device, answer));
        }

        /// <summary>What work-group sizes should be a multiple of.</summary>
        public static Answer WorkGroupSizeMultiple(IntPtr device, ComputeContext? context = null, Model model = Model.Current)
        {
            using (Borrowed used = Arguments.BorrowOptional(context))
            {
                IntPtr within = used.Value;
                return Ask(answer => Native.clpool_characterize_work_group_size_multiple(device, within, (uint)model, answer));
            }
        }

        /// <summary>Whether the driver counts the members of a struct argument as arguments.</summary>
        public static StructArgumentBug StructArgumentBug(IntPtr device, ComputeContext? context = null)
        {
            using (Borrowed used = Arguments.BorrowOptional(context))
            {
                IntPtr within = used.Value;
                return (StructArgumentBug)Ask(answer => Native.clpool_characterize_struct_argument_bug(device, within, answer)).Value;
            }
        }

        /// <summary>NVIDIA's compute capability; null for other devices.</summary>
        public static Version? ComputeCapability(IntPtr device)
        {
            uint major, minor;
            clpool_answer answer = clpool_answer.Initial();
            Errors.Check(Native.clpool_characterize_compute_capability(device, &major, &minor, &answer));
            return answer.source == Native.CLPOOL_SOURCE_NOT_APPLICABLE ? null : new Version((int)major, (int)minor);
        }

        /// <summary>Version of PoCL of a cl_platform_id; null for other platforms and where it cannot be read.</summary>
        public static Version? PoclVersion(IntPtr platform)
        {
            uint major, minor;
            clpool_answer answer = clpool_answer.Initial();
            Errors.Check(Native.clpool_characterize_pocl_version(platform, &major, &minor, &answer));
            bool known = answer.source != Native.CLPOOL_SOURCE_NOT_APPLICABLE && answer.source != Native.CLPOOL_SOURCE_NONE;
            return known ? new Version((int)major, (int)minor) : null;
        }

        /// <summary>Whether the device has a kind of shared virtual memory.</summary>
        public static Answer Svm(IntPtr device, SvmKind kind, Model model = Model.Current)
        {
            return Ask(answer => Native.clpool_characterize_svm(device, (uint)kind, (uint)model, answer));
        }

        /// <summary>Bytes of local memory that a work-group can use.</summary>
        /// <param name="device">the device</param>
        /// <param name="argumentCount">arguments of the kernel; -1: unknown</param>
        public static Answer UsableLocalMemory(IntPtr device, int argumentCount = -1)
        {
            return Ask(answer => Native.clpool_characterize_usable_local_memory(device, argumentCount, answer));
        }

        /// <summary>Bytes of local memory that a cl_kernel leaves for its dynamic local arguments.</summary>
        public static Answer UsableLocalMemory(IntPtr device, IntPtr kernel)
        {
            return Ask(answer => Native.clpool_characterize_usable_local_memory_of_kernel(device, kernel, answer));
        }

        /// <summary>Worst bank conflict of accesses to an array in a device's local memory.</summary>
        /// <param name="device">the device</param>
        /// <param name="itemSize">bytes of an item</param>
        /// <param name="shape">extents that are accessed, fastest axis last</param>
        /// <param name="storedShape">extents that are laid out; null: as shape</param>
        /// <param name="model">whose rules</param>
        public static BankConflict LocalAccessConflicts(IntPtr device, long itemSize, long[] shape, long[]? storedShape = null,
                                                        Model model = Model.Current)
        {
            ulong item = Arguments.Bytes(itemSize, "itemSize");
            ulong[]? extents = Extents(Arguments.NotNull(shape, "shape"), "shape"), stored = Extents(storedShape, "storedShape");
            clpool_answer native = clpool_answer.Initial();
            clpool_answer* answer = &native;
            string why;
            fixed (ulong* accessed = extents)
            fixed (ulong* laidOut = stored)
            {
                ulong* first = accessed, second = laidOut;
                why = Utf8.Ask((text, capacity, needed) => Native.clpool_characterize_local_access_conflicts(
                    device, (uint)model, item, first, Arguments.Count(extents), second, Arguments.Count(stored), answer, text,
                    capacity, needed));
            }
            Answer found = new Answer(native);
            return new BankConflict(found.Value, why, found);
        }

        /// <summary>The same with given figures, without a device.</summary>
        public static BankConflict BankConflicts(long itemSize, long[] shape, long[]? storedShape = null, BankMemory? memory = null)
        {
            ulong item = Arguments.Bytes(itemSize, "itemSize");
            ulong[]? extents = Extents(Arguments.NotNull(shape, "shape"), "shape"), stored = Extents(storedShape, "storedShape");
            memory = memory ?? new BankMemory();
            clpool_bank_memory native = memory.ToNative();
            clpool_bank_memory* banks = &native;
            ulong multiplicity;
            ulong* result = &multiplicity;
            string why;
            fixed (ulong* accessed = extents)
            fixed (ulong* laidOut = stored)
            {
                ulong* first = accessed, second = laidOut;
                why = Utf8.Ask((text, capacity, needed) => Native.clpool_bank_conflicts(
                    banks, item, first, Arguments.Count(extents), second, Arguments.Count(stored), result, text, capacity, needed));
            }
            return new BankConflict((long)multiplicity, why, null);
        }

        /// <summary>Measures transfers and launches. Takes about a second; the device should be idle.</summary>
        public static DevicePerformance Performance(ComputeContext context, IntPtr device, PerformanceOptions? options = null)
        {
            clpool_performance_options asked = (options ?? new PerformanceOptions()).ToNative();
            clpool_performance found = clpool_performance.Initial();
            using (Borrowed within = Arguments.Borrow(context, "context"))
                Errors.Check(Native.clpool_characterize_performance(within.Value, device, &asked, &found));
            return new DevicePerformance(found);
        }

        private static Answer Ask(Question question)
        {
            clpool_answer answer = clpool_answer.Initial();
            Errors.Check(question(&answer));
            return new Answer(answer);
        }

        private static ulong[]? Extents(long[]? values, string name)
        {
            return values == null ? null : Array.ConvertAll(values, value => Arguments.Bytes(value, name));
        }
    }
}
