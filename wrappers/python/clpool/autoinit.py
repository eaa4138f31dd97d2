# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""import clpool.autoinit: a device, context and queue made when this is imported, as pycuda.autoinit does."""
from .devices import create_default_context

device, context, queue = create_default_context()
