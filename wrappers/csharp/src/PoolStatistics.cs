// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Figures of a pool, and the picture of its memory.
using ClPool.Interop;

namespace ClPool
{
    /// <summary>Figures of a pool at one moment. The first four are those of PyOpenCL's pools, exactly.</summary>
    public sealed class PoolStatistics
    {
        private readonly clpool_pool_stats native;

        internal PoolStatistics(clpool_pool_stats native) { this.native = native; }

        /// <summary>Blocks that were given back and are kept. Coalescing: neighbours merge into one.</summary>
        public long HeldBlocks { get { return (long)native.held_blocks; } }
        /// <summary>Blocks that are handed out.</summary>
        public long ActiveBlocks { get { return (long)native.active_blocks; } }
        /// <summary>Bytes that the pool has from its allocator.</summary>
        public long ManagedBytes { get { return (long)native.managed_bytes; } }
        /// <summary>Bytes that were requested for the blocks that are handed out.</summary>
        public long ActiveBytes { get { return (long)native.active_bytes; } }
        /// <summary>Bytes that the pool has and that are in no block handed out.</summary>
        public long HeldBytes { get { return (long)native.held_bytes; } }
        /// <summary>The most that managed_bytes ever was.</summary>
        public long PeakManagedBytes { get { return (long)native.peak_managed_bytes; } }
        /// <summary>The most that active_bytes ever was.</summary>
        public long PeakActiveBytes { get { return (long)native.peak_active_bytes; } }
        /// <summary>Successful allocations of chunks.</summary>
        public long DriverAllocations { get { return (long)native.driver_allocations; } }
        /// <summary>Chunks given back.</summary>
        public long DriverReleases { get { return (long)native.driver_releases; } }
        /// <summary>Bytes of the largest block that can be handed out without a new chunk.</summary>
        public long LargestFreeBytes { get { return (long)native.largest_free_bytes; } }
        /// <summary>Requests served.</summary>
        public long Allocations { get { return (long)native.allocations; } }
        /// <summary>Requests served from memory that the pool had.</summary>
        public long Hits { get { return (long)native.hits; } }
        /// <summary>Requests that needed a new chunk.</summary>
        public long Misses { get { return (long)native.misses; } }
        /// <summary>Times that the allocator or a limit said out of memory.</summary>
        public long OutOfMemoryEvents { get { return (long)native.out_of_memory_events; } }
        /// <summary>Bytes reserved for the blocks that are handed out, at least active_bytes.</summary>
        public long ReservedBytes { get { return (long)native.reserved_bytes; } }
        /// <summary>Bytes in the caches of recently released blocks, part of held_bytes.</summary>
        public long CachedBytes { get { return (long)native.cached_bytes; } }
        /// <summary>Bytes released but still in use by queues, part of held_bytes.</summary>
        public long PendingBytes { get { return (long)native.pending_bytes; } }
        /// <summary>Chunks that the pool has.</summary>
        public long Chunks { get { return (long)native.chunks; } }
        /// <summary>Free memory that is not in the largest free block, in parts per million of all free memory; 0 when none is free.</summary>
        public long FragmentationPpm { get { return (long)native.fragmentation_ppm; } }
        /// <summary>Sub-buffers made by clCreateSubBuffer.</summary>
        public long SubBuffersCreated { get { return (long)native.sub_buffers_created; } }

        /// <inheritdoc/>
        public override string ToString() { return Figures.Describe(this); }
    }

    /// <summary>One stretch of a pool's memory.</summary>
    public sealed class PoolStretch
    {
        private readonly clpool_pool_stretch native;

        internal PoolStretch(clpool_pool_stretch native) { this.native = native; }

        /// <summary>One of CLPOOL_STRETCH_….</summary>
        public StretchState State { get { return (StretchState)native.state; } }
        /// <summary>Number of the chunk, from 0, in the order in which the chunks were taken.</summary>
        public long Chunk { get { return (long)native.chunk; } }
        /// <summary>Bytes from the chunk's start.</summary>
        public long Offset { get { return (long)native.offset; } }
        /// <summary>Bytes.</summary>
        public long Size { get { return (long)native.size; } }
        /// <summary>Bytes that were asked for; 0 unless active.</summary>
        public long Requested { get { return (long)native.requested; } }
        /// <summary>What clpool_mem_set_tag() gave the block; 0 unless active.</summary>
        public long Tag { get { return (long)native.tag; } }

        /// <inheritdoc/>
        public override string ToString() { return Figures.Describe(this); }
    }
}
