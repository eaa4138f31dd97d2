# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What the tool itself does to sources, on small ones: that each operator finds its points, and that what must not be
touched is left alone. Run by ctest; needs libclang for the C++ half."""
import importlib.util
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_points  # noqa: E402
import report  # noqa: E402
import suites  # noqa: E402
from catalog import Catalog, Mutant, key  # noqa: E402
from report import accepted, title  # noqa: E402
from rewrite import rewritten, split_arguments  # noqa: E402

try:
    import clang.cindex
    clang.cindex.Index.create()
except Exception:  # the module or the library behind it is not there  # pylint: disable=broad-except
    cpp_points = None
else:
    import cpp_points

PROLOGUE = """
typedef int cl_int; typedef unsigned cl_uint; typedef struct e* cl_event; typedef cl_uint cl_bool;
#define CL_SUCCESS 0
#define CLPOOL_TRY(x) do { if (int s = (x); s != 0) return s; } while (false)
cl_int clEnqueueThing(cl_bool blocking_read, cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
                      cl_event* event);
int step(); void act(); int fail(int, const char*, int);
"""


@unittest.skipIf(cpp_points is None, "libclang for Python is not installed (python3-clang-14)")
class Cpp(unittest.TestCase):
    def find(self, body):
        """{(operator, its text)} of a function's body."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "one.cpp")
            text = (PROLOGUE + body).encode()
            with open(path, "wb") as file:
                file.write(text)
            finder = cpp_points.Finder([path])
            self.assertEqual(finder.parse(path, ["-std=c++20"]), [])
            self.text = rewritten(text, list(enumerate(finder.points, 1))).decode()
            return sorted((one.operator, text[one.start:one.end].decode()) for one in finder.points)

    def test_comparisons_move_their_boundary_and_turn(self):
        self.assertEqual(self.find("bool f(int a) { return a < 3; }"),
                         [("< becomes <=", "a < 3"), ("< becomes >=", "a < 3")])

    def test_parts_of_conditions_are_mutated_by_themselves(self):
        self.assertEqual(self.find("int f(bool a, int b) { if (a && b != 0) { return 1; } return 0; }"),
                         [("!= becomes ==", "b != 0"), ("&& becomes ||", "a && b != 0"), ("condition turned", "a")])

    def test_conditions_before_an_attribute_are_turned_and_the_attribute_is_not(self):
        self.assertEqual(self.find("int f(bool a) { if (a) [[unlikely]] { return 1; } else { return 2; } }"),
                         [("condition turned", "a")])

    def test_statements_and_calls_are_left_out(self):
        self.assertEqual(self.find("void f(int a) { a = 1; act(); ++a; }"),
                         [("call deleted", "act();"), ("statement deleted", "++a;"), ("statement deleted", "a = 1;")])

    def test_failures_are_ignored(self):
        self.assertEqual(self.find("int f() { CLPOOL_TRY(step()); return 0; }"),
                         [("call deleted", "CLPOOL_TRY(step());"), ("failure ignored", "step()")])

    def test_arguments_within_a_macro_are_found(self):
        self.assertIn(("+ becomes -", "a + 1"), self.find("int g(int); int f(int a) { CLPOOL_TRY(g(a + 1)); return 0; }"))

    def test_commands_lose_their_wait_list_blocking_event_and_code(self):
        found = self.find("cl_int f(cl_uint n, cl_event* w, cl_event* e) { return clEnqueueThing(1, n, w, e); }")
        self.assertEqual([one[0] for one in found],
                         ["blocking turned", "error code ignored", "event not asked for", "wait list dropped"])
        self.assertIn("? (0) : (n)", self.text)
        self.assertIn("? (nullptr) : ( w)", self.text)

    def test_a_code_that_nobody_uses_is_not_ignored(self):
        self.assertEqual([one[0] for one in self.find("void f() { clEnqueueThing(0, 0, nullptr, nullptr); }")],
                         ["blocking turned", "call deleted"])
        self.assertEqual([one[0] for one in self.find("void f() { (void)clEnqueueThing(0, 0, nullptr, nullptr); }")],
                         ["blocking turned", "statement deleted"])

    def test_texts_and_what_the_compiler_calculates_are_left_alone(self):
        self.assertEqual(self.find("""int f() { static_assert(1 + 1 == 2); constexpr int a = 3 * 4; static const int b[a - 2] = {};
                                      return fail(1, "%d", b[0] + sizeof(a)); }"""), [])

    def test_defaulted_comparisons_are_left_alone(self):
        self.assertEqual(self.find("struct A { int a; bool operator==(const A&) const = default; };"), [])


