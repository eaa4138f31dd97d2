# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""The tests that mutants have to survive: which there are, which mutants each case of them reaches, and runs of them."""
import array
import base64
import collections
import concurrent.futures
import hashlib
import json
import math
import mmap
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import zlib

MEMORY = 12 << 30  # bytes of address space, and of a file: mutants may ask for any number
FILE = 1 << 30
MOST_OUTPUT = 1 << 24  # that is looked at
BEGINS = b"[ RUN      ]"  # gtest's line before each case
USUAL = 5  # so many times its usual seconds, and
MORE = 5  # so many more, may anything take


class Places:
    """`tests`: the folder in which the project is built, for programs that are linked with libclpool.so, which do not have to
    be built again; `mutated`: that of the mutated tree, whose library they get; `package`: the mutated Python package."""

    def __init__(self, tests, mutated, package):
        self.tests, self.mutated, self.package = tests, mutated, package
        self.library = os.path.join(mutated, "capi/libclpool.so")


# glibc: who uses freed memory finds other bytes there.
FREED_IS_FILLED = {"GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"}


class Suite:
    """A gtest program on the fake driver. A case is one test of it."""

    def __init__(self, name, program, options="", left_out="", guarded=False):
        self.name, self.program, self.options, self.left_out = name, program, options, left_out
        self.guarded = guarded  # every pool is, and none may find anything

    def path(self, places):
        return os.path.join(places.tests, self.program)

    def environment(self, places):
        stub = os.path.join(places.tests, "tests/stub_icd")
        vendors = os.path.join(stub, "vendors")
        return {"OCL_ICD_VENDORS": vendors, "OPENCL_VENDOR_PATH": vendors, "CLPOOL_TEST": "clpool stub",
                "OCL_ICD_FILENAMES": os.path.join(stub, "libclpool_stub_icd.so"), "CLPOOL_DEVICE": "clpool stub",
                "CLPOOL_STUB": self.options, "LD_LIBRARY_PATH": os.path.dirname(places.library),
                **({"CLPOOL_GUARD": "1"} if self.guarded else {})}

    def command(self, places, cases):
        # All names together may be longer than one argument of a command can be.
        file = tempfile.NamedTemporaryFile("w", suffix=".flags", delete=False)
        with file:
            file.write("--gtest_filter=" + ":".join(cases) + "\n--gtest_fail_fast\n")
        return [self.path(places), "--gtest_flagfile=" + file.name], file.name

    def cases(self, places):
        text = subprocess.run([self.path(places), "--gtest_list_tests", "--gtest_filter=*-" + self.left_out],
                              env={**os.environ, **self.environment(places)}, check=True, capture_output=True,
                              text=True).stdout
        suite = ""
        for line in text.splitlines():
            name = line.split("#")[0].rstrip()
            if line.startswith("  "):
                yield suite + name.strip()
            elif name.endswith("."):
                suite = name

    def begin(self, places, count, known, pool, say):
        """Has `pool` run each case by itself but those that are known: futures of [(case, seconds, numbers that it reached)].
        What fails without any mutant tells nothing of one, and is left out."""
        def one(case):
            for last in (False, True):
                with tempfile.NamedTemporaryFile() as file:
                    file.truncate(count)
                    seconds, result, tail = self.run(places, [case], 300, {"CLPOOL_MUTANTS_REACHED": file.name})
                    if result == "passed":
                        reached = mmap.mmap(file.fileno(), count)
                        return [(case, seconds, [hit.start() for hit in re.finditer(b"\1", reached)])]
                    if last:
                        say(f"\r{self.name}: {case} is left out, as it fails without any mutant:\n{tail}\n")
            return []
        return [pool.submit(one, case) for case in self.cases(places) if case not in known]

    def run(self, places, cases, limit, environment, pause=None):
        """("passed", "failed" or "too slow", by which a limit was reached), after the seconds and before the output's end.
        `limit` is that of all `cases`, `pause` that of the time between beginnings of two."""
        command, flags = self.command(places, cases)
        try:
            return run(command, {**FREED_IS_FILLED, **self.environment(places), **environment}, limit, pause,
                       b"clpool guard: " if self.guarded else None)
        finally:
            if flags:
                os.remove(flags)


class WithTheCore(Suite):
    """A program that is linked with the core itself."""

    def path(self, places):
        return os.path.join(places.mutated, self.program)


