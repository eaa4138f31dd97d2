# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of the library: warnings and traces. Nothing is ever printed by itself."""
from typing import Any, Callable, Optional

from . import _native as _n
from ._numbers import severity

TRACE, WARNING, ERROR = severity.TRACE, severity.WARNING, severity.ERROR


def set_message_callback(callback: Optional[Callable[[int, str], Any]]) -> None:
    """Sets the receiver of all messages that no pool's own callback takes: callback(severity, text); None for none.
    Called from whichever thread a message arises in; when the program ends it is let go of, before its globals are."""
    _n.set_message_callback(callback)


def status_string(status: int) -> str:
    """Short English text for a status number."""
    return str(_n.clpool_status_string(status))


def cl_error_name(code: int) -> str:
    """Name of an OpenCL error code, such as "CL_INVALID_VALUE" for -30."""
    return str(_n.clpool_cl_error_name(code))


def last_error_message() -> str:
    """What went wrong in the calling thread's last failed call."""
    return str(_n.clpool_last_error_message())


def last_cl_error() -> int:
    """OpenCL error code behind it; 0 for none."""
    return int(_n.clpool_last_cl_error())


def version() -> str:
    """Version of the library that the program runs with."""
    return str(_n.clpool_version_string())


def version_number() -> int:
    """The same as one number: major * 1000000 + minor * 1000 + patch."""
    return int(_n.clpool_version_number())
