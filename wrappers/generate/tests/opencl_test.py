# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""opencl_test.py FOLDER…: opencl.h against the header CL/cl.h in the first folder that has one, and against what is made of it."""
import pathlib
import re
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import names  # noqa: E402
import opencl  # noqa: E402

FOLDERS = []


class OpenCL(unittest.TestCase):
    def test_numbers_are_those_of_opencl(self):
        text = next(path for path in (pathlib.Path(folder, "CL", "cl.h") for folder in FOLDERS) if path.exists()).read_text()
        theirs = dict(re.findall(r"^#define (CL_\w+)[ \t]+([^\n]*)$", text, re.MULTILINE))
        compared = 0
        for group in opencl.groups():
            for number in group.values:
                self.assertIn(number.name, theirs)
                told = re.match(r"\(?(\d+ << \d+|0x[0-9A-F]+|\d+)\)?", theirs[number.name]).group(1)
                self.assertEqual(eval(told), number.value, number.name)  # a number, or a shift of two
                compared += 1
        self.assertGreater(compared, 100)

    def test_every_number_is_in_each_language_or_left_out(self):
        python, java, csharp = opencl.in_python()["_opencl.py"], opencl.in_java()["Cl.java"], opencl.in_csharp()["OpenCL.cs"]
        left_out = {name for name, there in names.OPENCL_IN_CSHARP.items() if there is None}
        for group in opencl.groups():
            for number in group.values:
                shown = re.escape(f"{number.value:#x}")
                self.assertRegex(python, rf"(?m)^    {number.name[len(group.prefix):]} = {shown}$", number.name)
                self.assertRegex(java, rf"(?m)^  public static final \w+ \w+ = {shown}L?;$", number.name)
                if group.in_csharp is not None and number.name not in left_out:
                    self.assertRegex(csharp, rf"(?m)^        \w+ = {shown},?$", number.name)

    def test_names_are_given_once(self):
        java = re.findall(r"static final \w+ (\w+)", opencl.in_java()["Cl.java"])
        self.assertEqual(len(set(java)), len(java))
        self.assertEqual(len(java), sum(len(group.values) for group in opencl.groups()))
        for body in re.findall(r"public enum \w+[^{]*\{(.*?)\}", opencl.in_csharp()["OpenCL.cs"], re.DOTALL):
            found = re.findall(r"(?m)^        (\w+) = ", body)
            self.assertEqual(len(set(found)), len(found))

    def test_exceptions_have_a_use(self):
        known = {number.name for group in opencl.groups() for number in group.values}
        self.assertLessEqual(set(names.OPENCL) | set(names.OPENCL_IN_CSHARP) | set(names.OPENCL_IN_JAVA) | set(names.OPENCL_ACCESS), known)


if __name__ == "__main__":
    FOLDERS += [folder for argument in sys.argv[1:] for folder in argument.split(";")]
    unittest.main(argv=sys.argv[:1])