class Program(Suite):
    """A program that is one case as a whole. It says nothing in between."""

    def __init__(self, name, program, *arguments):
        super().__init__(name, program)
        self.arguments = arguments

    def cases(self, places):
        return ["all"]

    def command(self, places, cases):
        return [self.path(places), *self.arguments], None

    def run(self, places, cases, limit, environment, pause=None):
        return super().run(places, cases, limit, environment)


class Pytest(Suite):
    """The Python package's tests, run with the mutated package. `options`: on the fake driver with these; else on the device
    at hand, as PyOpenCL's kernels are none that the fake driver knows."""

    def __init__(self, name, tests, left_out, options=None):
        super().__init__(name, sys.executable, options or "", left_out)
        self.is_on_stub = options is not None
        self.tests = os.path.abspath(tests)

    def environment(self, places):
        here = os.path.dirname(os.path.abspath(__file__))
        return {**(super().environment(places) if self.is_on_stub else {}),
                "LD_LIBRARY_PATH": os.path.dirname(places.library), "PYTHONPATH": places.package + ":" + here,
                "PYTHONDONTWRITEBYTECODE": "1", "POCL_CACHE_DIR": os.path.join(places.mutated, "pocl-cache")}

    def command(self, places, cases):
        return [self.program, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--rootdir", self.tests,
                *(cases or ["-k", "not " + self.left_out, self.tests])], None

    def run(self, places, cases, limit, environment, pause=None):
        full = [os.path.join(self.tests, case) for case in cases]
        return super().run(places, full, limit, environment)

    def begin(self, places, count, known, pool, say):
        def all_of_them():
            with tempfile.NamedTemporaryFile("r") as file:
                extra = {"CLPOOL_MUTANTS_TESTS": file.name, "PYTEST_ADDOPTS": "-p _clpool_mutants"}
                _, result, tail = self.run(places, [], 600, extra)
                if result != "passed":
                    raise SystemExit(f"{self.name} fails without any mutant:\n{tail}")
                found = [json.loads(line) for line in file]
            imported = next(one["reached"] for one in found if one["case"] is None)
            return [(one["case"], one["seconds"], sorted({*one["reached"], *imported}))
                    for one in found if one["case"] is not None]
        return [] if known else [pool.submit(all_of_them)]


