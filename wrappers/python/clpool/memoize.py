# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Results cached per OpenCL object: decorators with PyOpenCL's names, and Cache, which is the library's own."""
import functools
import inspect
import os
import threading
import weakref
from typing import Any, Callable, Dict, Tuple, TypeVar

from . import _native as _n
from ._numbers import cache_owner
from .devices import current_context

Function = TypeVar("Function", bound=Callable[..., Any])

_dictionaries: "weakref.WeakSet[_Results]" = weakref.WeakSet()


class _Results(Dict[Any, Any]):
    """{first argument: {other arguments: result}}"""

    __hash__ = object.__hash__  # type: ignore[assignment]


class _Computed:
    """A result, or its computation by one thread, for which others wait."""

    __slots__ = ("process", "thread", "done", "value", "failed")

    def __init__(self) -> None:
        self.process = os.getpid()
        self.thread = threading.get_ident()
        self.done = threading.Event()
        self.value: Any = None
        self.failed = True


_MISSING: Any = object()
_NOTHING: Dict[Any, _Computed] = {}


def _computed_once(results: _Results, first: Any, key: Any, compute: Callable[[], Any]) -> Any:
    while True:
        mine = _Computed()
        entry = results.setdefault(first, {}).setdefault(key, mine)
        if entry is not mine:
            if entry.process != os.getpid() and not entry.done.is_set():
                computed = results.get(first, {})
                if computed.get(key) is entry:
                    del computed[key]  # the thread that computes it is the parent's: a child of fork() does not have it
                continue
            if entry.thread == threading.get_ident() and not entry.done.is_set():
                raise RecursionError("the computation of a result asks for the same result")
            entry.done.wait()
            if entry.failed:
                continue
            return entry.value
        try:
            mine.value = compute()
            mine.failed = False
            return mine.value
        finally:
            if mine.failed:
                results.get(first, {}).pop(key, None)
            mine.done.set()


def first_arg_dependent_memoize(function: Function) -> Function:
    """Computes once for each first argument (a context, queue, …) and other arguments, all hashable, also with many threads.
    Exceptions are not kept. Results keep the first argument alive until clear_first_arg_caches()."""
    results = _Results()
    _dictionaries.add(results)

    @functools.wraps(function)
    def wrapper(first: Any = _MISSING, /, *args: Any, **keywords: Any) -> Any:
        if first is _MISSING:
            name = next(iter(inspect.signature(function).parameters), None)
            if name not in keywords:
                raise TypeError(f"{function.__name__}() needs its first argument, a context or the like")
            first = keywords.pop(name)
        key = (args, frozenset(keywords.items())) if keywords else args
        known = results.get(first, _NOTHING).get(key)
        if known is not None and not known.failed:
            return known.value
        return _computed_once(results, first, key, lambda: function(first, *args, **keywords))

    return wrapper  # type: ignore[return-value]


def context_dependent_memoize(function: Function) -> Function:
    """PyOpenCL's and PyCUDA's: computes once for each context and other arguments. The context is the first argument if that
    is an OpenCL object, else the current one of make_default_context(), None before that."""
    by_first = first_arg_dependent_memoize(function)

    @first_arg_dependent_memoize
    def by_current(_context: Any, *args: Any, **keywords: Any) -> Any:
        return function(*args, **keywords)

    @functools.wraps(function)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        if args and hasattr(args[0], "int_ptr"):
            return by_first(*args, **keywords)
        return by_current(current_context(), *args, **keywords)

    return wrapper  # type: ignore[return-value]


_nested: Dict[Tuple[str, int, str], _Results] = {}


def first_arg_dependent_memoize_nested(nested_func: Function) -> Function:
    """The same for a function within a function: its results are those of the place in the source, and so are shared by
    all calls of the function around it. Takes no keywords."""
    code = nested_func.__code__
    results = _nested.setdefault((code.co_filename, code.co_firstlineno, nested_func.__name__), _Results())
    _dictionaries.add(results)

    @functools.wraps(nested_func)
    def wrapper(first: Any, *args: Any) -> Any:
        known = results.get(first, _NOTHING).get(args)
        if known is not None and not known.failed:
            return known.value
        return _computed_once(results, first, args, lambda: nested_func(first, *args))

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

    _KINDS = {kind.name.lower(): int(kind) for kind in cache_owner}

    def __init__(self, kind: str = "context") -> None:
        if kind not in self._KINDS:
            raise ValueError(f"kind is {kind!r}, it must be one of {', '.join(self._KINDS)}")
        self._kind = self._KINDS[kind]
        self._handle: _n.Handle = _n.create_cache()

    @staticmethod
    def _checked(key: Any) -> bytes:
        if not isinstance(key, bytes):
            raise TypeError(f"key must be bytes, not {type(key).__name__}")
        return key

    def get(self, thing: Any, key: bytes, compute: Callable[[], Any]) -> Any:
        """The result that is kept, or compute()'s. Exceptions of compute reach the caller, and nothing is kept. Two threads whose
        computations ask for each other's keys wait for ever."""
        return _n.cache_get(self._handle, self._kind, thing, self._checked(key), compute)

    def find(self, thing: Any, key: bytes) -> Any:
        """The result that is kept, or None."""
        return _n.cache_find(self._handle, self._kind, thing, self._checked(key))

    def clear(self) -> None:
        """Forgets all results."""
        _n.clpool_memo_clear(self._handle)

    def clear_object(self, thing: Any) -> None:
        """Forgets the results of one object that is no pool."""
        _n.clpool_memo_clear_object(self._handle, getattr(thing, "int_ptr", thing))

    def __len__(self) -> int:
        return int(_n.clpool_memo_size(self._handle))
