# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Choosing a device, by preference or as the environment says, and a default context on it."""
from typing import Any, List, Optional, Tuple, Union

from . import _native as _n
from ._text import whole_list, whole_text

Context = _n.Context
CommandQueue = _n.CommandQueue
Event = _n.Event

IGNORE_ENVIRONMENT: int = _n.CLPOOL_DEVICE_IGNORE_ENVIRONMENT
BY_RANK: int = _n.CLPOOL_DEVICE_BY_RANK


class Device:
    """A device: Device(int_ptr), or anything with int_ptr such as a pyopencl.Device. Lives as long as the process."""

    __slots__ = ("int_ptr",)

    def __init__(self, int_ptr: Any) -> None:
        self.int_ptr: int = _n.cl_handle(int_ptr, "cl_device_id")

    @property
    def description(self) -> str:
        """"name [platform]", the same in every process."""
        return whole_text(lambda capacity: _n.clpool_device_describe(self.int_ptr, capacity))

    def __repr__(self) -> str:
        return f"<clpool.Device: {self.description}>"

    def __eq__(self, other: object) -> bool:
        return self.int_ptr == getattr(other, "int_ptr", None)

    def __hash__(self) -> int:
        return hash(self.int_ptr)


def _options(selector: Optional[str], types: int, flags: int) -> Any:
    options = _n.clpool_device_options()
    options.selector = selector
    options.types = types
    options.flags = flags
    return options


def choose_device(selector: Optional[str] = None, types: int = 0, flags: int = 0) -> Device:
    """The device that the selector, the environment (CLPOOL_DEVICE, CLPOOL_TEST, PYOPENCL_TEST, PYOPENCL_CTX,
    CUDA_DEVICE, ~/.cuda-device) or preference says."""
    return Device(_n.clpool_device_choose(_options(selector, types, flags)))


def list_devices(selector: Optional[str] = None, types: int = 0, flags: int = 0) -> List[Device]:
    """All devices that choose_device() would consider, the chosen one first."""
    options = _options(selector, types, flags)
    return [Device(handle) for handle in whole_list(lambda room: _n.clpool_device_list(options, room))]


def list_devices_for_tests() -> List[Device]:
    """All that CLPOOL_TEST or PYOPENCL_TEST names; without either every device of every platform."""
    return [Device(handle) for handle in whole_list(_n.clpool_device_list_for_tests)]


def create_default_context(selector: Optional[str] = None, types: int = 0,
                           flags: int = 0) -> Tuple[Device, _n.Context, _n.CommandQueue]:
    """One call to begin with: a device, a context with it alone, and an in-order queue."""
    device, context, queue = _n.clpool_context_create_default(_options(selector, types, flags))
    return Device(device), Context(context, retain=False), CommandQueue(queue, retain=False)


def handle_of(thing: Union[int, Any]) -> int:
    """The OpenCL handle of an integer or of an object with int_ptr."""
    return int(getattr(thing, "int_ptr", thing))