def set_limits():
    """For this process and all that it starts: set in each of them, it would have to be copied by fork() first."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, environment, limit, pause, forbidden):
    """(seconds, "passed" if it ended well and without `forbidden` in its output, else "failed" or "too slow", the end of
    the output)"""
    start = last = time.monotonic()
    seen, result = 0, None
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(command, env={**os.environ, **environment, "TMPDIR": folder}, stdout=output,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True, cwd=folder)
        try:
            while result is None:
                ends = start + limit if pause is None else min(start + limit, last + pause)
                try:
                    wait = min(ends - time.monotonic(), 1 if pause is None else max(pause / 10, 0.5))
                    result = "passed" if process.wait(max(wait, 0.01)) == 0 else "failed"
                except subprocess.TimeoutExpired:
                    text = os.pread(output.fileno(), MOST_OUTPUT, seen)
                    if BEGINS in text:
                        last = time.monotonic()
                    seen += max(len(text) - len(BEGINS) + 1, 0)
                    if pause is None or BEGINS not in text:
                        result = "too slow" if time.monotonic() >= ends else None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # what it started, too
            except ProcessLookupError:
                pass
            process.wait()
        output.seek(0)
        text = output.read(MOST_OUTPUT)
        if result == "passed" and forbidden is not None and forbidden in text:
            result = "failed"
        return time.monotonic() - start, result, text[-2000:].decode(errors="replace")


def filters(path):
    """{name: filter} of the lists of tests that a CMake file leaves out."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return {name: ":".join(re.findall(r'"([^"]*)"', words))
            for name, words in re.findall(r"set\((\w+)\s((?:\s*\"[^\"]*\")+)\)", text)}


def all_suites(root):
    lists = filters(os.path.join(root, "tests/stub_icd/profiles.cmake"))
    left_out = lists["stub_needs_1_2"] + ":" + lists["stub_small_alignment"]
    lists = filters(os.path.join(root, "tests/conformance/guarded.cmake"))
    differs = ":".join(lists[name] for name in ("guarded_differs", "guarded_misuse", "guarded_once"))
    old = "version=1.1,svm=none,align=4096"
    pool, conformance = "tests/conformance/pool/clpool_pool_tests", "tests/conformance/clpool_conformance_tests"
    tests = os.path.join(root, "wrappers/python/tests")
    return [
        WithTheCore("unit", "tests/unit/clpool_unit_tests"),
        Suite("orderings", "tests/orderings/clpool_ordering_tests"),
        Suite("conformance", conformance),
        Suite("pool", pool),
        Suite("program", "tests/program/clpool_program_tests"),
        Suite("conformance on OpenCL 1.1", conformance, old, left_out),
        Suite("pool on OpenCL 1.1", pool, old, left_out),
        Suite("guarded pool", pool, "seed=7", differs, guarded=True),
        Suite("guarded pool on OpenCL 1.1", pool, old, left_out + ":" + differs, guarded=True),
        Suite("guarded conformance", conformance, "seed=7", differs, guarded=True),
        Suite("lifetime", "tests/lifetime/clpool_lifetime_tests", left_out="ManyOf*:*ManyOf*"),
        Suite("transcripts", "tests/transcripts/clpool_transcript_tests"),
        Suite("faults", "tests/faults/clpool_fault_tests"),
        Suite("a taken mutex", "tests/stress/taken/clpool_taken_tests"),
        Suite("threads", "tests/stress/clpool_stress_tests"),
        Program("fuzz of the C API", "tests/fuzz/clpool_capi_fuzz", os.path.join(root, "tests/fuzz/corpus/capi")),
        Program("fuzz of the C++ layer", "tests/fuzz/clpool_cpp_fuzz", os.path.join(root, "tests/fuzz/corpus/cpp")),
        # With daemon threads the driver ends the process by an assertion now and then, which would kill any mutant.
        Pytest("python", tests, "daemon_threads"),
        Pytest("python on the fake driver", tests, "daemon_threads and not arrays_ and not pyopencl", "mode=immediate"),
    ]


def packed(numbers):
    return base64.b64encode(zlib.compress(",".join(map(str, numbers)).encode())).decode()


def unpacked(text):
    return frozenset(map(int, filter(None, zlib.decompress(base64.b64decode(text)).split(b","))))


class Reach:
    """Which cases reach a mutant, and how long each takes. Kept in a file, one line for each suite."""

    def __init__(self, path, suites, places, count, stamps, jobs, say):
        self.path, self.kept = path, {}
        self.cases = {}  # suite's name: [(seconds, case)], the quick ones first
        self.reaching = {}  # suite's name: {number: places in the list of cases}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.kept = {one["suite"]: one for one in map(json.loads, file)}
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            try:
                self.record(suites, places, count, stamps, pool, say)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        total = hashlib.sha256()
        for suite in suites:
            # Of those that take about as long first what reaches little: it is about that.
            cases = [(seconds, case, unpacked(text)) for case, seconds, text in self.kept[suite.name]["cases"]]
            cases.sort(key=lambda one: (round(math.log2(max(one[0], 1 / 32))), len(one[2]), one[1]))
            self.cases[suite.name] = [one[:2] for one in cases]
            total.update(json.dumps([suite.name, self.cases[suite.name]]).encode())
            reaching = self.reaching[suite.name] = collections.defaultdict(lambda: array.array("L"))
            for at, (_, _, numbers) in enumerate(cases):
                for number in numbers:
                    reaching[number].append(at)
        self.stamp = total.hexdigest()[:12]  # the same where the cases of a mutant come in the same order

    def record(self, suites, places, count, stamps, pool, say):
        begun = []
        for suite in suites:
            one = self.kept.get(suite.name, {"stamp": None})
            known = {case[0]: case for case in one["cases"]} if one["stamp"] == stamps[suite.name] else {}
            begun.append((suite, known, suite.begin(places, count, known, pool, say)))
        for suite, known, futures in begun:
            new = []
            for future in futures:
                new += [[case, seconds, packed(numbers)] for case, seconds, numbers in future.result()]
                say(f"\rwhat {suite.name} reaches: {len(new)} cases")
            if futures:
                say(f"\rwhat {suite.name} reaches: {len(new)} cases\n")
            named = {case[0] for case in new}
            self.kept[suite.name] = {"suite": suite.name, "stamp": stamps[suite.name],
                                     "cases": new + [case for case in known.values() if case[0] not in named]}
            self.save()

    def save(self):
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in self.kept.values())
        os.replace(self.path + ".new", self.path)

    def of(self, suite, number):
        cases = self.cases[suite.name]
        return [cases[at] for at in self.reaching[suite.name].get(number, ())]
