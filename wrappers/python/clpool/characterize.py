# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What one must know of a device to use its memory well, under the names of pyopencl.characterize.

`ask` functions give an Answer: value, source ("query", "kernel query", "table", "guess", "not applicable", "none"), what is
behind it and what to beware of. The functions with PyOpenCL's names give the value alone, and warn
(CLCharacterizationWarning) where it is a guess.
"""
import warnings
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _native as _n
from ._fields import filled
from ._numbers import answer_source, struct_argument_bug, svm_kind
from ._results import Answer, Performance
from ._text import whole_list, whole_text
from .constants import model as _model


class CLCharacterizationWarning(UserWarning):
    """An answer about a device is a guess."""


def _answer(ask: Any, *arguments: Any) -> Answer:
    made = _n.clpool_answer()
    ask(*arguments, made)
    return Answer(made.value, _n.clpool_source_name(made.source), made.basis, made.note)


def _checked(answer: Answer) -> int:
    if answer.source == "guess":
        warnings.warn(f"{answer.basis or 'nothing'} is known of this device: {answer.value} is a guess. {answer.note}",
                      CLCharacterizationWarning, stacklevel=3)
    return answer.value


def ask_simd_group_size(device: Any, model: int = _model.CURRENT) -> Answer:
    """Work items that run in step."""
    return _answer(_n.clpool_characterize_simd_group_size, device, model)


def ask_simd_group_sizes(device: Any) -> List[int]:
    """All SIMD widths that the compiler may choose, ascending."""
    made = _n.clpool_answer()
    return whole_list(lambda room: _n.clpool_characterize_simd_group_sizes(device, room, made))


def ask_simd_group_size_of_kernel(device: Any, kernel: Any) -> Answer:
    """SIMD width that the compiler chose for a kernel."""
    return _answer(_n.clpool_characterize_simd_group_size_of_kernel, device, kernel)


def ask_work_group_size_multiple(device: Any, context: Any = None, model: int = _model.CURRENT) -> Answer:
    """What work-group sizes should be a multiple of."""
    return _answer(_n.clpool_characterize_work_group_size_multiple, device, context, model)


def ask_local_access_granularity(device: Any, model: int = _model.CURRENT) -> Answer:
    """Bytes that one bank of local memory gives at a time."""
    return _answer(_n.clpool_characterize_local_access_granularity, device, model)


def ask_local_access_work_items(device: Any, model: int = _model.CURRENT) -> Answer:
    """Work items whose accesses to local memory are served together."""
    return _answer(_n.clpool_characterize_local_access_work_items, device, model)


def ask_local_bank_count(device: Any, model: int = _model.CURRENT) -> Answer:
    """Banks of local memory."""
    return _answer(_n.clpool_characterize_local_bank_count, device, model)


def ask_double_support(device: Any, model: int = _model.CURRENT) -> Answer:
    """Whether kernels can use double."""
    return _answer(_n.clpool_characterize_double_support, device, model)


def ask_sub_groups(device: Any) -> Answer:
    """Most sub-groups of a work-group; 0: none."""
    return _answer(_n.clpool_characterize_sub_groups, device)


def ask_usable_local_memory(device: Any, argument_count: int = -1) -> Answer:
    """Bytes of local memory that a work-group can use."""
    return _answer(_n.clpool_characterize_usable_local_memory, device, argument_count)


def ask_usable_local_memory_of_kernel(device: Any, kernel: Any) -> Answer:
    """Bytes of local memory that a kernel leaves for its dynamic local arguments."""
    return _answer(_n.clpool_characterize_usable_local_memory_of_kernel, device, kernel)


def get_fast_inaccurate_build_options(dev: Any, model: int = _model.CURRENT) -> List[str]:
    """Build options for fast and inaccurate arithmetic."""
    return whole_text(lambda room: _n.clpool_characterize_fast_build_options(dev, model, room)).split()


def get_simd_group_size(dev: Any, type_size: int = 4) -> int:
    """Work items that run in step; always a number."""
    return _checked(ask_simd_group_size(dev))


def has_amd_double_support(dev: Any) -> bool:
    """Whether the device has cl_amd_fp64."""
    return _answer(_n.clpool_characterize_amd_double_support, dev).value == 1


def has_double_support(dev: Any) -> bool:
    """Whether kernels can use double."""
    return ask_double_support(dev).value == 1


def has_struct_arg_count_bug(dev: Any, ctx: Any = None) -> Union[str, bool]:
    """"apple" or "pocl" where the driver counts the members of a struct argument as arguments, else False."""
    found = _answer(_n.clpool_characterize_struct_argument_bug, dev, ctx).value
    names: Dict[int, Union[str, bool]] = {struct_argument_bug.APPLE: "apple", struct_argument_bug.POCL: "pocl"}
    return names.get(found, False)


def has_src_build_cache(dev: Any) -> Optional[bool]:
    """Whether the driver keeps programs that were built from source; None if nobody knows."""
    found = _answer(_n.clpool_characterize_source_build_cache, dev).value
    return None if found < 0 else bool(found)


def local_memory_access_granularity(dev: Any) -> int:
    """Bytes that one bank of local memory gives at a time; 0 where there are no banks."""
    return _checked(ask_local_access_granularity(dev))


def local_memory_bank_count(dev: Any) -> int:
    """Banks of local memory; 0 where local memory is ordinary cached memory."""
    return _checked(ask_local_bank_count(dev))


def simultaneous_work_items_on_local_access(dev: Any) -> int:
    """Work items whose accesses to local memory are served together; 0 where there are no banks."""
    return _checked(ask_local_access_work_items(dev))


def nv_compute_capability(dev: Any) -> Optional[Tuple[int, int]]:
    """NVIDIA's compute capability; None for other devices."""
    made = _n.clpool_answer()
    major, minor = _n.clpool_characterize_compute_capability(dev, made)
    return (major, minor) if made.source == answer_source.QUERY else None


