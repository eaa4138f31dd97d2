# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Lines that no example has, for the checkers of types alone: what `with` gives has the class of what it was given."""
import numpy as np

import clpool


class NamedPool(clpool.MemoryPool):
    def says(self) -> str:
        return "mine"


queue = clpool.create_default_context()[2]
with clpool.PageLockedMemoryPool(clpool.PageLockedAllocator(queue)) as staging:
    array = staging.allocate((3, 4), np.float32)
    maybe = staging.try_allocate((3, 4), np.float32)
    block: clpool.PooledHostAllocation = staging.allocate_block(10)
    rows = array.shape[0] if maybe is None else maybe.shape[0]
with NamedPool(clpool.ImmediateAllocator(queue)) as pool:
    said: str = pool.says()
    buffer: clpool.PooledBuffer = pool.allocate(10)
trace = clpool.Trace.parse("Thread,Time,Action,Pointer,Size,Stream\n")
events = [event.size for event in trace[0:2]]
