# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Sphinx's configuration. packaging/docs sets the variables CLPOOL_…."""
import os
import posixpath
import re

from sphinx.util.nodes import make_refnode

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


def labels_of_any_case(app, env, node, contnode):
    """Sphinx keeps labels in lower case, Breathe asks for them as Doxygen writes them."""
    found = env.domains["std"].anonlabels.get(node["reftarget"].lower())
    return found and make_refnode(app.builder, node["refdoc"], found[0], found[1], contnode)


def plain_docstrings(app, what, name, obj, options, lines):
    """Docstrings are plain text with `code`."""
    for number, line in enumerate(lines):
        line = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line)
        lines[number] = re.sub(r"(?<![`\w])(\w+_)(?=[\W])(?!`)", r"``\1``", line)


def setup(app):
    app.connect("source-read", leave_the_docs)
    app.connect("missing-reference", labels_of_any_case)
    app.connect("autodoc-process-docstring", plain_docstrings)
