# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Prints the lines of Python that the README, the package's page and its own text show (>>>), as one program."""
import doctest
import pathlib

PACKAGE = pathlib.Path(__file__).parents[1]


def lines() -> str:
    """The program."""
    found = []
    for file in ("README.md", "PACKAGE.md", "clpool/__init__.py"):
        examples = doctest.DocTestParser().get_examples((PACKAGE / file).read_text().replace("\\\\", "\\"))
        assert examples, f"{file} shows no lines"
        found += [example.source for example in examples]
    return "".join(found)


if __name__ == "__main__":
    print(lines())