class Rewriting(unittest.TestCase):
    def test_arguments_are_split_outside_of_brackets(self):
        self.assertEqual(split_arguments("f(a, b), {c, d}"), ("f(a, b)", " {c, d}"))


class Python(unittest.TestCase):
    def run_with(self, text, active):
        numbers = itertools.count(1)
        new, points = python_points.rewritten("one.py", text, lambda point: next(numbers))
        self.assertTrue(new.startswith("from _clpool_mutants import"))
        names = {"_clpool_mutant": lambda number: points[number].operator == active}
        exec(new.partition("\n")[2], names)  # pylint: disable=exec-used
        return names

    def test_a_mutant_changes_just_what_it_says(self):
        text = "def f(a):\n    if a < 3:\n        return True\n    return False\n"
        self.assertEqual([self.run_with(text, None)["f"](a) for a in (2, 3, 4)], [True, False, False])
        self.assertEqual([self.run_with(text, "< becomes <=")["f"](a) for a in (2, 3, 4)], [True, True, False])
        self.assertEqual([self.run_with(text, "returned bool turned")["f"](a) for a in (2, 3, 4)], [False, True, True])

    def test_wait_lists_are_dropped(self):
        text = "def g(wait_for=None):\n    return wait_for\ndef f(wait_for):\n    return g(wait_for=wait_for)\n"
        self.assertIsNone(self.run_with(text, "wait list dropped")["f"]([1]))

    @unittest.skipIf(importlib.util.find_spec("pytest") is None, "pytest is not installed")
    def test_what_a_test_s_processes_reach_the_test_reaches(self):
        program = "import _clpool_mutants; _clpool_mutants.is_active(5)"
        text = f"""import subprocess, sys, _clpool_mutants
def test_itself():
    _clpool_mutants.is_active(3)
def test_by_a_process():
    subprocess.run([sys.executable, "-c", "{program}"], check=True)
"""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "some_test.py"), "w", encoding="utf-8") as file:
                file.write(text)
            told = os.path.join(folder, "told")
            environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.abspath(__file__)),
                           "PYTEST_ADDOPTS": "-p _clpool_mutants", "CLPOOL_MUTANTS_TESTS": told}
            subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "some_test.py"],
                           cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
            with open(told, encoding="utf-8") as file:
                found = [json.loads(line) for line in file]
        self.assertEqual([one["reached"] for one in found], [[], [3], [5]])


@unittest.skipIf(cpp_points is None, "libclang for Python is not installed (python3-clang-14)")
class Prepared(unittest.TestCase):
    def test_a_copy_without_git_and_libclang_has_the_same_mutants(self):
        with tempfile.TemporaryDirectory() as folder:
            here, there = os.path.join(folder, "here"), os.path.join(folder, "far/there")
            os.makedirs(os.path.join(here, "core"))
            for name, text in (("core/a.cpp", "bool f(int a) { return a < 3; }\n"), ("README.md", "text\n"),
                               (".gitignore", "/build/\n")):
                with open(os.path.join(here, name), "w", encoding="utf-8") as file:
                    file.write(text)
            subprocess.run(["git", "init", "-q"], cwd=here, check=True)
            first = Catalog(here, os.path.join(here, "build"), 1, lambda text: None)
            self.assertEqual(len(first.mutants), 2)
            shutil.copytree(here, there, ignore=shutil.ignore_patterns(".git", "tree"))
            with unittest.mock.patch.dict(sys.modules, {"clang": None, "clang.cindex": None, "cpp_points": None}):
                second = Catalog(there, os.path.join(there, "build"), 1, lambda text: None)
                self.assertEqual(second.mutants, first.mutants)
                with open(os.path.join(there, "build/tree/core/a.cpp"), encoding="utf-8") as file:
                    self.assertIn("clpool_mutant(", file.read())
                with open(os.path.join(there, "core/a.cpp"), "a", encoding="utf-8") as file:
                    file.write("// changed\n")
                with self.assertRaises(SystemExit):
                    Catalog(there, os.path.join(there, "build"), 1, lambda text: None)


