# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Which class memory of each kind gets."""
from . import _native as _n
from ._numbers import memory_kind
from .images import Image
from .memory import Buffer, CustomMemory, PageLocked, SubRegion
from .pipes import Pipe
from .svm import SVMPointer

_n.set_memory_classes({
    memory_kind.BUFFER: Buffer, memory_kind.SUB_REGION: SubRegion, memory_kind.IMAGE: Image,
    memory_kind.PIPE: Pipe, memory_kind.SVM: SVMPointer, memory_kind.PINNED: PageLocked,
    memory_kind.CUSTOM: CustomMemory})
