# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Results: kept as JSON lines, shown as a table, and compared with the survivors that have a reason."""
import collections
import json
import os

ALLOWED = 0.03  # of the mutants that were run may survive


def load(path):
    """{key: result}, the last one of each."""
    results = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                one = json.loads(line)
                results[tuple(one["key"])] = one
    return results


def title(mutant):
    """The first line of an entry in accepted.txt; the second is the source's line, the third the reason."""
    nth = f" ({mutant.nth})" if mutant.nth > 1 else ""
    return f"{mutant.file}: {mutant.function}: {mutant.operator}{nth}"


def accepted(path):
    """{(title, line): reason}. Several titles and lines may come before one reason."""
    reasons, waiting, head = {}, [], None
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("#") or not line.strip():
                continue
            if line.startswith("    because "):
                reasons.update({one: line.strip() for one in waiting})
                waiting = []
            elif line.startswith("    "):
                waiting.append((head, line.strip()))
            else:
                head = line.strip()
    return reasons


def table(mutants, results, by):
    rows = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        result = results.get(mutant)
        for name in (by(mutant), "all"):
            rows[name]["mutants"] += 1
            if result is not None:
                rows[name]["run"] += 1
                rows[name][result] += 1
    names = sorted(name for name in rows if name != "all") + ["all"]
    columns = ["mutants", "run", "killed", "not reached", "survived", "accepted"]
    lines = [f"{'':34}" + "".join(f"{one:>12}" for one in columns)]
    lines += [f"{name:34}" + "".join(f"{rows[name][one]:12}" for one in columns) for name in names]
    return "\n".join(lines)