class Running(unittest.TestCase):
    def result(self, script, limit, pause):
        return suites.run(["sh", "-c", script], {}, limit, pause, b"forbidden")[1]

    def test_a_case_that_hangs_ends_the_run_and_many_that_do_not_go_on(self):
        begin = "echo '[ RUN      ] a.b'; "
        self.assertEqual(self.result(begin + "exit 0", 60, 60), "passed")
        self.assertEqual(self.result(begin + "exit 1", 60, 60), "failed")
        self.assertEqual(self.result("echo forbidden", 60, 60), "failed")
        self.assertEqual(self.result(begin + "sleep 600", 60, 1), "too slow")
        self.assertEqual(self.result("sleep 600", 1, None), "too slow")
        self.assertEqual(self.result((begin + "sleep 1; ") * 4, 60, 3), "passed")


class Results(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "results")
        self.mutants = [Mutant(at, "core/a.cpp", "f", "call deleted", f"step{at}();", 1, at) for at in range(1, 6)]

    def line(self, at, result, **more):
        return {"key": key(self.mutants[at]), "result": result, "by": "", "seconds": 1, **more}

    def test_a_line_that_was_not_finished_counts_for_nothing(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(json.dumps(self.line(0, "killed")) + "\n" + json.dumps(self.line(1, "killed"))[:30])
        self.assertEqual(list(report.load(self.path)), [key(self.mutants[0])])
        report.end_line(self.path)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(self.line(2, "killed")) + "\n")
        self.assertEqual(list(report.load(self.path)), [key(self.mutants[0]), key(self.mutants[2])])

    def test_what_was_decided_stays_so(self):
        results = {}
        for result in ("undecided", "survived", "undecided"):
            report.merge(results, {key(self.mutants[0]): self.line(0, result)})
        self.assertEqual(results[key(self.mutants[0])]["result"], "survived")

    def test_what_has_a_reason_survives_unless_it_was_killed(self):
        results = {key(self.mutants[at]): self.line(at, result) for at, result in enumerate(["killed", "undecided"])}
        reasons = {(title(one), one.line): "because" for one in self.mutants[:3]}
        report.take_for_survivors(self.mutants, results, reasons, key)
        self.assertEqual([results.get(key(one), {}).get("result") for one in self.mutants],
                         ["killed", "survived", "survived", None, None])

    def test_the_compact_form_knows_what_was_run_and_names_survivors_without_a_reason(self):
        told = ["killed", "survived", "not reached", "survived", "undecided"]
        results = {key(self.mutants[at]): self.line(at, result) for at, result in enumerate(told)}
        reasons = {(title(self.mutants[3]), self.mutants[3].line): "because"}
        report.write_compact(self.path, self.mutants, results, reasons, key)
        moved = [one._replace(number=one.number + 1000, place=77) for one in self.mutants]
        found = report.read_compact(self.path, moved, key)
        self.assertEqual([found.get(key(one), {"result": "undecided"})["result"] for one in moved], told)
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("5 mutants, 4 run, 1 killed, 2 left without a reason", text)
        self.assertIn("f: call deleted: step2();", text)
        self.assertNotIn("step4();", text)


class Accepted(unittest.TestCase):
    def test_an_entry_names_a_mutant_by_its_line_whatever_moves(self):
        mutant = Mutant(7, "core/a.cpp", "f", "< becomes <=", "return a < b;", 2, 99)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("# text\n\ncore/a.cpp: f: < becomes <= (2)\n    return a < b;\n    because it is so\n")
            file.flush()
            self.assertEqual(accepted(file.name), {(title(mutant), mutant.line): "because it is so"})

    def test_each_entry_is_of_a_line_that_is_there(self):
        here = os.path.dirname(os.path.abspath(__file__))
        texts = {}
        for (head, line), _ in accepted(os.path.join(here, "accepted.txt")).items():
            name = head.split(": ")[0]
            if name not in texts:
                with open(os.path.join(here, "..", "..", name), encoding="utf-8") as file:
                    texts[name] = " ".join(file.read().split())
            self.assertIn(" ".join(line.split()), texts[name], head)


if __name__ == "__main__":
    unittest.main()
