# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""What is generated of the public headers, against tests/abi/layout.txt, which a C compiler wrote: nothing is forgotten, nothing has
another number, and no exception in names.py is without its reason or its use."""
import pathlib
import re
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))
import csharp  # noqa: E402
import description  # noqa: E402
import java  # noqa: E402
import names  # noqa: E402
import python  # noqa: E402

LAYOUT = (ROOT / "tests" / "abi" / "layout.txt").read_text(encoding="utf-8")
NUMBERS = {name: int(value) for name, value in re.findall(r"^\S+ (CLPOOL_\w+) = (-?\d+)$", LAYOUT, re.MULTILINE)}
FIELDS = re.findall(r"^\S+ (clpool_\w+)\.(\w+): offset", LAYOUT, re.MULTILINE)
DESCRIBED = description.Description(str(ROOT / "capi" / "include" / "clpool"))
LANGUAGES = [python.Python(DESCRIBED), java.Java(DESCRIBED), csharp.CSharp(DESCRIBED)]
TEXTS = {language.name: "\n".join(language.files().values()) for language in LANGUAGES}
# A number of the name in a text; and what users call to see a field.
NUMBER = {"python": r"^    {} = {}$", "java": r"^ +{}\({}\)[,;]$", "csharp": r"^        {} = {},?$"}
BEHIND = {"python": r"^{} = {}$", "java": r"static final \w+ {} = {}L?;", "csharp": r"const \w+ {} = {};"}
FIELD = {"python": r'^    "?{}"?:', "java": r"^  public \S+ {}\(", "csharp": r"^        public \S+ {} \{{"}


def text_of(language, cls):
    """The part of the generated text that is a class."""
    found = re.search(rf"^ *(?:public |abstract |final |sealed |unsafe |partial |static )*class {cls}\b.*?(?=^ *(?:public |abstract |final "
                      rf"|sealed |unsafe |partial )*class |\Z)", TEXTS[language.name], re.DOTALL | re.MULTILINE)
    return found.group() if found else ""


class Agreement(unittest.TestCase):
    def test_every_number_is_there_with_its_value(self):
        self.assertGreater(len(NUMBERS), 80)
        for name, value in NUMBERS.items():
            for language in LANGUAGES:
                enum, number = DESCRIBED.numbers.get(name, (None, None))
                if enum is not None and language.has_enum(enum) and number in language.values(enum):
                    pattern = NUMBER[language.name].format(language.value_name(enum, number), value)
                elif language.name == "csharp" and enum is not None:
                    continue  # a constant of SWIG's Native
                else:
                    shown = value % 2**64 if language.name != "java" or value >= 0 else value
                    pattern = BEHIND[language.name].format(name, shown)
                self.assertRegex(TEXTS[language.name], re.compile(pattern, re.MULTILINE), f"{name} in {language.name}")

    def test_every_field_is_there_or_has_a_reason(self):
        self.assertGreater(len(FIELDS), 200)
        seen = 0
        for struct, field in FIELDS:
            for language in LANGUAGES:
                by_hand = {**names.FIELDS_BY_HAND, **names.FIELDS_BY_HAND_IN.get(language.name, {})}
                if language.by_hand(struct) or f"{struct}.{field}" in by_hand:
                    continue
                members = language.members(DESCRIBED.structs[struct])
                mine = [member for member in members if member.name == field]
                mine = mine or [member for member in members if member.kind == "bit" and field == "flags"]
                if not mine:
                    counted = any(member.companion == field for member in members)
                    self.assertTrue(counted or field.startswith("reserved") or field == "struct_size", f"{struct}.{field}")
                    continue
                for cls in filter(None, (language.result(struct), language.options(struct))):
                    extended = cls in names.EXTENDED.get(language.name, ()) and language.name == "java"
                    is_input = cls != language.result(struct) and language.name == "java"
                    for member in mine:
                        if is_input and not member.is_input:
                            continue
                        self.assertRegex(text_of(language, f"{cls}Fields" if extended else cls),
                                         re.compile(FIELD[language.name].format(language.field_name(member)), re.MULTILINE),
                                         f"{struct}.{field} in {language.name}")
                        seen += 1
        self.assertGreater(seen, 250)

    def test_every_struct_has_a_class_or_a_reason(self):
        for struct in {struct for struct, _ in FIELDS}:
            for language in LANGUAGES:
                if not language.by_hand(struct):
                    self.assertTrue(language.result(struct) or language.options(struct), f"{struct} in {language.name}")

    def test_comments_name_nothing_of_c(self):
        for language in LANGUAGES:
            for line in TEXTS[language.name].split("\n"):
                if re.match(r"\s*(///|\*|/\*\*|#:)", line) and "@return one of" not in line and "INIT" not in line:
                    self.assertNotRegex(line, r"CLPOOL_(?!DEVICE\b)|clpool_(?!\w+, in its order)", language.name)

    def test_names_have_a_use(self):
        structs = set(DESCRIBED.structs)
        fields = {f"{struct}.{field}" for struct, field in FIELDS}
        enums = set(DESCRIBED.enums)
        numbers = set(DESCRIBED.numbers)
        per_language = [entries for table in (names.NO_ENUM_IN,) for entries in table.values()]
        self.assertLessEqual(set(names.ENUMS) | names.FLAGS | names.BOOLEANS | set(names.NO_ENUM) | set(names.UNKNOWN) |
                             set(names.JAVA_MEMBERS) | {prefix for entries in per_language for prefix in entries}, enums)
        self.assertLessEqual(names.CALLED_BY_ALL | names.LONG, DESCRIBED.functions)
        self.assertLessEqual(set(names.PREFIXES) | set(names.NO_VALUE) | set(names.PASCAL_VALUES) | set(names.ERRORS) | set(names.ERRORS_IN_PYTHON), numbers)
        self.assertLessEqual(set(names.RESULTS) | set(names.OPTIONS) | set(names.BY_HAND) | names.LONG_IN_CSHARP | names.SWIG_STRUCTS |
                             {struct for entries in names.BY_HAND_IN.values() for struct in entries} |
                             {struct for _, struct in names.ORDER}, structs)
        self.assertLessEqual(set(names.FIELDS_BY_HAND) | {field for entries in names.FIELDS_BY_HAND_IN.values() for field in entries} |
                             {field for _, field in names.FIELDS} | set(names.OPTIONAL_IN_PYTHON), fields)
        self.assertLessEqual(set(names.CONSTANTS), set(DESCRIBED.constants))
        comments = " ".join(path.read_text(encoding="utf-8") for path in (ROOT / "capi" / "include" / "clpool").glob("*.h"))
        for word in names.WORDS:
            self.assertIn(word, comments)

    def test_every_status_is_an_exception(self):
        statuses = {value.name for value in DESCRIBED.enums["CLPOOL_ERROR_"].values}
        self.assertEqual(statuses - {"CLPOOL_SUCCESS"}, set(names.ERRORS_IN_PYTHON))

    def test_reasons_are_given(self):
        tables = [names.NO_ENUM, names.NO_VALUE, names.BY_HAND, names.FIELDS_BY_HAND]
        for table in (names.NO_ENUM_IN, names.BY_HAND_IN, names.FIELDS_BY_HAND_IN):
            tables += table.values()
        for table in tables:
            for name, reason in table.items():
                self.assertGreater(len(reason.split()), 1, name)


if __name__ == "__main__":
    unittest.main()
