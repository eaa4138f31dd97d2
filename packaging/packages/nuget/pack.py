# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a NuGet package of a folder: pack.py VERSION NUSPEC.in FOLDER DIST. NuGet packages are zip archives with the
parts of the Open Packaging Conventions. Those that `nuget pack` and `dotnet pack` write hold random names and the time;
this one has the same bytes for the same files."""
import os
import sys
import time
import zipfile
from pathlib import Path
from typing import Dict, List
from xml.sax.saxutils import escape

ID = "ClPool"
NATIVE = ("libclpool.so.1", "libclpool-csharp.so")
MANAGED = (f"{ID}.dll", f"{ID}.xml")
XML = '<?xml version="1.0" encoding="utf-8"?>\n'
PROPERTIES = "package/services/metadata/core-properties/core-properties.psmdcp"
SCHEMAS = "http://schemas.openxmlformats.org/package/2006"


def folders(root: Path, place: str, files: tuple) -> List[str]:
    """The names of the folders in a place; each must hold the files."""
    names = sorted(path.name for path in (root / place).iterdir()) if (root / place).is_dir() else []
    if not names:
        raise SystemExit(f"pack.py: {root} has nothing in {place}/")
    for name in names:
        inner = root / place / name / ("native" if place == "runtimes" else "")
        for file in files:
            if not (inner / file).is_file():
                raise SystemExit(f"pack.py: {inner.relative_to(root)} lacks {file}")
    return names


def long_name(framework: str) -> str:
    """netstandard2.0 as a .nuspec has it."""
    return framework.replace("netstandard", ".NETStandard")


def content_types(names: List[str]) -> str:
    """[Content_Types].xml: a type for every ending."""
    kinds = {name.rpartition(".")[2]: "application/octet" for name in names}
    kinds["rels"] = "application/vnd.openxmlformats-package.relationships+xml"
    kinds["psmdcp"] = "application/vnd.openxmlformats-package.core-properties+xml"
    return (XML + f'<Types xmlns="{SCHEMAS}/content-types">\n' +
            "".join(f'  <Default Extension="{ending}" ContentType="{kind}" />\n'
                    for ending, kind in sorted(kinds.items())) + "</Types>\n")


def relationships() -> str:
    """_rels/.rels: where the manifest and the properties are."""
    rows = (("http://schemas.microsoft.com/packaging/2010/07/manifest", f"/{ID}.nuspec", "R1"),
            (f"{SCHEMAS}/relationships/metadata/core-properties", f"/{PROPERTIES}", "R2"))
    return (XML + f'<Relationships xmlns="{SCHEMAS}/relationships">\n' +
            "".join(f'  <Relationship Type="{kind}" Target="{target}" Id="{name}" />\n'
                    for kind, target, name in rows) + "</Relationships>\n")


def properties(version: str) -> str:
    """The core properties."""
    return (XML + f'<coreProperties xmlns="{SCHEMAS}/metadata/core-properties"\n'
            '                xmlns:dc="http://purl.org/dc/elements/1.1/">\n'
            f"  <dc:creator>The libclpool authors</dc:creator>\n  <dc:identifier>{ID}</dc:identifier>\n"
            f"  <version>{escape(version)}</version>\n</coreProperties>\n")


def main() -> None:
    """Writes DIST/ClPool.VERSION.nupkg."""
    version, template, root, dist = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4])
    frameworks = folders(root, "lib", MANAGED)
    runtimes = folders(root, "runtimes", NATIVE)
    groups = "\n".join(f'      <group targetFramework="{long_name(name)}" />' for name in frameworks)
    nuspec = (template.read_text(encoding="utf-8").replace("@VERSION@", escape(version))
              .replace("@RUNTIMES@", " and ".join(runtimes)).replace("@DEPENDENCIES@", groups))
    parts: Dict[str, bytes] = {path.relative_to(root).as_posix(): path.read_bytes()
                               for path in sorted(root.rglob("*")) if path.is_file()}
    parts[f"{ID}.nuspec"] = nuspec.encode()
    parts[PROPERTIES] = properties(version).encode()
    parts["_rels/.rels"] = relationships().encode()
    parts["[Content_Types].xml"] = content_types(list(parts)).encode()
    # Zip archives know no time before 1980.
    moment = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
    package = dist / f"{ID}.{version}.nupkg"
    with zipfile.ZipFile(package, "w") as archive:
        for name in sorted(parts):
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, parts[name])
    print(f"{package}: {', '.join(frameworks)}; {', '.join(runtimes)}")


if __name__ == "__main__":
    main()
