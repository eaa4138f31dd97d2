# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Texts and lists whose length the library tells only when it is asked."""
from typing import Any, Callable, List


def whole_text(ask: Callable[[int], Any]) -> str:
    """The text of ask(capacity) -> (text, needed bytes)."""
    capacity = 256
    while True:
        text, needed = ask(capacity)
        if needed <= capacity:
            return str(text)
        capacity = needed


def whole_list(ask: Callable[[int], Any]) -> List[Any]:
    """The list of ask(capacity) -> (items, count)."""
    capacity = 16
    while True:
        items, count = ask(capacity)
        if count <= capacity:
            return list(items[:count])
        capacity = count
