# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""reference.py ROOT FOLDER DOXYGEN_XML PACKAGE: writes the pages of the reference into FOLDER: one for each public header, filled by
Breathe; one for each module of the Python package, filled by autodoc; one that leads to Java's own."""
import argparse
import ast
import pathlib
import re
import sys
import xml.etree.ElementTree


def titled(text, mark="="):
    return f"{text}\n{mark * len(text)}\n\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def first_sentence(header):
    """Of a header's manual."""
    for comment in re.findall(r"^/\* (.*?)\*/|^((?:// .*\n)+)", header, re.DOTALL | re.MULTILINE):
        text = " ".join(re.sub(r"^(\s*\*|//) ?", "", "".join(comment), flags=re.MULTILINE).split())
        if "SPDX" in text:
            text = re.sub(r"^SPDX\S+ .*?Apache-2\.0 ?", "", text)
        if text:
            return re.match(r".*?\.(?= |$)", text).group().replace("`", "")
    raise SystemExit("reference.py: a header says nothing of itself")


def anchor(name):
    """Doxygen's name for a file."""
    return name.replace("_", "__").replace(".", "_8")


def functions_of(xml_folder, header):
    """Those of namespaces in a header of C++, as Breathe wants them named."""
    for path in sorted(xml_folder.glob("namespaceclpool*.xml")):
        compound = xml.etree.ElementTree.parse(path).getroot().find("compounddef")
        for member in compound.iter("memberdef"):
            if member.get("kind") in ("function", "typedef") and member.find("location").get("file").endswith("/" + header):
                name = compound.findtext("compoundname") + "::" + member.findtext("name")
                yield member.get("kind"), name, member.findtext("argsstring")


def classes_of(xml_folder, header):
    """[(class or struct, name)] of a header, without those inside others."""
    file = xml.etree.ElementTree.parse(xml_folder / (anchor(header) + ".xml")).getroot().find("compounddef")
    found = [(inner.get("refid"), inner.text) for inner in file.findall("innerclass") if inner.get("prot") == "public"]
    names = {name for _, name in found}
    return [("struct" if refid.startswith("struct") else "class", name) for refid, name in found
            if name.rpartition("::")[0] not in names]


def header_page(path, xml_folder):
    text = f".. _{anchor(path.name)}:\n\n" + titled(path.name) + f"``#include <clpool/{path.name}>``\n\n"
    text += f".. doxygenfile:: {path.name}\n"
    if path.suffix == ".hpp":
        text += "   :sections: briefdescription detaileddescription\n"
        for kind, name in classes_of(xml_folder, path.name):
            text += f"\n.. doxygen{kind}:: {name}\n   :members:\n   :undoc-members:\n"
        for kind, name, arguments in functions_of(xml_folder, path.name):
            text += f"\n.. doxygen{kind}:: {name}{arguments if kind == 'function' else ''}\n"
    return text


def headers(root, folder, xml_folder, suffix, language, intro):
    rows, names = "", []
    for path in sorted((root / "capi/include/clpool").glob("*" + suffix)):
        page = path.name.replace(".", "_")
        write(folder / language / (page + ".rst"), header_page(path, xml_folder))
        names.append(page)
        rows += f"* - :doc:`{path.name} <{page}>`\n     - {first_sentence(path.read_text(encoding='utf-8'))}\n   "
    text = titled({"c": "C", "cpp": "C++"}[language]) + intro + "\n\n.. list-table::\n   :widths: 25 75\n\n   " + rows
    text += "\n\n.. toctree::\n   :hidden:\n\n" + "".join(f"   {name}\n" for name in names)
    write(folder / language / "index.rst", text)


TITLES = {"_errors": "errors", "_results": "results"}


def python(package, folder):
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    pages = []
    for imported in tree.body:
        if not isinstance(imported, ast.ImportFrom) or not imported.module or not imported.level:
            continue
        names = [alias.name for alias in imported.names if not (alias.asname or alias.name).startswith("_")]
        title = TITLES.get(imported.module, imported.module)
        text = titled(title) + ".. currentmodule:: clpool\n\n"
        doc = ast.get_docstring(ast.parse((package / (imported.module + ".py")).read_text(encoding="utf-8")))
        text += re.sub(r"`([^`]+)`", r"``\1``", doc or "") + "\n\n"
        for name in names:
            kind = kind_of(package, imported.module, name)
            members = "   :members:\n   :undoc-members:\n" if kind == "autoclass" else ""
            text += f".. {kind}:: {name}\n{members}\n"
        write(folder / "python" / (title + ".rst"), text)
        pages.append(title)
    for module in ("characterize", "tools", "pyopencl", "pyopencl.tools", "pytest_plugin"):
        members = "" if module.endswith("tools") else "   :members:\n"  # which has names of others
        write(folder / "python" / (module + "_module.rst"),
              titled("clpool." + module) + f".. automodule:: clpool.{module}\n{members}")
        pages.append(module + "_module")
    pages.remove("characterize")  # the module has it
    (folder / "python/characterize.rst").unlink()
    text = titled("Python") + ".. automodule:: clpool\n   :no-members:\n\n.. toctree::\n   :maxdepth: 1\n\n"
    write(folder / "python/index.rst", text + "".join(f"   {page}\n" for page in pages))


def body_of(package, module):
    """What a module defines, with what it has of others by a star."""
    body = ast.parse((package / (module + ".py")).read_text(encoding="utf-8")).body
    stars = [node.module for node in body if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"]
    return body + [node for star in stars for node in body_of(package, star)]


def kind_of(package, module, name):
    """autodoc's directive for a name of a module."""
    if module == "_errors":
        return "autoexception"
    if name.isupper() and name != "SVM":
        return "autodata"
    body = body_of(package, module)
    is_class = any(isinstance(node, ast.ClassDef) and node.name == name for node in body)
    return "autoclass" if is_class or name[0].isupper() else "autofunction"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("xml", type=pathlib.Path)
    parser.add_argument("package", type=pathlib.Path, help="the Python package as it was built")
    given = parser.parse_args()
    headers(given.root, given.folder, given.xml, ".h", "c",
            "Each header is its own manual. ``#include <clpool/clpool.h>`` has all of them.")
    headers(given.root, given.folder, given.xml, ".hpp", "cpp",
            "A layer of headers over the C functions: owning types, exceptions or error codes. "
            "``#include <clpool/clpool.hpp>`` has all of it; C++17.")
    python(given.package, given.folder)
    write(given.folder / "java.rst",
          titled("Java") + "`The pages that javadoc makes of org.clpool <../java/index.html>`_.\n")


if __name__ == "__main__":
    sys.exit(main())
