# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Sphinx's configuration. packaging/site/build sets the variables CLPOOL_…."""
import os
import posixpath
import re

from pygments.lexers import BashLexer
from sphinx.highlighting import lexers

project = "libclpool"
author = copyright = "The libclpool authors"
version = release = os.environ["CLPOOL_VERSION"]
root_doc = "index"
exclude_patterns = ["README.md", "*/README.md"]

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
myst_heading_anchors = 3
breathe_projects = {"clpool": os.environ["CLPOOL_DOXYGEN"]}
breathe_default_project = "clpool"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True

# Types that are not ours: OpenCL's and the language's. The C++ domain does not see what the C domain
# has, and functions do not see the types of their own namespace.
nitpicky = True
nitpick_ignore_regex = [
    ("c:identifier", r"cl_\w+|u?int(8|32|64)_t|size_t"),
    ("cpp:identifier", r"(cl_|clpool_|CLPOOL_)\w+|u?int(32|64)_t|size_t|clpool(::characterize)?|"
     "On|OnError|Mem|Version|DeviceOptions|BankConflicts"),
    ("py:.*", r".*"),
]

html_theme = "furo"
html_title = f"libclpool {version}"
html_static_path = [os.environ["CLPOOL_SITE"] + "/static"]
html_css_files = ["site.css"]
html_extra_path = [path for path in [os.environ.get("CLPOOL_EXTRA", "")] if path]
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
pygments_style = "default"
lexers["console"] = BashLexer()  # commands without a prompt, to be copied

# The order of the pages in the site's side bar, by captions. In the pages themselves a forge would show it as code.
TOCTREES = {
    "index": {"": "start/index guides/index",
              "To understand": "concepts/how-it-works concepts/drivers concepts/guarantees concepts/when-not differences python-names",
              "To look up": "reference/index"},
    "start/index": {"": "install c cpp python java csharp"},
    "guides/index": {"": "temporaries queues svm uploads limits several-gpus custom leaks guard coming-from"},
    "reference/index": {"": "program environment c/index cpp/index python/index java csharp/index"},
}
TITLES = {"c/index": "C", "cpp/index": "C++", "python/index": "Python", "java": "Java", "csharp/index": "C#"}

SOURCES = "https://github.com/libclpool/libclpool/blob/main/"


def leave_the_docs(app, docname, source):
    """Links to files that are not in docs/ lead to the repository; so do those to folders' own pages."""
    folder = posixpath.dirname("docs/" + docname)

    def replaced(match):
        path = posixpath.normpath(posixpath.join(folder, match.group(1)))
        if path.startswith("docs/") and not path.endswith("README.md"):
            return match.group()
        return f"]({SOURCES}{path}{match.group(2) or ''})"

    source[0] = re.sub(r"\]\((\.\.[^)#]*)(#[^)]*)?\)", replaced, source[0])


def add_toctrees(app, docname, source):
    """What TOCTREES has for the page, hidden in it."""
    for caption, names in TOCTREES.get(docname, {}).items():
        entries = [f"{TITLES[name]} <{name}>" if name in TITLES and docname == "reference/index" else name for name in names.split()]
        options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
        source[0] += "\n".join(["\n```{toctree}", *options, *entries, "```\n"])


def plain_docstrings(app, what, name, obj, options, lines):
    """Docstrings are plain text with `code`."""
    for number, line in enumerate(lines):
        line = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line)
        lines[number] = re.sub(r"(?<![`\w])(\w+_)(?=[\W])(?!`)", r"``\1``", line)


def setup(app):
    app.connect("source-read", leave_the_docs)
    app.connect("source-read", add_toctrees)
    app.connect("autodoc-process-docstring", plain_docstrings)
