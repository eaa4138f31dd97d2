# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""links.py SITE: every link within the built site leads to a file that is there, and in Sphinx's pages to a place that is
there."""
import html
import pathlib
import re
import sys
import urllib.parse

REFERENCE = re.compile(r'\b(?:href|src)="([^"]*)"')
PLACE = re.compile(r'\b(?:id|name)="([^"]*)"')


def offences(site):
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    places = {path: {html.unescape(name) for name in PLACE.findall(text)} for path, text in pages.items()}
    for page, text in pages.items():
        for found in sorted(set(REFERENCE.findall(text))):
            link = urllib.parse.urlsplit(html.unescape(found))
            if link.scheme or link.netloc:
                continue
            path = (page.parent / urllib.parse.unquote(link.path)).resolve() if link.path else page
            path = path / "index.html" if path.is_dir() else path
            if not path.is_file():
                yield f"{page.relative_to(site)}: there is no {found}"
            elif link.fragment and path in places and "java" not in path.relative_to(site).parts[:1]:
                if urllib.parse.unquote(link.fragment) not in places[path]:
                    yield f"{page.relative_to(site)}: there is no place {found}"


def main():
    wrong = list(offences(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
