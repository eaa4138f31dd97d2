# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Device data and occupancy, with the names of pycuda.tools: DeviceData, OccupancyRecord."""
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from . import _native as _n
from ._fields import filled, of_class
from ._numbers import CLPOOL_OCCUPANCY_UNLIMITED, limiting_factors, register_allocation
from ._results import DeviceLimits
from ._text import whole_list
from .constants import model as _model

class DeviceData:
    """What a multiprocessor (compute unit) can hold.

    DeviceData(device) of a device; DeviceData.of("9.0"), "sm_90", "gfx1100", "xe-hpg" of an architecture;
    DeviceData.from_limits(warp_size=32, …) of numbers. `model` is one of clpool.model: PYOPENCL and PYCUDA_2014 mean PyCUDA's rules here.
    """

    def __init__(self, dev: Any = None, model: int = _model.CURRENT) -> None:
        if dev is None:
            from .devices import choose_device
            dev = choose_device()
        self._take(_n.clpool_device_data_create_from_device(dev, model))

    def _take(self, handle: _n.Handle) -> "DeviceData":
        self._handle = handle
        limits = _n.clpool_device_limits()
        _n.clpool_device_data_limits(handle, limits)
        self._limits = limits
        return self

    @classmethod
    def of(cls, architecture: str, model: int = _model.CURRENT) -> "DeviceData":
        """Limits of an architecture by its compiler's name."""
        return cls.__new__(cls)._take(_n.clpool_device_data_create_from_architecture(architecture, model))

    @classmethod
    def of_compute_capability(cls, major: int, minor: int, model: int = _model.CURRENT) -> "DeviceData":
        """Limits of an NVIDIA compute capability."""
        return cls.__new__(cls)._take(_n.clpool_device_data_create_from_compute_capability(major, minor, model))

    @classmethod
    def from_limits(cls, model: int = _model.CURRENT, **limits: Any) -> "DeviceData":
        """Limits given as numbers: the fields of clpool_device_limits by name. `limits` of another one can be given, too: its
        note is left out."""
        limits.pop("note", None)
        if "local_carve_outs" in limits:
            limits["local_carve_out_count"] = len(limits["local_carve_outs"])
        made = filled(_n.clpool_device_limits(), model=model, **limits)
        return cls.__new__(cls)._take(_n.clpool_device_data_create_from_limits(made))

    @property
    def limits(self) -> DeviceLimits:
        """All numbers by their names in C."""
        limits = DeviceLimits()
        for name in DeviceLimits.__annotations__:
            limits[name] = getattr(self._limits, name)  # type: ignore[literal-required]
        limits["local_carve_outs"] = self._limits.local_carve_outs[:self._limits.local_carve_out_count]
        return limits

    @property
    def source(self) -> str:
        """How good the figures are."""
        return str(_n.clpool_source_name(self._limits.source))

    @property
    def max_threads(self) -> int:
        """Threads of a group."""
        return int(self._limits.max_threads_per_group)

    @property
    def warp_size(self) -> int:
        """Threads that run in step."""
        return int(self._limits.warp_size)

    @property
    def warps_per_mp(self) -> int:
        """Warps of a multiprocessor."""
        return int(self._limits.max_warps_per_mp)

    @property
    def thread_blocks_per_mp(self) -> int:
        """Groups of a multiprocessor."""
        return int(self._limits.max_groups_per_mp)

    @property
    def registers(self) -> int:
        """Registers of a multiprocessor."""
        return int(self._limits.registers_per_mp)

    @property
    def shared_memory(self) -> int:
        """Bytes of local memory of a multiprocessor."""
        return int(self._limits.local_per_mp)

    @property
    def smem_alloc_granularity(self) -> int:
        """Bytes in multiples of which local memory is given out."""
        return int(self._limits.local_unit)

    @property
    def smem_granularity(self) -> int:
        """Threads that take part in one access to local memory."""
        return int(self._limits.local_access_threads)

    @property
    def register_allocation_unit(self) -> str:
        """"warp" or "block": what registers are given to."""
        return "block" if self._limits.register_allocation == register_allocation.BY_GROUP else "warp"

    @staticmethod
    def align_bytes(word_size: int = 4) -> int:
        """Bytes that accesses of a word size are best aligned to."""
        return int(_n.clpool_align_bytes(word_size))

    @staticmethod
    def align(bytes: int, word_size: int = 4) -> int:
        """Rounds bytes up to a multiple of align_bytes()."""
        return int(_n.clpool_align(bytes, word_size))

    @staticmethod
    def align_words(word_size: int) -> int:
        """Words in align_bytes()."""
        return int(_n.clpool_align_words(word_size))

    @staticmethod
    def align_dtype(elements: int, dtype_size: int) -> int:
        """Rounds a number of elements up to a multiple of align_words()."""
        return int(_n.clpool_align_elements(elements, dtype_size))

    @staticmethod
    def coalesce(thread_count: int) -> int:
        """Rounds threads up to a multiple of 16."""
        return int(_n.clpool_coalesce_threads(thread_count))

    @staticmethod
    def make_valid_tex_channel_count(size: int) -> int:
        """The smallest of 1, 2, 4 that is at least size."""
        return int(_n.clpool_valid_channel_count(size))

    def __repr__(self) -> str:
        return f"<clpool.DeviceData: warps of {self.warp_size}, {self.warps_per_mp} on a multiprocessor ({self.source})>"


