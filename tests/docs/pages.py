# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the pages of docs/, and the README before them, as far as the tests here need it."""
import pathlib
import re
from typing import Iterator, List, NamedTuple


class Block(NamedTuple):
    page: pathlib.Path
    line: int
    language: str
    lines: List[str]

    def where(self) -> str:
        return f"{self.page}:{self.line}"


def pages(root: pathlib.Path) -> List[pathlib.Path]:
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


def blocks(page: pathlib.Path) -> Iterator[Block]:
    """The fenced blocks, without the frame that their place in a list gives them."""
    inside = None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        match = re.match(r"( *)```(.*)$", line)
        if inside is None and match:
            indent = len(match.group(1))
            inside = Block(page, number, match.group(2).strip(), [])
        elif match:
            yield inside
            inside = None
        elif inside is not None:
            inside.lines.append(line[indent:])
    if inside is not None:
        raise SystemExit(f"{inside.where()}: a block that does not end")


def without_blocks(page: pathlib.Path) -> str:
    """The page's text with empty lines for its blocks."""
    text, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = line.lstrip().startswith("```")
        text.append("" if inside or fence else line)
        inside = inside != fence
    return "\n".join(text)


def report(wrong: Iterator[str], fine: str) -> int:
    """Prints what is wrong, or that nothing is; the program's exit code."""
    lines = list(wrong)
    print("\n".join(lines) or fine)
    return 1 if lines else 0
