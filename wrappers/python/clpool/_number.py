# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers and bits that know their names, as PyOpenCL's classes of constants do."""
from enum import IntEnum, IntFlag
from typing import Optional


def _name_of(kind: type, value: int) -> Optional[str]:
    for name, member in kind.__members__.items():  # type: ignore[attr-defined]
        if member == value:
            return str(name)
    return None


class Number(IntEnum):
    """A number with a name."""

    @classmethod
    def to_string(cls, value: int, default_format: Optional[str] = None) -> str:
        """The name of a number; for one without a name default_format % value, ValueError if that is left out."""
        name = _name_of(cls, value)
        if name is not None:
            return name
        if default_format is None:
            raise ValueError(f"{cls.__name__} has no name for {value}")
        return default_format % value


class Flags(IntFlag):
    """Bits with names."""

    @classmethod
    def to_string(cls, value: int, default_format: Optional[str] = None) -> str:
        """The names of the bits that are set, joined by " | "; for a bit without a name default_format % bit, ValueError if
        that is left out."""
        whole = _name_of(cls, value)
        if whole is not None:
            return whole
        names = []
        for bit in (1 << index for index in range(int(value).bit_length())):
            if value & bit:
                name = _name_of(cls, bit)
                if name is None and default_format is None:
                    raise ValueError(f"{cls.__name__} has no name for bit {bit:#x} of {value:#x}")
                names.append(name if name is not None else str(default_format) % bit)
        return " | ".join(names)
