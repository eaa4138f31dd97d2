# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""import clpool.autoinit: a device, context and queue made when this is imported, as pycuda.autoinit does. The context is the
current one, and caches let go of it when the program ends."""
import atexit

from .devices import make_current
from .memoize import clear_context_caches

device, context, queue = make_current()
atexit.register(clear_context_caches)
