/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The functions that are wrapped, by the headers that declare them. A new public function gets a line here, or one in
 * not_wrapped.txt with its reason (tests/coverage.py looks after that). A language file may %ignore again what its
 * hand-written part calls itself, such as functions with callbacks.
 */
%rename("$ignore", regextarget=1, %$isfunction) "^clpool_";

%define CLPOOL_FUNCTION(NAME)
%rename("%s") NAME;
%enddef

/* allocator.h */
CLPOOL_FUNCTION(clpool_allocator_allocate)
CLPOOL_FUNCTION(clpool_allocator_create_custom)
CLPOOL_FUNCTION(clpool_allocator_create_deferred)
CLPOOL_FUNCTION(clpool_allocator_create_immediate)
CLPOOL_FUNCTION(clpool_allocator_create_limit)
CLPOOL_FUNCTION(clpool_allocator_create_pinned)
CLPOOL_FUNCTION(clpool_allocator_create_svm)
CLPOOL_FUNCTION(clpool_allocator_create_trace)
CLPOOL_FUNCTION(clpool_allocator_release)

/* answer.h */
CLPOOL_FUNCTION(clpool_source_name)

/* bank.h */
CLPOOL_FUNCTION(clpool_bank_conflicts)

/* buffer.h */
CLPOOL_FUNCTION(clpool_buffer_create)
CLPOOL_FUNCTION(clpool_mem_root)
CLPOOL_FUNCTION(clpool_mem_sub_region)
CLPOOL_FUNCTION(clpool_mem_wrap)

/* characterize.h */
CLPOOL_FUNCTION(clpool_characterize_amd_double_support)
CLPOOL_FUNCTION(clpool_characterize_compute_capability)
CLPOOL_FUNCTION(clpool_characterize_double_support)
CLPOOL_FUNCTION(clpool_characterize_fast_build_options)
CLPOOL_FUNCTION(clpool_characterize_local_access_conflicts)
CLPOOL_FUNCTION(clpool_characterize_local_access_granularity)
CLPOOL_FUNCTION(clpool_characterize_local_access_work_items)
CLPOOL_FUNCTION(clpool_characterize_local_bank_count)
CLPOOL_FUNCTION(clpool_characterize_performance)
CLPOOL_FUNCTION(clpool_characterize_pocl_version)
CLPOOL_FUNCTION(clpool_characterize_simd_group_size)
CLPOOL_FUNCTION(clpool_characterize_simd_group_size_of_kernel)
CLPOOL_FUNCTION(clpool_characterize_simd_group_sizes)
CLPOOL_FUNCTION(clpool_characterize_source_build_cache)
CLPOOL_FUNCTION(clpool_characterize_struct_argument_bug)
CLPOOL_FUNCTION(clpool_characterize_sub_groups)
CLPOOL_FUNCTION(clpool_characterize_svm)
CLPOOL_FUNCTION(clpool_characterize_usable_local_memory)
CLPOOL_FUNCTION(clpool_characterize_usable_local_memory_of_kernel)
CLPOOL_FUNCTION(clpool_characterize_work_group_size_multiple)

/* device.h */
CLPOOL_FUNCTION(clpool_context_create_default)
CLPOOL_FUNCTION(clpool_device_choose)
CLPOOL_FUNCTION(clpool_device_describe)
CLPOOL_FUNCTION(clpool_device_list)
CLPOOL_FUNCTION(clpool_device_list_for_tests)

/* device_data.h */
CLPOOL_FUNCTION(clpool_align)
CLPOOL_FUNCTION(clpool_align_bytes)
CLPOOL_FUNCTION(clpool_align_elements)
CLPOOL_FUNCTION(clpool_align_words)
CLPOOL_FUNCTION(clpool_coalesce_threads)
CLPOOL_FUNCTION(clpool_device_data_create_from_architecture)
CLPOOL_FUNCTION(clpool_device_data_create_from_compute_capability)
CLPOOL_FUNCTION(clpool_device_data_create_from_device)
CLPOOL_FUNCTION(clpool_device_data_create_from_limits)
CLPOOL_FUNCTION(clpool_device_data_limits)
CLPOOL_FUNCTION(clpool_device_data_release)
CLPOOL_FUNCTION(clpool_valid_channel_count)

