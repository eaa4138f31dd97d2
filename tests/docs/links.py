# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""links.py ROOT: every link of the Markdown files leads to a file, a folder or a heading that is there, and pictures to
files. Of links to other sites only the form is looked at: there may be no network."""
import pathlib
import re
import subprocess
import sys

import pages

LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+(?:\([^()]*\))?)\)")
ELSEWHERE = re.compile(r"https?://[a-z0-9.-]+\.[a-z]{2,}(?:/[^\s<>\"]*)?$")


def anchors(page):
    """Those that a forge and Sphinx make of headings."""
    found = {}
    for heading in re.findall(r"^#{1,6} (.*)$", pages.without_blocks(page), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        count = found.get(slug, -1) + 1
        found[slug] = count
    return {slug if number == 0 else f"{slug}-{number}" for slug, count in found.items() for number in range(count + 1)}


def offences(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True,
                            text=True, check=False).stdout.split()
    files = listed or [str(path.relative_to(root)) for path in root.rglob("*.md")]  # of an archive
    for page in (root / name for name in files if (root / name).exists()):
        text = re.sub(r"``[^`]*``|`[^`]*`", lambda code: " " * len(code.group()), pages.without_blocks(page))
        for match in LINK.finditer(text):
            target, _, anchor = match.group(1).partition("#")
            where = f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
            if re.match(r"[a-z]+:", target):
                if not ELSEWHERE.match(match.group(1)):
                    yield f"{where}: {match.group(1)} is no address"
                continue
            path = (page.parent / target).resolve() if target else page
            if not path.exists():
                yield f"{where}: there is no {target}"
            elif not path.is_relative_to(root):
                yield f"{where}: {target} is not in the repository"
            elif anchor and path.suffix == ".md" and anchor not in anchors(path):
                yield f"{where}: {target or page.name} has no heading #{anchor}"


if __name__ == "__main__":
    sys.exit(pages.report(offences(pathlib.Path(sys.argv[1]).resolve()), "every link leads somewhere"))