def get_pocl_version(platform: Any, fallback_value: Optional[Tuple[int, int]] = None) -> Optional[Tuple[int, int]]:
    """PoCL's version; None for other platforms."""
    made = _n.clpool_answer()
    major, minor = _n.clpool_characterize_pocl_version(platform, made)
    if made.source == answer_source.NOT_APPLICABLE:
        return None
    if made.source == answer_source.NONE:
        warnings.warn("PoCL's version cannot be read", CLCharacterizationWarning, stacklevel=2)
        return fallback_value
    return major, minor


def usable_local_mem_size(dev: Any, nargs: Optional[int] = None) -> int:
    """Bytes of local memory that a work-group can use."""
    return ask_usable_local_memory(dev, -1 if nargs is None else nargs).value


def reasonable_work_group_size_multiple(dev: Any, ctx: Any = None) -> int:
    """What work-group sizes should be a multiple of."""
    return _checked(ask_work_group_size_multiple(dev, ctx))


def why_not_local_access_conflict_free(dev: Any, itemsize: int, array_shape: Sequence[int],
                                       array_stored_shape: Optional[Sequence[int]] = None,
                                       model: int = _model.CURRENT) -> Tuple[int, Optional[str]]:
    """(multiplicity, why): the worst bank conflict of accesses to an array in local memory; (1, None) for none."""
    made = _n.clpool_answer()
    text = whole_text(lambda room: _n.clpool_characterize_local_access_conflicts(
        dev, model, itemsize, array_shape, array_stored_shape, made, room))
    return made.value, text or None


def bank_conflicts(itemsize: int, shape: Sequence[int], stored_shape: Optional[Sequence[int]] = None, *,
                   granularity: int = 0, work_items: int = 0, banks: int = 0,
                   model: int = _model.CURRENT) -> Tuple[int, Optional[str]]:
    """The same from numbers alone: up to 4096 work items, 65536 banks and items of 65536 bytes; where two items fit into all banks
    together, all work items may access 262144 words of `granularity` bytes."""
    memory = filled(_n.clpool_bank_memory(), model=model, granularity=granularity, work_items=work_items, banks=banks)
    multiplicity = 0

    def ask(room: int) -> Tuple[str, int]:
        nonlocal multiplicity
        multiplicity, text, needed = _n.clpool_bank_conflicts(memory, itemsize, shape, stored_shape, room)
        return text, needed

    text = whole_text(ask)
    return multiplicity, text or None


def _has_svm(dev: Any, kind: int) -> bool:
    return _answer(_n.clpool_characterize_svm, dev, kind, _model.CURRENT).value == 1


def has_coarse_grain_buffer_svm(dev: Any) -> bool:
    """Whether the device has coarse-grain SVM."""
    return _has_svm(dev, svm_kind.COARSE_BUFFER)


def has_fine_grain_buffer_svm(dev: Any) -> bool:
    """Whether the device has fine-grain buffer SVM."""
    return _has_svm(dev, svm_kind.FINE_BUFFER)


def has_fine_grain_system_svm(dev: Any) -> bool:
    """Whether the device can use all host memory."""
    return _has_svm(dev, svm_kind.FINE_SYSTEM)


def has_fine_grain_buffer_svm_atomics(dev: Any) -> bool:
    """Whether the device has atomics on fine-grain buffer SVM."""
    return _has_svm(dev, svm_kind.FINE_BUFFER_ATOMICS)


def has_fine_grain_system_svm_atomics(dev: Any) -> bool:
    """Whether the device has atomics on all host memory."""
    return _has_svm(dev, svm_kind.FINE_SYSTEM_ATOMICS)


def measure_performance(context: Any, device: Any, *, repetitions: int = 0, warm_ups: int = 0, transfer_bytes: int = 0,
                        least_ns: int = 0) -> Performance:
    """Measures transfers and launches; takes about a second with the defaults, and does not end sooner for an interrupt. Up to
    10,000 repetitions and warm-ups, of 60 s (`least_ns`) at least."""
    options = filled(_n.clpool_performance_options(), repetitions=repetitions, warm_ups=warm_ups, transfer_bytes=transfer_bytes,
                     least_ns=least_ns)
    made = _n.clpool_performance()
    _n.clpool_characterize_performance(context, device, options, made)
    return Performance._of(made)
