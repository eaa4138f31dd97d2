// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The structs of the C ABI, field by field, under their C names. Tests compare sizes and offsets with those of C; the
// compiler of the library's tests keeps those fixed for good. What a field means stands in the public header.
#pragma warning disable 0649, 1591, 8981
using System.Runtime.InteropServices;

namespace ClPool.Interop
{
    [StructLayout(LayoutKind.Sequential)]
    internal struct cl_image_format
    {
        public uint image_channel_order;
        public uint image_channel_data_type;
    }

    // allocator.h
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_allocator_ops
    {
        public uint struct_size;
        public uint version;
        public void* allocate;
        public void* deallocate;
        public void* destroy;
    }

    // answer.h
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_answer
    {
        public uint struct_size;
        public uint source;
        public long value;
        public void* basis;
        public void* note;
    }

    // bank.h
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_bank_memory
    {
        public uint struct_size;
        public uint model;
        public uint granularity;
        public uint work_items;
        public uint banks;
        public uint reserved;
    }

    // characterize.h
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_performance_options
    {
        public uint struct_size;
        public uint repetitions;
        public uint warm_ups;
        public uint reserved;
        public ulong transfer_bytes;
        public ulong least_ns;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_performance
    {
        public uint struct_size;
        public uint reserved;
        public ulong write_latency_ns;
        public ulong read_latency_ns;
        public ulong copy_latency_ns;
        public ulong write_bandwidth;
        public ulong read_bandwidth;
        public ulong copy_bandwidth;
        public ulong empty_kernel_ns;
        public ulong kernel_round_trip_ns;
        public long profiling_overhead_ns;
        public ulong transfer_bytes;
    }

    // device.h
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_device_options
    {
        public uint struct_size;
        public uint flags;
        public ulong types;
        public void* selector;
    }

    // device_data.h
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_device_limits
    {
        public uint struct_size;
        public uint model;
        public uint vendor;
        public uint compute_major;
        public uint compute_minor;
        public uint warp_size;
        public uint max_threads_per_group;
        public uint max_warps_per_mp;
        public uint max_groups_per_mp;
        public uint max_lone_warp_groups_per_mp;
        public uint registers_per_mp;
        public uint registers_per_group;
        public uint max_registers_per_thread;
        public uint register_unit;
        public uint register_lanes;
        public uint register_allocation;
        public uint warp_granularity;
        public uint sub_partitions;
        public uint min_sub_partitions_check;
        public uint barriers_per_mp;
        public uint partitioned_cache;
        public uint local_access_threads;
        public uint local_carve_out_count;
        public uint source;
        public ulong local_per_mp;
        public ulong local_per_group;
        public ulong local_per_group_opt_in;
        public ulong local_unit;
        public ulong local_reserved;
        public fixed ulong local_carve_outs[Native.CLPOOL_MAX_CARVE_OUTS];
        public void* note;
    }

    // heap.h
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_heap_stats
    {
        public uint struct_size;
        public uint reserved;
        public ulong managed;
        public ulong free;
        public ulong largest_free;
        public ulong active_ranges;
        public ulong spaces;
    }

    // image.h
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_image_options
    {
        public uint struct_size;
        public uint dimensions;
        public ulong flags;
        public cl_image_format format;
        public fixed ulong shape[3];
        public uint is_array;
        public uint reserved;
        public ulong row_pitch;
        public ulong slice_pitch;
        public void* host;
        public ulong host_size;
        public void* buffer;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_image_array
    {
        public uint struct_size;
        public uint element;
        public uint channels;
        public uint normalized;
        public ulong access;
        public uint dimensions;
        public uint reserved;
        public fixed ulong shape[3];
        public void* data;
        public ulong size;
    }

    // memo.h
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_memo_ops
    {
        public uint struct_size;
        public uint version;
        public void* compute;
        public void* destroy;
    }

    // occupancy.h
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_occupancy_request
    {
        public uint struct_size;
        public uint flags;
        public long threads;
        public long registers_per_thread;
        public long local_bytes;
        public long carve_out_bytes;
        public long barriers;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_occupancy
    {
        public uint struct_size;
        public uint groups_per_mp;
        public uint warps_per_group;
        public uint warps_per_mp;
        public uint max_warps_per_mp;
        public uint limiting_factors;
        public uint limit_warps;
        public uint limit_registers;
        public uint limit_local_memory;
        public uint limit_groups;
        public uint limit_barriers;
        public uint reserved;
        public ulong registers_per_group;
        public ulong local_per_group;
        public ulong local_per_mp;
        public double occupancy;
    }

    // pool.h
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_pool_callbacks
    {
        public uint struct_size;
        public uint version;
        public void* collect;
        public void* out_of_memory;
        public void* message;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_pool_options
    {
        public uint struct_size;
        public uint strategy;
        public uint leading_bits_in_bin_id;
        public uint trace_messages;
        public ulong max_bytes;
        public ulong max_held_bytes;
        public ulong min_chunk_bytes;
        public ulong alignment;
        public ulong release_threshold;
        public ulong decay_ns;
        public void* callbacks;
        public void* user;
        public void* queues;
        public uint queue_count;
        public uint reserved;
        public void* name;
        public ulong wait_ns;
        public uint guard;
        public uint reserved_2;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_pool_stats
    {
        public uint struct_size;
        public uint reserved;
        public ulong held_blocks;
        public ulong active_blocks;
        public ulong managed_bytes;
        public ulong active_bytes;
        public ulong held_bytes;
        public ulong peak_managed_bytes;
        public ulong peak_active_bytes;
        public ulong driver_allocations;
        public ulong driver_releases;
        public ulong largest_free_bytes;
        public ulong allocations;
        public ulong hits;
        public ulong misses;
        public ulong out_of_memory_events;
        public ulong reserved_bytes;
        public ulong cached_bytes;
        public ulong pending_bytes;
        public ulong chunks;
        public ulong fragmentation_ppm;
        public ulong sub_buffers_created;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_pool_stretch
    {
        public uint struct_size;
        public uint state;
        public ulong chunk;
        public ulong offset;
        public ulong size;
        public ulong requested;
        public ulong tag;
    }

    // trace.h
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_trace_event
    {
        public uint struct_size;
        public uint action;
        public ulong thread;
        public ulong time_us;
        public ulong pointer;
        public ulong size;
        public ulong stream;
        public ulong line;
        public ulong slot;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_trace_stats
    {
        public uint struct_size;
        public uint reserved;
        public ulong events;
        public ulong allocations;
        public ulong releases;
        public ulong allocate_failures;
        public ulong threads;
        public ulong distinct_sizes;
        public ulong largest_bytes;
        public ulong peak_live_bytes;
        public ulong peak_live_blocks;
        public ulong final_live_bytes;
        public ulong final_live_blocks;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_trace_replay_options
    {
        public uint struct_size;
        public uint reserved;
        public ulong progress_interval;
        public void* progress;
        public void* user;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_trace_replay_result
    {
        public uint struct_size;
        public uint reserved;
        public ulong allocations;
        public ulong releases;
        public ulong out_of_memory;
        public ulong elapsed_ns;
        public ulong allocation_ps;
        public ulong driver_allocations;
        public ulong peak_driver_bytes;
        public ulong peak_live_bytes;
        public ulong ratio_ppm;
    }

    // transfer.h
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct clpool_box
    {
        public uint struct_size;
        public uint dimensions;
        public fixed ulong region[3];
        public fixed ulong source_origin[3];
        public fixed ulong target_origin[3];
        public ulong source_row_pitch;
        public ulong source_slice_pitch;
        public ulong target_row_pitch;
        public ulong target_slice_pitch;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct clpool_device_facts
    {
        internal uint struct_size;
        internal uint platform_index;
        internal uint device_index;
        internal uint compute_units;
        internal ulong type;
        internal ulong memory_bytes;
        internal ulong largest_allocation_bytes;
        internal ulong local_memory_bytes;
        internal ulong alignment;
        internal ulong svm_capabilities;
        internal uint version_major;
        internal uint version_minor;
        internal uint has_unified_memory;
        internal uint has_out_of_order_queues;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 256)] internal byte[] name;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 128)] internal byte[] vendor;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 128)] internal byte[] platform;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 128)] internal byte[] version;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 128)] internal byte[] driver_version;
    }
}
