// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Boxes of bytes for two- and three-dimensional transfers.
using ClPool.Interop;

namespace ClPool
{
    /// <summary>A box of bytes and where it lies in the source and in the target. Entry 0 counts bytes, 1 rows, 2 slices; what
    /// an array leaves out is 1 in the region and 0 in an origin.</summary>
    public sealed unsafe class Box
    {
        /// <summary>A box of bytes, rows and slices.</summary>
        public Box(params long[] region) { Region = region; }

        /// <summary>Bytes, rows, slices.</summary>
        public long[] Region { get; set; }
        /// <summary>Where it begins in the source.</summary>
        public long[]? SourceOrigin { get; set; }
        /// <summary>Where it begins in the target.</summary>
        public long[]? TargetOrigin { get; set; }
        /// <summary>Bytes from row to row in the source; 0: tight.</summary>
        public long SourceRowPitch { get; set; }
        /// <summary>Bytes from slice to slice in the source; 0: tight.</summary>
        public long SourceSlicePitch { get; set; }
        /// <summary>Bytes from row to row in the target; 0: tight.</summary>
        public long TargetRowPitch { get; set; }
        /// <summary>Bytes from slice to slice in the target; 0: tight.</summary>
        public long TargetSlicePitch { get; set; }

        internal clpool_box ToNative()
        {
            ulong[] region = Arguments.Three(Region, 1, "Region");
            ulong[]? source = Arguments.Triple(SourceOrigin, 0, "SourceOrigin");
            ulong[]? target = Arguments.Triple(TargetOrigin, 0, "TargetOrigin");
            clpool_box box = clpool_box.Initial();
            for (int i = 0; i < 3; i++)
            {
                box.region[i] = region[i];
                box.source_origin[i] = source == null ? 0 : source[i];
                box.target_origin[i] = target == null ? 0 : target[i];
            }
            box.source_row_pitch = Arguments.Bytes(SourceRowPitch, "SourceRowPitch");
            box.source_slice_pitch = Arguments.Bytes(SourceSlicePitch, "SourceSlicePitch");
            box.target_row_pitch = Arguments.Bytes(TargetRowPitch, "TargetRowPitch");
            box.target_slice_pitch = Arguments.Bytes(TargetSlicePitch, "TargetSlicePitch");
            return box;
        }

        /// <inheritdoc/>
        public override string ToString()
        {
            return Figures.Describe("Box", "Region", Region, "SourceOrigin", SourceOrigin, "TargetOrigin", TargetOrigin,
                                    "SourceRowPitch", SourceRowPitch, "SourceSlicePitch", SourceSlicePitch, "TargetRowPitch", TargetRowPitch,
                                    "TargetSlicePitch", TargetSlicePitch);
        }
    }
}
