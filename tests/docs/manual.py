# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""manual.py ROOT [--write]: the manual page capi/libclpool.3, made from the headers: every header, handle, struct, function
and status, in one line each. Compares it with the file, or writes it. A variable of the environment that the library reads
and that is not told of here is an error."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "capi" / "reader"))
import headers  # noqa: E402

VARIABLES = {
    "CLPOOL_GUARD": "1: pools look for mistakes of the program that uses them, and tell them on standard error where nobody "
                    "receives messages; abort: the first finding ends the process; 0 or empty: off; anything else: as 1",
    "CLPOOL_DEVICE": "the device that is taken where the program does not say: PLATFORM:DEVICE by numbers or parts of "
                     "names, a part of a name, gpu, accelerator or cpu",
    "CLPOOL_TEST": "the devices that tests run on; the first is taken where CLPOOL_DEVICE is not set",
    "PYOPENCL_TEST": "the same, as PyOpenCL has it",
    "PYOPENCL_CTX": "the device, as PyOpenCL has it",
    "CUDA_DEVICE": "the device by its number, as PyCUDA has it; without it the first line of ~/.cuda-device or "
                   "~/.cuda_device",
    "OMPI_COMM_WORLD_LOCAL_RANK": "with SLURM_LOCALID and MPI_LOCALRANKID: the process' rank on its node, for "
                                  "CLPOOL_DEVICE_BY_RANK",
    "SLURM_LOCALID": "", "MPI_LOCALRANKID": "",
}
DESCRIPTION = r""".SH DESCRIPTION
Pools hand out device memory, shared virtual memory, page\-locked memory or memory of the program's own from what they have,
so that a program that makes and drops buffers in a loop does not pay a driver call for each of them.
An allocator is where memory comes from, a pool is made over one, and a
.B clpool_mem
is one piece of memory, which
.BR clpool_mem_handle ()
or
.BR clpool_mem_pointer ()
gives to OpenCL.
Each header is the manual of its functions: parameters, statuses, who owns what, whether it may block, and which OpenCL calls
it may make.
.PP
For C++ there is
.BR clpool/clpool.hpp .
"""
FILES = {
    "/usr/include/clpool/": "the headers",
    "clpool.pc": "for pkg-config; the CMake package is clpool, its target clpool::clpool",
    "/usr/share/doc/libclpool-doc/html/": "the documentation as a site, where the package libclpool-doc is installed",
}
READ = re.compile(r'"((?:CLPOOL|PYOPENCL)_[A-Z]+(?:_[A-Z]+)*|CUDA_DEVICE|OMPI_\w+|SLURM_\w+|MPI_\w+)"')


def roff(text):
    """Plain text as troff takes it: no command at a line's start, no dash that becomes another sign."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...").replace("×", "x")
    return re.sub(r"^([.'])", r"\\&\1", text)


def sentence(text):
    """The first one, without its full stop."""
    text = " ".join(text.split()).replace("`", "")
    return re.match(r"(.*?)(?:[.:](?=\s|$)|$)", text).group(1)


def row(name, text, suffix=""):
    return f".TP\n.B {roff(name)}{roff(suffix)}\n{roff(text)}\n"


def statuses(text):
    """[(name, number, what it means)]"""
    return re.findall(r"/\*\*\s*((?:(?!\*/).)*?)\s*\*/\s*(CLPOOL_(?:SUCCESS|ERROR_\w+)) = (\d+)", text, re.DOTALL)


def types(text):
    """Handles and structs of a header: [(name, what it is)]"""
    handles = re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*typedef struct \w+ (\w+);", text, re.DOTALL)
    structs = re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*typedef struct \w+ \{", text, re.DOTALL)
    names = re.findall(r"^typedef struct (\w+) \{", text, re.MULTILINE)
    return [(name, sentence(headers.plain(f"/**{what}*/"))) for what, name in handles] + [
        (name, sentence(headers.plain(f"/**{what}*/"))) for what, name in zip(structs, names)]


def page(root):
    texts = headers.texts(root / "capi/include/clpool")
    version = re.search(r"^project\(clpool VERSION (\d+\.\d+)", (root / "CMakeLists.txt").read_text(), re.MULTILINE).group(1)
    concepts = {name: text for name, text in texts.items() if name != "clpool.h"}
    out = ['.\\" SPDX-FileCopyrightText: The libclpool authors\n.\\" SPDX-License-Identifier: Apache-2.0\n',
           '.\\" Made by tests/docs/manual.py from the headers.\n',
           f'.TH LIBCLPOOL 3 "2026-11" "libclpool {version}" "Library Functions Manual"\n',
           ".SH NAME\nlibclpool \\- memory pools and memory runtime for OpenCL\n",
           ".SH SYNOPSIS\n.nf\n.B #include <clpool/clpool.h>\n.fi\n.PP\n",
           ".B cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs clpool OpenCL)\n",
           DESCRIPTION]
    out.append(".SH TYPES\n")
    for name, text in concepts.items():
        out += [row(kind, f"{what} ({name})") for kind, what in types(text)]
    for name, text in concepts.items():
        found = headers.functions(name, text)
        if found:
            what = sentence(headers.file_comment(text))
            out.append(f".SS {roff(name)}: {roff(what[0].lower() + what[1:])}\n")
            out += [row(f.name, sentence(headers.documentation(f.comment).what), "()") for f in found]
    first = next(index for index, part in enumerate(out) if part.startswith(".SS "))
    out.insert(first, ".SH FUNCTIONS\n")
    out.append(".SH RETURN VALUE\nFunctions that can fail return a status. What went wrong is in\n"
               ".BR clpool_last_error_message (),\nthe driver's code in\n.BR clpool_last_cl_error ().\n")
    for what, name, number in statuses(texts["status.h"]):
        out.append(row(name, sentence(headers.plain(f"/**{what}*/")), f" ({number})"))
    out.append(".SH ENVIRONMENT\nNone of these is read in set\\-uid programs.\n")
    out += [row(name, text) for name, text in VARIABLES.items() if text]
    out.append(".SH FILES\n")
    out += [row(name, text) for name, text in FILES.items()]
    out.append(".SH SEE ALSO\n.BR clpool (1),\n.BR clinfo (1)\n")
    return "".join(out)


def lacks(root, text):
    """What a manual page has to name and this one does not."""
    plain = text.replace("\\-", "-")
    for path in (root / "core").rglob("*.cpp"):
        for name in READ.findall(path.read_text(encoding="utf-8")):
            if name not in plain:
                yield f"{path.relative_to(root)} reads {name}, of which the manual page says nothing"
    exported = re.findall(r"\b(clpool_\w+);", (root / "capi/clpool.map").read_text(encoding="utf-8"))
    for name in exported or ["capi/clpool.map has no function"]:
        if not re.search(rf"^\.B {name}\(\)$", plain, re.MULTILINE):
            yield f"the manual page does not name {name}()"
    for line in plain.splitlines():
        if line.count("(") != line.count(")"):
            yield f"a first sentence was cut within parentheses: {line}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    text, path = page(root), root / "capi/libclpool.3"
    wrong = list(lacks(root, text))
    if "--write" in sys.argv[2:]:
        path.write_text(text, encoding="utf-8")
    elif path.read_text(encoding="utf-8") != text:
        wrong.append(f"{path} is not that of the headers: python3 tests/docs/manual.py ROOT --write")
    print("\n".join(wrong) or "the manual page is that of the headers")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
