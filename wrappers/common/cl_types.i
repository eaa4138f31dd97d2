/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The types that the public headers take from stdint.h and CL/cl.h, as SWIG has to know them.
 *
 * Nothing of the size of a pointer is 32 bits wide anywhere; a language file maps uint64_t and size_t to its own
 * 64-bit type (Java: long, C#: ulong or long) where SWIG's default is another.
 */
#define SWIGWORDSIZE64
%include <stdint.i>
%include <typemaps.i>

#define CL_VERSION_2_0

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef uint32_t cl_bool;
typedef double cl_double;
typedef uint64_t cl_bitfield;
typedef uint64_t cl_device_type;
typedef uint64_t cl_mem_flags;
typedef uint64_t cl_svm_mem_flags;
typedef uint64_t cl_map_flags;
typedef uint64_t cl_mem_migration_flags;
typedef uint32_t cl_mem_info;
typedef uint32_t cl_image_info;
typedef uint32_t cl_mem_object_type;
typedef uint32_t cl_addressing_mode;
typedef uint32_t cl_filter_mode;
typedef uint32_t cl_channel_order;
typedef uint32_t cl_channel_type;
