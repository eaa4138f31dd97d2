# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Runs programs again and again on the fake driver, each time with another OpenCL call that fails: none may die of a
signal or hang, and one that fails must say why.

usage: programs.py [--long] [--codes] [--step N] [--leaks] VENDORS "NAME=COMMAND ARGUMENTS"...

Without --long, the first, a middle and the last call of each entry point fail, with one error; --step N leaves out all
but every N-th of these.
"""
import argparse
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys

# OpenCL's errors, and one that NVIDIA's driver has beside them.
OUT_OF_RESOURCES = -5
CODES = [OUT_OF_RESOURCES, -6, -30, -9999]  # and CL_OUT_OF_HOST_MEMORY, CL_INVALID_VALUE
SECONDS = 60
MOST_COMPLAINTS = 10
# What the loader asks, and calls without a status.
INFALLIBLE = {"clIcdGetPlatformIDsKHR", "clGetExtensionFunctionAddress", "clGetExtensionFunctionAddressForPlatform",
              "clSVMFree"}


def run(command, vendors, options):
    """(exit code, standard output, what the program said, what the driver said); a signal's code is negative."""
    environment = dict(os.environ, OCL_ICD_VENDORS=vendors, OPENCL_VENDOR_PATH=vendors, CLPOOL_STUB=options,
                       CLPOOL_TEST="clpool stub", CLPOOL_DEVICE="clpool stub")
    environment.pop("OCL_ICD_FILENAMES", None)
    try:
        ended = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None, "", "", ""
    error = ended.stderr.decode(errors="replace").splitlines()
    driver = [line for line in error if line.startswith("clpool stub:")]
    return (ended.returncode, ended.stdout.decode(errors="replace"),
            "\n".join(line for line in error if line not in driver), "\n".join(driver))


def options_of(cleans_up):
    """The driver's options beside the failure. Where nothing may be left commands run at once: the memory of a pool that ended
    goes back with a later call of the library, so it depends on a thread's speed else whether the program's last one finds
    them through."""
    return "leaks,mode=immediate" if cleans_up else "leaks"


def calls_of(command, vendors, cleans_up):
    code, _, error, driver = run(command, vendors, options_of(cleans_up) + ",calls")
    if code != 0:
        sys.exit(f"{command[0]}: without a failure it ends with {code}: {error}\n{driver}")
    counts = {name: int(count) for name, count in re.findall(r"(cl\w+)=(\d+)", driver)}
    return {name: count for name, count in counts.items() if name not in INFALLIBLE}


def faults_of(calls, is_long, codes):
    """The option `fail` of each run."""
    for name, count in sorted(calls.items()):
        numbers = range(1, min(count, 40) + 1) if is_long else sorted({1, (count + 1) // 2, count})
        for number in numbers:
            for code in codes:
                yield name, f"{name}:{number}:{code}", code
        if not name.startswith("clRelease"):
            yield name, f"{name}:1:{OUT_OF_RESOURCES}:on", OUT_OF_RESOURCES


def complaint_of(command, vendors, fault, cleans_up):
    """What is wrong with a run with that failure, or None; and its exit code."""
    ended, out, error, driver = run(command, vendors, f"{options_of(cleans_up)},fail={fault}")
    if ended is None:
        return f"hangs for {SECONDS} s", ended
    if ended < 0 or ended >= 128:
        return f"dies of signal {-ended if ended < 0 else ended - 128}: {error} {driver}", ended
    if ended != 0 and not (error + out).strip():
        return f"ends with {ended} and says nothing", ended
    if cleans_up and not fault.endswith(":on") and "left at the end" in driver:
        return f"ends with {ended}: {driver}", ended
    return None, ended


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="the first 40 calls of each entry point, with all errors")
    parser.add_argument("--codes", action="store_true", help="with all errors")
    parser.add_argument("--step", type=int, default=1, help="every so many-th failure only")
    parser.add_argument("--leaks", action="store_true", help="nothing may be left in the driver, unless all that could give it back fails")
    parser.add_argument("vendors", help="the folder that tells the loader of the fake driver")
    parser.add_argument("programs", nargs="+", help='"name=command arguments"')
    arguments = parser.parse_args()
    codes = CODES if arguments.long or arguments.codes else [OUT_OF_RESOURCES]
    tasks = []
    calls = 0
    for program in arguments.programs:
        name, command = program.split("=", 1)
        command = shlex.split(command)
        counts = calls_of(command, arguments.vendors, arguments.leaks)
        faults = list(faults_of(counts, arguments.long, codes))[::arguments.step]
        calls += sum(counts.values())
        tasks += [(name, command, *fault) for fault in faults]
    complaints = []
    refused = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [(task, pool.submit(complaint_of, task[1], arguments.vendors, task[3], arguments.leaks)) for task in tasks]
        for (name, _, _, fault, _), result in runs:
            complaint, ended = result.result()
            refused += ended != 0
            if complaint:
                complaints.append(f"{name}: {fault}: {complaint}")
    print("\n".join(complaints[:MOST_COMPLAINTS]))
    print(f"faults: {calls} calls x {len(codes)} codes x {len(arguments.programs)} programs = {len(tasks)} injected, "
          f"{len(tasks) - len(complaints)} survived ({refused} refused)")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
