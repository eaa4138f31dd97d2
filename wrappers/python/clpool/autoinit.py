# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""import clpool.autoinit: a device, context and queue made when this is imported, as pycuda.autoinit does. The context is the
current one, and caches let go of it when the program ends."""
import atexit

from ._native import CommandQueue, Context
from .devices import Device, make_current
from .memoize import clear_context_caches

device: Device
context: Context
queue: CommandQueue
device, context, queue = make_current()
atexit.register(clear_context_caches)
