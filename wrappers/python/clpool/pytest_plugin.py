# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""pytest plug-in: `pytest_plugins = ["clpool.pytest_plugin"]` in conftest.py, or pytest -p clpool.pytest_plugin.

Tests with the fixtures ctx_factory, device or platform run once for each device that CLPOOL_TEST or PYOPENCL_TEST names,
or for every device there is. With PyOpenCL installed the fixtures are its objects, else clpool's.
"""
import functools
import gc
import warnings
from typing import Any, Callable, Dict, List, Set, TypeVar

from .devices import Device, context_of, list_devices_for_tests, make_default_context
from .memoize import clear_first_arg_caches

try:
    import pyopencl as _cl  # type: ignore[import]
    import pyopencl.tools  # type: ignore[import]  # noqa: F401
except ImportError:
    _cl = None

Test = TypeVar("Test", bound=Callable[..., Any])


class ContextFactory:
    """Makes a context with one device; named after it, without addresses."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def __call__(self) -> Any:
        _clear_caches()
        if _cl is not None:
            return _cl.Context([_cl.Device.from_int_ptr(self.device.int_ptr)])
        return context_of(self.device)

    def __repr__(self) -> str:
        return f"<context factory for {self.device.description}>"


def _clear_caches() -> None:
    """Lets go of contexts that caches keep, PyOpenCL's too."""
    clear_first_arg_caches()
    if _cl is not None:
        _cl.tools.clear_first_arg_caches()
    gc.collect()


def devices() -> List[Device]:
    """The devices to test on."""
    return list_devices_for_tests()


def _names_of_its_own(metafunc: Any) -> Set[str]:
    """What a test takes from its own parameters and fixtures."""
    names = set(getattr(metafunc, "_arg2fixturedefs", ()))
    for mark in metafunc.definition.iter_markers("parametrize"):
        given = mark.kwargs["argnames"] if "argnames" in mark.kwargs else mark.args[0]
        names.update(name.strip() for name in (given.split(",") if isinstance(given, str) else given))
    return names


def pytest_generate_tests(metafunc: Any) -> None:
    """Runs tests with our fixtures once for each device. Fixtures and parameters of the same name that tests have of their own
    are left alone."""
    own = _names_of_its_own(metafunc)
    wanted = [name for name in ("ctx_factory", "ctx_getter", "device", "platform")
              if name in metafunc.fixturenames and name not in own]
    if not wanted:
        return
    if "ctx_getter" in wanted:
        warnings.warn("ctx_getter is an old name, use ctx_factory", DeprecationWarning, stacklevel=2)
    makers = {
        "ctx_factory": ContextFactory,
        "ctx_getter": ContextFactory,
        "device": lambda device: _cl.Device.from_int_ptr(device.int_ptr) if _cl is not None else device,
        "platform": lambda device: _cl.Device.from_int_ptr(device.int_ptr).platform if _cl is not None else device,
    }  # type: Dict[str, Callable[[Device], Any]]
    found = devices()
    rows = [tuple(makers[name](device) for name in wanted) for device in found]
    metafunc.parametrize(wanted, rows, ids=[device.description for device in found])


def mark_opencl_test(test: Test) -> Test:
    """Marks a test as one that needs a device ("opencl"), skips it where there is none, and clears caches after it."""
    import pytest

    @functools.wraps(test)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        if not devices():
            pytest.skip("there is no OpenCL device")
        try:
            return test(*args, **keywords)
        finally:
            _clear_caches()

    return pytest.mark.opencl(wrapper)  # type: ignore[no-any-return]


def mark_cuda_test(test: Test) -> Test:
    """PyCUDA's: mark_opencl_test() with its mark "cuda", in a default context."""
    import pytest

    @functools.wraps(test)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        make_default_context()
        return test(*args, **keywords)

    return pytest.mark.cuda(mark_opencl_test(wrapper))  # type: ignore[no-any-return]


def pytest_configure(config: Any) -> None:
    """Registers the marks."""
    for mark in ("opencl", "cuda"):
        config.addinivalue_line("markers", f"{mark}: needs an OpenCL device")
