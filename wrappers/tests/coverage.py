# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""coverage.py HEADER_FOLDER WRAPPERS_FOLDER STRUCTS [LANGUAGE:FILE,FILE,…]…

Every public function reaches users of each language that is built, or it is in not_wrapped.txt with a reason. STRUCTS is the list of the structs that SWIG makes classes of. FILEs are the language's sources over SWIG's, in which a function's name must stand: what users can
call is written by hand over the generated module. Patterns of names (such as "*.py") are allowed.
"""
import glob
import pathlib
import re
import sys


def public_functions(folder):
    """Name of every function that a public header declares with CLPOOL_API."""
    names = set()
    for path in sorted(pathlib.Path(folder).glob("*.h")):
        text = re.sub(r"/\*.*?\*/", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for declaration in re.findall(r"^CLPOOL_API\b([^;]*);", text, re.MULTILINE):
            names.add(re.search(r"\b(clpool_\w+)\s*\(", declaration).group(1))
    return names


def not_wrapped(path):
    """{function: (languages, reason)}; no languages: all of them."""
    entries = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"(clpool_\w+)\s+(?:\[([\w ]+)\]\s+)?(\S.*)", line)
        if not match:
            raise SystemExit(f"{path}: not a function and a reason: {line}")
        entries[match.group(1)] = (set((match.group(2) or "").split()), match.group(3))
    return entries


def words(patterns):
    """All names that begin with clpool_ in the files."""
    found = set()
    for pattern in patterns:
        paths = glob.glob(pattern, recursive=True)
        if not paths:
            raise SystemExit(f"no file is {pattern}")
        for path in paths:
            found |= set(re.findall(r"\bclpool_\w+", pathlib.Path(path).read_text(encoding="utf-8")))
    return found


def main(headers, wrappers, struct_list, languages):
    folder = pathlib.Path(wrappers)
    public = public_functions(headers)
    left_out = not_wrapped(folder / "not_wrapped.txt")
    structs = re.findall(r"^CLPOOL_STRUCT\((clpool_\w+)\)", pathlib.Path(struct_list).read_text(encoding="utf-8"),
                         re.MULTILINE)
    initialized = {f"{name}_init" for name in structs}  # called by the structs' constructors
    listed = public - initialized - {name for name, (only, _) in left_out.items() if not only}

    problems = [f"{name} is in not_wrapped.txt, but no public header declares it"
                for name in sorted(set(left_out) - public)]
    for language in languages:
        name, _, files = language.partition(":")
        excused = {function for function, (only, _) in left_out.items() if not only or name in only}
        missing = listed - words(files.split(",")) - excused
        problems += [f"{function} does not reach users of {name}" for function in sorted(missing)]

    print(f"{len(public)} public functions, {len(listed)} wrapped, {len(left_out)} left out with a reason, "
          f"languages: {' '.join(language.partition(':')[0] for language in languages) or 'none'}")
    print("\n".join(problems))
    return 1 if problems or not public else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4], sys.argv[4:]))
