# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Results: kept as JSON lines, shown as a table, and compared with the survivors that have a reason."""
import base64
import collections
import hashlib
import json
import os
import re

ALLOWED = 0.03  # of the mutants that were run may survive
LEFT = ("survived", "not reached")
LONGEST = 90  # letters of a survivor's function, operator and line


def load(path):
    """{key: result}, the last one of each. A line that an interrupted run left unfinished counts for nothing."""
    results = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    one = json.loads(line)
                except ValueError:
                    continue
                merge(results, {tuple(one["key"]): one})
    return results


def end_line(path):
    """What is appended shall not become a part of such a line."""
    if os.path.exists(path) and os.path.getsize(path):
        with open(path, "rb+") as file:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")


def merge(results, more):
    """Takes `more` over; what is undecided there changes nothing that was decided."""
    for one, line in more.items():
        if line["result"] != "undecided" or results.get(one, line)["result"] == "undecided":
            results[one] = line


def save(path, results):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in results.values())
    os.replace(path + ".new", path)


def short(key):
    """Four letters that tell a mutant from the others of its file."""
    return base64.b64encode(hashlib.sha256(repr(key[1:]).encode()).digest()[:3]).decode()


def write_compact(path, mutants, results, reasons, key):
    """What is known of all mutants that there are, small enough to be kept with the sources: of those that are killed, or
    survive with a reason, the short names only."""
    files = collections.defaultdict(list)
    for mutant in mutants:
        files[mutant.file].append(mutant)
    lines = ["# What is known of the mutants, written by run --report --write and read by each run, which does not run them again.",
             "# Four letters stand for a mutant."]
    for name in sorted(files):
        names, open_ones = collections.defaultdict(list), []
        for mutant in files[name]:
            known = results.get(key(mutant), {})
            result = "undecided" if known.get("taken") else known.get("result", "undecided")
            if result in LEFT and (title(mutant), mutant.line) not in reasons:
                text = title(mutant)[len(name) + 2:] + ": " + mutant.line
                open_ones.append(f"  {result} {short(key(mutant))} {text[:LONGEST]}")
            elif result != "undecided":
                names[result].append(short(key(mutant)))
        run = len(open_ones) + sum(map(len, names.values()))
        if run:
            lines.append(f"{name}: {len(files[name])} mutants, {run} run, {len(names['killed'])} killed, "
                         f"{len(open_ones)} left without a reason")
            for result, some in sorted(names.items()):
                lines += [f"  {result}: " + " ".join(sorted(some)[at:at + 24]) for at in range(0, len(some), 24)]
            lines += open_ones
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def read_compact(path, mutants, key):
    """{key: result} of those mutants that there are still."""
    known, name = {}, None
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file.read().splitlines():
                if line.startswith("  "):
                    result, letters = re.match(r"  (killed|survived|not reached)(: .*| \S{4})", line).groups()
                    known.update({(name, one): result for one in letters.lstrip(":").split()})
                elif not line.startswith("#"):
                    name = line.split(": ")[0]
    found = {}
    for mutant in mutants:
        one = key(mutant)
        if (mutant.file, short(one)) in known:
            found[one] = {"key": one, "result": known[mutant.file, short(one)], "by": "", "seconds": 0}
    return found


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


def take_for_survivors(mutants, results, reasons, key):
    """What has a reason to survive and was not killed so far is not run until its last case: that takes longest, and ends as the
    reason says or better."""
    for mutant in mutants:
        one = key(mutant)
        if (title(mutant), mutant.line) in reasons and results.get(one, {}).get("result", "undecided") == "undecided":
            results[one] = {"key": one, "result": "survived", "by": "", "seconds": 0, "taken": True}


def table(mutants, results, by):
    rows = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        result = results.get(mutant)
        for name in (by(mutant), "all"):
            rows[name]["mutants"] += 1
            if result is not None:
                rows[name]["run"] += result != "undecided"
                rows[name][result] += 1
    names = sorted(name for name in rows if name != "all") + ["all"]
    columns = ["mutants", "run", "killed", "not reached", "survived", "accepted", "undecided"]
    lines = [f"{'':34}" + "".join(f"{one:>12}" for one in columns)]
    lines += [f"{name:34}" + "".join(f"{rows[name][one]:12}" for one in columns) for name in names]
    return "\n".join(lines)
