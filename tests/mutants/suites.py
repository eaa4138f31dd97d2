# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""The tests that mutants have to survive: which there are, which mutants each case of them reaches, and runs of them."""
import base64
import json
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


class Places:
    """`tests`: the folder in which the project is built, for programs that are linked with libclpool.so, which do not have to
    be built again; `mutated`: that of the mutated tree, whose library they get; `package`: the mutated Python package."""

    def __init__(self, tests, mutated, package):
        self.tests, self.mutated, self.package = tests, mutated, package
        self.library = os.path.join(mutated, "capi/libclpool.so")


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
            file.write("--gtest_filter=" + ":".join(cases) + "\n--gtest_brief=1\n--gtest_fail_fast\n")
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

    def record(self, places, count, known):
        """Runs each case by itself but those that are known: (case, seconds, numbers that it reached)."""
        for case in self.cases(places):
            if case in known:
                continue
            with tempfile.NamedTemporaryFile() as file:
                file.truncate(count)
                seconds, passed, tail = self.run(places, [case], 300, {"CLPOOL_MUTANTS_REACHED": file.name})
                if not passed:
                    raise SystemExit(f"{self.name}: {case} fails without any mutant:\n{tail}")
                reached = mmap.mmap(file.fileno(), count)
                yield case, seconds, [hit.start() for hit in re.finditer(b"\1", reached)]

    def run(self, places, cases, limit, environment):
        """(seconds, whether all passed, the end of the output)"""
        command, flags = self.command(places, cases)
        try:
            return run(command, {**self.environment(places), **environment}, limit,
                       b"clpool guard: " if self.guarded else None)
        finally:
            if flags:
                os.remove(flags)


class WithTheCore(Suite):
    """A program that is linked with the core itself."""

    def path(self, places):
        return os.path.join(places.mutated, self.program)


class Program(Suite):
    """A program that is one case as a whole."""

    def __init__(self, name, program, *arguments):
        super().__init__(name, program)
        self.arguments = arguments

    def cases(self, places):
        return ["all"]

    def command(self, places, cases):
        return [self.path(places), *self.arguments], None


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

    def run(self, places, cases, limit, environment):
        full = [os.path.join(self.tests, case) for case in cases]
        return super().run(places, full, limit, environment)

    def record(self, places, count, known):
        with tempfile.NamedTemporaryFile("r") as file:
            extra = {"CLPOOL_MUTANTS_TESTS": file.name, "PYTEST_ADDOPTS": "-p _clpool_mutants"}
            _, passed, tail = self.run(places, [], 600, extra)
            if not passed:
                raise SystemExit(f"{self.name} fails without any mutant:\n{tail}")
            found = [json.loads(line) for line in file]
        imported = next(one["reached"] for one in found if one["case"] is None)
        for one in found:
            if one["case"] is not None:
                yield one["case"], one["seconds"], sorted({*one["reached"], *imported})


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, environment, limit, forbidden):
    """(seconds, whether it ended well and without `forbidden` in its output, the end of that)"""
    start = time.monotonic()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(command, env={**os.environ, **environment, "TMPDIR": folder}, stdout=output,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
                                   preexec_fn=limits, cwd=folder)
        try:
            passed = process.wait(limit) == 0
        except subprocess.TimeoutExpired:
            passed = False
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # what it started, too
            except ProcessLookupError:
                pass
            process.wait()
        output.seek(0)
        text = output.read(MOST_OUTPUT)
        passed = passed and (forbidden is None or forbidden not in text)
        return time.monotonic() - start, passed, text[-2000:].decode(errors="replace")


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
        Suite("faults", "tests/faults/clpool_fault_tests"),
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

    def __init__(self, path, suites, places, count, stamps, say):
        self.path, self.kept, self.cases = path, {}, {}  # suite's name: [(seconds, case, numbers)], the shortest first
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.kept = {one["suite"]: one for one in map(json.loads, file)}
        for suite in suites:
            one = self.kept.get(suite.name, {"stamp": None})
            known = {case[0]: case for case in one["cases"]} if one["stamp"] == stamps[suite.name] else {}
            self.kept[suite.name] = {"suite": suite.name, "stamp": stamps[suite.name],
                                     "cases": self.record(suite, places, count, known, say)}
            self.save()
            self.cases[suite.name] = sorted((seconds, case, unpacked(text))
                                            for case, seconds, text in self.kept[suite.name]["cases"])

    def record(self, suite, places, count, known, say):
        start, new = time.monotonic(), []
        for case, seconds, numbers in suite.record(places, count, known):
            new.append([case, seconds, packed(numbers)])
            say(f"\rwhat {suite.name} reaches: {len(new)} cases")
        if not new:
            return list(known.values())
        say(f"\rwhat {suite.name} reaches: {len(new)} cases in {time.monotonic() - start:.0f} s\n")
        named = {case[0] for case in new}
        return new + [case for case in known.values() if case[0] not in named]

    def save(self):
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in self.kept.values())
        os.replace(self.path + ".new", self.path)

    def of(self, suite, number):
        return [(seconds, case) for seconds, case, numbers in self.cases[suite.name] if number in numbers]
