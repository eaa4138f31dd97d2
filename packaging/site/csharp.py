# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""csharp.py CLPOOL_DLL FOLDER: a page for each public class of the assembly: the compiler's XML file beside it has the
texts, monop the declarations."""
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

from reference import titled, write

ALIASES = {"Int64": "long", "Int32": "int", "UInt32": "uint", "UInt64": "ulong", "Byte": "byte", "Boolean": "bool",
           "String": "string", "Object": "object", "Double": "double", "Single": "float", "Void": "void", "Char": "char"}


def short(text):
    """A type as a person writes it."""
    text = re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text.replace("{", "<").replace("}", ">").replace("@", ""))
    text = re.sub(r"\b(\w+)\b", lambda m: ALIASES.get(m.group(1), m.group(1)), text)
    return re.sub(r"``?(\d+)", "T", text)


def split(text):
    """Parameters, at the commas that are in no brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "<[({") - (sign in ">])}")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def declarations(assembly, name):
    """Of a class, by name and number of parameters, as monop prints them."""
    outline = subprocess.run(["monop", f"-r:{assembly}", name], capture_output=True, text=True, check=False).stdout
    found, head = {}, next((line for line in outline.splitlines() if line.startswith("public ")), "")
    for line in outline.splitlines():
        line = line.strip()
        if match := re.match(r"(?:public|protected) (.*?)\s*([\w.]+(?:<\w+>)?) \((.*)\);$", line):
            result, member, listed = match.groups()
            types = tuple(short(re.sub(r"^(out|ref|params|this) ", "", part).rsplit(" ", 1)[0]) for part in split(listed))
            found[member.split("<")[0], types] = short(f"{result} {member}({listed})").strip()
        elif match := re.match(r"public (.*?)\s*(\w+) \{$", line):
            found[match.group(2), None] = short(f"{match.group(1)} {match.group(2)}").strip()
        elif match := re.match(r"public (const|static) (.*?)\s*(\w+)(?: = .*)?;$", line):
            found[match.group(3), None] = short(f"{match.group(1)} {match.group(2)} {match.group(3)}")
    return head.rstrip(" {"), found


def text_of(element):
    """Of a summary, a parameter and so on: one line of reStructuredText."""
    if element is None:
        return ""
    text = element.text or ""
    for child in element:
        name = child.get("cref") or child.get("name") or child.get("langword") or ""
        inner = "".join(child.itertext()) or short(name[2:] if name[1:2] == ":" else name)
        text += f"``{inner.strip()}``" if inner.strip() else ""
        text += child.tail or ""
    return " ".join(re.sub(r"(\w+_)(?!\w)", r"``\1``", text).replace("*", r"\*").split())


def member_entry(kind, name, member, known):
    base, _, arguments = name.partition("(")
    types = tuple(short(part) for part in split(arguments.rstrip(")")))
    base = re.sub(r"``?\d+$", "", base.rsplit(".", 1)[1])
    shown = known.get((base, types if kind == "M" else None))
    if base == "#ctor":
        base = name.partition("(")[0].rsplit(".", 2)[1]
        shown = known.get((base, types))
    if shown is None:
        shown = base + (f"({', '.join(types)})" if kind == "M" else "")
    lines = [text_of(member.find("summary"))]
    lines += [f"* ``{p.get('name')}``: {text_of(p)}" for p in member.findall("param") if text_of(p)]
    if text_of(member.find("returns")):
        lines.append("* returns " + text_of(member.find("returns")))
    lines += [f"* throws ``{short(e.get('cref', '')[2:])}``: {text_of(e)}" for e in member.findall("exception")]
    if text_of(member.find("remarks")):
        lines.insert(1, text_of(member.find("remarks")))
    body = "\n".join("   " + line + ("\n" if not line.startswith("*") else "") for line in lines if line)
    return f"``{shown}``\n{body or '   ' + chr(0x2013)}\n\n"


def main():
    assembly, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    types, members = {}, {}
    for member in xml.etree.ElementTree.parse(assembly.with_suffix(".xml")).iter("member"):
        kind, _, name = member.get("name").partition(":")
        if name.startswith("ClPool.Interop."):
            continue
        if kind == "T":
            types[name] = member
        else:
            members.setdefault(name.partition("(")[0].rsplit(".", 1)[0], []).append((kind, name, member))
    rows, pages = "", []
    for name, element in sorted(types.items()):
        head, known = declarations(assembly, name)
        if not head:
            continue  # not public
        page = re.sub(r"`\d+", "", name.removeprefix("ClPool."))
        text = titled(page) + text_of(element.find("summary")) + "\n\n::\n\n   " + short(head) + "\n\n"
        if text_of(element.find("remarks")):
            text += text_of(element.find("remarks")) + "\n\n"
        for kind, member_name, member in members.get(name, []):
            if member.find("inheritdoc") is None:
                text += member_entry(kind, member_name, member, known)
        write(folder / (page + ".rst"), text)
        pages.append(page)
        rows += f"* - :doc:`{page}`\n     - {text_of(element.find('summary'))}\n   "
    if not pages:
        raise SystemExit(f"csharp.py: monop knows no class of {assembly}")
    write(folder / "index.rst", titled("C#") + "Namespace ``ClPool``.\n\n.. list-table::\n   :widths: 30 70\n\n   " + rows +
          "\n\n.. toctree::\n   :hidden:\n\n" + "".join(f"   {page}\n" for page in pages))


if __name__ == "__main__":
    sys.exit(main())
