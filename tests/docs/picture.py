# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""picture.py FILE [--write]: draws what a real pool shows of its memory after each of a few calls, as SVG, and compares with
FILE, or writes it. The pool is over numbers (a custom allocator), so that no device is needed. PYTHONPATH has clpool."""
import pathlib
import sys
from xml.sax.saxutils import escape

import clpool

KIB = 1024
WIDTH, LEFT, TOP, ROW, BAR = 960, 230, 46, 44, 28
COLOURS = {"active": "#3d6fa5", "cached": "#f2a65a", "free": "#e6e6e6"}
LEGEND = (("active", "handed out", 0), ("cached", "cached: for the same size at once", 120), ("free", "free", 390))
HEADING = "One chunk of 1 MiB, after each call"


def steps():
    """[(call, [(state, offset, size, requested, name)])]"""
    made = []

    def allocate(size, alignment):
        made.append(size)
        return len(made) << 40

    pool = clpool.MemoryPool(clpool.CustomAllocator(allocate, lambda chunk, size: None), min_chunk_bytes=1024 * KIB)
    blocks = {}

    def look(call):
        return call, [(s.state, s.offset, s.size, chr(s.tag) if s.tag else "") for s in pool.stretches]

    for call in ("a 300", "b 60", "c 400", "b", "d 100", "a", "d", "c", "e 1024"):
        name, _, size = call.partition(" ")
        if size:
            blocks[name] = pool.allocate(int(size) * KIB)
            blocks[name].tag(ord(name))
            yield look(f"{name} = allocate({size} KiB)")
        else:
            blocks.pop(name).release()
            yield look(f"release({name})")
    assert len(made) == 1, "one chunk serves all"


def drawn(rows):
    height = TOP + ROW * len(rows) + 36
    scale = (WIDTH - LEFT - 16) / (1024 * KIB)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"',
             ' font-family="sans-serif" font-size="14">',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
             f'<text x="16" y="26" font-size="16" font-weight="bold">{HEADING}</text>']
    for number, (call, stretches) in enumerate(rows):
        y = TOP + ROW * number
        lines.append(f'<text x="16" y="{y + 19}" font-family="monospace" font-size="13">{escape(call)}</text>')
        for state, offset, size, name in stretches:
            x, width = LEFT + offset * scale, size * scale
            lines.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BAR}"'
                         f' fill="{COLOURS[state]}" stroke="white"/>')
            if name:
                lines.append(f'<text x="{x + width / 2:.1f}" y="{y + 19}" fill="white" text-anchor="middle">{name}</text>')
    for state, text, x in LEGEND:
        x, y = LEFT + x, TOP + ROW * len(rows) + 8
        lines.append(f'<rect x="{x}" y="{y}" width="14" height="14" fill="{COLOURS[state]}"/>')
        lines.append(f'<text x="{x + 20}" y="{y + 12}">{text}</text>')
    return "\n".join(lines) + "\n</svg>\n"


def main():
    path = pathlib.Path(sys.argv[1])
    picture = drawn(list(steps()))
    if "--write" in sys.argv[2:]:
        path.write_text(picture, encoding="utf-8")
        return 0
    same = path.read_text(encoding="utf-8") == picture
    print("the picture is the pool's" if same else f"{path} is not what the pool shows: write it anew (--write) and look")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
