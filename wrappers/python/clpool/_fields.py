# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments: structs of C that are filled in, objects of the class that is needed, paths."""
import os
from typing import Any, Type, TypeVar, Union

T = TypeVar("T")
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def of_class(thing: Any, kind: Type[T], name: str) -> T:
    """The same; TypeError that names the argument if it is of another class."""
    if not isinstance(thing, kind):
        raise TypeError(f"{name} must be a {kind.__module__.split('.')[0]}.{kind.__name__}, not {type(thing).__name__}")
    return thing


def filled(struct: Any, **fields: Any) -> Any:
    """The struct with these fields; TypeError for one that it has not, and for a value of a wrong kind, which names the field."""
    for name, value in fields.items():
        if not hasattr(type(struct), name):
            raise TypeError(f"{type(struct).__name__} has no {name}")
        try:
            setattr(struct, name, value)
        except TypeError as error:
            raise error if name in str(error) else TypeError(f"{name}: {error}") from None
    return struct
