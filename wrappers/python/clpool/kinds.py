# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Which class memory of each kind gets."""
from . import _native as _n
from .images import Image
from .memory import Buffer, CustomMemory, PageLocked, SubRegion
from .pipes import Pipe
from .svm import SVMPointer

_n.set_memory_classes({
    _n.CLPOOL_MEM_KIND_BUFFER: Buffer, _n.CLPOOL_MEM_KIND_SUB_REGION: SubRegion, _n.CLPOOL_MEM_KIND_IMAGE: Image,
    _n.CLPOOL_MEM_KIND_PIPE: Pipe, _n.CLPOOL_MEM_KIND_SVM: SVMPointer, _n.CLPOOL_MEM_KIND_PINNED: PageLocked,
    _n.CLPOOL_MEM_KIND_CUSTOM: CustomMemory})
