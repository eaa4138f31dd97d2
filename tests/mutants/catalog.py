# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""All mutants with their numbers, and the tree of sources that has them: a copy of the repository in which the files of
core/, capi/src/ and wrappers/python/clpool/ are rewritten."""
import collections
import hashlib
import json
import multiprocessing
import os
import shutil
import subprocess

NUMBERS_PER_FILE = 1000  # so that a file that changes does not give the others new numbers, to be compiled again
CPP = ("core/", "capi/src/")
PYTHON = "wrappers/python/clpool/"

# `line` is the text of the source line, `place` its number; `nth` counts those that are alike but for their place.
Mutant = collections.namedtuple("Mutant", "number file function operator line nth place")


def key(mutant):
    """What names a mutant whatever moves around it."""
    return (mutant.file, mutant.function, mutant.operator, mutant.line, mutant.nth)


def repository_files(root, kept):
    """What Git has and what it would have; in a copy without its history the names in the file `kept`, written where it
    was known."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, check=False,
                            capture_output=True) if os.path.exists(os.path.join(root, ".git")) else None
    if listed is not None and listed.returncode == 0:
        names = sorted(filter(None, listed.stdout.decode().split("\0")))
        write_if_changed(kept, "\n".join(names).encode())
    elif os.path.exists(kept):
        names = read(kept).decode().splitlines()
    else:
        raise SystemExit(f"{root} is no clone of the repository, and nothing was prepared in {os.path.dirname(kept)}")
    return [name for name in names if os.path.isfile(os.path.join(root, name))]


def is_cpp(name):
    return name.startswith(CPP) and name.endswith((".cpp", ".hpp"))


def is_python(name):
    return name.startswith(PYTHON) and name.endswith(".py")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write_if_changed(path, content):
    """Leaves a file alone that is as it shall be, and so what was built of it."""
    if not os.path.exists(path) or read(path) != content:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


def clang_arguments(root):
    return ["-std=c++20", "-DCL_TARGET_OPENCL_VERSION=300", "-DCLPOOL_BUILDING_LIBRARY", '-DCLPOOL_VERSION_STRING="0"',
            f"-I{root}/core", f"-I{root}/capi/include", f"-I{root}/capi/src"]


def points_of_source(work):
    """Of one source and the headers that it includes. Names of files are those within the repository."""
    import cpp_points
    root, names, name = work
    finder = cpp_points.Finder([os.path.join(root, one) for one in names])
    errors = finder.parse(os.path.join(root, name), clang_arguments(root))
    return name, errors, [(os.path.relpath(point.file, root), *point[1:]) for point in finder.points]


def cpp_points(root, names, cache, jobs, say):
    """{name: [all of rewrite.Point but the file]}, by libclang, which takes about a second for each source. Sources are
    looked at again when they, a header or the finder has changed; `cache` is a file. Where nothing has changed since it was
    written, there or elsewhere, libclang is not needed."""
    kept = {}
    if os.path.exists(cache):
        with open(cache, encoding="utf-8") as file:
            kept = json.load(file)
    headers = hashlib.sha256(read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cpp_points.py")))
    for name in names:
        if name.endswith(".hpp"):
            headers.update(name.encode() + read(os.path.join(root, name)))
    sources = [name for name in names if name.endswith(".cpp")]
    stamps = {name: hashlib.sha256(headers.digest() + read(os.path.join(root, name))).hexdigest() for name in sources}
    todo = [name for name in sources if kept.get(name, {}).get("stamp") != stamps[name]]
    if todo:
        try:
            import clang.cindex  # noqa: F401  # pylint: disable=unused-import
        except ImportError:
            raise SystemExit(f"{len(todo)} sources have to be read by libclang, whose Python binding is not installed "
                             "(python3-clang-14); --prepare where it is does that") from None
        with multiprocessing.Pool(jobs) as pool:
            for at, (name, errors, some) in enumerate(
                    pool.imap_unordered(points_of_source, [(root, names, name) for name in todo])):
                if errors:
                    raise SystemExit(f"{name} cannot be read: {errors[0]}")
                kept[name] = {"stamp": stamps[name], "points": some}
                say(f"\rlooking for what can be mutated: {at + 1} of {len(todo)} sources")
        say("\n")
        with open(cache, "w", encoding="utf-8") as file:
            json.dump({name: kept[name] for name in sources}, file)
    points = {tuple(point) for name in sources for point in kept[name]["points"]}
    found = {name: [] for name in names}
    for file, *rest in sorted(points, key=lambda one: (one[0], one[3], one[4], one[2], one[6])):
        found[file].append(rest)
    return found


class Catalog:
    def __init__(self, root, build, jobs, say):
        self.root, self.build, self.tree = root, build, os.path.join(build, "tree")
        self.mutants = {}
        os.makedirs(build, exist_ok=True)
        names = repository_files(root, os.path.join(build, "files.txt"))
        points = cpp_points(root, [name for name in names if is_cpp(name)], os.path.join(build, "points.json"), jobs, say)
        mutated = [name for name in names if is_cpp(name) or is_python(name)]
        first = {name: NUMBERS_PER_FILE * (at + 1) for at, name in enumerate(mutated)}
        for name in names:
            content = read(os.path.join(root, name))
            if is_cpp(name):
                content = self.cpp(name, content, points[name], first[name])
            elif is_python(name):
                content = self.python(name, content, first[name])
            target = os.path.join(self.tree, name)
            write_if_changed(target, content)
            shutil.copymode(os.path.join(root, name), target)
        for gone in set(self.files_of_tree()) - set(names):
            os.remove(os.path.join(self.tree, gone))
        self.count = NUMBERS_PER_FILE * (len(mutated) + 2)

    def files_of_tree(self):
        for folder, _, names in os.walk(self.tree):
            for name in names:
                yield os.path.relpath(os.path.join(folder, name), self.tree)

    def add(self, number, name, function, operator, line, place, seen):
        seen[function, operator, line] += 1
        self.mutants[number] = Mutant(number, name, function, operator, line, seen[function, operator, line], place)

    def cpp(self, name, content, points, number):
        from rewrite import Point, rewritten
        lines, seen, numbered = content.decode().splitlines(), collections.Counter(), []
        for at, raw in enumerate(points):
            point = Point(name, *raw)
            place = content.count(b"\n", 0, point.start)
            self.add(number + at, name, point.function, point.operator, lines[place].strip(), place + 1, seen)
            numbered.append((number + at, point))
        assert len(points) <= NUMBERS_PER_FILE, name
        return rewritten(content, numbered) if points else content

    def python(self, name, content, number):
        from python_points import rewritten
        numbers = iter(range(number, number + NUMBERS_PER_FILE))
        text, points = rewritten(name, content.decode(), lambda point: next(numbers))
        seen = collections.Counter()
        for at, point in sorted(points.items()):
            self.add(at, name, point.function, point.operator, point.text, point.line, seen)
        return text.encode() if points else content
