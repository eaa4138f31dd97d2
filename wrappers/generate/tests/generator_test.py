# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""The generator on a small header of its own."""
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import csharp  # noqa: E402
import description  # noqa: E402
import generate  # noqa: E402
import java  # noqa: E402
import names  # noqa: E402
import python  # noqa: E402
import swig  # noqa: E402

SMALL = (HERE / "headers" / "small.h").read_text(encoding="utf-8")
RESULTS = {"clpool_small_stats": {language: "SmallStatistics" for language in ("python", "java", "csharp")},
           "clpool_small_facts": {language: "SmallFacts" for language in ("python", "java", "csharp")}}
OPTIONS = {"clpool_small_options": {"java": "SmallBuilder", "csharp": "SmallOptions"}}
ERRORS = {"CLPOOL_ERROR_NOT_FOUND": {"java": ("LostException", "ClpoolException"), "csharp": ("LostException", "System.Exception")},
          "CLPOOL_ERROR_IO": {"java": ("DiskException", "IllegalStateException"), "csharp": ("DiskException", "")}}
ERRORS_IN_PYTHON = {"CLPOOL_ERROR_IO": "OSError", "CLPOOL_ERROR_NOT_FOUND": "LookupError"}
BY_HAND = {"python": {"clpool_small_options": "arguments"}}


