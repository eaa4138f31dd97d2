# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in the drop-in, as programs with PyOpenCL expect it: each exception is of clpool's class and of the one that
PyOpenCL would raise, cl.MemoryError, cl.LogicError or cl.RuntimeError."""
import functools
import inspect
from typing import Any, Callable, Type, TypeVar

import pyopencl as cl  # type: ignore[import]

from .._errors import (ClpoolError, InvalidOperationError, InvalidValueError, NotSupportedError, OutOfHostMemoryError,
                       OutOfMemoryError)

C = TypeVar("C")
F = TypeVar("F", bound=Callable[..., Any])

#: The codes that PyOpenCL gives for what OpenCL is not asked.
_CODES = {OutOfMemoryError: cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE, OutOfHostMemoryError: cl.status_code.OUT_OF_HOST_MEMORY,
          InvalidValueError: cl.status_code.INVALID_VALUE, InvalidOperationError: cl.status_code.INVALID_VALUE,
          NotSupportedError: cl.status_code.INVALID_OPERATION}


@functools.lru_cache(maxsize=None)
def _class_of(ours: type, theirs: type) -> Any:
    def again(self: Any) -> Any:
        return _made, (ours, theirs, self.args), self.__dict__
    return type(ours.__name__, (ours, theirs), {"__doc__": ours.__doc__, "__module__": ours.__module__, "__reduce__": again,
                                                "routine": "clpool"})


def _made(ours: type, theirs: type, args: Any) -> Any:
    return _class_of(ours, theirs)(*args)


def as_pyopencls(error: ClpoolError) -> ClpoolError:
    """The same as an exception of PyOpenCL's class, too."""
    if isinstance(error, cl.Error):
        return error  # type: ignore[no-any-return]
    if isinstance(error, MemoryError) or error.code == cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE:
        theirs = cl.MemoryError
    elif isinstance(error, (InvalidValueError, InvalidOperationError, NotSupportedError)) or error.code <= cl.status_code.INVALID_VALUE:
        theirs = cl.LogicError
    else:
        theirs = cl.RuntimeError
    made: ClpoolError = _made(type(error), theirs, error.args)
    made.status = error.status
    made.code = error.code or _CODES.get(type(error), cl.status_code.OUT_OF_RESOURCES)
    return made.with_traceback(error.__traceback__)


def raises_pyopencls(function: F) -> F:
    """The function with such exceptions. Where nanoseconds count, the function has the same by hand."""
    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except ClpoolError as error:
            raise as_pyopencls(error) from None
    return call  # type: ignore[return-value]


def inherits_pyopencls_errors(kind: Type[C]) -> Type[C]:
    """A class with such exceptions in all that it inherits from clpool and does not write itself."""
    for name in dir(kind):
        is_public = not name.startswith("_") or name in ("__init__", "__call__", "__enter__", "__exit__")
        home = next(base for base in kind.__mro__ if name in vars(base))
        if not is_public or home is kind or not home.__module__.startswith("clpool"):
            continue
        member = inspect.getattr_static(kind, name)
        if isinstance(member, property):
            getter: Any = member.fget
            setattr(kind, name, property(raises_pyopencls(getter), doc=member.__doc__))
        elif callable(member):
            setattr(kind, name, raises_pyopencls(member))
    return kind