/* heap.h */
CLPOOL_FUNCTION(clpool_heap_add_space)
CLPOOL_FUNCTION(clpool_heap_allocate)
CLPOOL_FUNCTION(clpool_heap_check)
CLPOOL_FUNCTION(clpool_heap_create)
CLPOOL_FUNCTION(clpool_heap_destroy)
CLPOOL_FUNCTION(clpool_heap_free)
CLPOOL_FUNCTION(clpool_heap_range_offset)
CLPOOL_FUNCTION(clpool_heap_range_size)
CLPOOL_FUNCTION(clpool_heap_range_space)
CLPOOL_FUNCTION(clpool_heap_remove_space)
CLPOOL_FUNCTION(clpool_heap_statistics)

/* image.h */
CLPOOL_FUNCTION(clpool_image_channel_count)
CLPOOL_FUNCTION(clpool_image_channel_order_name)
CLPOOL_FUNCTION(clpool_image_channel_size)
CLPOOL_FUNCTION(clpool_image_channel_type_name)
CLPOOL_FUNCTION(clpool_image_copy)
CLPOOL_FUNCTION(clpool_image_copy_from_buffer)
CLPOOL_FUNCTION(clpool_image_copy_to_buffer)
CLPOOL_FUNCTION(clpool_image_create)
CLPOOL_FUNCTION(clpool_image_create_from_array)
CLPOOL_FUNCTION(clpool_image_fill)
CLPOOL_FUNCTION(clpool_image_format)
CLPOOL_FUNCTION(clpool_image_formats)
CLPOOL_FUNCTION(clpool_image_item_size)
CLPOOL_FUNCTION(clpool_image_read)
CLPOOL_FUNCTION(clpool_image_shape)
CLPOOL_FUNCTION(clpool_image_write)

/* info.h */
CLPOOL_FUNCTION(clpool_image_info)
CLPOOL_FUNCTION(clpool_mem_context)
CLPOOL_FUNCTION(clpool_mem_equal)
CLPOOL_FUNCTION(clpool_mem_host_memory)
CLPOOL_FUNCTION(clpool_mem_info)
CLPOOL_FUNCTION(clpool_mem_info_number)
CLPOOL_FUNCTION(clpool_mem_set_kernel_arg)
CLPOOL_FUNCTION(clpool_pipe_info)

/* map.h */
CLPOOL_FUNCTION(clpool_image_map)
CLPOOL_FUNCTION(clpool_map_pointer)
CLPOOL_FUNCTION(clpool_map_release)
CLPOOL_FUNCTION(clpool_map_row_pitch)
CLPOOL_FUNCTION(clpool_map_size)
CLPOOL_FUNCTION(clpool_map_slice_pitch)
CLPOOL_FUNCTION(clpool_map_unmap)
CLPOOL_FUNCTION(clpool_mem_map)

/* mem.h */
CLPOOL_FUNCTION(clpool_mem_capacity)
CLPOOL_FUNCTION(clpool_mem_handle)
CLPOOL_FUNCTION(clpool_mem_is_pooled)
CLPOOL_FUNCTION(clpool_mem_kind)
CLPOOL_FUNCTION(clpool_mem_pointer)
CLPOOL_FUNCTION(clpool_mem_release)
CLPOOL_FUNCTION(clpool_mem_retain)
CLPOOL_FUNCTION(clpool_mem_size)

/* memo.h */
CLPOOL_FUNCTION(clpool_memo_clear)
CLPOOL_FUNCTION(clpool_memo_clear_all)
CLPOOL_FUNCTION(clpool_memo_clear_object)
CLPOOL_FUNCTION(clpool_memo_create)
CLPOOL_FUNCTION(clpool_memo_find)
CLPOOL_FUNCTION(clpool_memo_get)
CLPOOL_FUNCTION(clpool_memo_release)
CLPOOL_FUNCTION(clpool_memo_size)
CLPOOL_FUNCTION(clpool_memo_value_get)
CLPOOL_FUNCTION(clpool_memo_value_release)

/* message.h */
CLPOOL_FUNCTION(clpool_set_message_callback)

