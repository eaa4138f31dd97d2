# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Structs of C that are filled in."""
from typing import Any


def filled(struct: Any, **fields: Any) -> Any:
    """The struct with these fields; TypeError for one that it has not."""
    for name, value in fields.items():
        if not hasattr(type(struct), name):
            raise TypeError(f"{type(struct).__name__} has no {name}")
        setattr(struct, name, value)
    return struct
