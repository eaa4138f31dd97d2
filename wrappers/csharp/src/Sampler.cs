// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Samplers.
using System;
using System.Collections.Generic;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>A cl_sampler.</summary>
    public sealed unsafe class Sampler : IDisposable
    {
        private readonly OwnedHandle handle;

        /// <summary>Makes a sampler.</summary>
        /// <param name="context">where it is made</param>
        /// <param name="normalized">coordinates go from 0 to 1</param>
        /// <param name="addressing">what lies outside</param>
        /// <param name="filter">how pixels are combined</param>
        public Sampler(ComputeContext context, bool normalized, AddressingMode addressing, FilterMode filter)
        {
            IntPtr sampler;
            handle = new OwnedHandle(Native.clReleaseSampler, null, "Sampler");
            using (Borrowed within = Arguments.Borrow(context, "context"))
                Errors.Check(Native.clpool_sampler_create(within.Value, normalized ? 1 : 0, (uint)addressing, (uint)filter, &sampler));
            handle.Own(sampler);
        }

        /// <summary>Makes a sampler from properties: names (CL_SAMPLER_…), which are not 0, and values.</summary>
        public Sampler(ComputeContext context, IEnumerable<KeyValuePair<long, long>> properties)
        {
            List<ulong> pairs = new List<ulong>();
            foreach (KeyValuePair<long, long> property in Arguments.NotNull(properties, "properties"))
            {
                if (property.Key == 0)
                    throw new ArgumentException("have the name 0, where OpenCL takes them to end, with the value " + property.Value, "properties");
                pairs.Add((ulong)property.Key);
                pairs.Add((ulong)property.Value);
            }
            pairs.Add(0);
            IntPtr sampler;
            handle = new OwnedHandle(Native.clReleaseSampler, null, "Sampler");
            fixed (ulong* list = pairs.ToArray())
                using (Borrowed within = Arguments.Borrow(context, "context"))
                    Errors.Check(Native.clpool_sampler_create_with_properties(within.Value, list, &sampler));
            handle.Own(sampler);
        }

        /// <summary>The cl_sampler, for clSetKernelArg.</summary>
        public IntPtr Handle { get { using (Borrowed used = handle.Borrow()) return used.Value; } }

        /// <summary>Gives the reference up.</summary>
        public void Dispose() { handle.Dispose(); }

        /// <inheritdoc/>
        public override string ToString() { return OwnedHandle.Describe(GetType().Name, handle, IntPtr.Zero); }
    }
}
