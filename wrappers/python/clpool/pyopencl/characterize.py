# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""The names of pyopencl.characterize."""
from ..characterize import (CLCharacterizationWarning, get_fast_inaccurate_build_options, get_pocl_version,
                            get_simd_group_size, has_amd_double_support, has_coarse_grain_buffer_svm, has_double_support,
                            has_fine_grain_buffer_svm, has_fine_grain_buffer_svm_atomics, has_fine_grain_system_svm,
                            has_fine_grain_system_svm_atomics, has_src_build_cache, has_struct_arg_count_bug,
                            local_memory_access_granularity, local_memory_bank_count, nv_compute_capability,
                            reasonable_work_group_size_multiple, simultaneous_work_items_on_local_access,
                            usable_local_mem_size, why_not_local_access_conflict_free)

__all__ = [
    "CLCharacterizationWarning", "get_fast_inaccurate_build_options", "get_pocl_version", "get_simd_group_size",
    "has_amd_double_support", "has_coarse_grain_buffer_svm", "has_double_support", "has_fine_grain_buffer_svm",
    "has_fine_grain_buffer_svm_atomics", "has_fine_grain_system_svm", "has_fine_grain_system_svm_atomics",
    "has_src_build_cache", "has_struct_arg_count_bug", "local_memory_access_granularity", "local_memory_bank_count",
    "nv_compute_capability", "reasonable_work_group_size_multiple", "simultaneous_work_items_on_local_access",
    "usable_local_mem_size", "why_not_local_access_conflict_free",
]
