# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""How many groups of a kernel several architectures hold, and what limits them. Needs no device."""
import clpool

KERNEL = {"threads": 256, "registers": 40, "shared_mem": 16384}

print(f"A kernel with {KERNEL['threads']} threads, {KERNEL['registers']} registers a thread and {KERNEL['shared_mem']} bytes")
for name in ("sm_70", "sm_80", "sm_90", "gfx90a", "gfx1100", "xe-hpg"):
    data = clpool.DeviceData.of(name)
    found = clpool.occupancy(data, **KERNEL)
    sizes, best = clpool.suggest_group_sizes(data, shared_mem=KERNEL["shared_mem"], registers=KERNEL["registers"])
    print(f"{name:8} {found.groups_per_mp:2} groups, occupancy {found.occupancy:4.0%}, limited by "
          f"{' and '.join(found.limited_by)}; best with {sizes[0]} threads: {best.occupancy:.0%}")
    assert best.occupancy >= found.occupancy
