# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Allocation logs in RMM's format: read, write and replay them."""
from typing import Any, Callable, Iterator, List, Optional, Union, overload

from . import _native as _n
from ._fields import Path
from ._numbers import CLPOOL_TRACE_NO_SLOT, trace_action
from ._results import ReplayResult, TraceEvent, TraceStatistics
from .allocators import Allocator
from .pools import Pool


_ACTIONS = {trace_action.ALLOCATE: "allocate", trace_action.RELEASE: "free",
            trace_action.ALLOCATE_FAILURE: "allocate failure"}
_NUMBERS = {name: number for number, name in _ACTIONS.items()}


class Trace:
    """A log that was read: Trace(path), or Trace.parse(bytes, name)."""

    def __init__(self, path: Path) -> None:
        self._handle: _n.Handle = _n.clpool_trace_open(path)

    @classmethod
    def parse(cls, text: Union[str, bytes, bytearray, memoryview], name: str = "log") -> "Trace":
        """A log from memory; `name` stands in messages."""
        if not isinstance(text, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"text must be str or bytes, not {type(text).__name__}")
        made = cls.__new__(cls)
        made._handle = _n.clpool_trace_parse(text.encode() if isinstance(text, str) else text, name)
        return made

    @property
    def statistics(self) -> TraceStatistics:
        """Figures of the log."""
        stats = _n.clpool_trace_stats()
        _n.clpool_trace_statistics(self._handle, stats)
        return TraceStatistics._of(stats)

    def __len__(self) -> int:
        return self.statistics.events

    @overload
    def __getitem__(self, index: int) -> TraceEvent:
        ...

    @overload
    def __getitem__(self, index: slice) -> List[TraceEvent]:
        ...

    def __getitem__(self, index: Union[int, slice]) -> Union[TraceEvent, List[TraceEvent]]:
        count = len(self)
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(count))]
        if not -count <= index < count:
            raise IndexError(f"event {index} of {count}")
        event = _n.clpool_trace_event()
        _n.clpool_trace_event_at(self._handle, index % count, event)
        slot = None if event.slot == CLPOOL_TRACE_NO_SLOT else event.slot
        return TraceEvent(_ACTIONS[event.action], event.thread, event.time_us, event.pointer, event.size, event.stream,
                          event.line, slot)

    def __iter__(self) -> Iterator[TraceEvent]:
        return (self[index] for index in range(len(self)))

    def replay(self, target: Union[Pool, Allocator], progress: Optional[Callable[[int, int], Any]] = None,
               progress_interval: int = 0) -> ReplayResult:
        """Does what the log says with a pool or an allocator. progress(done, total) returns something true to stop."""
        if not isinstance(target, (Pool, Allocator)):
            raise TypeError(f"a log is replayed with a pool or an allocator, not with a {type(target).__name__}")
        handle = target._handle if isinstance(target, Allocator) else target
        return ReplayResult(*_n.replay(self._handle, handle, progress, progress_interval))


class TraceWriter:
    """Writes a log: `with TraceWriter(path) as log: log.write("allocate", pointer, size)`."""

    def __init__(self, path: Path) -> None:
        self._handle: _n.Handle = _n.clpool_trace_writer_create(path)

    def write(self, action: str, pointer: int, size: int, stream: int = 0, status: int = 0,
              tag: Optional[str] = None) -> None:
        """Adds a row: "allocate", "free" or "allocate failure"."""
        if action not in _NUMBERS:
            raise ValueError(f"action is {action!r}, it must be one of {', '.join(_NUMBERS)}")
        _n.clpool_trace_writer_write(self._handle, _NUMBERS[action], pointer, size, stream, status, tag)

    def flush(self) -> None:
        """Hands all rows to the system."""
        _n.clpool_trace_writer_flush(self._handle)

    def close(self) -> None:
        """Writes what is buffered and closes the file, also where that cannot be written; doing it again does nothing more."""
        if not self._handle.released:
            try:
                self.flush()
            finally:
                self._handle.release()

    def __enter__(self) -> "TraceWriter":
        return self

    def __exit__(self, *_exception: Any) -> None:
        self.close()