/* occupancy.h */
CLPOOL_FUNCTION(clpool_occupancy_compute)
CLPOOL_FUNCTION(clpool_occupancy_factor_name)
CLPOOL_FUNCTION(clpool_occupancy_suggest)

/* pipe.h */
CLPOOL_FUNCTION(clpool_pipe_create)

/* pool.h */
CLPOOL_FUNCTION(clpool_bin_alloc_size)
CLPOOL_FUNCTION(clpool_bin_number)
CLPOOL_FUNCTION(clpool_bitlog2)
CLPOOL_FUNCTION(clpool_mem_release_after)
CLPOOL_FUNCTION(clpool_mem_release_idle)
CLPOOL_FUNCTION(clpool_mem_release_later)
CLPOOL_FUNCTION(clpool_mem_set_tag)
CLPOOL_FUNCTION(clpool_mem_try_release)
CLPOOL_FUNCTION(clpool_mem_used_on)
CLPOOL_FUNCTION(clpool_pool_allocate)
CLPOOL_FUNCTION(clpool_pool_allocate_on)
CLPOOL_FUNCTION(clpool_pool_check)
CLPOOL_FUNCTION(clpool_pool_create)
CLPOOL_FUNCTION(clpool_pool_dump_json)
CLPOOL_FUNCTION(clpool_pool_free_held)
CLPOOL_FUNCTION(clpool_pool_release)
CLPOOL_FUNCTION(clpool_pool_statistics)
CLPOOL_FUNCTION(clpool_pool_stop_holding)
CLPOOL_FUNCTION(clpool_pool_resume_holding)
CLPOOL_FUNCTION(clpool_pool_tick)
CLPOOL_FUNCTION(clpool_pool_trim)
CLPOOL_FUNCTION(clpool_pool_try_allocate)
CLPOOL_FUNCTION(clpool_pool_visit)

/* sampler.h */
CLPOOL_FUNCTION(clpool_sampler_create)
CLPOOL_FUNCTION(clpool_sampler_create_with_properties)

/* status.h */
CLPOOL_FUNCTION(clpool_cl_error_name)
CLPOOL_FUNCTION(clpool_last_cl_error)
CLPOOL_FUNCTION(clpool_last_error_message)
CLPOOL_FUNCTION(clpool_status_string)
CLPOOL_FUNCTION(clpool_version_number)
CLPOOL_FUNCTION(clpool_version_string)

/* svm.h */
CLPOOL_FUNCTION(clpool_svm_alignment_for)
CLPOOL_FUNCTION(clpool_svm_as_buffer)
CLPOOL_FUNCTION(clpool_mem_bind_queue)
CLPOOL_FUNCTION(clpool_svm_capabilities)
CLPOOL_FUNCTION(clpool_svm_create)
CLPOOL_FUNCTION(clpool_mem_release_on)
CLPOOL_FUNCTION(clpool_mem_unbind_queue)
CLPOOL_FUNCTION(clpool_svm_wrap)

/* trace.h */
CLPOOL_FUNCTION(clpool_trace_event_at)
CLPOOL_FUNCTION(clpool_trace_open)
CLPOOL_FUNCTION(clpool_trace_parse)
CLPOOL_FUNCTION(clpool_trace_release)
CLPOOL_FUNCTION(clpool_trace_replay_allocator)
CLPOOL_FUNCTION(clpool_trace_replay_pool)
CLPOOL_FUNCTION(clpool_trace_statistics)
CLPOOL_FUNCTION(clpool_trace_writer_create)
CLPOOL_FUNCTION(clpool_trace_writer_flush)
CLPOOL_FUNCTION(clpool_trace_writer_release)
CLPOOL_FUNCTION(clpool_trace_writer_write)

/* transfer.h */
CLPOOL_FUNCTION(clpool_mem_copy)
CLPOOL_FUNCTION(clpool_mem_copy_box)
CLPOOL_FUNCTION(clpool_mem_copy_p2p)
CLPOOL_FUNCTION(clpool_mem_fill)
CLPOOL_FUNCTION(clpool_mem_migrate)
CLPOOL_FUNCTION(clpool_mem_read)
CLPOOL_FUNCTION(clpool_mem_read_box)
CLPOOL_FUNCTION(clpool_mem_write)
CLPOOL_FUNCTION(clpool_mem_write_box)
