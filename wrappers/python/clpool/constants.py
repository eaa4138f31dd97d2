# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""OpenCL's numbers under the names of PyOpenCL's classes of constants, and the library's own."""
from ._numbers import CLPOOL_WHOLE_SIZE
from ._numbers import *  # noqa: F401,F403
from ._opencl import *  # noqa: F401,F403

WHOLE_SIZE = CLPOOL_WHOLE_SIZE
"""As a size: all that is left, or as much as both sides of a transfer have."""
