# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""blocks.py ROOT: every block of code in docs/ is a part of a program that is a test, every output one that a test compares,
every program of docs/examples is shown, and every name of the library on a page is there; names of the Python package
where that can be imported.

`sh` is for commands that commands.py runs, `console` for those that need an installation: their scripts, packages and files
have to be there."""
import importlib
import importlib.util
import pathlib
import re
import sys
import textwrap

import pages

PROGRAMS = {"c": "*.c", "cpp": "*.cpp", "python": "*.py", "java": "*.java", "csharp": "*.cs"}
FOLDERS = ("docs/examples", "capi/examples", "capi/examples/headers", "wrappers/python/examples", "wrappers/java/examples",
           "wrappers/csharp/examples")
RUN_BY_COMMANDS = "docs/start/"
PYTHON_NAME = re.compile(r"(?<![\w/.])clpool(?:\.(?!(?:h|hpp|jar|pc|dll|1|map)\b)[A-Za-z_]\w*)+")
NAME = re.compile(r"\b(?:clpool_[a-z0-9_]+|CLPOOL_[A-Z0-9_]+)\b(?!…)")


def part_of(lines, text):
    """Whether the lines follow each other in a text, however far indented."""
    block = textwrap.dedent("\n".join(lines)).strip("\n").splitlines()
    source = text.splitlines()
    for start in range(len(source) - len(block) + 1):
        part = textwrap.dedent("\n".join(source[start:start + len(block)])).splitlines()
        if part == block:
            return True
    return False


def sources(root, pattern):
    return {path: path.read_text(encoding="utf-8") for folder in FOLDERS for path in sorted((root / folder).glob(pattern))}


def known_names(root):
    """All of the library, the options and variables of its build and its tests, and the measuring programs."""
    files = [*(root / "capi/include/clpool").glob("*.h*"), *(root / "capi/examples").glob("*.h"), root / "CMakeLists.txt",
             *root.glob("wrappers/*/CMakeLists.txt"), *root.glob("packaging/cmake/*.cmake"),
             *root.glob("tests/support/*.hpp"), *root.glob("tests/benchmarks/**/CMakeLists.txt")]
    return {name for path in files for name in re.findall(r"\b(?:clpool_\w+|CLPOOL_\w+)", path.read_text(encoding="utf-8"))}


def is_in_python(name):
    """Whether `clpool.….…` is a module or what one has."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            if not hasattr(thing, part):
                return False
            thing = getattr(thing, part)
        return True
    return False


def offences_of_console(root, block):
    packages = set(re.findall(r"^Package: (\S+)", (root / "packaging/packages/debian/debian/control").read_text(), re.M))
    for line in block.lines:
        for script in re.findall(r"(?<![\w/.])(packaging/\S+|tests/\S+|docs/\S+)", line):
            if not (root / script).exists():
                yield f"there is no {script}"
        for package in re.findall(r"dist/debian/([a-z0-9.+-]+)_\*", line):
            if package not in packages:
                yield f"there is no package {package}"


def offences(root):
    programs = {language: sources(root, pattern) for language, pattern in PROGRAMS.items()}
    outputs = [path.read_text(encoding="utf-8") for path in sorted((root / "docs/examples").glob("*.txt"))]
    names, shown = known_names(root), set()
    has_python = importlib.util.find_spec("clpool") is not None
    for page in pages.pages(root):
        for block in pages.blocks(page):
            if block.language in programs:
                within = [path for path, text in programs[block.language].items() if part_of(block.lines, text)]
                shown.update(within)
                if not within:
                    yield f"{block.where()}: no program has these lines of {block.language}"
            elif block.language == "text":
                if not any(part_of(block.lines, output) for output in outputs):
                    yield f"{block.where()}: no file docs/examples/*.txt has this output"
            elif block.language == "sh":
                if not str(page.relative_to(root)).startswith(RUN_BY_COMMANDS):
                    yield f"{block.where()}: commands.py runs those of {RUN_BY_COMMANDS} only; console is not run"
            elif block.language == "console":
                yield from (f"{block.where()}: {offence}" for offence in offences_of_console(root, block))
            else:
                yield f"{block.where()}: a block of language '{block.language}', which nothing checks"
        for number, line in enumerate(pages.without_blocks(page).splitlines(), 1):
            for name in NAME.findall(line):
                if name not in names:
                    yield f"{page}:{number}: there is no {name}"
            for name in PYTHON_NAME.findall(line) if has_python else ():
                if not is_in_python(name):
                    yield f"{page}:{number}: Python has no {name}"
    for path in (path for paths in programs.values() for path in paths):
        if path.parent == root / "docs/examples" and path not in shown:
            yield f"{path}: no page shows a part of it"


if __name__ == "__main__":
    sys.exit(pages.report(offences(pathlib.Path(sys.argv[1]).resolve()), "every block is a part of a test"))
