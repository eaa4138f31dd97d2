# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Results cached per OpenCL object: decorators with PyOpenCL's names, and Cache, which is the library's own."""
import functools
import weakref
from typing import Any, Callable, Dict, Tuple, TypeVar

from . import _native as _n

Function = TypeVar("Function", bound=Callable[..., Any])

_dictionaries: "weakref.WeakSet[_Results]" = weakref.WeakSet()


class _Results(Dict[Any, Any]):
    """{first argument: {other arguments: result}}"""

    __hash__ = object.__hash__  # type: ignore[assignment]


def first_arg_dependent_memoize(function: Function) -> Function:
    """Computes once for each first argument (a context, queue, …) and other arguments, all hashable. Exceptions are not
    kept. Results keep the first argument alive until clear_first_arg_caches()."""
    results = _Results()
    _dictionaries.add(results)

    @functools.wraps(function)
    def wrapper(first: Any, *args: Any, **keywords: Any) -> Any:
        key = (args, frozenset(keywords.items())) if keywords else args
        try:
            return results[first][key]
        except KeyError:
            pass
        result = function(first, *args, **keywords)
        return results.setdefault(first, {}).setdefault(key, result)

    return wrapper  # type: ignore[return-value]


context_dependent_memoize = first_arg_dependent_memoize

_nested: Dict[Tuple[str, int, str], _Results] = {}


def first_arg_dependent_memoize_nested(nested_func: Function) -> Function:
    """The same for a function within a function: its results are those of the place in the source, and so are shared by
    all calls of the function around it. Takes no keywords."""
    code = nested_func.__code__
    results = _nested.setdefault((code.co_filename, code.co_firstlineno, nested_func.__name__), _Results())
    _dictionaries.add(results)

    @functools.wraps(nested_func)
    def wrapper(first: Any, *args: Any) -> Any:
        try:
            return results[first][args]
        except KeyError:
            pass
        result = nested_func(first, *args)
        return results.setdefault(first, {}).setdefault(args, result)

    return wrapper  # type: ignore[return-value]



def clear_first_arg_caches() -> None:
    """Forgets all results of all decorators and caches, and with them their contexts."""
    for results in list(_dictionaries):
        results.clear()
    _n.clpool_memo_clear_all()


clear_context_caches = clear_first_arg_caches


class Cache:
    """Results per OpenCL object and key (bytes); each is computed once, also with many threads. `kind` says what the
    objects are: "context", "device", "queue", "pool" (held until cleared) or "any" (not held)."""

    _KINDS = {"any": _n.CLPOOL_MEMO_ANY, "context": _n.CLPOOL_MEMO_CONTEXT, "device": _n.CLPOOL_MEMO_DEVICE,
              "queue": _n.CLPOOL_MEMO_QUEUE, "pool": _n.CLPOOL_MEMO_POOL}

    def __init__(self, kind: str = "context") -> None:
        if kind not in self._KINDS:
            raise ValueError(f"kind is {kind!r}, it must be one of {', '.join(self._KINDS)}")
        self._kind = self._KINDS[kind]
        self._handle: _n.Handle = _n.create_cache()

    def get(self, thing: Any, key: bytes, compute: Callable[[], Any]) -> Any:
        """The result that is kept, or compute()'s. Exceptions of compute reach the caller, and nothing is kept."""
        return _n.cache_get(self._handle, self._kind, thing, key, compute)

    def find(self, thing: Any, key: bytes) -> Any:
        """The result that is kept, or None."""
        return _n.cache_find(self._handle, self._kind, thing, key)

    def clear(self) -> None:
        """Forgets all results."""
        _n.clpool_memo_clear(self._handle)

    def clear_object(self, thing: Any) -> None:
        """Forgets the results of one object that is no pool."""
        _n.clpool_memo_clear_object(self._handle, getattr(thing, "int_ptr", thing))

    def __len__(self) -> int:
        return int(_n.clpool_memo_size(self._handle))
