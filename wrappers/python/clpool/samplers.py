# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Samplers: how kernels read images."""
import struct
from typing import Any, List, Sequence, Union

import numpy as np

from . import _native as _n
from .constants import sampler_info


class Sampler(_n.SamplerHandle):
    """Sampler(context, normalized_coords, addressing_mode, filter_mode) or Sampler(context, properties)."""

    __slots__ = ()

    def __new__(cls, context: Any, normalized_coords: Union[bool, "np.bool_", Sequence[int], None] = None, addressing_mode: int = 0,
                filter_mode: int = 0) -> "Sampler":
        if isinstance(normalized_coords, (int, np.bool_)):
            handle = _n.clpool_sampler_create(context, normalized_coords, addressing_mode, filter_mode)
        else:
            handle = _n.clpool_sampler_create_with_properties(context, normalized_coords)
        made: Sampler = super().__new__(cls, handle, False)
        return made

    def get_info(self, name: int) -> Any:
        """A property (clpool.sampler_info): what the attribute of the same name is."""
        answer = self._info(name)
        if name == sampler_info.CONTEXT:
            return _n.Context(int.from_bytes(answer, "little"))
        if name == sampler_info.PROPERTIES:
            return list(struct.unpack(f"{len(answer) // 8}Q", answer))
        if name in (sampler_info.LOD_MIN, sampler_info.LOD_MAX):
            return struct.unpack("f", answer)[0]
        number = int.from_bytes(answer, "little")
        return bool(number) if name == sampler_info.NORMALIZED_COORDS else number

    @property
    def reference_count(self) -> int:
        """CL_SAMPLER_REFERENCE_COUNT."""
        return int(self.get_info(sampler_info.REFERENCE_COUNT))

    @property
    def context(self) -> _n.Context:
        """CL_SAMPLER_CONTEXT."""
        made: _n.Context = self.get_info(sampler_info.CONTEXT)
        return made

    @property
    def normalized_coords(self) -> bool:
        """Whether coordinates go from 0 to 1."""
        return bool(self.get_info(sampler_info.NORMALIZED_COORDS))

    @property
    def addressing_mode(self) -> int:
        """One of clpool.addressing_mode."""
        return int(self.get_info(sampler_info.ADDRESSING_MODE))

    @property
    def filter_mode(self) -> int:
        """One of clpool.filter_mode."""
        return int(self.get_info(sampler_info.FILTER_MODE))

    @property
    def mip_filter_mode(self) -> int:
        """One of clpool.filter_mode, for mip-mapped images (OpenCL 2.0 with cl_khr_mipmap_image)."""
        return int(self.get_info(sampler_info.MIP_FILTER_MODE))

    @property
    def lod_min(self) -> float:
        """The least level of detail (OpenCL 2.0 with cl_khr_mipmap_image)."""
        return float(self.get_info(sampler_info.LOD_MIN))

    @property
    def lod_max(self) -> float:
        """The greatest level of detail (OpenCL 2.0 with cl_khr_mipmap_image)."""
        return float(self.get_info(sampler_info.LOD_MAX))

    mip_filter_mode_khr, lod_min_khr, lod_max_khr = mip_filter_mode, lod_min, lod_max

    @property
    def properties(self) -> List[int]:
        """CL_SAMPLER_PROPERTIES (OpenCL 3.0): the list with which it was made."""
        made: List[int] = self.get_info(sampler_info.PROPERTIES)
        return made
