# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Puts mutations into a source, each behind its switch: clpool_mutant(7) ? what is there instead : what is there."""
import collections

# One mutation. `start` and `end` are byte offsets of what it replaces or wraps; `form` says how:
#   replace  {text} stands there instead         negate   the value, as a condition, is turned
#   succeed  the result becomes that of success   delete   the statement is left out
Point = collections.namedtuple("Point", "file function operator start end form text")


def wrapped(text, form, number, instead):
    """`text`, the source of a point with all that is inside it already rewritten, with a switch."""
    switch = f"clpool_mutant({number})"
    if form == "replace":
        return f"({switch} ? ({instead}) : ({text}))"
    if form == "negate":
        return f"({switch} != static_cast<bool>({text}))"
    if form == "succeed":
        return f"clpool_mutants::succeed({switch}, {text})"
    if form == "delete":
        return f"{{ if (!{switch}) {{ {text} }} }}"
    raise ValueError(form)


def split_arguments(text):
    """The two arguments of "a, b", where only the comma between them is outside of brackets."""
    depth = 0
    for at, letter in enumerate(text):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            return text[:at], text[at + 1:]
    raise ValueError(text)


def rewritten(text, points):
    """`text` (bytes) with all `points`, pairs of a number and a Point of this file."""
    order = ["delete", "arguments", "replace", "negate", "succeed"]  # from the outside, where they have one range
    todo = sorted(points, key=lambda one: (one[1].start, -one[1].end, order.index(one[1].form), one[0]))
    place = 0

    def part(start, end):
        """The text of a range, with the points that lie in it, of which the next is at `place`."""
        nonlocal place
        pieces, at = [], start
        while place < len(todo) and todo[place][1].start < end:
            number, point = todo[place]
            if point.end > end:
                raise ValueError(f"{point} overlaps another point")
            place += 1
            pieces.append(text[at:point.start].decode())
            inner = part(point.start, point.end)
            if point.form == "arguments":
                first, second = split_arguments(inner)
                none, null = point.text.split("|")
                pieces.append(wrapped(first, "replace", number, none) + ", " +
                              wrapped(second, "replace", number, null))
            else:
                pieces.append(wrapped(inner, point.form, number, point.text))
            at = point.end
        pieces.append(text[at:end].decode())
        return "".join(pieces)

    return part(0, len(text)).encode()
