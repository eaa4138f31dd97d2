# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What the tool itself does to sources, on small ones: that each operator finds its points, and that what must not be
touched is left alone. Run by ctest; needs libclang for the C++ half."""
import itertools
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_points  # noqa: E402
from catalog import Mutant  # noqa: E402
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


class Accepted(unittest.TestCase):
    def test_an_entry_names_a_mutant_by_its_line_whatever_moves(self):
        mutant = Mutant(7, "core/a.cpp", "f", "< becomes <=", "return a < b;", 2, 99)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("# text\n\ncore/a.cpp: f: < becomes <= (2)\n    return a < b;\n    because it is so\n")
            file.flush()
            self.assertEqual(accepted(file.name), {(title(mutant), mutant.line): "because it is so"})


if __name__ == "__main__":
    unittest.main()
