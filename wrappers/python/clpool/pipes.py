# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Pipes (OpenCL 2.0)."""
from typing import Any, Sequence

import numpy as np

from . import _native as _n
from .constants import pipe_info
from .memory import MemoryObject, info_bytes


class Pipe(MemoryObject):
    """Pipe(context, flags, packet_size, max_packets, properties=()). OpenCL defines no properties: it must be empty."""

    __slots__ = ()

    def __new__(cls, context: Any, flags: int, packet_size: int, max_packets: int, properties: Sequence[int] = ()) -> "Pipe":
        if len(properties) != 0:
            raise ValueError(f"properties are {list(properties)}, OpenCL has none for pipes")
        return _n.adopt(cls, _n.clpool_pipe_create(context, flags, packet_size, max_packets), None)

    @property
    def packet_size(self) -> int:
        """Bytes of a packet."""
        return self.get_info_number(pipe_info.PACKET_SIZE)

    @property
    def max_packets(self) -> int:
        """How many packets it holds."""
        return self.get_info_number(pipe_info.MAX_PACKETS)

    def get_pipe_info(self, name: int) -> Any:
        """A property (clpool.pipe_info): a number, or the list of properties."""
        if name == pipe_info.PROPERTIES:
            return np.frombuffer(info_bytes(_n.clpool_pipe_info, self, name), np.uint64).tolist()
        return self.get_info_number(name)