class Generator(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for table, entries in (("RESULTS", RESULTS), ("OPTIONS", OPTIONS), ("BY_HAND_IN", BY_HAND), ("ERRORS", ERRORS),
                               ("ERRORS_IN_PYTHON", ERRORS_IN_PYTHON)):
            patch = mock.patch.dict(getattr(names, table), entries, clear=True)
            patch.start()
            self.addCleanup(patch.stop)

    def files(self, writer, text=SMALL):
        pathlib.Path(self.folder.name, "small.h").write_text(text, encoding="utf-8")
        return writer(description.Description(self.folder.name)).files()

    def refused(self, old, new, writer=java.Java):
        self.assertIn(old, SMALL)
        with self.assertRaises(SystemExit) as caught:
            self.files(writer, SMALL.replace(old, new))
        return str(caught.exception)

    def test_enumerations_have_their_numbers_and_comments(self):
        text = self.files(python.Python)["_numbers.py"]
        self.assertIn('class shape(Number):\n    """How round."""\n\n    #: Not at all.\n    SQUARE = 1\n    #: Wholly.\n'
                      "    ROUND_UINT8 = 16\n", text)
        text = self.files(java.Java)["Shape.java"]
        self.assertIn("/** How round. */\npublic enum Shape {\n  /** Not at all. */\n  SQUARE(1),\n  /** Wholly. */\n"
                      "  ROUND_UINT8(16);\n", text)
        text = self.files(csharp.CSharp)["Enums.cs"]
        self.assertIn("<summary>How round.</summary>\n    public enum Shape\n    {\n        /// <summary>Not at all.</summary>\n"
                      "        Square = 1,\n        /// <summary>Wholly.</summary>\n        RoundUInt8 = 16\n    }", text)

    def test_comments_are_in_the_words_of_the_language(self):
        self.assertIn("/** Not &lt; &amp; fine. */", self.files(java.Java)["Status.java"])
        self.assertIn("/** Worse; see {@link Status#IO}. */", self.files(java.Java)["Status.java"])
        self.assertIn('Worse; see <see cref="Status.InputOutput"/>.', self.files(csharp.CSharp)["Enums.cs"])
        self.assertIn("#: Worse; see status.IO.", self.files(python.Python)["_numbers.py"])
        self.assertIn("Bytes; {@code null} counts", self.files(java.Java)["SmallStatistics.java"])
        self.assertIn("part of {@link #heldBytes()}.", self.files(java.Java)["SmallStatistics.java"])
        self.assertIn('part of <see cref="HeldBytes"/>.', self.files(csharp.CSharp)["Classes.cs"])
        self.assertIn("Bytes; None counts", self.files(python.Python)["_results.py"])

    def test_exceptions_have_the_comments_of_their_statuses(self):
        text = self.files(python.Python)["_errors.py"]
        self.assertIn('class InputOutputError(ClpoolError, OSError):\n    """Not < & fine."""\n', text)
        self.assertIn('class NotFoundError(ClpoolError, LookupError):\n    """Worse; see status.IO."""\n', text)
        self.assertIn("{\n    1: InputOutputError,\n    2: NotFoundError,\n}", text)
        files = self.files(java.Java)
        self.assertIn("/** Worse; see {@link Status#IO}. */\npublic class LostException extends ClpoolException {", files["LostException.java"])
        self.assertIn("super(Status.NOT_FOUND, message, clError, cause);", files["LostException.java"])
        self.assertIn("public final class DiskException extends IllegalStateException implements ClpoolError {", files["DiskException.java"])
        self.assertIn("return Status.IO;", files["DiskException.java"])
        self.assertIn("      case NOT_FOUND:\n        return new LostException(message, clError, cause);\n      default:\n"
                      "        return new ClpoolException(this, message, clError, cause);\n", files["Status.java"])
        text = self.files(csharp.CSharp)["Classes.cs"]
        self.assertIn('Worse; see <see cref="Status.InputOutput"/>.</summary>\n    public sealed class LostException : System.Exception, '
                      "IClPoolError\n", text)
        self.assertIn("return Status.NotFound;", text)
        self.assertNotIn("DiskException", text)

    def test_results_are_values(self):
        text = self.files(java.Java)["SmallStatistics.java"]
        self.assertIn("static final int COUNT = 2;", text)
        self.assertIn("waitedNanos = figures[at + 1];", text)
        self.assertIn("public long waitedNanos() {", text)
        text = self.files(csharp.CSharp)["Classes.cs"]
        self.assertIn("public long WaitedNs { get { return (long)native.waited_ns; } }", text)
        self.assertRegex(text, r'Figures\.Describe\("SmallStatistics",\s+"HeldBytes", HeldBytes, "WaitedNs", WaitedNs\);')
        self.assertIn("class SmallStatistics(NamedTuple):\n    \"\"\"Figures.\"\"\"\n\n    held_bytes: int\n    waited_ns: int\n",
                      self.files(python.Python)["_results.py"])

    def test_facts_are_in_the_types_of_the_language(self):
        text = self.files(python.Python)["_results.py"]
        self.assertIn("    place: Optional[int]\n    type: device_type\n    name: str\n    note: str\n", text)
        self.assertIn("return SmallFacts(\n            _index(struct.place), device_type(struct.type), struct.name, struct.note)", text)
        self.assertIn('"From 0; None for nowhere."', text)
        self.assertIn('"Set of device_type bits; 0: any."', text)
        text = self.files(java.Java)["SmallFacts.java"]
        self.assertIn("Set of {@link Cl}'s {@code DEVICE_TYPE_…} bits; 0: any.", text)
        self.assertIn("From 0; {@code -1} for nowhere.", text)
        for line in ("place = (int) c.getPlace();", "type = c.getType();", "name = c.getName();", "public int place() {", "public long type() {"):
            self.assertIn(line, text)
        text = self.files(csharp.CSharp)["Classes.cs"]
        self.assertIn('<summary>Set of <see cref="DeviceTypes"/> bits; 0: any.</summary>\n        public DeviceTypes Type { get; private set; }',
                      text)
        for line in ("Place = (int)native.place;", "Type = (DeviceTypes)native.type;", "Name = Utf8.Read(native.name);"):
            self.assertIn(line, text)

    def test_numbers_that_are_no_values_are_constants(self):
        with mock.patch.dict(names.NO_VALUE, {"CLPOOL_SHAPE_ROUND_UINT8": "for a reason"}):
            text = self.files(python.Python)["_numbers.py"]
            self.assertNotIn("ROUND_UINT8 = 16", text.replace("CLPOOL_SHAPE_ROUND_UINT8 = 16", ""))
            self.assertIn("CLPOOL_SHAPE_ROUND_UINT8 = 16", text)
            self.assertNotIn("ROUND", self.files(java.Java)["Shape.java"])
            self.assertNotIn("Round", self.files(csharp.CSharp)["Enums.cs"].replace("round", ""))

    def test_options_begin_as_the_header_says(self):
        text = self.files(csharp.CSharp)["Classes.cs"]
        self.assertIn("/// <summary>How round.</summary>\n        public Shape Shape { get; set; }", text)
        self.assertIn("/// <summary>Louder than `unit`.</summary>\n        public bool Loud { get; set; }", text)
        self.assertIn("public long Unit { get; set; } = 1;", text)
        self.assertIn("public string? Name { get; set; }\n", text)
        self.assertIn("native.types = (ulong)Types;", text)
        self.assertNotIn("native.name = ", text)
        self.assertIn('native.weight_count = Figures.Store(Weights, native.weights, 3, "Weights");', text)
        self.assertIn("made.shape = 1;", self.files(csharp.CSharp)["Structs.cs"])
        text = self.files(java.Java)["SmallBuilderFields.java"]
        self.assertIn("Shape shape = Shape.SQUARE;", text)
        self.assertIn("long unit = 1;", text)
        self.assertIn("c.setLoud(loud ? 1 : 0);", text)
        self.assertIn("c.setName(name);", text)
        self.assertIn("value.length > Constants.CLPOOL_MAX_WEIGHTS", text)

    def test_structs_have_the_fields_of_c_in_their_order(self):
        self.assertIn("        public uint struct_size;\n        public uint shape;\n        public uint loud;\n        public uint weight_count;\n"
                      "        public fixed ulong weights[3];\n        public ulong unit;\n", self.files(csharp.CSharp)["Structs.cs"])

    def test_swig_gets_lists(self):
        files = self.files(swig.Swig)
        self.assertIn("%ignore clpool_small_stats_init;\n", files["described/functions.i"])
        self.assertIn("CLPOOL_HANDLE(clpool_thing)\n", files["described/handles.i"])
        self.assertIn("CLPOOL_EXCEPTION(CLPOOL_ERROR_NOT_FOUND, LostException)\nCLPOOL_EXCEPTION(CLPOOL_ERROR_IO, DiskException)\n",
                      files["described/exceptions.i"])
        structs = files["described/structs.i"]
        self.assertIn("%ignore clpool_small_stats::reserved;\n%immutable clpool_small_stats::held_bytes;\n"
                      "%immutable clpool_small_stats::waited_ns;\nCLPOOL_STRUCT(clpool_small_stats)\n", structs)
        self.assertIn("%immutable clpool_small_facts::note;\nCLPOOL_STRUCT(clpool_small_facts)\n", structs)
        self.assertIn("%immutable clpool_small_options::struct_size;\nCLPOOL_TEXT(clpool_small_options, name)\n"
                      "CLPOOL_STRUCT(clpool_small_options)\n", structs)
        with mock.patch.dict(names.OPTIONS, clear=True):
            self.assertIn("%ignore clpool_small_options;\n", self.files(swig.Swig)["described/structs.i"])
        self.assertIn("CLPOOL_FIGURES_OF(clpool_small_stats)\n", files["described/figures.i"])

    def test_what_may_wait_is_listed(self):
        said = {"Does not block.": "", "May block as long as the driver does.": "CLPOOL_MAY_BLOCK", "OpenCL calls: none.": "",
                "Does not block. OpenCL calls: clGetDeviceInfo, clSetKernelArg.": "", "OpenCL calls: clGetDeviceInfo, clFinish.": "CLPOOL_MAY_BLOCK",
                "OpenCL calls: clGetPlatformIDs.": "CLPOOL_MAY_BLOCK", "OpenCL calls: those of releases.": "CLPOOL_MAY_BLOCK"}
        for comment, macro in said.items():
            text = self.files(swig.Swig, SMALL.replace(" * @param stats receives it", f" * {comment}"))["described/blocking.i"]
            self.assertEqual(macro != "", "CLPOOL_MAY_BLOCK(clpool_small_stats_init)\n" in text, comment)
        text = self.files(swig.Swig, SMALL.replace("(clpool_small_facts* facts)", "(clpool_mem** out)"))["described/blocking.i"]
        self.assertIn("CLPOOL_TAKES_MEMORY(clpool_small_facts_init)\n", text)

    def test_numbers_that_functions_write_are_results(self):
        text = SMALL.replace("(clpool_small_facts* facts)", "(uint32_t* sizes, size_t capacity, size_t* count, cl_bitfield* bits, const size_t* shape)")
        self.assertTrue(self.files(swig.Swig, text)["described/results.i"].endswith(
            "*/\n%apply size_t *OUTPUT { size_t* count };\n%apply uint64_t *OUTPUT { cl_bitfield* bits };\n"))

    def test_swig_leaves_out_what_code_beside_it_calls(self):
        native = pathlib.Path(self.folder.name, "java", "native")
        native.mkdir(parents=True)
        (native / "a.cpp").write_text("clpool_small_stats_init(&s);  // not clpool_small_facts_init()", encoding="utf-8")
        with mock.patch.object(swig, "WRAPPERS", pathlib.Path(self.folder.name)):
            files = self.files(swig.Swig)
        self.assertTrue(files["described/left_out_of_java.i"].endswith("*/\n%ignore clpool_small_stats_init;\n"))
        self.assertNotIn("%ignore", files["described/left_out_of_python.i"])

    def test_what_has_no_name_in_a_language_is_refused(self):
        self.assertEqual("small.h:42: clpool_unknown() has no name in java: give it one in names.py, or say it in other words",
                         self.refused("part of held_bytes", "part of clpool_unknown()"))
        self.assertIn("CLPOOL_SHAPE_OVAL has no name in csharp", self.refused("Wholly.", "Not CLPOOL_SHAPE_OVAL.", csharp.CSharp))
        self.assertIn("held_byte has no name in python", self.refused("part of held_bytes", "part of held_byte", python.Python))

    def test_what_has_no_comment_is_refused(self):
        self.assertEqual("small.h:27: CLPOOL_SHAPE_ROUND_UINT8 has no comment", self.refused("  /** Wholly. */\n", "\n"))
        self.assertIn("clpool_small_stats.held_bytes has no comment", self.refused("  /** Bytes; NULL counts as none. */\n", ""))

    def test_what_is_of_no_known_type_is_refused(self):
        self.assertEqual("small.h:42: clpool_small_stats.waited_ns is of a type that has no counterpart: names.py has to say that it is "
                         "written by hand", self.refused("uint64_t waited_ns", "struct clock waited_ns"))
        self.assertIn("is of the type clock, which is not known", self.refused("uint64_t waited_ns", "clock waited_ns", self.raw_structs))
        self.assertEqual("small.h:54: no enumeration is CLPOOL_FORM_…", self.refused("One of CLPOOL_SHAPE_…", "One of CLPOOL_FORM_…"))

    def test_what_is_no_field_is_refused(self):
        self.assertEqual("small.h:42: this is no C that the headers are written in (see CONTRIBUTING.md)",
                         self.refused("uint64_t waited_ns", "waited_ns"))

    @staticmethod
    def raw_structs(described):
        writer = csharp.CSharp(described)
        made = mock.Mock()
        made.files = lambda: [writer.struct_text(struct, []) for struct in described.raw.values()]
        return made

    def test_files_that_are_no_longer_made_go_away(self):
        headers = pathlib.Path(self.folder.name, "headers")
        out = pathlib.Path(self.folder.name, "out")
        headers.mkdir()
        (headers / "small.h").write_text(SMALL, encoding="utf-8")
        (out / "described").mkdir(parents=True)
        (out / "described" / "old.i").write_text("", encoding="utf-8")
        self.assertEqual(0, generate.main("swig", str(headers), str(out)))
        self.assertEqual(["blocking.i", "exceptions.i", "figures.i", "functions.i", "handles.i", "left_out_of_csharp.i", "left_out_of_java.i",
                          "left_out_of_python.i", "results.i", "structs.i"], sorted(path.name for path in out.rglob("*.i")))


if __name__ == "__main__":
    unittest.main()
