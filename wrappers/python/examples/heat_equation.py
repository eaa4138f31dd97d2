# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""The heat equation in two dimensions with pyopencl.array temporaries: on our pool and on PyOpenCL's, time and peak memory.

Grids of several resolutions, one after the other; every step allocates and drops several arrays.
"""
import sys
import time
from typing import Any, Callable, Dict, Tuple

try:
    import numpy as np
    import pyopencl as cl  # type: ignore[import]
    import pyopencl.array as cl_array  # type: ignore[import]
    import pyopencl.tools  # type: ignore[import]
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

import clpool
import clpool.pyopencl.tools

STEPS, SIZES = int(sys.argv[1]) if len(sys.argv) > 1 else 20, (1024, 768, 512, 1000)

device, context, _ = clpool.create_default_context()
ctx = cl.Context([cl.Device.from_int_ptr(device.int_ptr)])
queue = cl.CommandQueue(ctx)
laplacian = cl.Program(ctx, """
kernel void laplacian(global const float *u, global float *out, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1), i = y * width + x;
  float here = u[i];
  out[i] = (x > 0 ? u[i - 1] : here) + (x < width - 1 ? u[i + 1] : here)
         + (y > 0 ? u[i - width] : here) + (y < height - 1 ? u[i + width] : here) - 4 * here;
}
""").build().laplacian


def simulate(allocator: Any) -> float:
    """The mean temperature of the last grid."""
    mean = 0.0
    for size in SIZES:
        host = np.zeros((size, size), np.float32)
        host[size // 4:size // 2, size // 4:size // 2] = 100
        u = cl_array.to_device(queue, host, allocator=allocator)
        for _ in range(STEPS):
            change = cl_array.empty(queue, u.shape, np.float32, allocator=allocator)
            laplacian(queue, (size, size), None, u.data, change.data, np.int32(size), np.int32(size))
            u = u + 0.2 * change
        mean = float(u.get().mean())
    return mean


class Peak:
    """Follows the most bytes that PyOpenCL's pool had, which it does not tell."""

    def __init__(self, pool: Any) -> None:
        self.pool, self.bytes = pool, 0

    def __call__(self, size: int) -> Any:
        made = self.pool.allocate(size)
        self.bytes = max(self.bytes, self.pool.managed_bytes)
        return made


theirs = Peak(pyopencl.tools.MemoryPool(pyopencl.tools.ImmediateAllocator(queue)))
ours = clpool.pyopencl.tools.MemoryPool(clpool.pyopencl.tools.ImmediateAllocator(queue))
# Without a pool: builds the kernels, and the C library maps no large memory for itself after that, which would all begin at one
# place of a page: the pool that came first would have kernels that take several times as long (wrappers/README.md).
simulate(None)
results = []
pools: Dict[str, Tuple[Any, Callable[[], int]]] = {
    "PyOpenCL's pool": (theirs, lambda: theirs.bytes), "clpool": (ours, lambda: ours.statistics.peak_managed_bytes)}
for name, (allocator, peak) in pools.items():
    begin = time.perf_counter()
    results.append(simulate(allocator))
    print(f"{name:16} {time.perf_counter() - begin:6.2f} s, peak {peak() / 1e6:6.2f} MB, mean {results[-1]:.4f}")
assert results[0] == results[1]
assert ours.active_blocks == 0