class Occupancy(NamedTuple):
    """An answer; limits that do not bind are None."""

    groups_per_mp: int
    warps_per_group: int
    warps_per_mp: int
    max_warps_per_mp: int
    limited_by: Tuple[str, ...]
    limits: Dict[str, Optional[int]]
    registers_per_group: int
    local_per_group: int
    local_per_mp: int
    occupancy: float


def _request(threads: int, shared_mem: int, registers: int, barriers: int, carve_out_bytes: int, flags: int) -> Any:
    return filled(_n.clpool_occupancy_request(), threads=threads, local_bytes=shared_mem, registers_per_thread=registers,
                  barriers=barriers, carve_out_bytes=carve_out_bytes, flags=flags)


#: In the order of PyCUDA's list.
_FACTORS = {"groups": limiting_factors.GROUPS, "warps": limiting_factors.WARPS,
            "registers": limiting_factors.REGISTERS, "local_memory": limiting_factors.LOCAL_MEMORY,
            "barriers": limiting_factors.BARRIERS}


def _result(made: Any, model: int) -> Occupancy:
    bits = [bit for bit in sorted(_FACTORS.values()) if made.limiting_factors & bit]
    limits = {name: getattr(made, f"limit_{name}") for name in _FACTORS}
    return Occupancy(made.groups_per_mp, made.warps_per_group, made.warps_per_mp, made.max_warps_per_mp,
                     tuple(_n.clpool_occupancy_factor_name(bit, model) for bit in bits),
                     {name: None if value == CLPOOL_OCCUPANCY_UNLIMITED else value for name, value in limits.items()},
                     made.registers_per_group, made.local_per_group, made.local_per_mp, made.occupancy)


def occupancy(devdata: DeviceData, threads: int, shared_mem: int = 0, registers: int = 0, *, barriers: int = 0,
              carve_out_bytes: int = 0, flags: int = 0) -> Occupancy:
    """How many groups of a kernel a multiprocessor holds, and what limits them."""
    made = _n.clpool_occupancy()
    _n.clpool_occupancy_compute(of_class(devdata, DeviceData, "devdata")._handle,
                                _request(threads, shared_mem, registers, barriers, carve_out_bytes, flags), made)
    return _result(made, devdata._limits.model)


def suggest_group_sizes(devdata: DeviceData, shared_mem: int = 0, registers: int = 0, *, barriers: int = 0,
                        carve_out_bytes: int = 0, flags: int = 0) -> Tuple[List[int], Occupancy]:
    """(sizes, occupancy of the smallest): the group sizes with the highest occupancy, ascending."""
    request = _request(0, shared_mem, registers, barriers, carve_out_bytes, flags)
    best, handle = _n.clpool_occupancy(), of_class(devdata, DeviceData, "devdata")._handle
    sizes = whole_list(lambda room: _n.clpool_occupancy_suggest(handle, request, room, best))
    return sizes, _result(best, devdata._limits.model)


class OccupancyRecord:
    """pycuda.tools.OccupancyRecord: tb_per_mp, limited_by, warps_per_mp, occupancy, tb_per_mp_limits."""

    #: Groups of a multiprocessor.
    tb_per_mp: int
    #: Name of the limit that is reached.
    limited_by: str
    #: Warps of a multiprocessor.
    warps_per_mp: int
    #: Share of the warps that a multiprocessor can hold.
    occupancy: float
    #: (groups, name) of each limit that binds.
    tb_per_mp_limits: List[Tuple[int, str]]

    def __init__(self, devdata: DeviceData, threads: int, shared_mem: int = 0, registers: int = 0) -> None:
        found = occupancy(devdata, threads, shared_mem, registers)
        self.tb_per_mp = found.groups_per_mp
        self.limited_by = found.limited_by[0] if found.limited_by else ""
        self.warps_per_mp = found.warps_per_mp
        self.occupancy = found.occupancy
        self.tb_per_mp_limits = [(int(found.limits[name] or 0), _n.clpool_occupancy_factor_name(bit, devdata._limits.model))
                                 for name, bit in _FACTORS.items() if found.limits[name] is not None]

    def __repr__(self) -> str:
        return f"<clpool.OccupancyRecord: {self.tb_per_mp} groups by {self.limited_by}, occupancy {self.occupancy:.3f}>"
