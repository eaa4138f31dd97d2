# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Choosing a device, by preference or as the environment says, and a default context on it."""
import os
import warnings
from typing import Any, Callable, List, Optional, Tuple, Union

from . import _native as _n
from ._fields import filled
from ._numbers import CLPOOL_DEVICE_BY_RANK, CLPOOL_DEVICE_IGNORE_ENVIRONMENT
from ._results import DeviceFacts
from ._text import whole_list, whole_text

Context = _n.Context
CommandQueue = _n.CommandQueue
Event = _n.Event

IGNORE_ENVIRONMENT = CLPOOL_DEVICE_IGNORE_ENVIRONMENT
BY_RANK = CLPOOL_DEVICE_BY_RANK


class Device:
    """A device: Device(int_ptr), or anything with int_ptr such as a pyopencl.Device. Lives as long as the process."""

    __slots__ = ("int_ptr", "__weakref__")

    def __init__(self, int_ptr: Any) -> None:
        self.int_ptr: int = _n.cl_handle(int_ptr, "cl_device_id")

    @staticmethod
    def from_int_ptr(int_ptr_value: Any, retain: bool = True) -> "Device":
        """The device with a handle; `retain` is as with other classes, devices need none."""
        del retain
        return Device(int_ptr_value)

    @property
    def description(self) -> str:
        """"name [platform]", the same in every process."""
        return whole_text(lambda capacity: _n.clpool_device_describe(self.int_ptr, capacity))

    @property
    def facts(self) -> DeviceFacts:
        """What it is called and has, as its driver tells at this moment; what the driver does not answer is 0 or ""."""
        facts = _n.clpool_device_facts()
        _n.clpool_device_read_facts(self.int_ptr, facts)
        return DeviceFacts._of(facts)

    def __repr__(self) -> str:
        return f"<clpool.Device: {self.description}>"

    def __reduce__(self) -> str:
        raise TypeError("cannot pickle a clpool.Device: its handle is an address of this process; its description is the same in all")

    def __eq__(self, other: object) -> bool:
        try:
            return self.int_ptr == getattr(other, "int_ptr", None)
        except Exception:  # what was released has no handle
            return False

    def __hash__(self) -> int:
        return hash(self.int_ptr)


def _options(selector: Optional[str], types: int, flags: int) -> Any:
    return filled(_n.clpool_device_options(), selector=selector, types=types, flags=flags)


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


def context_of(device: Any) -> _n.Context:
    """A context with one device."""
    return _n.create_context(device)


_current: Optional[Tuple[int, _n.Context, _n.CommandQueue]] = None


def make_default_context(ctx_maker: Optional[Callable[[Device], Any]] = None) -> Any:
    """PyCUDA's name: a context on the device that the environment names, else on the first that gives one. It becomes the
    current one, on which pools and allocators without arguments work. `ctx_maker` is asked for a context of a device, and
    its context is returned but does not become the current one."""
    if ctx_maker is None:
        return make_current()[1]
    found = list_devices()
    refusals = []
    for device in found:
        try:
            return ctx_maker(device)
        except Exception as refusal:
            refusals.append(f"{device.description}: {refusal}")
    raise RuntimeError(f"none of {len(found)} devices gave a context: {'; '.join(refusals)}")


def make_current() -> Tuple[Device, _n.Context, _n.CommandQueue]:
    """create_default_context(), whose context becomes the current one."""
    global _current
    device, context, queue = create_default_context()
    _current = (os.getpid(), context, queue)
    return device, context, queue


def current_context() -> Optional[_n.Context]:
    """What make_default_context() made last in this process; None if nothing yet."""
    return _current[1] if _current is not None and _current[0] == os.getpid() else None


def default_queue() -> _n.CommandQueue:
    """The queue of the current context, which is made if there is none."""
    if current_context() is None:
        make_default_context()
    assert _current is not None
    return _current[2]


def get_default_device(default: int = 0) -> Device:
    """PyCUDA's name of choose_device(), with a warning; `default` counts the devices if the environment names none."""
    warnings.warn("get_default_device() is an old name, use choose_device()", DeprecationWarning, stacklevel=2)
    named = choose_device()
    found = list_devices(flags=IGNORE_ENVIRONMENT)
    if named != found[0] or default == 0:
        return named
    if not 0 <= default < len(found):
        raise IndexError(f"default is {default}, there are {len(found)} devices")
    return found[default]


def handle_of(thing: Union[int, Any]) -> int:
    """The OpenCL handle of an integer or of an object with int_ptr."""
    return int(getattr(thing, "int_ptr", thing))
